package process_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"botwork/pipelines/shipped"
	"botwork/workqueue"
	"botwork/workqueue/matching"
)

// A long item does not block free slots for other items: neither for those of its band, nor for
// those of other steps or of another pipeline.
func TestLongItemDoesNotBlockFreeSlots(t *testing.T) {
	for name, of := range map[string]struct {
		wake  bool
		bound time.Duration
	}{
		"with wake": {true, within}, "without wake": {false, time.Minute},
	} {
		for _, long := range []int{1500, 700, 100} {
			t.Run(fmt.Sprintf("%s, the long one has %d", name, long), func(t *testing.T) {
				inBubble(t, func(x *virtual) {
					if !of.wake {
						x.edit(medium, "wake: true", "wake: false")
					}
					first := x.add(long, `{"ms": 150000}`)
					x.startWorker("ann", nil)
					time.Sleep(5 * time.Second)
					if x.startOf(first).IsZero() {
						t.Fatal("the long item has not started")
					}
					came := time.Now()
					high, mid := x.add(1600, `{"ms": 30000}`), x.add(700, `{"ms": 30000}`)
					time.Sleep(75 * time.Second)
					x.wantStarted(high, came, of.bound)
					x.wantStarted(mid, came, of.bound)
					if long == 100 { // the run of the low pipeline continues: its band is open
						came = time.Now()
						low := x.add(50, `{"ms": 1}`)
						time.Sleep(time.Minute)
						bound := 15*time.Second + within
						if of.wake { // one pipeline has wake: true, so the runs of others are woken as well
							bound = within
						}
						x.wantStarted(low, came, bound)
					}
				})
			})
		}
	}
}

// An item that this process enqueues starts at once.
func TestOwnItemStartsAtOnce(t *testing.T) {
	inBubble(t, func(x *virtual) {
		b := x.newOptions("ann")
		p := x.new(b)
		if err := p.Start(x.Context()); err != nil {
			x.Fatal(err)
		}
		for _, priority := range []int{700, 1600, 500} {
			time.Sleep(7 * time.Second)
			came := time.Now()
			enqueued, err := b.Store.Enqueue(x.Context(), []workqueue.NewItem{
				{Priority: priority, Payload: `{"ms": 60000}`, IntegrationConfig: "work", State: workqueue.Pending},
			})
			if err != nil {
				x.Fatal(err)
			}
			time.Sleep(time.Second)
			x.wantStarted(enqueued[0].ID, came, atOnce)
		}
	})
}

// Items that are retried, snoozed or scheduled start within a second of their time, even while one
// item waits that cannot run, and another one runs.
func TestItemStartsWhenDue(t *testing.T) {
	inBubble(t, func(x *virtual) {
		x.startWorker("ann", nil)
		x.add(900, `{"ms": 1}`, func(it *workqueue.NewItem) {
			it.Selectors = []matching.Selector{{Key: "gpu", Operator: matching.Equal, Value: matching.Bool(true)}}
		})
		x.add(700, `{"ms": 600000}`)
		time.Sleep(40 * time.Second) // past a tick; the pauses between polls without effect have grown
		came := time.Now()
		retried := x.add(700, `{"ms": 10, "end": "fail"}`, func(it *workqueue.NewItem) {
			it.ResilienceConfig = `{"limit": 2, "delay": "2s", "jitter": 0}`
		})
		snoozed := x.add(1500, `{"ms": 10, "end": "snooze"}`)
		scheduled := x.add(600, `{"ms": 10}`, func(it *workqueue.NewItem) { it.In = 7 * time.Second })
		time.Sleep(30 * time.Second)
		for id, due := range map[int64]time.Duration{retried: 2 * time.Second, snoozed: 5 * time.Second} {
			// The first attempt also starts within a second.
			x.wantStarted(id, came.Add(due), 2*within)
		}
		x.wantStarted(scheduled, came.Add(7*time.Second), within)
	})
}

// After a poll, a worker knows when the next item becomes due.
func TestScheduledItemStartsWhenDue(t *testing.T) {
	inBubble(t, func(x *virtual) {
		x.startWorker("ann", nil)
		time.Sleep(20 * time.Second) // it is idle, and polls only once a second
		for range 5 {
			came := time.Now()
			scheduled := x.add(700, `{"ms": 10}`, func(it *workqueue.NewItem) { it.In = 3350 * time.Millisecond })
			time.Sleep(7 * time.Second)
			x.wantStarted(scheduled, came.Add(3350*time.Millisecond), 20*time.Millisecond)
		}
	})
}

// The first slot that becomes free on any worker is for the most urgent item, even if others have
// waited longer.
func TestFirstFreeSlotRunsMostUrgentItem(t *testing.T) {
	inBubble(t, func(x *virtual) {
		for _, name := range []string{"ann", "bob"} {
			x.startWorker(name, func(b *testProcess) { b.Spec.Capacity = 1 })
		}
		x.add(800, `{"ms": 300000}`)
		x.add(800, `{"ms": 40000}`)
		time.Sleep(2 * time.Second)
		for range 20 {
			x.add(600, `{"ms": 15000}`)
		}
		time.Sleep(8 * time.Second)
		for range 4 { // a slot becomes free after 40 s, and then every 15 s
			came := time.Now()
			urgent := x.add(700, `{"ms": 1}`)
			time.Sleep(90 * time.Second)
			if waited := x.startOf(urgent).Sub(came); waited > 40*time.Second {
				t.Errorf("item %d started after %v, want it in the first slot that becomes free", urgent, waited)
			}
		}
	})
}

// A high item starts at once in a reserved slot, no matter how many less urgent items wait.
func TestHighItemStartsInReservedSlot(t *testing.T) {
	inBubble(t, func(x *virtual) {
		x.startWorker("ann", func(b *testProcess) { b.Spec.Capacity, b.Spec.ReservedSlots = 2, 1 })
		for range 6 {
			x.add(1000, `{"ms": 200000}`)
		}
		for range 3 {
			time.Sleep(17 * time.Second)
			came := time.Now()
			high := x.add(1001, `{"ms": 5000}`)
			time.Sleep(10 * time.Second)
			x.wantStarted(high, came, within)
		}
	})
}

// If no slot is free, the next free one goes to the most urgent item, even before claimed items
// that have not started.
func TestNextFreeSlotRunsMostUrgentItem(t *testing.T) {
	inBubble(t, func(x *virtual) {
		x.startWorker("ann", func(b *testProcess) { b.Spec.Capacity = 1 })
		for range 200 { // a worker that claims ahead
			x.add(600, `{"ms": 20}`)
		}
		time.Sleep(3 * time.Second)
		came := time.Now()
		high := x.add(1200, `{"ms": 20}`)
		time.Sleep(30 * time.Second)
		x.wantStarted(high, came, within+40*time.Millisecond)
	})
}

// edit replaces a part of the text of a shipped pipeline.
func (x *virtual) edit(pipeline, from, to string) {
	x.Helper()
	for _, f := range shipped.Files() {
		if text := string(f.Data); f.Name == pipeline+".yaml" && strings.Contains(text, from) {
			x.files[pipeline] = strings.Replace(text, from, to, 1)
			return
		}
	}
	x.Fatalf("%s does not contain %q", pipeline, from)
}
