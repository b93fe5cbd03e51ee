package process_test

import (
	"testing"
	"time"

	"botwork/workqueue"
)

// slowAfter makes a worker with four slots that runs so many items of a millisecond,
// which it claims by the hundred, and then meets items that take a minute.
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

func (x *virtual) begun(ids []int64) (n int) {
	for _, id := range ids {
		if !x.begin(id).IsZero() {
			n++
		}
	}
	return n
}

// Runs that turn slow leave no items with their worker that it cannot start: another
// worker with free slots has its share within five seconds.
func TestAnIdleWorkerGetsItsShare(t *testing.T) {
	inBubble(t, func(x *virtual) {
		ids := x.slowAfter(600, 300)
		x.started("ann", nil)
		time.Sleep(10 * time.Second)
		if n := x.inState(workqueue.Blocked, ids); n != 4 {
			t.Errorf("%d items are claimed by a worker with four slots, want 4", n)
		}
		x.started("bob", nil)
		time.Sleep(5 * time.Second)
		if n := x.begun(ids); n != 8 {
			t.Errorf("%d items have begun five seconds after a second worker came, want 8", n)
		}
	})
}

// The same when the second worker was there, idle, all the time.
func TestAWorkerThatWasIdleGetsItsShare(t *testing.T) {
	inBubble(t, func(x *virtual) {
		x.started("ann", nil)
		x.started("bob", nil)
		ids := x.slowAfter(600, 300)
		time.Sleep(15 * time.Second)
		if n := x.begun(ids); n != 8 {
			t.Errorf("%d items have begun, want 8: four for each worker", n)
		}
	})
}

// What is claimed and cancelled, or too late, before its slot is free never begins.
func TestWhatIsCancelledOrLateNeverBegins(t *testing.T) {
	inBubble(t, func(x *virtual) {
		ids := x.slowAfter(600, 0)
		for range 20 {
			ids = append(ids, x.add(700, `{"ms": 400}`)) // so that those behind wait claimed for a while
		}
		var late, cancelled []int64
		for range 100 {
			late = append(late, x.add(690, `{"ms": 400}`, func(it *workqueue.NewItem) { it.DeadlineIn = 3 * time.Second }))
			cancelled = append(cancelled, x.add(680, `{"ms": 400}`))
		}
		x.started("ann", nil)
		deadline := time.Now().Add(3 * time.Second)
		for x.begun(ids) < 10 {
			time.Sleep(10 * time.Millisecond)
		}
		when := time.Now()
		for _, id := range cancelled {
			if x.begin(id).IsZero() {
				if _, err := x.store.ChangeItem(x.Context(), id, workqueue.Change{Action: workqueue.Cancel, Reason: "not wanted"}); err != nil {
					x.Fatal(err)
				}
			}
		}
		time.Sleep(2 * time.Minute)
		for _, id := range late {
			if at := x.begin(id); at.After(deadline) {
				t.Errorf("item %d began %s after its deadline", id, at.Sub(deadline))
			}
		}
		for _, id := range cancelled {
			if at := x.begin(id); at.After(when) {
				t.Errorf("item %d began %s after it was cancelled", id, at.Sub(when))
			}
		}
	})
}
