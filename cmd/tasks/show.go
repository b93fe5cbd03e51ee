package tasks

import (
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"botwork/cmd/internal/cli"
	"botwork/internal/operations"
	"botwork/workqueue"
)

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
		return a.WithReadOnlyBackend(cmd.Context(), func(store cli.Backend) error {
			d, err := store.ViewTask(cmd.Context(), args[0], most)
			if err != nil {
				return err
			}
			return a.Print(*output, d, func() { a.taskSheet(&d) })
		})
	}
	return cmd
}

// taskSheet shows a task, one line for each setting that has a value.
func (a *command) taskSheet(d *operations.TaskDetails) {
	g := cli.NewGrid()
	add := func(name, value string) {
		if value != "" && value != "-" {
			g.Add(name, value)
		}
	}
	add("name", d.Name)
	add("topic", cli.OrDash(d.Topic))
	add("description", cli.OrDash(d.Description))
	add("state", stateText(&d.Task))
	add("problems", strings.Join(d.Problems, "\n"))
	add("pipeline", cli.Shorten(d.Pipeline, 80))
	add("queue", d.Queue)
	add("importance", d.Importance.String())
	add("schedule", scheduleText(&d.Task))
	if d.Plan() != nil {
		add("time zone", d.Plan().Zone().String())
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

func (a *command) windowTable(d *operations.TaskDetails) {
	windows := d.Windows
	if d.Open != nil {
		windows = append([]*operations.Window{d.Open}, windows...)
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
