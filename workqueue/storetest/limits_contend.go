package storetest

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	"botwork/workqueue"
	"botwork/workqueue/assign"
)

// Four workers, each with its own store, run passes, claim, finish and release items,
// all at the same time. The test counts the held items: never more than the limits of
// the queue and of each key.
func limitContend(x *fixture) {
	const limit, keyLimit, rounds = 5, 2, 40
	x.makeQueue("erp", `"ConcurrencyLimit", "KeyConcurrencyLimit"`, "5, 2")
	for n := range 120 {
		x.Items(1, ItemOpts{Queue: "erp", LimitKey: []string{"a", "b", "c", ""}[n%4], Priority: n % 3})
	}
	seed := uint64(time.Now().UnixNano())
	x.Logf("seed %d", seed)
	var running, started atomic.Int64
	var wg sync.WaitGroup
	for n := range 4 {
		c := limitContender{
			fixture: x, store: x.Another(x.T), worker: x.Worker(WorkerOpts{Capacity: 2}), running: &running, started: &started,
			random: rand.New(rand.NewPCG(seed, uint64(n))),
		}
		wg.Go(func() {
			for range rounds {
				if err := c.round(limit); err != nil {
					x.Errorf("%s: %v", c.worker.Name, err)
					return
				}
			}
		})
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		wg.Wait()
	}()
	for most := 0; ; {
		held, err := x.Store.Items(x.ctx, workqueue.ItemFilter{
			QueueName: "erp", States: []workqueue.State{workqueue.Assigned, workqueue.Blocked}, Limit: 1000,
		})
		if err != nil {
			x.Error(err)
		}
		keys := map[string]int{}
		for _, it := range held {
			if it.LimitKey != nil {
				if keys[*it.LimitKey]++; keys[*it.LimitKey] > keyLimit {
					x.Errorf("%d items of the key %q are held, want at most %d", keys[*it.LimitKey], *it.LimitKey, keyLimit)
				}
			}
		}
		if most = max(most, len(held)); len(held) > limit {
			x.Errorf("%d items are held, want at most %d", len(held), limit)
		}
		select {
		case <-done:
			if most == 0 || started.Load() < 60 {
				x.Errorf("at most %d items were held at the same time and %d started, want at least 1 and 60", most, started.Load())
			}
			return
		default:
		}
	}
}

type limitContender struct {
	*fixture
	store   Store
	worker  workqueue.Worker
	running *atomic.Int64 // items that the workers are running now
	started *atomic.Int64
	random  *rand.Rand
}

func (c *limitContender) round(limit int64) error {
	if _, err := assign.AssignPass(c.ctx, c.store, assign.AssignParams{Workers: assign.AvailableWorkers}); err != nil {
		return err
	}
	items, err := c.store.Claim(c.ctx, claimParams(c.worker, 1+c.random.IntN(3)))
	if err != nil {
		return err
	}
	c.started.Add(int64(len(items)))
	if n := c.running.Add(int64(len(items))); n > limit {
		return fmt.Errorf("%d items run at the same time, want at most %d", n, limit)
	}
	var ends []workqueue.Finish
	for _, it := range items {
		end := success(it)
		if c.random.IntN(2) == 0 {
			end = failure(it, workqueue.Ready)
			end.Delay = 0
		}
		ends = append(ends, end)
	}
	// They are subtracted before they end, so the count is never too high.
	c.running.Add(-int64(len(items)))
	if len(ends) > 0 {
		if _, err := c.store.Finish(c.ctx, c.worker.ID, c.worker.InstanceID, ends); err != nil {
			return err
		}
	}
	if c.random.IntN(4) == 0 {
		_, err = c.store.ReleaseAssigned(c.ctx, c.worker.ID, c.worker.InstanceID)
	}
	return err
}
