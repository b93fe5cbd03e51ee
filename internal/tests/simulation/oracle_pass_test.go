package simulation

import (
	"context"
	"fmt"
	"slices"
	"time"

	"botwork/workqueue"
	"botwork/workqueue/storetest/reference"
)

// assign runs a complete pass at one instant, because it is a transaction. It returns the
// claims of the pass.
func (o *oracle) assign(of context.Context, p *process, pass func(context.Context, workqueue.AssignTx) error) ([]workqueue.ItemRef, error) {
	o.meanwhile("pass", 25)
	var tx *passTx
	var passErr error
	var before *reference.Model
	err := o.step("pass of "+p.instance, func() error {
		before = o.model
		err := o.store.Assign(ctx, func(ctx context.Context, real workqueue.AssignTx) error {
			view := passView{real: real, o: o, model: o.model.Clone()}
			tx = &passTx{passView: view, real: real, surveyed: p.surveyed[of]}
			passErr = pass(ctx, tx)
			return passErr
		})
		return err
	}, func() string {
		o.model = tx.model
		o.counted(before)
		return tx.wrong
	})
	if tx != nil && (tx.rescued != workqueue.RescueResult{} || tx.assigned > 0) {
		p.log("pass: rescued %d, released %d, poisoned %d, assigned %d",
			tx.rescued.Rescued, tx.rescued.Released, tx.rescued.Poisoned, tx.assigned)
	}
	if tx == nil {
		return nil, err
	}
	return tx.claimed, err
}

// counted reports to the judge which claims a pass has counted as the cause of a death,
// from the table, not from the model.
func (o *oracle) counted(before *reference.Model) {
	rows, err := o.eyes.Query("SELECT Id, ReleaseCount FROM BotWorkQueueItems WHERE ReleaseCount > 0")
	if err != nil {
		o.w.t.Error(err)
		return
	}
	defer rows.Close()
	for rows.Next() {
		var id int64
		var releases int
		if err := rows.Scan(&id, &releases); err != nil {
			o.w.t.Error(err)
			return
		}
		if was := before.Items[id]; was != nil && releases > was.ReleaseCount {
			o.w.judge.counts(workqueue.ItemRef{ItemID: id, Fence: was.Fence})
		}
	}
	if err := rows.Err(); err != nil {
		o.w.t.Error(err)
	}
}

// passTx compares each statement of a pass with the model.
type passTx struct {
	passView
	real     workqueue.AssignTx
	surveyed *passView // what the pass has read before; nil: nothing

	rescued  workqueue.RescueResult
	assigned int
	claimed  []workqueue.ItemRef
	planned  []workqueue.Assignment // all that the pass has written or tried to write
}

func (tx *passTx) Rescue(ctx context.Context, assignedFor time.Duration) (workqueue.RescueResult, error) {
	got, err := tx.real.Rescue(ctx, assignedFor)
	want, _ := tx.model.Rescue(assignedFor)
	tx.addFault("rescue", differ(got, want))
	tx.rescued = got
	tx.o.w.judge.count(&tx.o.w.judge.figures.rescues, got.Rescued+got.Released)
	return got, err
}

// Nobody inserts items by hand in the simulation.
func (tx *passTx) ApplyPolicies(ctx context.Context) (workqueue.AppliedPolicies, error) {
	got, err := tx.real.ApplyPolicies(ctx)
	tx.addFault("apply policies", differ(got, workqueue.AppliedPolicies{}))
	return got, err
}

func (tx *passTx) Expire(ctx context.Context) (int, error) {
	got, err := tx.real.Expire(ctx)
	tx.addFault("expire", differ(got, tx.model.Expire()))
	return got, err
}

func (tx *passTx) Limits(ctx context.Context) ([]workqueue.LimitUse, error) {
	got, err := tx.real.Limits(ctx)
	tx.addFault("limits", differ(got, tx.model.LimitUses()))
	return got, err
}

// outdated changes assignments as if the pass had read them some time ago, which happens on
// most engines: workers have begun to drain, and items no longer wait or must not start.
func (tx *passTx) outdated(assignments []workqueue.Assignment) []workqueue.Assignment {
	tx.o.writes++
	d := roll(tx.o.w.seed, "outdated assignments", tx.o.writes)
	workers := tx.model.WorkersByName()
	if d.chance(50) || len(workers) == 0 {
		return assignments
	}
	anyone := func() int64 { return workers[d.IntN(len(workers))].ID }
	outdated := slices.Clone(assignments)
	if len(outdated) > 0 && d.chance(30) {
		outdated[d.IntN(len(outdated))].WorkerID = anyone()
	}
	var moved, withheld, over []workqueue.Assignment
	for _, id := range tx.model.IDs() {
		it := tx.model.Items[id]
		if slices.ContainsFunc(outdated, func(a workqueue.Assignment) bool { return a.ItemID == id }) {
			continue
		}
		a := workqueue.Assignment{ItemID: id, WorkerID: anyone()}
		switch it.State {
		case workqueue.Ready, workqueue.Pending:
			if !tx.model.Startable(it) {
				withheld = append(withheld, a)
			}
		case workqueue.Assigned:
			if it.WorkerID != nil && d.chance(50) {
				a.From = *it.WorkerID
			}
			if a.From != 0 && !tx.model.Startable(it) {
				moved = append(moved, a)
			}
			withheld = append(withheld, a)
		default:
			over = append(over, a)
		}
	}
	for _, list := range [][]workqueue.Assignment{moved, withheld, over} {
		if len(list) > 0 && d.chance(60) {
			return append(outdated, list[d.IntN(len(list))])
		}
	}
	return outdated
}

// Write also checks the order of priorities: no due item may be left while one of
// lower priority is assigned.
func (tx *passTx) Write(ctx context.Context, assignments []workqueue.Assignment) (int, error) {
	written := tx.outdated(assignments)
	n, err := tx.real.Write(ctx, written)
	lowest := workqueue.EveryPriority.Max
	for _, a := range assignments {
		if it := tx.model.Items[a.ItemID]; it != nil {
			lowest = min(lowest, it.Priority)
		}
	}
	tx.addFault("write", differ(n, tx.model.Write(written)))
	tx.assigned += n
	if len(assignments) > 0 {
		tx.addFault("order", tx.order(assignments, lowest))
	}
	return n, err
}

// AssignAndClaim checks the same order.
func (tx *passTx) AssignAndClaim(ctx context.Context, assignments []workqueue.Assignment, t workqueue.PassClaim) ([]workqueue.Item, error) {
	written := tx.outdated(assignments)
	got, err := tx.real.AssignAndClaim(ctx, written, t)
	lowest := workqueue.EveryPriority.Max
	for _, a := range assignments {
		if it := tx.model.Items[a.ItemID]; it != nil {
			lowest = min(lowest, it.Priority)
		}
	}
	tx.addFault("take", tx.o.started(tx.model.Item, got))
	want := tx.model.Take(reference.Process{Worker: t.WorkerID, Instance: t.InstanceID}, written, t.Lease)
	tx.addFault("take", differ(refsOf(got), refsOf(want)))
	tx.assigned += len(got)
	tx.claimed = append(tx.claimed, claimsOf(got)...)
	if len(assignments) > 0 {
		tx.addFault("order", tx.order(assignments, lowest))
	}
	return got, err
}

// order returns a fault if an item waits while one of this priority is assigned. The pass
// must have been able to read the item, under the lock or before, and must not have planned
// it: an item planned for a worker that takes no more items waits for the next pass.
func (tx *passTx) order(assignments []workqueue.Assignment, lowest int) string {
	tx.planned = append(tx.planned, assignments...)
	band, could := tx.band, func(int64) bool { return true }
	if band == (workqueue.Band{}) && tx.surveyed != nil {
		band = tx.surveyed.band
		could = func(id int64) bool { return tx.surveyed.could[id] }
	}
	for _, left := range tx.model.Due(workqueue.Band{Min: lowest + 1, Max: band.Max}, len(tx.model.Items)) {
		// An item that needs more than one slot may not fit where a smaller one does.
		planned := slices.ContainsFunc(tx.planned, func(a workqueue.Assignment) bool { return a.ItemID == left.ID })
		if !planned && could(left.ID) && profile(left.Pipeline).Channel == "" {
			return fmt.Sprintf("item %d of priority %d waits while one of priority %d is assigned", left.ID, left.Priority, lowest)
		}
	}
	return ""
}

func (tx *passTx) RecordPass(ctx context.Context, m workqueue.PassState) error {
	return tx.real.RecordPass(ctx, m)
}
