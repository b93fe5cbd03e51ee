package runner

import (
	"context"
	"errors"
	"time"

	"botwork/workqueue"
	"botwork/workqueue/assign"
)

// reserve keeps slots for a large item that waited too long and was released: less urgent
// items wait until there is room for it.
type reserve struct {
	need
	it *claimed

	checkAt time.Time // when to check that the item still exists; zero: a check is under way
}

// checkReserve checks from time to time that the item for which slots are kept still waits:
// another worker may have run it, or a user may have cancelled it.
func (hc *heldChecker) checkReserve(now time.Time) {
	r := hc.reserve
	if r == nil || r.checkAt.IsZero() || now.Before(r.checkAt) {
		return
	}
	r.checkAt = time.Time{}
	hc.background.Go(func() {
		there := hc.stillWaits(r.it)
		hc.mu.Lock()
		defer hc.mu.Unlock()
		r.checkAt = time.Now().Add(assign.RefillEvery)
		if !there && hc.reserve == r {
			hc.reserve = nil
		}
		hc.poke()
	})
}

// stillWaits reports whether a released item may be assigned to this worker again. If the
// database does not answer, it returns true.
func (hc *heldChecker) stillWaits(released *claimed) bool {
	ctx, cancel := context.WithTimeout(hc.r.dispatchCtx, hc.r.statementTime())
	defer cancel()
	it, err := hc.r.o.Store.Item(ctx, released.ID)
	if err != nil {
		return !errors.Is(err, workqueue.ErrNotFound)
	}
	switch {
	case it.DeletedAt != nil || it.AvailableAt.After(released.AvailableAt):
		return false
	case it.State == workqueue.Assigned && (it.WorkerID == nil || *it.WorkerID != hc.r.worker.ID):
		return false
	case it.State != workqueue.Ready && it.State != workqueue.Pending && it.State != workqueue.Assigned:
		return false
	}
	queue, err := hc.r.o.Store.Queue(ctx, it.QueueName)
	return err != nil || !queue.Paused && queue.Consumer != workqueue.ConsumerRobots
}
