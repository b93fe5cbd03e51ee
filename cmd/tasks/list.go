package tasks

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"botwork/cmd/internal/cli"
	"botwork/tasks"
	"botwork/workqueue"
)

// taskView is a task as JSON and YAML show it; missing values are null.
type taskView struct {
	Name              string             `json:"name"`
	Topic             *string            `json:"topic"`
	Description       *string            `json:"description"`
	Active            bool               `json:"active"`
	Queue             string             `json:"queue"`
	Pipeline          string             `json:"pipeline"`
	Importance        tasks.Importance   `json:"importance"`
	Schedule          *tasks.Schedule    `json:"schedule"`
	Scope             []string           `json:"scope"`
	Payload           workqueue.JSONText `json:"payload"`
	Resilience        workqueue.JSONText `json:"resilience"`
	EstimatedDuration *string            `json:"estimatedDuration"`
	Notify            *tasks.Notify      `json:"notify"`

	// Problems are the reasons why the row cannot be read; empty if it can.
	Problems []string `json:"problems"`

	// Open is the currently open window, Next is the next one.
	Open *windowView `json:"open"`
	Next *windowView `json:"next"`

	// Last is the outcome of the latest window that has a record.
	Last *workqueue.Firing `json:"last"`

	DefinedBy *string   `json:"definedBy"`
	UpdatedAt time.Time `json:"updatedAt"`
	Revision  int64     `json:"revision"`

	plan *tasks.Plan // nil: on request only
}

// windowView is a window: its times in UTC, and its start in the task's time zone.
type windowView struct {
	At         string  `json:"at"` // RFC 3339, UTC
	LocalAt    string  `json:"localAt"`
	Until      string  `json:"until"`
	DeadlineAt *string `json:"deadlineAt"` // null: its items have no deadline
	Timezone   string  `json:"timezone"`

	local time.Time
}

func viewWindow(w tasks.Window, zone *time.Location) *windowView {
	if w.At.IsZero() {
		return nil
	}
	v := &windowView{
		At: w.At.Format(time.RFC3339), LocalAt: w.At.In(zone).Format(time.RFC3339), Until: w.Until.Format(time.RFC3339),
		Timezone: zone.String(), local: w.At.In(zone),
	}
	if deadline := w.Deadline(); !deadline.IsZero() {
		text := deadline.Format(time.RFC3339)
		v.DeadlineAt = &text
	}
	return v
}

// viewTask returns the task of a row with its windows as of now.
func viewTask(ctx context.Context, store cli.Store, row workqueue.TaskRow, now time.Time) (taskView, error) {
	task, err := tasks.Read(row)
	v := taskView{
		Name: task.Name, Topic: cli.OrNull(task.Topic), Description: cli.OrNull(task.Description), Active: task.Active, Queue: task.Queue,
		Pipeline: task.Pipeline, Importance: task.Importance, Schedule: task.Schedule, Scope: task.Scope, Payload: task.Payload,
		Resilience: task.Resilience, EstimatedDuration: cli.OrNull(cli.DurationText(time.Duration(task.EstimatedDuration))), Notify: task.Notify,
		Problems: []string{}, DefinedBy: cli.OrNull(row.DefinedBy), UpdatedAt: row.UpdatedAt, Revision: row.Revision, plan: task.Plan(),
	}
	if problems, ok := errors.AsType[tasks.Problems](err); ok {
		for _, p := range problems {
			v.Problems = append(v.Problems, p.String())
		}
	} else if plan := v.plan; plan != nil {
		if w, open := plan.Occurrence(now); open {
			v.Open = viewWindow(w, plan.Zone())
		}
		v.Next = viewWindow(plan.Next(now), plan.Zone())
	}
	records, err := store.Firings(ctx, workqueue.FiringFilter{Schedule: workqueue.TaskSchedule(row.Name), Limit: 1})
	if err == nil && len(records) > 0 {
		v.Last = &records[0]
	}
	return v, err
}

// state returns active, inactive, broken or similar for the table.
func (v *taskView) state() string {
	switch {
	case len(v.Problems) > 0:
		return "broken"
	case !v.Active:
		return "inactive"
	case v.plan == nil:
		return "on request"
	default:
		return "active"
	}
}

func (v *taskView) scheduleText() string {
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
the schedule's time zone, and the outcome of the last one. A broken task is a row
that cannot be read: "tasks show" prints the reason.

JSON and YAML hold all fields.`,
		Example: "  botwork tasks list\n  botwork tasks list --output json",
		Args:    cli.NoArguments,
	}
	output := cli.OutputFlag(cmd)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		return a.WithReadOnlyStore(cmd.Context(), func(store cli.Store) error {
			rows, err := store.Tasks(cmd.Context())
			if err != nil {
				return err
			}
			now, err := store.Now(cmd.Context())
			if err != nil {
				return err
			}
			views := make([]taskView, len(rows))
			for i, row := range rows {
				if views[i], err = viewTask(cmd.Context(), store, row, now); err != nil {
					return err
				}
			}
			return a.Print(*output, views, func() { a.taskTable(views) })
		})
	}
	return cmd
}

func (a *command) taskTable(views []taskView) {
	if len(views) == 0 {
		fmt.Fprintln(a.Stdout, "no tasks are defined: `botwork tasks define` writes those of botwork.yaml into the database")
		return
	}
	g := cli.NewGrid("name", "topic", "state", "importance", "schedule", "next window", "last window", "pipeline").DropWhenNarrow("last window", "topic", "importance")
	for i := range views {
		v := &views[i]
		g.Add(v.Name, cli.OrDash(v.Topic), v.state(), v.Importance.String(), v.scheduleText(), localText(v.Next), lastText(v.Last), cli.Shorten(v.Pipeline, 40))
	}
	g.Print(a.Stdout)
}

// localText returns the time at which a window opens, in its time zone.
func localText(w *windowView) string {
	if w == nil {
		return "-"
	}
	return w.local.Format("Mon 2006-01-02 15:04 MST")
}

func lastText(f *workqueue.Firing) string {
	if f == nil {
		return "-"
	}
	return f.PlannedAt.UTC().Format("2006-01-02 15:04Z") + " " + string(f.Outcome)
}
