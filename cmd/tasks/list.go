package tasks

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"botwork/cmd/internal/cli"
	"botwork/internal/operations"
	"botwork/workqueue"
)

// stateText returns active, inactive, broken or similar for the table.
func stateText(v *operations.Task) string {
	switch {
	case len(v.Problems) > 0:
		return "broken"
	case !v.Active:
		return "inactive"
	case v.Plan() == nil:
		return "on request"
	default:
		return "active"
	}
}

func scheduleText(v *operations.Task) string {
	if v.Schedule == nil {
		return "-"
	}
	return v.Schedule.String()
}

func (a *command) tasksListCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the tasks",
		Long: `Lists the tasks by name: their state, their schedules, when the next window opens in
the schedule's time zone, and the outcome of the last one, counted over the values
of the scope. A broken task is a row that cannot be read: "tasks show" prints the reason.

JSON and YAML hold all fields.`,
		Example: "  botwork tasks list\n  botwork tasks list --output json",
		Args:    cli.NoArguments,
	}
	output := cli.OutputFlag(cmd)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		return a.WithReadOnlyBackend(cmd.Context(), func(store cli.Backend) error {
			views, err := store.ViewTasks(cmd.Context())
			if err != nil {
				return err
			}
			return a.Print(*output, views, func() { a.taskTable(views) })
		})
	}
	return cmd
}

func (a *command) taskTable(views []operations.Task) {
	if len(views) == 0 {
		fmt.Fprintln(a.Stdout, "no tasks are defined: `botwork tasks define` writes those of botwork.yaml into the database")
		return
	}
	g := cli.NewGrid("name", "topic", "state", "importance", "schedule", "next window", "last window", "pipeline").DropWhenNarrow("last window", "topic", "importance")
	for i := range views {
		v := &views[i]
		g.Add(v.Name, cli.OrDash(v.Topic), stateText(v), v.Importance.String(), scheduleText(v), localText(v.Next), lastText(v.LastWindow), cli.Shorten(v.Pipeline, 40))
	}
	g.Print(a.Stdout)
}

// localText returns the time at which a window opens, in its time zone.
func localText(w *operations.Window) string {
	if w == nil {
		return "-"
	}
	return w.Local().Format("Mon 2006-01-02 15:04 MST")
}

// lastText returns the outcomes of a window, with their numbers if they are of several scope values.
func lastText(w *operations.TaskOutcomes) string {
	if w == nil {
		return "-"
	}
	texts := []string{w.PlannedAt.UTC().Format("2006-01-02 15:04Z")}
	for _, one := range []struct {
		n       int
		outcome workqueue.FiringOutcome
	}{{w.Fired, workqueue.Fired}, {w.Missed, workqueue.Missed}, {w.Skipped, workqueue.Skipped}} {
		switch {
		case one.n == 0:
		case w.Fired+w.Missed+w.Skipped == 1:
			texts = append(texts, string(one.outcome))
		default:
			texts = append(texts, fmt.Sprintf("%d %s", one.n, one.outcome))
		}
	}
	return strings.Join(texts, " ")
}
