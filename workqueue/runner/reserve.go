package runner

import (
	"context"
	"errors"
	"time"

	"botwork/workqueue"
	"botwork/workqueue/assign"
)

// reserve keeps the slots that come free for a large item that went back, since it had
// waited too long: until there is room for it, less urgent ones wait.
type reserve struct {
	need
	it *claimed

	lookAt time.Time // when it is looked whether the item is still to be had; zero: that is going on
}

// lookAfterReserve looks now and then whether the item that slots are kept for is still to be
// had: another worker may have run it, or a person cancelled it.
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

// waitsStill reports whether an item that went back may come to this worker again. Where the
// database does not say, it may.
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
