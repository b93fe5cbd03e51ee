package queues

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"botwork/cmd/internal/cli"
	"botwork/workqueue"
)

func (a *command) queuesShowCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "show NAME",
		Short: "Show a queue's policy",
		Long: `Shows the policy of a queue. A setting at its default is shown where the default has
an effect.

JSON and YAML are one object.`,
		Example: "  botwork queues show invoices\n  botwork queues show invoices --output yaml",
		Args:    cli.OneArgument("the queue's name"),
	}
	output := cli.OutputFlag(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		return a.WithReadOnlyBackend(cmd.Context(), func(store cli.Backend) error {
			queue, err := store.Queue(cmd.Context(), args[0])
			if err != nil {
				return cli.NoSuchQueue(cmd.Context(), store, args[0], err)
			}
			return a.Print(*output, queue, func() { a.queueSheet(&queue) })
		})
	}
	return cmd
}

// queueSheet shows a policy, one line for each setting that has a value.
func (a *command) queueSheet(q *workqueue.Queue) {
	g := cli.NewGrid()
	add := func(name, value string) {
		if value != "" && value != "-" {
			g.Add(name, value)
		}
	}
	add("name", q.Name)
	add("description", orEmpty(q.Description))
	add("state", queueState(q))
	add("taken by", string(q.Consumer))
	if q.Consumer == workqueue.ConsumerRobots {
		add("checkout", workqueue.Duration(q.CheckoutLease()).String())
	}
	add("priority offset", signed(q.PriorityOffset))
	add("limits", limitsOf(q))
	add("largest payload", workqueue.SizeText(q.PayloadLimit()))
	add("largest output", workqueue.SizeText(q.OutputLimit()))
	if q.TTL > 0 {
		add("expires", q.TTL.String()+" after its creation, unless it runs")
	}
	if q.OnExpiry == workqueue.ExpiryRemove {
		add("expired items", "removed")
	}
	add("completed items", retainText(q))
	add("cancelled items", archiveText(q))
	add("deletion", string(q.Deletion))
	add("natural keys", keysText(q))
	add("resilience", string(q.Resilience))
	add("retry", retryText(q))
	add("distribution", string(q.Distribution))
	add("escalation", escalationText(q))
	add("poison after", fmt.Sprintf("%d crashes of its worker", q.Releases()))
	add("encrypted", yesOrEmpty(q.Encrypted))
	if q.HidesPayloads() {
		add("payloads", "hidden from viewers and operators in the HTTP API")
	}
	add("robots", robotsText(q))
	add("robots delete", deletesText(q))
	add("payload schema", string(q.PayloadSchema))
	add("output schema", string(q.OutputSchema))
	add("analytics schema", string(q.AnalyticsSchema))
	add("defined by", cli.OrDash(q.DefinedBy))
	add("changed by a command", a.overrideText(q))
	add("revision", fmt.Sprint(q.Revision))
	add("created", a.Instant(&q.CreatedAt))
	add("changed", a.Instant(q.UpdatedAt))
	g.Print(a.Stdout)
}

// overrideText describes what a command has changed of the definition; "" for nothing.
func (a *command) overrideText(q *workqueue.Queue) string {
	if q.Override == nil {
		return ""
	}
	lines := []string{fmt.Sprintf("by %s, %s", q.Override.By, a.Instant(q.Override.At))}
	differences, err := q.Differences()
	switch {
	case err != nil:
		lines = append(lines, "the definition cannot be read: "+err.Error())
	case q.Override.Defined == "":
		lines = append(lines, "no settings define the queue")
	case len(differences) == 0:
		lines = append(lines, "it has the same settings as its definition")
	}
	for _, d := range differences {
		lines = append(lines, fmt.Sprintf("%s: %s, defined: %s", d.Key, cli.Shorten(plainJSON(d.Now), 60), cli.Shorten(plainJSON(d.Defined), 60)))
	}
	return strings.Join(lines, "\n")
}

// escalationText describes the rules of a queue, one in each line.
func escalationText(q *workqueue.Queue) string {
	rules, err := q.Escalations()
	if err != nil {
		return err.Error()
	}
	lines := make([]string, len(rules))
	for i := range rules {
		lines[i] = rules[i].Rule.String()
	}
	return strings.Join(lines, "\n")
}

func plainJSON(text workqueue.JSONText) string {
	if text == "" {
		return "null"
	}
	return string(text)
}

func retainText(q *workqueue.Queue) string {
	switch {
	case q.Retain == nil:
		return "kept according to the CleanUp pipeline"
	case *q.Retain == 0:
		return "deleted at once"
	default:
		return "kept for " + q.Retain.String()
	}
}

func archiveText(q *workqueue.Queue) string {
	var parts []string
	if q.ArchiveAge != nil {
		parts = append(parts, "for "+q.ArchiveAge.String())
	}
	if q.ArchiveLimit != nil {
		parts = append(parts, fmt.Sprintf("up to %d", *q.ArchiveLimit))
	}
	if len(parts) == 0 {
		return "kept according to the CleanUp pipeline"
	}
	return "kept " + strings.Join(parts, ", ")
}

func keysText(q *workqueue.Queue) string {
	text := map[workqueue.KeyScope]string{
		workqueue.KeyScopeNone: "may repeat", workqueue.KeyScopeQueue: "unique in the queue",
		workqueue.KeyScopeGlobal: "unique among all queues with global keys",
	}[q.KeyScope]
	if q.KeyScope != workqueue.KeyScopeNone && q.DeletedKeysCount {
		text += ", deleted items included"
	}
	return text
}

func retryText(q *workqueue.Queue) string {
	if q.RetryAs == workqueue.RetryCopy {
		return "as a linked copy"
	}
	return "as the same item"
}

func yesOrEmpty(b bool) string {
	if b {
		return "yes"
	}
	return ""
}

func robotsText(q *workqueue.Queue) string {
	if !q.Private {
		return "all may read and write"
	}
	if len(q.Robots) == 0 {
		return "none may use it"
	}
	list := make([]string, len(q.Robots))
	for i, r := range q.Robots {
		list[i] = r.Robot + ": " + rightText(r)
	}
	return strings.Join(list, "\n")
}

func rightText(r workqueue.QueueRobot) string {
	switch {
	case r.Read && r.Write:
		return "read-write"
	case r.Read:
		return "read"
	case r.Write:
		return "write"
	default:
		return "nothing"
	}
}

func deletesText(q *workqueue.Queue) string {
	if q.RobotDeletesOnlyOwn {
		return "only what they enqueued"
	}
	return ""
}
