package simulation

import (
	"fmt"

	"botwork/workqueue"
	"botwork/workqueue/storetest"
)

// edit changes the tables like a user, by hand or with the command line, at a random
// time.
func (w *world) edit(d dice) []expectation {
	o := w.db
	o.mu.Lock()
	ids, workers := o.model.IDs(), o.model.WorkersByName()
	o.mu.Unlock()
	if len(ids) == 0 || len(workers) == 0 {
		return nil
	}
	id, worker := ids[d.IntN(len(ids))], workers[d.IntN(len(workers))]
	o.mu.Lock()
	it, held := *o.model.Items[id], o.model.Held[id]
	o.mu.Unlock()
	if held {
		return nil // the change would wait
	}
	waiting := it.State == workqueue.Ready || it.State == workqueue.Pending
	final := it.State == workqueue.Processed || it.State == workqueue.Cancelled
	switch what := d.IntN(7); {
	case what == 0 && waiting:
		priority := []int{100, 500, 2000}[d.IntN(3)]
		o.byHand(fmt.Sprintf("UPDATE BotWorkQueueItems SET Priority = %d WHERE Id = %d", priority, id), func() {
			o.model.Items[id].Priority = priority
		})
	case what == 1 && !final:
		// A wrong but common way to release an item from its worker.
		o.interfere(id, it)
		o.byHand(fmt.Sprintf("UPDATE BotWorkQueueItems SET State = 0, WorkerId = NULL, LeaseExpiresAt = NULL WHERE Id = %d", id), func() {
			it := o.model.Items[id]
			it.State, it.WorkerID, it.LeaseExpiresAt = workqueue.Ready, nil, nil
		})
	case what == 2 && it.State == workqueue.Blocked:
		o.interfere(id, it)
		o.byHand(fmt.Sprintf("UPDATE BotWorkQueueItems SET LeaseExpiresAt = NULL WHERE Id = %d", id), func() {
			o.model.Items[id].LeaseExpiresAt = nil
		})
	case what == 3 && !final && it.DeletedAt == nil:
		o.interfere(id, it)
		w.judge.log("user", "cancels %d", id)
		w.judge.count(&w.judge.figures.edits, 1)
		_ = o.step("cancel", func() error {
			return storetest.Do(ctx, o.store, workqueue.Cancel, id, "not needed")
		}, func() string {
			_ = o.model.Cancel(id, "not needed")
			return ""
		})
	case what == 4 && final:
		o.interfere(id, it)
		w.judge.log("user", "repeats %d", id)
		w.judge.count(&w.judge.figures.edits, 1)
		_ = o.step("repeat", func() error { return storetest.Do(ctx, o.store, workqueue.Repeat, id, "") }, func() string {
			_ = o.model.Repeat(id)
			delete(o.steps, id)
			return ""
		})
	case what == 5:
		o.byHand(fmt.Sprintf("UPDATE BotWorkers SET State = 'stopped' WHERE Id = %d", worker.ID), func() {
			o.model.Workers[worker.ID].State = workqueue.WorkerStopped
		})
	case what == 6:
		o.byHand(fmt.Sprintf("DELETE FROM BotWorkers WHERE Id = %d", worker.ID), func() { delete(o.model.Workers, worker.ID) })
	}
	return nil
}

// interfere records that an item may end differently from its plan, and that its
// current run does not know yet that it has lost the item.
func (o *oracle) interfere(id int64, it workqueue.Item) {
	o.edited[id] = true
	j := o.w.judge
	j.mu.Lock()
	defer j.mu.Unlock()
	j.edited[workqueue.ItemRef{ItemID: id, Fence: it.Fence}] = o.w.elapsed()
}

// byHand runs a statement of a user.
func (o *oracle) byHand(statement string, ideal func()) {
	o.w.judge.log("user", "%s", statement)
	o.w.judge.count(&o.w.judge.figures.edits, 1)
	_ = o.step("by hand", func() error {
		_, err := o.eyes.Exec(statement)
		o.seen = 0 // the version changes only with changes of other connections
		return err
	}, func() string {
		ideal()
		return ""
	})
}
