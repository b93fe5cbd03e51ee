package notifications

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"botwork/cmd/internal/cli"
	"botwork/internal/operations"
	"botwork/workqueue"
)

func (a *command) listCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the rules with their alerts",
		Long: `Lists the rules of the settings with the state of their alerts: firing, pending
(true, but not for long enough), ok or muted, when the last message was sent, and
when the next one may follow. It also shows how many messages wait, and how many
were given up after a day; "botwork items list --queue botwork.notifications"
lists them.`,
		Example: "  botwork notifications list\n  botwork notifications list --output json",
		Args:    cli.NoArguments,
	}
	output := cli.OutputFlag(cmd)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		return a.with(cmd.Context(), true, func(m messenger) error {
			list, err := m.Notifications(cmd.Context())
			if err != nil {
				return err
			}
			return a.Print(*output, list, func() { a.table(&list) })
		})
	}
	return cmd
}

func (a *command) table(list *operations.Notifications) {
	if len(list.Rules) == 0 {
		fmt.Fprintln(a.Stdout, "no rules; add some under notifications in botwork.yaml")
		return
	}
	g := cli.NewGrid("rule", "event", "group", "state", "since", "events", "last sent", "next", "targets").DropWhenNarrow("targets", "event", "events")
	for i := range list.Rules {
		r := &list.Rules[i]
		if len(r.Alerts) == 0 {
			g.Add(r.Name, string(r.Event), "-", a.state(r.State, r.Mute, r.Quiet), "-", "-", "-", "-", strings.Join(r.Targets, ", "))
		}
		for j := range r.Alerts {
			one := &r.Alerts[j]
			since := &one.StartedAt
			if one.EndedAt != nil {
				since = one.EndedAt
			}
			g.Add(r.Name, string(r.Event), cli.OrNone(one.Group), a.state(string(one.Phase), one.Mute, r.Quiet), a.Instant(since), fmt.Sprint(one.Events),
				a.Instant(one.SentAt), a.Instant(one.NextAt), strings.Join(r.Targets, ", "))
		}
	}
	g.Print(a.Stdout)
	evaluated := "never; a worker or a server with these settings evaluates them"
	if list.EvaluatedAt != nil {
		evaluated = a.Instant(list.EvaluatedAt) + " by " + list.EvaluatedBy
	}
	if list.Late {
		evaluated += "; that is too long ago, so no messages are sent: the logs of workers and servers show why"
	}
	fmt.Fprintf(a.Stdout, "\nevaluated: %s\nmessages: %d waiting, %d given up\n", evaluated, list.Messages.Waiting, list.Messages.Failed)
}

// state describes the state of an alert or a rule.
func (a *command) state(state string, mute *workqueue.Mute, quiet bool) string {
	switch {
	case mute != nil:
		until := mute.Until
		return "muted until " + a.Instant(&until)
	case quiet:
		return state + " (quiet hours)"
	}
	return state
}
