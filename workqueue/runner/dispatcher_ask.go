package runner

import (
	"context"
	"time"

	"botwork/workqueue"
)

const (
	// askAfter is how old what is known of an item in line may become before the worker
	// asks whether it still holds it: a person may have cancelled it meanwhile.
	askAfter = 40 * time.Millisecond

	// askAhead is how long it is before an item begins of which it is not worth asking.
	askAhead = 10 * time.Millisecond
)

// nextAsk is when the items in line have to be asked after; zero: not at present.
func (d *dispatcher) nextAsk(now time.Time) time.Time {
	if d.asking || len(d.line.items) == 0 {
		return time.Time{}
	}
	at := d.line.stalest().Add(askAfter)
	if at.Before(d.retryAsk) {
		at = d.retryAsk
	}
	if !now.Before(at) && len(d.line.knownBefore(now.Add(-askAfter))) <= d.within(askAhead, now) {
		return now.Add(askAhead)
	}
	return at
}

// ask asks after the items in line that are not just claimed, when that is due.
func (d *dispatcher) ask(now time.Time) {
	if at := d.nextAsk(now); at.IsZero() || now.Before(at) {
		return
	}
	d.asking = true
	refs := d.line.knownBefore(now.Add(-askAfter / 2))
	d.fetches.Go(func() { d.hearOf(refs) })
}

// hearOf asks which of the items this worker still holds. What it does not hold any more
// does not begin.
func (d *dispatcher) hearOf(refs []workqueue.ItemRef) {
	ctx, cancel := context.WithTimeout(d.r.looking, d.r.statementTime())
	defer cancel()
	since := time.Now()
	lost, err := d.r.o.Store.Lost(ctx, d.r.worker.ID, d.r.worker.InstanceID, refs)
	d.mu.Lock()
	defer d.mu.Unlock()
	d.asking = false
	if err != nil {
		d.r.o.Log.Debug().Err(err).Msg("could not check claimed items; retrying")
		d.retryAsk = time.Now().Add(leastPause)
		return
	}
	d.r.held.lose(refs, lost)
	of := make(map[workqueue.ItemRef]bool, len(refs))
	for _, ref := range refs {
		of[ref] = true
	}
	for _, it := range d.line.items {
		if of[it.ref()] {
			it.held = since
		}
	}
	d.poke()
}
