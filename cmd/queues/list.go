package queues

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"botwork/cmd/internal/cli"
	"botwork/workqueue"
)

func (a *command) queuesListCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the queues",
		Long: `Lists the queues by name, with their limits in the whole cluster: how many items run
at a time, how many start in a period, and the same for each limit key. "*" marks
queues that a command has changed since they were defined: "botwork queues show"
lists what differs. Queues that a command has deleted, although settings define them,
are below the table; --deleted lists only these.

JSON and YAML have the whole policy; durations are written as "1h30m0s", rates as
"10/1m0s", and missing values are null.`,
		Example: "  botwork queues list\n  botwork queues list --output json",
		Args:    cli.NoArguments,
	}
	only := cmd.Flags().Bool("deleted", false, "list only the queues that a command has deleted although settings define them")
	output := cli.OutputFlag(cmd)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		return a.WithReadOnlyBackend(cmd.Context(), func(store cli.Backend) error {
			deleted, err := store.DeletedQueues(cmd.Context())
			if err != nil {
				return err
			}
			if *only {
				return a.Print(*output, deleted, func() {
					if a.deletedQueues(deleted); len(deleted) == 0 {
						fmt.Fprintln(a.Stdout, "no deleted queues")
					}
				})
			}
			queues, err := store.Queues(cmd.Context())
			if err != nil {
				return err
			}
			return a.Print(*output, queues, func() {
				a.queueTable(queues)
				a.deletedQueues(deleted)
			})
		})
	}
	return cmd
}

// deletedQueues prints the queues that were deleted although settings define them.
func (a *command) deletedQueues(deleted []workqueue.DeletedQueue) {
	for _, q := range deleted {
		fmt.Fprintf(a.Stdout, "queue %s: deleted by %s, %s; it remains deleted until `botwork queues define`\n", q.Name, q.By, a.Instant(&q.At))
	}
}

func (a *command) queueTable(queues []workqueue.Queue) {
	g := cli.NewGrid("name", "state", "taken by", "offset", "limits", "escalation", "defined by", "revision", "description").DropWhenNarrow("revision", "escalation", "defined by", "description")
	for i := range queues {
		q := &queues[i]
		definedBy := cli.OrDash(q.DefinedBy)
		if q.Override != nil {
			definedBy += "*"
		}
		g.Add(q.Name, queueState(q), string(q.Consumer), signed(q.PriorityOffset), cli.OrNone(limitsOf(q)), cli.OrNone(escalationNames(q)), definedBy,
			fmt.Sprint(q.Revision), cli.Shorten(orEmpty(q.Description), 40))
	}
	g.Print(a.Stdout)
}

// escalationNames returns the names of the rules of escalation; "" for none.
func escalationNames(q *workqueue.Queue) string {
	rules, err := q.Escalations()
	if err != nil {
		return "cannot be read"
	}
	names := make([]string, len(rules))
	for i := range rules {
		names[i] = rules[i].Rule.Name
	}
	return cli.Shorten(strings.Join(names, ", "), 40)
}

func queueState(q *workqueue.Queue) string {
	if q.Paused {
		return "paused"
	}
	return "running"
}

// limitsOf returns a queue's limits; "" for none.
func limitsOf(q *workqueue.Queue) string {
	all := limitText(q.Concurrency, q.Rate)
	if perKey := limitText(q.KeyConcurrency, q.KeyRate); perKey != "" {
		all = strings.TrimPrefix(all+"; a key "+perKey, "; ")
	}
	return all
}

func limitText(concurrency int, rate workqueue.Rate) string {
	var parts []string
	if concurrency > 0 {
		parts = append(parts, fmt.Sprintf("%d at a time", concurrency))
	}
	if rate.Limit > 0 {
		parts = append(parts, fmt.Sprintf("%d/%s", rate.Limit, rate.Per))
	}
	return strings.Join(parts, ", ")
}

// signed returns a number with its sign; "" for 0.
func signed(n int) string {
	if n == 0 {
		return "-"
	}
	return fmt.Sprintf("%+d", n)
}

func orEmpty(p *string) string {
	if p == nil {
		return ""
	}
	return *p
}
