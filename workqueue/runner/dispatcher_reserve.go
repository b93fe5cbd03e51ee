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
func (d *dispatcher) lookAfterReserve(now time.Time) {
	r := d.reserve
	if r == nil || r.lookAt.IsZero() || now.Before(r.lookAt) {
		return
	}
	r.lookAt = time.Time{}
	d.fetches.Go(func() {
		there := d.waitsStill(r.it)
		d.mu.Lock()
		defer d.mu.Unlock()
		r.lookAt = time.Now().Add(assign.RefillEvery)
		if !there && d.reserve == r {
			d.reserve = nil
		}
		d.poke()
	})
}

// waitsStill reports whether an item that went back may come to this worker again. Where the
// database does not say, it may.
func (d *dispatcher) waitsStill(back *claimed) bool {
	ctx, cancel := context.WithTimeout(d.r.looking, d.r.statementTime())
	defer cancel()
	it, err := d.r.o.Store.Item(ctx, back.ID)
	if err != nil {
		return !errors.Is(err, workqueue.ErrNotFound)
	}
	switch {
	case it.DeletedAt != nil || it.AvailableAt.After(back.AvailableAt):
		return false
	case it.State == workqueue.Assigned && (it.WorkerID == nil || *it.WorkerID != d.r.worker.ID):
		return false
	case it.State != workqueue.Ready && it.State != workqueue.Pending && it.State != workqueue.Assigned:
		return false
	}
	queue, err := d.r.o.Store.Queue(ctx, it.QueueName)
	return err != nil || !queue.Paused && queue.Consumer != workqueue.ConsumerRobots
}
