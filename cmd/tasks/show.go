package tasks

import (
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"botwork/cmd/internal/cli"
	"botwork/tasks"
	"botwork/workqueue"
)

// taskDetails is a task with its next windows and the records of past ones.
type taskDetails struct {
	taskView
	Notes   []string           `json:"notes"`   // where the schedule is clamped
	Windows []*windowView      `json:"windows"` // the next ones
	Records []workqueue.Firing `json:"records"` // the latest first
}

func (a *command) tasksShowCommand() *cobra.Command {
	var most int
	cmd := &cobra.Command{
		Use:   "show NAME",
		Short: "Show a task, its next windows and the outcome of the last ones",
		Long: `Shows a task's definition, where its schedule is clamped (the 31st of a shorter
month, a tolerance that would extend past the end of its week), the next windows in
its time zone and in UTC, and the outcome of the last ones: fired, skipped because
an earlier item had not ended, or missed, with the reason.

JSON and YAML are one object.`,
		Example: "  botwork tasks show close-books\n  botwork tasks show close-books --count 12 --output json",
		Args:    cli.OneArgument("the task's name"),
	}
	cmd.Flags().IntVar(&most, "count", 5, "show the next `N` windows, and the records of twice as many")
	output := cli.OutputFlag(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if most < 1 || most > 1000 {
			return cli.Usagef("--count: got %d, want 1 to 1000", most)
		}
		return a.WithReadOnlyStore(cmd.Context(), func(store cli.Store) error {
			row, err := taskRow(cmd.Context(), store, args[0])
			if err != nil {
				return err
			}
			now, err := store.Now(cmd.Context())
			if err != nil {
				return err
			}
			view, err := viewTask(cmd.Context(), store, row, now)
			if err != nil {
				return err
			}
			d := taskDetails{taskView: view, Notes: []string{}, Windows: []*windowView{}}
			if plan := view.plan; plan != nil {
				d.Notes = append(d.Notes, plan.Notes()...)
				d.Windows = comingWindows(plan, now, most)
			}
			if d.Records, err = store.Firings(cmd.Context(), workqueue.FiringFilter{Schedule: workqueue.TaskSchedule(row.Name), Limit: 2 * most}); err != nil {
				return err
			}
			return a.Print(*output, d, func() { a.taskSheet(&d) })
		})
	}
	return cmd
}

func comingWindows(plan *tasks.Plan, now time.Time, most int) []*windowView {
	windows := []*windowView{}
	for at := now; len(windows) < most; {
		w := plan.Next(at)
		if w.At.IsZero() {
			break
		}
		windows = append(windows, viewWindow(w, plan.Zone()))
		at = w.At
	}
	return windows
}

// taskSheet shows a task, one line for each setting that has a value.
func (a *command) taskSheet(d *taskDetails) {
	g := cli.NewGrid()
	add := func(name, value string) {
		if value != "" && value != "-" {
			g.Add(name, value)
		}
	}
	add("name", d.Name)
	add("topic", cli.OrDash(d.Topic))
	add("description", cli.OrDash(d.Description))
	add("state", d.state())
	add("problems", strings.Join(d.Problems, "\n"))
	add("pipeline", cli.Shorten(d.Pipeline, 80))
	add("queue", d.Queue)
	add("importance", d.Importance.String())
	add("schedule", d.scheduleText())
	if d.plan != nil {
		add("time zone", d.plan.Zone().String())
	}
	add("note", strings.Join(d.Notes, "\n"))
	add("scope", cli.Shorten(strings.Join(d.Scope, ", "), 200))
	add("payload", string(d.Payload))
	add("resilience", string(d.Resilience))
	add("estimated duration", cli.OrDash(d.EstimatedDuration))
	if d.Notify != nil {
		add("on failure", "pipeline "+cli.Shorten(d.Notify.Pipeline, 80))
	}
	add("defined by", cli.OrDash(d.DefinedBy))
	add("revision", fmt.Sprint(d.Revision))
	add("changed", a.Instant(&d.UpdatedAt))
	g.Print(a.Stdout)
	a.windowTable(d)
	a.recordTable(d.Records)
}

func (a *command) windowTable(d *taskDetails) {
	windows := d.Windows
	if d.Open != nil {
		windows = append([]*windowView{d.Open}, windows...)
	}
	if len(windows) == 0 {
		return
	}
	fmt.Fprintln(a.Stdout)
	g := cli.NewGrid("window", "opens", "opens (utc)", "closes (utc)")
	for i, w := range windows {
		name := "upcoming"
		if i == 0 && d.Open != nil {
			name = "open"
		}
		closes := utcText(w.Until)
		if w.DeadlineAt == nil {
			closes += ", no deadline"
		}
		g.Add(name, localText(w), utcText(w.At), closes)
	}
	g.Print(a.Stdout)
}

// utcText shows an RFC 3339 time as tables do.
func utcText(text string) string {
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return text
	}
	return at.UTC().Format("2006-01-02 15:04:05Z")
}

func (a *command) recordTable(records []workqueue.Firing) {
	if len(records) == 0 {
		return
	}
	fmt.Fprintln(a.Stdout)
	g := cli.NewGrid("window (utc)", "scope", "outcome", "by", "reason")
	for _, f := range records {
		g.Add(a.Instant(&f.PlannedAt), cli.OrNone(f.Worker), string(f.Outcome), f.RecordedBy, cli.Shorten(f.Reason, 100))
	}
	g.Print(a.Stdout)
}
