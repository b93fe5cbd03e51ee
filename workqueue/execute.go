package workqueue

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"sync"
	"time"
)

// ExecuteParams say which of this worker's items to run.
type ExecuteParams struct {
	Band Band

	// Refill repeats the latest assignment pass when the worker runs dry, so
	// that it does not idle until the next tick.
	Refill bool
}

// ExecuteResult counts what became of the items that were run.
type ExecuteResult struct {
	Succeeded int `json:"succeeded"`
	Failed    int `json:"failed"` // attempts, whether they are retried or not
	Snoozed   int `json:"snoozed"`
	Released  int `json:"released"`
}

const (
	// claimLimit bounds the items of one claim.
	claimLimit = 500

	// claimAhead is how much work may wait claimed but unstarted: enough to
	// hide a round trip, little enough that others can still have the rest.
	claimAhead = 500 * time.Millisecond

	// refillEvery is how often a worker with free slots and nothing to claim
	// asks for more while some of its items still run.
	refillEvery = 15 * time.Second
)

// Execute runs the items of the band that are assigned to this worker, until
// there are none left, and returns when all of them have ended and their ends
// are written. When ctx ends or the worker drains, it claims no more and waits
// for what runs; the worker's Stop bounds that.
func (r *Runner) Execute(ctx context.Context, p ExecuteParams) (ExecuteResult, error) {
	r.executing.Add(1)
	defer r.executing.Done()
	queues, err := r.o.Store.Queues(ctx)
	if err != nil {
		return ExecuteResult{}, err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	go func() {
		select {
		case <-r.draining:
			cancel(ErrDraining)
		case <-ctx.Done():
		}
	}()
	e := &execution{r: r, p: p, policies: r.policies(queues), ended: make(chan struct{}, 1)}
	err = e.loop(ctx)
	e.giveBack()
	e.open.Wait()
	if errors.Is(err, ErrDraining) {
		err = nil // not a failure: the rest was given back
	}
	return e.result, err
}

// policies are the queues' resilience by name.
func (r *Runner) policies(queues []Queue) map[string]Resilience {
	policies := make(map[string]Resilience, len(queues))
	for _, q := range queues {
		policy, err := ParseResilience(q.Resilience)
		if err != nil {
			r.o.Log.Warn().Err(err).Str("queue", q.Name).Msg("the queue's resilience cannot be read; the default holds")
		}
		policies[q.Name] = policy
	}
	return policies
}

// execution is one call of Execute.
type execution struct {
	r        *Runner
	p        ExecuteParams
	policies map[string]Resilience

	queue []claimed      // claimed, not started; owned by the loop
	open  sync.WaitGroup // claimed items whose end is not written yet
	ended chan struct{}  // holds a token when a run has ended

	mu      sync.Mutex
	running int
	result  ExecuteResult
	mean    time.Duration // of a run's time, exponentially weighted
}

// claimed is an item with the context that its lease gives it.
type claimed struct {
	Item
	ctx context.Context
}

// loop starts items until there are none left or ctx ends. It takes a slot
// first and claims then: what starts is the most urgent item of that moment.
func (e *execution) loop(ctx context.Context) error {
	for {
		if err := e.r.slots.acquire(ctx, e.p.Band.Min); err != nil {
			return err
		}
		if len(e.queue) == 0 {
			if err := e.claim(ctx); err != nil {
				e.r.slots.release()
				return err
			}
		}
		if len(e.queue) > 0 {
			it := e.queue[0]
			e.queue = e.queue[1:]
			e.start(it)
			continue
		}
		e.r.slots.release()
		if more, err := e.more(ctx); !more || err != nil {
			return err
		}
	}
}

// more waits until claiming again makes sense; false when nothing is left.
func (e *execution) more(ctx context.Context) (bool, error) {
	if e.runningNow() > 0 {
		timer := time.NewTimer(refillEvery)
		defer timer.Stop()
		select {
		case <-ctx.Done():
			return false, context.Cause(ctx)
		case <-e.ended:
			return true, nil
		case <-timer.C:
		}
		_, err := e.refill(ctx)
		return err == nil, err
	}
	// Dry. The pass counts what a worker holds, so the ends must be written.
	e.open.Wait()
	if assigned, err := e.refill(ctx); assigned == 0 || err != nil {
		return false, err
	}
	err := e.claim(ctx)
	return len(e.queue) > 0, err
}

func (e *execution) refill(ctx context.Context) (int, error) {
	last := e.r.lastAssign.Load()
	if !e.p.Refill || last == nil {
		return 0, nil
	}
	result, err := AssignPass(ctx, e.r.o.Store, *last)
	return result.Assigned, err
}

func (e *execution) claim(ctx context.Context) error {
	started := time.Now()
	items, err := e.r.o.Store.Claim(ctx, ClaimParams{
		WorkerID: e.r.worker.ID, InstanceID: e.r.worker.InstanceID,
		Band: e.p.Band, Max: e.batch(), Lease: e.r.o.Spec.Lease,
	})
	if err != nil {
		return err
	}
	e.open.Add(len(items))
	for i := range items {
		until := started.Add(e.r.o.Spec.Lease)
		e.queue = append(e.queue, claimed{Item: items[i], ctx: e.r.held.add(e.r.runs, &items[i], until)})
	}
	return nil
}

// batch is how many items to claim: one for each slot, or as many as the slots
// are likely to run within claimAhead.
func (e *execution) batch() int {
	e.mu.Lock()
	defer e.mu.Unlock()
	capacity := e.r.o.Spec.Capacity
	if e.mean == 0 {
		return min(capacity, claimLimit)
	}
	ahead := int(claimAhead / max(e.mean, time.Microsecond))
	return min(capacity*max(ahead, 1), claimLimit)
}

// start runs an item in the slot that the loop has acquired.
func (e *execution) start(it claimed) {
	e.mu.Lock()
	e.running++
	e.mu.Unlock()
	go func() {
		started := time.Now()
		outcome := e.r.runSafely(it.ctx, &it.Item)
		e.r.completer.add(outcome.settle(&it.Item, e.policies[it.QueueName], random()), e.open.Done)
		e.r.slots.release()
		e.note(outcome.Verdict, time.Since(started))
	}()
}

// note counts a run that has ended and tells the loop.
func (e *execution) note(v Verdict, took time.Duration) {
	e.mu.Lock()
	e.running--
	switch v {
	case Succeeded:
		e.result.Succeeded++
	case Failed:
		e.result.Failed++
	case Snoozed:
		e.result.Snoozed++
	case Released:
		e.result.Released++
	}
	if e.mean == 0 {
		e.mean = took
	} else {
		e.mean += (took - e.mean) / 8
	}
	e.mu.Unlock()
	select {
	case e.ended <- struct{}{}:
	default:
	}
}

func (e *execution) runningNow() int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.running
}

// giveBack releases what was claimed and not started.
func (e *execution) giveBack() {
	for i := range e.queue {
		it := &e.queue[i].Item
		e.r.completer.add(Finish{ItemID: it.ID, Fence: it.Fence, State: Ready, RetryCount: it.RetryCount}, e.open.Done)
	}
	e.queue = nil
}

// runSafely turns a panic that came through into a failed attempt.
func (r *Runner) runSafely(ctx context.Context, it *Item) (outcome Outcome) {
	defer func() {
		if p := recover(); p != nil {
			r.o.Log.Error().Int64("item_id", it.ID).Bytes("stack", debug.Stack()).Msgf("panic while running an item: %v", p)
			outcome = Outcome{Verdict: Failed, Kind: KindPanic, Error: fmt.Sprintf("panic: %v", p)}
		}
	}()
	return r.o.RunItem(ctx, it)
}
