package queues

import (
	"fmt"

	"github.com/spf13/cobra"

	"botwork/cmd/internal/cli"
	"botwork/workqueue/assign"
)

func (a *command) queuesEscalationsCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "escalations NAME",
		Short: "Show a queue's rules of escalation, and what they would do now",
		Long: `Shows the rules by which items of the queue that wait too long become more urgent,
move, lose selectors, are cancelled or are reported: when each rule acts, on how many
items it would act now, when it last acted, and on how many items in all. It changes
nothing; a worker applies each rule once a minute.

JSON and YAML are a list of objects.`,
		Example: "  botwork queues escalations invoices\n  botwork queues escalations invoices --output json",
		Args:    cli.OneArgument("the queue's name"),
	}
	output := cli.OutputFlag(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		return a.WithReadOnlyBackend(cmd.Context(), func(b cli.Backend) error {
			queue, err := b.Queue(cmd.Context(), args[0])
			if err != nil {
				return cli.NoSuchQueue(cmd.Context(), b, args[0], err)
			}
			rules, err := queue.Escalations()
			if err != nil {
				return err
			}
			plans, err := b.PlanEscalations(cmd.Context(), rules)
			if err != nil {
				return err
			}
			return a.Print(*output, plans, func() { a.escalationTable(queue.Name, queue.Paused, plans) })
		})
	}
	return cmd
}

func (a *command) escalationTable(queue string, paused bool, plans []assign.EscalationPlan) {
	if len(plans) == 0 {
		fmt.Fprintf(a.Stdout, "queue %s has no rules of escalation\n", queue)
		return
	}
	g := cli.NewGrid("rule", "when", "action", "now", "last", "items")
	for i := range plans {
		p := &plans[i]
		now := fmt.Sprint(p.Now)
		switch {
		case !p.Holds:
			now = "-"
		case p.Rule.Announces():
			now = "true"
		case p.Now == assign.EscalationPlanMost:
			now += " or more"
		}
		g.Add(p.Rule.Name, p.Rule.Trigger(), p.Rule.Does(), now, cli.OrNone(a.Instant(p.ActedAt)), fmt.Sprint(p.Items))
	}
	g.Print(a.Stdout)
	if paused {
		fmt.Fprintf(a.Stdout, "queue %s is paused: its rules do not act until it is resumed\n", queue)
	}
}
