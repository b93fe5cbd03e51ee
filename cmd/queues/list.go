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
lists what differs.

JSON and YAML have the whole policy; durations are written as "1h30m0s", rates as
"10/1m0s", and missing values are null.`,
		Example: "  botwork queues list\n  botwork queues list --output json",
		Args:    cli.NoArguments,
	}
	output := cli.OutputFlag(cmd)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		return a.WithReadOnlyStore(cmd.Context(), func(store cli.Store) error {
			queues, err := store.Queues(cmd.Context())
			if err != nil {
				return err
			}
			return a.Print(*output, queues, func() { a.queueTable(queues) })
		})
	}
	return cmd
}

func (a *command) queueTable(queues []workqueue.Queue) {
	g := cli.NewGrid("name", "state", "taken by", "offset", "limits", "defined by", "revision", "description").DropWhenNarrow("revision", "defined by", "description")
	for i := range queues {
		q := &queues[i]
		definedBy := cli.OrDash(q.DefinedBy)
		if q.Override != nil {
			definedBy += "*"
		}
		g.Add(q.Name, queueState(q), string(q.Consumer), signed(q.PriorityOffset), cli.OrNone(limitsOf(q)), definedBy,
			fmt.Sprint(q.Revision), cli.Shorten(orEmpty(q.Description), 40))
	}
	g.Print(a.Stdout)
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
