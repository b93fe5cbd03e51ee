package assign

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"time"

	"botwork/workqueue"
)

// A forecast is the store of its own passes.
var (
	_ workqueue.AssignStore = (*forecast)(nil)
	_ workqueue.AssignTx    = (*forecast)(nil)
)

// ReadUnlocked implements AssignStore.
func (f *forecast) ReadUnlocked(ctx context.Context, read func(context.Context, workqueue.AssignView) error) error {
	return read(ctx, f)
}

// Assign implements AssignStore.
func (f *forecast) Assign(ctx context.Context, pass func(context.Context, workqueue.AssignTx) error) error {
	return pass(ctx, f)
}

// ClaimPass implements AssignStore.
func (f *forecast) ClaimPass(ctx context.Context, passes int64, assignments []workqueue.Assignment, t workqueue.PassClaim) (workqueue.Claimed, bool, error) {
	return workqueue.ClaimPassByAssign(ctx, f, passes, assignments, t)
}

// ReadPass implements AssignView.
func (f *forecast) ReadPass(ctx context.Context, q workqueue.PassQuery) (workqueue.PassInput, error) {
	marks, err := f.PassState(ctx)
	loads := make([]workqueue.WorkerLoad, len(f.workers))
	for i, w := range f.workers {
		loads[i] = w.loadFor(q.Band.Min, q.DefaultEstimate, f.now)
	}
	return workqueue.PassInput{PassState: marks, Distributions: f.queues, Loads: loads}, err
}

// PassState implements AssignView.
func (f *forecast) PassState(context.Context) (workqueue.PassState, error) {
	m := f.marks
	m.Now, m.Turns = f.now, maps.Clone(m.Turns)
	return m, nil
}

// NeedsSweep implements AssignView. A forecast begins with abandoned items freed.
func (f *forecast) NeedsSweep(context.Context, time.Duration) (bool, error) { return false, nil }

// DueItems implements AssignView.
func (f *forecast) DueItems(_ context.Context, band workqueue.Band, full workqueue.Full, limit int) ([]workqueue.DueItem, error) {
	return f.waiting.of(band, full, limit, f.now), nil
}

// AssignedItems implements AssignView.
func (f *forecast) AssignedItems(_ context.Context, band workqueue.Band, limit int) ([]workqueue.DueItem, error) {
	var all []*forecastItem
	for _, w := range f.workers {
		for _, it := range w.assigned {
			if band.Contains(it.Priority) {
				all = append(all, it)
			}
		}
	}
	slices.SortFunc(all, inRunOrder)
	all = all[:min(len(all), limit)]
	items := make([]workqueue.DueItem, len(all))
	for i := range all {
		items[i] = all[i].DueItem
		items[i].Queue, items[i].LimitKey = "", "" // as in the database
	}
	return items, nil
}

// HeldItems implements AssignView; no pass asks for it.
func (f *forecast) HeldItems(context.Context, int) ([]workqueue.HeldItem, error) { return nil, nil }

// LimitUses implements AssignView.
func (f *forecast) LimitUses(context.Context) ([]workqueue.LimitUse, error) {
	return f.limits.at(f.now), nil
}

// Limits implements LimitTx.
func (f *forecast) Limits(ctx context.Context) ([]workqueue.LimitUse, error) { return f.LimitUses(ctx) }

// Rescue implements AssignTx.
func (f *forecast) Rescue(context.Context, time.Duration) (workqueue.RescueResult, error) {
	return workqueue.RescueResult{}, nil
}

// ApplyPolicies implements AssignTx; items inserted by hand count as they are.
func (f *forecast) ApplyPolicies(context.Context) (workqueue.AppliedPolicies, error) {
	return workqueue.AppliedPolicies{}, nil
}

// Expire implements AssignTx; DueItems leaves out what has expired.
func (f *forecast) Expire(context.Context) (int, error) { return 0, nil }

// Write implements AssignTx.
func (f *forecast) Write(_ context.Context, assignments []workqueue.Assignment) (int, error) {
	written := 0
	changed := map[*forecastWorker]bool{}
	for i := range assignments {
		a := &assignments[i]
		to := f.worker(a.WorkerID)
		if to == nil {
			continue
		}
		it := &forecastItem{waited: true}
		if from := f.worker(a.From); from != nil {
			moved := from.take(a.ItemID)
			if moved == nil {
				continue
			}
			it = moved
		} else {
			due, ok := f.waiting.take(a.ItemID)
			if !ok {
				continue
			}
			it.DueItem = due
			f.limits.give(&due)
		}
		it.Holder, it.Since, it.RunOrder, it.Channel = a.WorkerID, f.now, a.RunOrder, a.Channel
		it.Estimate, it.takes = a.Estimate, cmp.Or(a.Estimate, f.defaultEstimate)
		to.give(it)
		to.load.AvailableSince = f.now
		changed[to] = true
		written++
	}
	for w := range changed {
		w.order()
	}
	return written, nil
}

// AssignAndClaim implements AssignTx; the passes of a forecast claim nothing.
func (f *forecast) AssignAndClaim(context.Context, []workqueue.Assignment, workqueue.PassClaim) ([]workqueue.Item, error) {
	return nil, nil
}

// RecordPass implements AssignTx.
func (f *forecast) RecordPass(_ context.Context, m workqueue.PassState) error {
	f.marks.Passes++
	maps.Copy(f.marks.Turns, m.Turns)
	return nil
}

func (f *forecast) worker(id int64) *forecastWorker {
	for _, w := range f.workers {
		if w.load.WorkerID == id {
			return w
		}
	}
	return nil
}
