package runner

import (
	"context"
	"time"

	"botwork/workqueue"
)

// strayEvery is how often, at most, a worker without a free slot gives back what is
// assigned to it.
const strayEvery = 100 * time.Millisecond

// planStray is the release of what other workers' passes have assigned to this worker
// for slots that were free then and are not any more: whichever slot comes free first,
// here or elsewhere, is for what is most urgent. nil: there can be nothing of the kind,
// or what is assigned was planned in advance.
func (d *dispatcher) planStray(now time.Time) *fetch {
	if !d.stray || d.slots.free > 0 || !d.slow(now) || now.Before(d.strays) || !d.fillsSlots() {
		return nil
	}
	d.stray, d.strays = false, now.Add(strayEvery)
	return &fetch{release: true, claimNews: d.news}
}

// fillsSlots reports whether all passes that are known give items to free slots only.
func (d *dispatcher) fillsSlots() bool {
	known := false
	for _, s := range d.sessions {
		for i := range s.passes {
			if known = true; !s.passes[i].FreeSlots {
				return false
			}
		}
	}
	return known
}

// releaseStray makes the release.
func (d *dispatcher) releaseStray(ctx context.Context, f *fetch) error {
	bounded, cancel := context.WithTimeout(ctx, d.r.statementTime())
	defer cancel()
	n, err := d.r.o.Store.ReleaseAssigned(bounded, d.r.worker.ID, d.r.worker.InstanceID)
	if err != nil {
		return err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.nothingFrom(workqueue.EveryPriority.Min, f)
	if n > 0 {
		for _, s := range d.sessions {
			s.left, s.woken = true, true
			s.raise()
		}
	}
	return nil
}
