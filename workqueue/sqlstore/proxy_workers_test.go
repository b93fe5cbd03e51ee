package sqlstore_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"botwork/internal/faultproxy"
	"botwork/workqueue"
	"botwork/workqueue/assign"
	"botwork/workqueue/runner"
	"botwork/workqueue/storetest"
)

const (
	tormentedItems = 200
	tormentedLease = 2 * time.Second

	// mostRun is the longest time that an item runs; the shortest is a tenth of it.
	mostRun = 450 * time.Millisecond
)

// tormented is a worker with its own connection that fails repeatedly.
type tormented struct {
	*behindProxy
	runner *runner.Runner
	log    *runLog
}

// startWorker starts a worker that does nothing by itself.
func (x *behindProxy) startWorker(name string, log *runLog) *tormented {
	x.Helper()
	w := &tormented{behindProxy: x, log: log}
	spec := x.make.Spec(storetest.WorkerOpts{Name: name, Capacity: 4})
	spec.InstanceID, spec.Lease = name+"-1", tormentedLease
	runner, err := runner.New(runner.Options{
		Store: x.store, RunItem: w.run, Log: zerolog.New(zerolog.NewTestWriter(x.T)).Level(zerolog.WarnLevel),
		Spec: spec, Heartbeat: tormentedLease / 4, ShutdownGrace: 10 * time.Second,
	})
	if err == nil {
		err = runner.Start(x.Context())
	}
	if err != nil {
		x.Fatal(err)
	}
	w.runner = runner
	x.Cleanup(func() {
		if err := runner.Stop(context.Background()); err != nil {
			x.Errorf("stop %s: %v", name, err)
		}
	})
	return w
}

// work assigns and runs items until ctx ends, like a pipeline that runs every 20 ms. Neither
// call may wait for ever for a lost answer: nothing else limits it.
func (w *tormented) work(ctx context.Context) {
	ticker := time.NewTicker(20 * time.Millisecond)
	defer ticker.Stop()
	pass := assign.AssignParams{Workers: assign.AvailableWorkers, DefaultEstimate: mostRun, Horizon: mostRun}
	for {
		// Errors are those of the connection.
		_, _ = w.runner.Assign(ctx, pass)
		_, _ = w.runner.Execute(ctx, runner.ExecuteParams{Refill: true})
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return
		}
	}
}

// run takes a while, or stops when its context ends.
func (w *tormented) run(ctx context.Context, it *workqueue.Run) workqueue.Outcome {
	entry := w.log.begin(it.ID, it.Fence)
	timer := time.NewTimer(mostRun/10 + rand.N(mostRun*9/10))
	defer timer.Stop()
	select {
	case <-timer.C:
		w.log.end(entry, true)
		return workqueue.Outcome{Verdict: workqueue.Succeeded}
	case <-ctx.Done():
		w.log.end(entry, false)
		return workqueue.Outcome{Verdict: workqueue.Released, Error: context.Cause(ctx).Error()}
	}
}

// faults returns all kinds of faults. Each function returns how long its fault lasts.
func faults(random *rand.Rand) []func(p *faultproxy.Proxy) time.Duration {
	between := func(least, most time.Duration) time.Duration {
		return least + time.Duration(random.Int64N(int64(most-least)))
	}
	set := func(f faultproxy.Fault, d time.Duration) func(p *faultproxy.Proxy) time.Duration {
		return func(p *faultproxy.Proxy) time.Duration { p.Set(f); return d }
	}
	return []func(p *faultproxy.Proxy) time.Duration{
		set(faultproxy.Reset(), between(10*time.Millisecond, 300*time.Millisecond)),
		func(p *faultproxy.Proxy) time.Duration { p.Drop(); return 0 },
		func(p *faultproxy.Proxy) time.Duration { p.Cut(); return 300 * time.Millisecond },
		set(faultproxy.Delay(5*time.Millisecond, 40*time.Millisecond), between(200*time.Millisecond, 500*time.Millisecond)),
		set(faultproxy.Swallow(), between(10*time.Millisecond, 300*time.Millisecond)),
		set(faultproxy.Swallow(), tormentedLease+between(100*time.Millisecond, 500*time.Millisecond)),
		set(faultproxy.Stall(), between(10*time.Millisecond, 300*time.Millisecond)),
		set(faultproxy.Stall(), tormentedLease+between(100*time.Millisecond, 500*time.Millisecond)),
		set(faultproxy.TruncateResponse(random.IntN(500)), between(10*time.Millisecond, 300*time.Millisecond)),
		set(faultproxy.TruncateResponse(0), between(10*time.Millisecond, 300*time.Millisecond)),
		set(faultproxy.DropResponse(random.IntN(500)), between(10*time.Millisecond, 300*time.Millisecond)),
		set(faultproxy.DropResponse(0), between(10*time.Millisecond, 300*time.Millisecond)),
	}
}

// torment applies all faults to a proxy, one after the other, with a short time without faults
// in between. It calls before ahead of each fault.
func torment(ctx context.Context, p *faultproxy.Proxy, random *rand.Rand, before func()) error {
	list := faults(random)
	random.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	for _, begin := range list {
		before()
		lasts := begin(p)
		if !wait(ctx, lasts) {
			return errors.New("the test ended before all faults were applied")
		}
		p.Restore()
		if !wait(ctx, time.Duration(random.Int64N(int64(tormentedLease/10)))) {
			return errors.New("the test ended before all faults were applied")
		}
	}
	return nil
}

// wait waits while a fault lasts. It returns false if ctx ends.
func wait(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// Two workers share 200 items while the connection of each fails in every way, at random, for
// moments and for longer than a lease.
func TestWorkersWithFaultyConnections(t *testing.T) {
	t.Parallel()
	eachProxied(t, func(first *behindProxy) {
		t := first.T
		first.recordHistory()
		seed := rand.Uint64()
		t.Logf("seed %d", seed)
		if _, err := first.store.DefineQueues(t.Context(), []workqueue.Queue{{Name: workqueue.DefaultQueue, MaxReleases: 1000}}, "test"); err != nil {
			t.Fatal(err)
		}
		log := &runLog{}
		ctx, cancel := context.WithCancel(t.Context())
		workers := []*tormented{first.startWorker("first", log), first.connect().startWorker("second", log)}
		var working sync.WaitGroup
		for _, w := range workers {
			working.Go(func() { w.work(ctx) })
		}
		t.Cleanup(func() {
			cancel()
			working.Wait()
		})

		batch := tormentedItems / len(workers) / len(faults(rand.New(rand.NewPCG(0, 0))))
		var enqueued sync.Mutex
		var ids []int64
		enqueue := func(n int) {
			enqueued.Lock()
			defer enqueued.Unlock()
			more, err := first.way.Enqueue(t.Context(), fiveKinds(n))
			if err != nil {
				t.Error(err)
			}
			ids = append(ids, workqueue.IDs(more)...)
		}
		var storms sync.WaitGroup
		for i, w := range workers {
			storms.Go(func() {
				random := rand.New(rand.NewPCG(seed, uint64(i))) //nolint:gosec // no secret
				if err := torment(ctx, w.proxy, random, func() { enqueue(batch) }); err != nil {
					t.Error(err)
				}
			})
		}
		storms.Wait()
		enqueue(tormentedItems - len(ids))
		first.await("all items to be Processed", func() bool {
			return first.count(`SELECT COUNT(*) FROM "BotWorkQueueItems" WHERE "State" <> 2`) == 0
		})
		log.check(first, ids)
	})
}

// fiveKinds returns items with five priorities.
func fiveKinds(n int) []workqueue.NewItem {
	items := make([]workqueue.NewItem, n)
	for i := range items {
		items[i] = workqueue.NewItem{IntegrationConfig: "work", Priority: 500 + 200*(i%5), Estimate: mostRun / 2}
	}
	return items
}
