package operations

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"botwork/internal/author/strictyaml"
	"botwork/tasks"
	"botwork/workqueue"
)

// TaskStore is what tasks are read from.
type TaskStore interface {
	Tasks(ctx context.Context) ([]workqueue.TaskRow, error)
	Firings(ctx context.Context, f workqueue.FiringFilter) ([]workqueue.Firing, error)
	Now(ctx context.Context) (time.Time, error)
}

// Task is a scheduled task; missing values are null.
type Task struct {
	Name              string             `json:"name"`
	Topic             *string            `json:"topic"`
	Description       *string            `json:"description"`
	Active            bool               `json:"active"`
	Queue             string             `json:"queue"`
	Pipeline          string             `json:"pipeline"`
	Importance        tasks.Importance   `json:"importance"`
	Schedule          *tasks.Schedule    `json:"schedule"`
	Starts            string             `json:"starts"` // when its windows open, in words
	Scope             []string           `json:"scope"`
	Payload           workqueue.JSONText `json:"payload"`
	Resilience        workqueue.JSONText `json:"resilience"`
	EstimatedDuration *string            `json:"estimatedDuration"`
	Notify            *tasks.Notify      `json:"notify"`

	// Problems are the reasons why the row cannot be read; empty if it can.
	Problems []string `json:"problems"`

	// Open is the currently open window, Next is the next one.
	Open *Window `json:"open"`
	Next *Window `json:"next"`

	// Last is the latest record of a window: with a scope, that of one of its values. LastWindow counts the
	// records of all values of that window.
	Last       *workqueue.Firing `json:"last"`
	LastWindow *TaskOutcomes     `json:"lastWindow"`

	DefinedBy *string   `json:"definedBy"`
	UpdatedAt time.Time `json:"updatedAt"`
	Revision  int64     `json:"revision"`

	plan *tasks.Plan
}

// Window is a window: its times in UTC, and its start in the task's time zone.
type Window struct {
	At         string  `json:"at"` // RFC 3339, UTC
	LocalAt    string  `json:"localAt"`
	Until      string  `json:"until"`
	DeadlineAt *string `json:"deadlineAt"` // null: its items have no deadline
	Timezone   string  `json:"timezone"`

	local time.Time
}

func viewWindow(w tasks.Window, zone *time.Location) *Window {
	if w.At.IsZero() {
		return nil
	}
	v := &Window{
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
func viewTask(ctx context.Context, store TaskStore, row workqueue.TaskRow, now time.Time) (Task, error) {
	task, err := tasks.Read(row)
	v := Task{
		Name: task.Name, Topic: orNull(task.Topic), Description: orNull(task.Description), Active: task.Active, Queue: task.Queue,
		Pipeline: task.Pipeline, Importance: task.Importance, Schedule: task.Schedule, Starts: task.Schedule.Words(), Scope: task.Scope, Payload: task.Payload,
		Resilience: task.Resilience, EstimatedDuration: orNull(durationText(time.Duration(task.EstimatedDuration))), Notify: task.Notify,
		Problems: []string{}, DefinedBy: orNull(row.DefinedBy), UpdatedAt: row.UpdatedAt, Revision: row.Revision, plan: task.Plan(),
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
	v.Last, v.LastWindow, err = lastWindow(ctx, store, row.Name, len(task.Scope))
	return v, err
}

// Plan is when the task's windows open; nil: it runs on request only.
func (v *Task) Plan() *tasks.Plan { return v.plan }

// Local is when the window opens, in the task's time zone.
func (w *Window) Local() time.Time { return w.local }

// Restore computes what is not in the JSON of a task that was read from it.
func (v *Task) Restore() {
	if len(v.Problems) == 0 && v.Schedule != nil && (v.Schedule.Active == nil || *v.Schedule.Active) {
		v.plan, _ = v.Schedule.Compile() // its problems would be among the task's
	}
	for _, w := range []*Window{v.Open, v.Next} {
		w.restore()
	}
}

// Restore is that of the task, for its windows as well.
func (d *TaskDetails) Restore() {
	d.Task.Restore()
	for _, w := range d.Windows {
		w.restore()
	}
}

func (w *Window) restore() {
	if w == nil {
		return
	}
	zone, err := time.LoadLocation(w.Timezone)
	if err != nil {
		zone = time.UTC
	}
	at, _ := time.Parse(time.RFC3339, w.At) // it was written in this form
	w.local = at.In(zone)
}

// Tasks returns all tasks by name, with their windows as of now.
func Tasks(ctx context.Context, store TaskStore) ([]Task, error) {
	rows, err := store.Tasks(ctx)
	if err != nil {
		return nil, err
	}
	now, err := store.Now(ctx)
	if err != nil {
		return nil, err
	}
	views := make([]Task, len(rows))
	for i, row := range rows {
		if views[i], err = viewTask(ctx, store, row, now); err != nil {
			return nil, err
		}
	}
	return views, nil
}

// TaskDetails is a task with its next windows and the records of past ones.
type TaskDetails struct {
	Task
	Notes   []string           `json:"notes"`   // where the schedule is clamped
	Windows []*Window          `json:"windows"` // the next ones
	Records []workqueue.Firing `json:"records"` // the latest first
}

// TaskByName returns a task with its next windows, up to most, and the records of twice as many. The
// error is an *UnknownError if there is none.
func TaskByName(ctx context.Context, store TaskStore, name string, most int) (TaskDetails, error) {
	row, err := taskRow(ctx, store, name)
	if err != nil {
		return TaskDetails{}, err
	}
	now, err := store.Now(ctx)
	if err != nil {
		return TaskDetails{}, err
	}
	view, err := viewTask(ctx, store, row, now)
	if err != nil {
		return TaskDetails{}, err
	}
	d := TaskDetails{Task: view, Notes: []string{}, Windows: []*Window{}}
	if plan := view.plan; plan != nil {
		d.Notes = append(d.Notes, plan.Notes()...)
		d.Windows = comingWindows(plan, now, most)
	}
	d.Records, err = store.Firings(ctx, workqueue.FiringFilter{Schedule: workqueue.TaskSchedule(row.Name), Limit: 2 * most})
	return d, err
}

func comingWindows(plan *tasks.Plan, now time.Time, most int) []*Window {
	windows := []*Window{}
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

// ScopedItem is an item that was created for a scope value.
type ScopedItem struct {
	Scope *string `json:"scope"` // null: the task has no scope
	ID    int64   `json:"id"`
}

// RunTask creates an item of the task for each of the scope values, or of all if none is given. The
// error is an *UnknownError if there is no such task, and a *tasks.UnknownScopeError for a value that
// the task does not have.
func RunTask(ctx context.Context, store workqueue.TaskStore, name string, part workqueue.BatchPart, scopes []string, by string) ([]ScopedItem, error) {
	row, err := taskRow(ctx, store, name)
	if err != nil {
		return nil, err
	}
	task, err := tasks.Read(row)
	if err != nil {
		return nil, fmt.Errorf("task %q: %w", row.Name, err)
	}
	ids, err := task.Run(ctx, store, part, scopes, by)
	if err != nil {
		return nil, err
	}
	if len(scopes) == 0 {
		scopes = task.Scopes()
	}
	made := make([]ScopedItem, len(ids))
	for i, id := range ids {
		made[i] = ScopedItem{orNull(scopes[i]), id}
	}
	return made, nil
}

// taskRow finds a task by its name.
func taskRow(ctx context.Context, store interface {
	Tasks(ctx context.Context) ([]workqueue.TaskRow, error)
}, name string) (workqueue.TaskRow, error) {
	rows, err := store.Tasks(ctx)
	if err != nil {
		return workqueue.TaskRow{}, err
	}
	names := make([]string, len(rows))
	for i, row := range rows {
		if row.Name == name {
			return row, nil
		}
		names[i] = row.Name
	}
	e := &UnknownError{What: "task", Name: name, Hint: strictyaml.Suggest(name, names)}
	switch {
	case e.Hint != "":
	case len(names) == 0:
		e.Hint = "no tasks are defined: botwork tasks define writes those of botwork.yaml into the database"
	default:
		e.Hint = "existing tasks: " + strings.Join(names, ", ")
	}
	return workqueue.TaskRow{}, e
}
