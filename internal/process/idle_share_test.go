package process_test

import (
	"testing"
	"time"

	"botwork/workqueue"
)

// slowAfter starts a worker with four slots. It runs a number of items of a millisecond, which it
// claims a hundred at a time, and then items of a minute.
func (x *virtual) slowAfter(quick, slow int) (ids []int64) {
	x.Helper()
	for range quick {
		x.add(800, `{"ms": 1}`)
	}
	for range slow {
		ids = append(ids, x.add(700, `{"ms": 60000}`))
	}
	return ids
}

func (x *virtual) inState(state workqueue.State, ids []int64) (n int) {
	for _, id := range ids {
		if x.item(id).State == state {
			n++
		}
	}
	return n
}

func (x *virtual) countStarted(ids []int64) (n int) {
	for _, id := range ids {
		if !x.startOf(id).IsZero() {
			n++
		}
	}
	return n
}

// When runs become slow, their worker does not keep items that it cannot start: another worker
// with free slots gets its share within five seconds.
func TestNewWorkerGetsItsShare(t *testing.T) {
	inBubble(t, func(x *virtual) {
		ids := x.slowAfter(600, 300)
		x.startWorker("ann", nil)
		time.Sleep(10 * time.Second)
		if n := x.inState(workqueue.Blocked, ids); n != 4 {
			t.Errorf("%d items are claimed by a worker with four slots, want 4", n)
		}
		x.startWorker("bob", nil)
		time.Sleep(5 * time.Second)
		if n := x.countStarted(ids); n != 8 {
			t.Errorf("%d items have started five seconds after a second worker started, want 8", n)
		}
	})
}

// The same if the second worker was idle the whole time.
func TestIdleWorkerGetsItsShare(t *testing.T) {
	inBubble(t, func(x *virtual) {
		x.startWorker("ann", nil)
		x.startWorker("bob", nil)
		ids := x.slowAfter(600, 300)
		time.Sleep(15 * time.Second)
		if n := x.countStarted(ids); n != 8 {
			t.Errorf("%d items have started, want 8: four on each worker", n)
		}
	})
}

// A claimed item that is cancelled, or whose deadline passes, before its slot is free does not
// start.
func TestCancelledOrLateItemDoesNotStart(t *testing.T) {
	inBubble(t, func(x *virtual) {
		ids := x.slowAfter(600, 0)
		for range 20 {
			ids = append(ids, x.add(700, `{"ms": 400}`)) // so that claimed items behind it wait
		}
		var late, cancelled []int64
		for range 100 {
			late = append(late, x.add(690, `{"ms": 400}`, func(it *workqueue.NewItem) { it.DeadlineIn = 3 * time.Second }))
			cancelled = append(cancelled, x.add(680, `{"ms": 400}`))
		}
		x.startWorker("ann", nil)
		deadline := time.Now().Add(3 * time.Second)
		for x.countStarted(ids) < 10 {
			time.Sleep(10 * time.Millisecond)
		}
		when := time.Now()
		for _, id := range cancelled {
			if x.startOf(id).IsZero() {
				if _, err := x.store.ChangeItem(x.Context(), id, workqueue.Change{Action: workqueue.Cancel, Reason: "not wanted"}); err != nil {
					x.Fatal(err)
				}
			}
		}
		time.Sleep(2 * time.Minute)
		for _, id := range late {
			if at := x.startOf(id); at.After(deadline) {
				t.Errorf("item %d started %s after its deadline", id, at.Sub(deadline))
			}
		}
		for _, id := range cancelled {
			if at := x.startOf(id); at.After(when) {
				t.Errorf("item %d started %s after it was cancelled", id, at.Sub(when))
			}
		}
	})
}
