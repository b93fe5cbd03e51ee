package runner

import (
	"context"
	"errors"
	"time"

	"botwork/workqueue"
	"botwork/workqueue/assign"
)

// reserve keeps slots for a large item that waited too long and was given back: less urgent
// items wait until there is room for it.
type reserve struct {
	need
	it *claimed

	lookAt time.Time // when to check that the item still exists; zero: a check is under way
}

// lookAfterReserve checks now and then that the item for which slots are kept still waits:
// another worker may have run it, or a person may have cancelled it.
func (hc *heldChecker) lookAfterReserve(now time.Time) {
	r := hc.reserve
	if r == nil || r.lookAt.IsZero() || now.Before(r.lookAt) {
		return
	}
	r.lookAt = time.Time{}
	hc.background.Go(func() {
		there := hc.waitsStill(r.it)
		hc.mu.Lock()
		defer hc.mu.Unlock()
		r.lookAt = time.Now().Add(assign.RefillEvery)
		if !there && hc.reserve == r {
			hc.reserve = nil
		}
		hc.poke()
	})
}

// waitsStill reports whether an item that was given back may be assigned to this worker
// again. If the database does not answer, it may.
func (hc *heldChecker) waitsStill(back *claimed) bool {
	ctx, cancel := context.WithTimeout(hc.r.looking, hc.r.statementTime())
	defer cancel()
	it, err := hc.r.o.Store.Item(ctx, back.ID)
	if err != nil {
		return !errors.Is(err, workqueue.ErrNotFound)
	}
	switch {
	case it.DeletedAt != nil || it.AvailableAt.After(back.AvailableAt):
		return false
	case it.State == workqueue.Assigned && (it.WorkerID == nil || *it.WorkerID != hc.r.worker.ID):
		return false
	case it.State != workqueue.Ready && it.State != workqueue.Pending && it.State != workqueue.Assigned:
		return false
	}
	queue, err := hc.r.o.Store.Queue(ctx, it.QueueName)
	return err != nil || !queue.Paused && queue.Consumer != workqueue.ConsumerRobots
}
