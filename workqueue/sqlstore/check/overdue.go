package check

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"botwork/workqueue"
)

// lowPriority is the upper end of the band that the shipped pipelines assign every three hours
// instead of every minute. seenWithin is their workerSeenWithin.
const (
	lowPriority = 500
	seenWithin  = 15 * time.Minute
)

// readiness describes the workers that could take waiting items.
type readiness struct {
	live int

	// quiet is when the last worker left: the items that it released have waited since then,
	// whatever their rows say.
	quiet time.Time

	// idle are the live workers with a slot that is not stuck and without an item of priority
	// 500 or more.
	idle map[int64]*idler
}

// idler is a live worker that could take items.
type idler struct {
	name  string
	empty bool      // it holds no item at all, and could take low ones
	since time.Time // the last known time at which it did something
}

// overdue finds items that have been due for a long time for no visible reason: no worker is
// live, or a worker has been idle for as long.
func (r *reading) overdue(ctx context.Context) error {
	if r.results[workqueue.CheckOverdue].Looked == 0 {
		return nil
	}
	if list := r.p.BrokenPipelines; len(list) > 0 {
		result := r.results[workqueue.CheckOverdue]
		result.Notes = append(result.Notes, "not checked: items of pipelines whose files have errors, which wait:  "+strings.Join(list, ", "))
	}
	ready, err := r.readiness(ctx)
	if err != nil || ready.live > 0 && len(ready.idle) == 0 {
		return err // all workers are busy, which explains it
	}
	medium, low := ready.since(false), ready.since(true)
	items, err := r.dueSince(ctx, medium, low)
	if err != nil || len(items) == 0 {
		return err
	}
	if ready.live > 0 {
		// Only now, because it is slow and rare: read when the idle workers last did something.
		if err := r.activity(ctx, ready); err != nil {
			return err
		}
		medium, low = ready.since(false), ready.since(true)
	}
	for _, it := range items {
		who, wait := medium, r.p.DueFor
		if it.priority < lowPriority {
			who, wait = low, r.p.DueFor+r.p.LowPeriod
		}
		if who != nil && who.since.Before(r.now.Add(-wait)) {
			r.add(it.violation(who))
		}
	}
	return nil
}

// readiness reads which workers are live and what each worker holds.
func (r *reading) readiness(ctx context.Context) (*readiness, error) {
	workers, err := r.db.Workers(ctx)
	if err != nil {
		return nil, err
	}
	held, err := r.held(ctx)
	if err != nil {
		return nil, err
	}
	holds := map[int64]holding{}
	for _, h := range held {
		holds[h.worker] = h
	}
	ready := &readiness{idle: map[int64]*idler{}}
	for i := range workers {
		w := &workers[i]
		if !r.live(w) {
			ready.quiet = latest(ready.quiet, r.left(w))
			continue
		}
		ready.live++
		if h, ok := holds[w.ID]; w.StuckSlots < w.Capacity && (!ok || h.highest < lowPriority) {
			ready.idle[w.ID] = &idler{name: w.Name, empty: !ok, since: w.StartedAt}
		}
	}
	return ready, nil
}

// live reports whether an assignment pass assigns items to the worker.
func (r *reading) live(w *workqueue.Worker) bool {
	return w.State == workqueue.WorkerActive && w.Gate == nil && !w.LastSeenAt.Before(r.now.Add(-seenWithin)) &&
		(w.LeaseExpiresAt == nil || !w.LeaseExpiresAt.Before(r.now))
}

// left returns when a worker that takes no items stopped taking them: when it was last seen, or
// when its lease ended if it left without notice.
func (r *reading) left(w *workqueue.Worker) time.Time {
	if w.State != workqueue.WorkerStopped && w.LeaseExpiresAt != nil && w.LeaseExpiresAt.Before(r.now) {
		return latest(w.LastSeenAt, *w.LeaseExpiresAt)
	}
	return w.LastSeenAt
}

// since returns the worker that has waited longest for items of the band. It returns an idler
// without a name if no worker is live, and nil if all workers that could take such items are
// busy.
func (ready *readiness) since(low bool) *idler {
	if ready.live == 0 {
		return &idler{since: ready.quiet}
	}
	var longest *idler
	for _, w := range ready.idle {
		if low && !w.empty {
			continue
		}
		if longest == nil || w.since.Before(longest.since) || w.since.Equal(longest.since) && w.name < longest.name {
			longest = w
		}
	}
	if longest == nil {
		return nil
	}
	who := *longest
	who.since = latest(who.since, ready.quiet)
	return &who
}

// activity reads when the workers last did something, from all items.
func (r *reading) activity(ctx context.Context, ready *readiness) error {
	type row struct {
		worker int64
		times  [4]seenTime
	}
	return r.eachPage(ctx, func(p itemRange) error {
		rows, err := read(ctx, r, "activity", p.values(), func(rows *sql.Rows, x *row) error {
			return rows.Scan(&x.worker, &x.times[0], &x.times[1], &x.times[2], &x.times[3])
		})
		for _, x := range rows {
			if w := ready.idle[x.worker]; w != nil {
				for _, at := range x.times {
					w.since = latest(w.since, at.Time)
				}
			}
		}
		return err
	})
}

// dueItem is a row of the statement overdue.
type dueItem struct {
	id       int64
	priority int
	due      seenTime
}

// dueSince lists items that have been due for too long, except those that no worker could run.
func (r *reading) dueSince(ctx context.Context, medium, low *idler) ([]dueItem, error) {
	never := r.db.TimeArg(time.Date(1, 1, 1, 0, 0, 0, 0, time.UTC))
	pipelines, err := json.Marshal(append([]string{}, r.p.BrokenPipelines...))
	if err != nil {
		return nil, err
	}
	v := values{"before": never, "low_before": never, "pipelines": string(pipelines), "limit_rows": mostNamed + 1}
	if medium != nil {
		v["before"] = r.at(-r.p.DueFor)
	}
	if low != nil {
		v["low_before"] = r.at(-r.p.DueFor - r.p.LowPeriod)
	}
	return read(ctx, r, "overdue", v, func(rows *sql.Rows, x *dueItem) error {
		return rows.Scan(&x.id, &x.priority, &x.due)
	})
}

func (x *dueItem) violation(who *idler) workqueue.Violation {
	v := workqueue.Violation{
		Check: workqueue.CheckOverdue, ItemID: &x.id,
		Found:  fmt.Sprintf("priority %d, due since %s, and no worker is active", x.priority, x.due),
		Wanted: "a worker that takes due items",
		Hint:   "start one with `botwork run`; `botwork workers list` shows why the others left",
	}
	if who.name == "" {
		return v
	}
	v.Worker = &who.name
	holds := "holds nothing of priority 500 or more"
	if who.empty {
		holds = "holds nothing"
	}
	v.Found = fmt.Sprintf("priority %d, due since %s, although the worker %s is active, %s, and has done nothing since %s",
		x.priority, x.due, who.name, holds, who.since.UTC().Format("2006-01-02T15:04:05Z"))
	v.Wanted = "an idle worker takes due items"
	v.Hint = "check whether a pipeline with AssignTasksToWorker runs for this priority: `botwork pipelines next`, the log of the worker, BotPipelineRuns"
	return v
}

// latest returns the later of two times.
func latest(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
