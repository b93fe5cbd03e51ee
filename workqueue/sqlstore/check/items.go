package check

import (
	"context"
	"database/sql"
	"fmt"
	"strings"

	"botwork/workqueue"
)

// items runs the checks that examine every item, page by page.
func (r *reading) items(ctx context.Context) error {
	err := r.eachPage(ctx, func(p itemRange) error {
		r.examined(workqueue.CheckItemState, "items", p.items)
		r.examined(workqueue.CheckAttemptLimit, "items that failed before", p.failed)
		r.examined(workqueue.CheckOverdue, "waiting items", p.waiting)
		if err := r.endedTwice(ctx, p); err != nil || p.end {
			return err
		}
		if err := r.itemStates(ctx, p); err != nil || p.failed == 0 {
			return err
		}
		return r.attemptLimits(ctx, p)
	})
	r.limits.report(r.results[workqueue.CheckAttemptLimit])
	return err
}

// stateRow is a row of the statement item_state.
type stateRow struct {
	id                                 int64
	queue                              string
	queueExists                        bool
	state                              workqueue.State
	worker                             sql.NullInt64
	fence, retries, releases           int64
	lease, assigned, started, finished seenTime
}

func (r *reading) itemStates(ctx context.Context, p itemRange) error {
	v := p.values()
	v["now"] = r.at(0)
	rows, err := read(ctx, r, "item_state", withLimit(v, mostNamed+1), func(rows *sql.Rows, x *stateRow) error {
		return rows.Scan(&x.id, &x.queue, &x.queueExists, &x.state, &x.worker, &x.fence, &x.retries, &x.releases,
			&x.lease, &x.assigned, &x.started, &x.finished)
	})
	for _, row := range rows {
		r.add(row.violation())
	}
	return err
}

// violation describes what is wrong with the row. The statement only returns wrong rows.
func (x *stateRow) violation() workqueue.Violation {
	v := workqueue.Violation{Check: workqueue.CheckItemState, ItemID: &x.id}
	name := fmt.Sprintf("State is %d (%s)", int(x.state), x.state)
	with := func(columns ...string) {
		v.Found = strings.Join(append([]string{name}, columns...), ", ")
	}
	worker := "WorkerId NULL"
	if x.worker.Valid {
		worker = fmt.Sprintf("WorkerId %d", x.worker.Int64)
	}
	switch waits := x.state == workqueue.Ready || x.state == workqueue.Pending; {
	case x.state < workqueue.Ready || x.state > workqueue.Assigned:
		v.Found = fmt.Sprintf("State is %d", int(x.state))
		v.Wanted = "0 to 5"
		v.Hint = "no worker can claim the item: set State to 0 to run it, or to 3 to cancel it"
	case !x.queueExists:
		with(fmt.Sprintf("QueueName %q, which does not exist in BotQueues", x.queue))
		v.Wanted = "the name of a queue"
		v.Hint = "set QueueName to 'default', or insert the queue into BotQueues"
	case x.retries < 0 || x.releases < 0 || x.fence < 0:
		with(fmt.Sprintf("RetryCount %d", x.retries), fmt.Sprintf("ReleaseCount %d", x.releases), fmt.Sprintf("Fence %d", x.fence))
		v.Wanted = "counts of 0 or more"
		v.Hint = "set the counts to 0 or more; never lower a Fence below that of the item's attempts"
	case waits:
		with("LeaseExpiresAt "+x.lease.String(), worker)
		v.Wanted = "no active lease: the item may still be running when a pass assigns it to another worker"
		v.Hint = "after the lease has ended the item is safe; if it is still running, leave it to its worker"
	case x.state == workqueue.Blocked:
		with(worker, "StartedAt "+x.started.String(), fmt.Sprintf("Fence %d", x.fence), "LeaseExpiresAt "+x.lease.String())
		v.Wanted = "a running item has a worker, or the robot that took it, StartedAt and a fence of 1 or more"
		v.Hint = "State 1 was set by hand, or a claim is incomplete: the next assignment pass of a live worker releases the item " +
			"after its lease has ended; to release it at once, set State to 0 and WorkerId and LeaseExpiresAt to NULL"
	case x.state == workqueue.Assigned:
		with(worker, "AssignedAt "+x.assigned.String())
		v.Wanted = "an assigned item has a worker and AssignedAt"
		v.Hint = "the next assignment pass of a live worker releases it; to release it at once, set State to 0 and WorkerId to NULL"
	default:
		with("LeaseExpiresAt "+x.lease.String(), "FinishedAt "+x.finished.String())
		v.Wanted = "a finished item has FinishedAt and no lease"
		v.Hint = "set FinishedAt to the time of its end, in UTC, and LeaseExpiresAt to NULL"
	}
	return v
}

// heldRow is a row of the statement lost_items. A robot has the id 0.
type heldRow struct {
	id                int64
	state             workqueue.State
	lease, assigned   seenTime
	worker            int64
	name, workerState sql.NullString
	seen              seenTime
}

// lostItems finds items that a worker or a robot holds and that no pass has released although
// it should have.
func (r *reading) lostItems(ctx context.Context) error {
	held, err := r.held(ctx)
	if err != nil {
		return err
	}
	var total int64
	for _, h := range held {
		total += h.items
	}
	r.examined(workqueue.CheckLostItem, "items that a worker holds", total)
	rows, err := read(ctx, r, "lost_items", values{
		"after_id": int64(-1 << 63), "limit_rows": mostNamed + 1, "stale": r.at(-lostAfter), "far": r.at(tooFar),
	}, func(rows *sql.Rows, x *heldRow) error {
		return rows.Scan(&x.id, &x.state, &x.lease, &x.assigned, &x.worker, &x.name, &x.workerState, &x.seen)
	})
	for _, row := range rows {
		r.add(r.lost(row))
	}
	return err
}

// lost returns the violation for an item that no pass has released.
func (r *reading) lost(x heldRow) workqueue.Violation {
	v := workqueue.Violation{Check: workqueue.CheckLostItem, ItemID: &x.id}
	switch {
	case x.worker == 0 && x.workerState.String == "robot":
		x.name.String = fmt.Sprintf("the robot %q", x.name.String)
	case x.name.Valid:
		v.Worker = &x.name.String
	}
	what, since := "running", "its lease runs until "+x.lease.String()
	v.Wanted = "a worker that renews the lease, or a rescue soon after its end"
	v.Hint = "start a worker: its first assignment pass releases the item; if workers are running, check their logs for AssignTasksToWorker"
	if x.state == workqueue.Assigned {
		what, since = "assigned", "since "+x.assigned.String()
		v.Wanted = "a live worker that claims it, or a pass that releases it"
	}
	switch {
	case !x.name.Valid:
		v.Found = fmt.Sprintf("%s, but its worker, WorkerId %d, does not exist in BotWorkers; %s", what, x.worker, since)
		v.Wanted = "a worker that exists"
	case x.state == workqueue.Blocked && x.lease.Valid && x.lease.After(r.now.Add(tooFar)):
		v.Found = fmt.Sprintf("running on %s, and %s: more than a day in the future", x.name.String, since)
		v.Wanted = "a lease of minutes"
		v.Hint = "the lease was written by hand or with a wrong clock: set LeaseExpiresAt to NULL, and the next pass releases the item"
	case x.state == workqueue.Blocked && x.lease.Valid && x.lease.Before(r.now):
		v.Found = fmt.Sprintf("running on %s, but its lease ended at %s and no pass has released it", x.name.String, x.lease)
	case x.state == workqueue.Blocked && !x.lease.Valid:
		v.Found = fmt.Sprintf("running on %s without a lease, and no pass has released it", x.name.String)
	default:
		v.Found = fmt.Sprintf("%s to or on %s, which is %s and was last seen at %s; %s", what, x.name.String, x.workerState.String, x.seen, since)
	}
	return v
}

// holding is what a worker holds, running or assigned.
type holding struct {
	worker, items int64
	highest       int
}

func (r *reading) held(ctx context.Context) ([]holding, error) {
	return read(ctx, r, "held", nil, func(rows *sql.Rows, h *holding) error {
		return rows.Scan(&h.worker, &h.highest, &h.items)
	})
}
