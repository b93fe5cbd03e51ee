package simulation

import (
	"fmt"
	"time"

	"botwork/workqueue"
)

// meanwhile lets a user change, just before a statement arrives, the items for which it
// was sent: a plan, or a claim, is always older than the rows.
func (o *oracle) meanwhile(what string, percent int) {
	if o.w.calm.Load() || o.w.isOver() || onlyPerson(o.w.seed) {
		return
	}
	o.mu.Lock()
	o.changes++
	d := roll(o.w.seed, "meanwhile "+what, o.changes)
	o.mu.Unlock()
	if d.chance(percent) {
		o.w.withhold(d)
	}
}

// withhold prevents an item that waits or is assigned from starting: it is delayed,
// hidden, or expires, or its queue is paused for a while.
func (w *world) withhold(d dice) {
	id, it, found := w.db.unstarted(d)
	if !found {
		return
	}
	set := func(column string, at time.Time, ideal func(it *workqueue.Item)) {
		w.db.byHand(fmt.Sprintf("UPDATE BotWorkQueueItems SET %s = '%s' WHERE Id = %d", column, at.Format("2006-01-02 15:04:05.000"), id), func() {
			ideal(w.db.model.Items[id])
		})
	}
	now := w.db.now()
	switch d.IntN(6) {
	case 0, 1:
		until := now.Add(d.between(time.Second, 20*time.Second)).Truncate(time.Millisecond)
		set("AvailableAt", until, func(it *workqueue.Item) { it.AvailableAt = until })
	case 2:
		w.db.interfere(id, it)
		set("DeletedAt", now, func(it *workqueue.Item) { it.DeletedAt = &now })
	case 3:
		w.db.interfere(id, it)
		over := now.Add(-time.Second)
		set("ExpiresAt", over, func(it *workqueue.Item) { it.ExpiresAt = &over })
	case 4:
		w.db.interfere(id, it)
		over := now.Add(-time.Second)
		set("DeadlineAt", over, func(it *workqueue.Item) { it.DeadlineAt = &over })
	case 5:
		w.db.pause(true)
		w.later(d.between(time.Second, 10*time.Second), func() { w.db.pause(false) })
	}
}

// unstarted draws an item that waits or is assigned, more often an assigned
// one.
func (o *oracle) unstarted(d dice) (id int64, it workqueue.Item, found bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	var waiting, assigned []int64
	for _, id := range o.model.IDs() {
		switch it := o.model.Items[id]; {
		case o.model.Held[id]: // a change would wait
		case it.State == workqueue.Ready || it.State == workqueue.Pending:
			waiting = append(waiting, id)
		case it.State == workqueue.Assigned:
			assigned = append(assigned, id)
		}
	}
	if len(assigned) > 0 && d.chance(70) || len(waiting) == 0 {
		waiting = assigned
	}
	if len(waiting) == 0 {
		return 0, it, false
	}
	id = waiting[d.IntN(len(waiting))]
	return id, *o.model.Items[id], true
}

// assigns reports whether an item is assigned.
func (o *oracle) assigns() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, it := range o.model.Items {
		if it.State == workqueue.Assigned {
			return true
		}
	}
	return false
}

// pause pauses or resumes the queue like an operator.
func (o *oracle) pause(paused bool) {
	o.w.judge.log("user", "pauses the queue: %t", paused)
	o.w.judge.count(&o.w.judge.figures.edits, 1)
	_ = o.step("pause", func() (err error) {
		if paused {
			_, err = o.store.PauseQueue(ctx, workqueue.DefaultQueue)
		} else {
			_, err = o.store.ResumeQueue(ctx, workqueue.DefaultQueue)
		}
		return err
	}, func() string {
		o.model.Paused = paused
		return ""
	})
}

// started checks an answer that starts items: no item may start before it is due, after its
// deadline or its time to live, when it is deleted, or while its queue is paused, and no item
// may start that was not waiting. It checks the rows as they were before the statement,
// without the model.
func (o *oracle) started(before func(id int64) *workqueue.Item, items []workqueue.Item) string {
	now := o.clock
	over := func(at *time.Time) bool { return at != nil && at.Before(now) }
	for _, got := range items {
		it, wrong := before(got.ID), ""
		switch {
		case it == nil:
			wrong = "does not exist"
		case it.State != workqueue.Ready && it.State != workqueue.Pending && it.State != workqueue.Assigned:
			wrong = "is " + it.State.String()
		case it.AvailableAt.After(now):
			wrong = fmt.Sprintf("is due in %s", it.AvailableAt.Sub(now))
		case it.DeletedAt != nil:
			wrong = "is deleted"
		case over(it.DeadlineAt):
			wrong = "is past its deadline"
		case over(it.ExpiresAt):
			wrong = "is past its time to live"
		case o.model.Held[got.ID]:
			wrong = "is held by a person"
		case o.model.Paused:
			wrong = "is in a paused queue"
		}
		if wrong != "" {
			return fmt.Sprintf("item %d was started although it %s", got.ID, wrong)
		}
	}
	return ""
}
