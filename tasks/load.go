package tasks

import (
	"context"
	"errors"
	"time"

	"botwork/workqueue"
)

// Store is the database as this package needs it.
type Store interface {
	workqueue.TaskStore

	// Queues lists the queues: their offsets count for priorities.
	Queues(ctx context.Context) ([]workqueue.Queue, error)

	// Now is the database's clock, in UTC.
	Now(ctx context.Context) (time.Time, error)
}

// CreatedBySchedule is the CreatedBy of the items of windows.
const CreatedBySchedule = "schedule"

// LoadResult counts what a pass did.
type LoadResult struct {
	Tasks    int // active ones with a schedule
	Items    int // made
	Missed   int // windows that closed without a worker
	Skipped  int // windows that closed while an earlier item had not ended
	Failures int // checked items that failed finally
	Notices  int // notifications created for them
}

// Loader has the dependencies of passes.
type Loader struct {
	Store Store
	By    string // the worker's name, for CreatedBy and records

	// Report is called with the error of a task; the pass continues with the others. It must not
	// be nil.
	Report func(task string, err error)
}

// maxClosed is the maximum number of closed windows of a task that get separate records.
const maxClosed = 100

// failuresAtOnce is the maximum number of failures in one transaction.
const failuresAtOnce = 100

// Load creates the items of all open windows that have none, records the windows that closed
// without an item, and creates notifications for items that failed finally. Any number of
// passes may run at the same time. Without tasks it is one query.
func (l *Loader) Load(ctx context.Context) (LoadResult, error) {
	var result LoadResult
	rows, err := l.Store.Tasks(ctx)
	if err != nil || len(rows) == 0 {
		return result, err
	}
	now, err := l.Store.Now(ctx)
	if err != nil {
		return result, err
	}
	known := map[string]*Task{}
	var pending []*pendingTask
	for _, row := range rows {
		t, err := Read(row)
		if err != nil {
			l.Report(row.Name, err)
			continue
		}
		known[t.Name] = &t
		if !t.Active || t.Plan() == nil {
			continue
		}
		result.Tasks++
		if p := pendingWindows(&t, row.SettledUntil, now); p.open != nil || len(p.closed) > 0 {
			pending = append(pending, p)
		}
	}
	if err := l.readRecords(ctx, pending); err != nil {
		return result, err
	}
	for _, p := range pending {
		if err := errors.Join(l.settle(ctx, p, &result), l.fire(ctx, p, now, &result)); err != nil {
			if ctx.Err() != nil {
				return result, err
			}
			l.Report(p.task.Name, err)
		}
	}
	return result, l.notify(ctx, known, &result)
}

func (l *Loader) readRecords(ctx context.Context, pending []*pendingTask) error {
	if len(pending) == 0 {
		return nil
	}
	since := make([]workqueue.TaskSince, len(pending))
	bySchedule := map[string]*pendingTask{}
	for i, p := range pending {
		since[i] = workqueue.TaskSince{Task: p.task.Name, From: p.first()}
		bySchedule[workqueue.TaskSchedule(p.task.Name)] = p
	}
	records, err := l.Store.TaskFirings(ctx, since)
	for _, r := range records {
		if p := bySchedule[r.Schedule]; p != nil {
			p.records[r.Worker] = append(p.records[r.Worker], r.PlannedAt)
		}
	}
	return err
}

// settle records the windows that closed without an item, with the reason.
func (l *Loader) settle(ctx context.Context, p *pendingTask, result *LoadResult) error {
	if len(p.closed) == 0 {
		return nil
	}
	busy, err := l.Store.TaskScopesBusy(ctx, p.task.Name)
	if err != nil {
		return err
	}
	var firings []workqueue.Firing
	for i, w := range p.closed {
		for _, scope := range p.task.Scopes() {
			if p.served(w, scope) {
				continue
			}
			f := workqueue.Firing{
				Schedule: workqueue.TaskSchedule(p.task.Name), PlannedAt: w.At, Worker: scope, Outcome: workqueue.Missed,
				Reason:     "no pass ran while the window was open: no worker ran ManageWorkQueue, or the task was not active",
				RecordedBy: l.By,
			}
			if since, is := busy[scope]; is && since.Before(w.Until) {
				f.Outcome, f.Reason = workqueue.Skipped, "an earlier item of the task had not ended when the window closed"
				result.Skipped++
			} else {
				result.Missed++
			}
			if p.more && i == len(p.closed)-1 {
				f.Reason += "; earlier windows closed without an item as well and have no record of their own"
			}
			firings = append(firings, f)
		}
	}
	return l.Store.SettleTask(ctx, p.task.Name, firings, p.closed[0].Until)
}

// fire creates the items of the open window.
func (l *Loader) fire(ctx context.Context, p *pendingTask, now time.Time, result *LoadResult) error {
	if p.open == nil {
		return nil
	}
	t, w := p.task, *p.open
	var windows []workqueue.TaskWindow
	for _, scope := range t.Scopes() {
		if p.served(w, scope) {
			continue
		}
		it, err := t.item(scope, w.At, w.Deadline())
		if err != nil {
			return err
		}
		it.Item.State, it.Item.CreatedBy = workqueue.Ready, CreatedBySchedule
		it.Item.Priority = Priority(t.Importance, w.At, w.Deadline(), now)
		windows = append(windows, workqueue.TaskWindow{Task: t.Name, ScopedItem: it, PlannedAt: w.At})
	}
	if len(windows) == 0 {
		return nil
	}
	made, err := l.Store.FireTasks(ctx, windows, l.By)
	result.Items += len(made)
	return err
}
