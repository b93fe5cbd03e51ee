package workqueue

import (
	"context"
	"time"
)

// claimEvery is how often a worker that takes looks for what others have assigned
// to it.
const claimEvery = time.Second

// takeMore makes a pass that claims what it assigns to this worker. It is for items so
// short that a slot runs several of them while a claim is on its way: each of them is
// written once less, and the worker asks before it is idle. A run that is woken makes
// passes when it is told to.
func (e *execution) takeMore(ctx context.Context) (gained, error) {
	pass, ok := e.r.passFor(e.band)
	most := e.batch()
	if !e.p.Refill || e.p.Stay != nil || !ok || most <= e.r.o.Spec.Capacity {
		return gained{}, nil
	}
	pass.Take = e.taking(most)
	pass.Take.Ahead = true
	if pass.Band = pass.Band.both(e.band); pass.Band == (Band{}) { // which would mean all
		return gained{}, nil
	}
	started := time.Now()
	if e.own != nil && started.Before(e.own.until) {
		if got, done, err := e.takeOwn(ctx, pass, started); done || err != nil {
			return got, err
		}
		e.own, e.ownAgain = nil, started.Add(claimEvery)
	}
	if pass.brief = started.Sub(e.swept) < refillEvery; !pass.brief {
		e.swept = started
	}
	e.admit()
	result, own, err := e.r.passAhead(ctx, pass)
	if err != nil { // the claim that follows tells whether that is more than a moment's trouble
		e.settle(1, 0)
		return gained{}, context.Cause(ctx)
	}
	if e.own = own; started.Before(e.ownAgain) {
		e.own = nil
	}
	return gained{items: e.takeUp(result.Taken, started)}, nil
}

// takeOwn makes the pass for this worker alone; false: that is for a pass which knows
// all workers.
func (e *execution) takeOwn(ctx context.Context, pass AssignParams, started time.Time) (gained, bool, error) {
	e.admit()
	taken, done, err := e.r.ownPass(ctx, pass, e.own)
	if err != nil || !done || taken.Len() == 0 {
		e.settle(1, 0)
		return gained{}, err != nil, context.Cause(ctx)
	}
	return gained{taken: taken, lease: func(items []Item) []claimed { return e.takeUp(items, started) }}, true, nil
}

// taking has a pass claim up to so many items for this execution.
func (e *execution) taking(most int) *Taking {
	return &Taking{
		WorkerID: e.r.worker.ID, InstanceID: e.r.worker.InstanceID, Lease: e.r.o.Spec.Lease,
		Band: e.band, Max: most, Within: e.r.statementTime(),
	}
}
