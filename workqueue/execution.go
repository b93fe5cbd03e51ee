package workqueue

import (
	"context"
	"sync"
	"time"
)

const (
	// claimLimit bounds the items of one claim.
	claimLimit = 500

	// claimAhead is how much work one claim brings, and the next may bring as much
	// before that has begun: enough to hide a round trip, little enough that others
	// can still have the rest.
	claimAhead = 250 * time.Millisecond

	// refillEvery is how often a worker with free slots and nothing to claim
	// asks for more while some of its items still run, and how often a busy one
	// asks for what is high.
	refillEvery = 15 * time.Second
)

// execution is one call of Execute.
type execution struct {
	r        *Runner
	p        ExecuteParams
	policies queuePolicies

	queue []claimed // claimed, not started; owned by the loop
	fresh bool      // owned by the loop: what it claims next may be high
	spent bool      // likewise: of a run that is woken; the last claim has brought all that was assigned
	gate  time.Time // likewise: until then no pass is made for being woken, the gates-th time
	gates int
	band  Band      // likewise: what it claims; that of the whole run, once it was woken
	dry   bool      // likewise: the last claim brought less than was asked for
	asked time.Time // likewise: when it claimed last
	swept time.Time // likewise: when it took by a pass that also frees what nobody runs

	own      *ownPass  // likewise: what its passes for itself alone count on; nil: they cannot be
	ownAgain time.Time // likewise: until then it makes none, since one was not done

	ahead   []*fetch // likewise: what is claimed beside the loop, the oldest first
	brought int      // likewise: how many items the last claim brought

	ended chan struct{} // holds a token when a run has ended
	over  chan struct{} // holds a token when an end has been written

	// beside are the goroutines that start items beside the loop, lanes those that run them.
	beside sync.WaitGroup
	lanes  *lanes

	mu      sync.Mutex
	open    int  // claims under way, and claimed items whose end is not written yet
	closed  bool // nothing is claimed any more
	lost    int  // of those that are over: given up unwritten when the worker stopped
	running int
	waiting int // claimed items that wait for what they need
	result  ExecuteResult
	mean    time.Duration // of a run's time, exponentially weighted
	cost    float64       // of an item, in slots, likewise
}

func (r *Runner) newExecution(p ExecuteParams, queues []Queue) *execution {
	e := &execution{
		r: r, p: p, band: p.Band, policies: r.policies(queues), fresh: true,
		ended: make(chan struct{}, 1), over: make(chan struct{}, 1), cost: 1, lanes: newLanes(),
	}
	for _, c := range r.o.Spec.Channels {
		e.cost = max(e.cost, float64(c.Cost))
	}
	return e
}

// claimed is an item with the context that its lease gives it.
type claimed struct {
	Item
	ctx    context.Context
	cancel context.CancelCauseFunc
}

// loop starts items until there are none left or ctx ends. It takes a slot
// first and claims then: what starts is the most urgent item of that moment.
func (e *execution) loop(ctx context.Context) error {
	for {
		if len(e.queue) == 0 && (e.spent || e.crowded()) {
			if more, err := e.more(ctx); !more || err != nil {
				return err
			}
			continue
		}
		slot := e.next()
		if err := e.r.slots.acquire(ctx, slot); err != nil {
			return err
		}
		err := e.collect(ctx, len(e.queue) == 0)
		if err == nil && len(e.queue) == 0 {
			err = e.claimMore(ctx)
		}
		if err != nil {
			e.r.slots.release(slot)
			return err
		}
		// A claim that was under way when ctx ended still brought its items.
		if err := context.Cause(ctx); err != nil {
			e.r.slots.release(slot)
			return err
		}
		if len(e.queue) > 0 {
			if it := e.queue[0]; slot.priority <= it.Priority {
				e.queue = e.queue[1:]
				e.place(ctx, it, slot)
				e.fetchAhead(ctx)
			} else {
				e.r.slots.release(slot) // it was kept for others: the item asks for its own
			}
			continue
		}
		e.r.slots.release(slot)
		if more, err := e.more(ctx); !more || err != nil {
			return err
		}
	}
}

// next is the slot that the loop asks for: that of the item which is claimed, or
// one for whatever a claim will bring. That may be high when nothing has been
// claimed yet; later the lookout sees to what is high.
func (e *execution) next() need {
	switch {
	case len(e.queue) > 0:
		return need{priority: e.queue[0].Priority}
	case e.fresh:
		return high(e.band)
	default:
		return need{priority: e.band.Min}
	}
}

// high is a slot for a high item that is not known yet, if the band has any.
func high(band Band) need {
	if band.Max <= HighPriority {
		return need{priority: band.Min}
	}
	return need{priority: max(band.Min, HighPriority+1)}
}

// claimMore fills the loop's queue.
func (e *execution) claimMore(ctx context.Context) error {
	e.fresh = false
	got, err := e.bring(ctx)
	items, err := e.read(ctx, got, err)
	e.brought = len(items)
	e.enqueue(items)
	return err
}

// bring claims what is assigned to this worker, or has a pass of its own claim for it.
func (e *execution) bring(ctx context.Context) (gained, error) {
	if e.dry && time.Since(e.asked) < claimEvery {
		if got, err := e.takeMore(ctx); got.len() > 0 || err != nil {
			return got, err
		}
	}
	e.asked = time.Now()
	e.admit()
	most := e.batch()
	items, err := e.claim(ctx, e.band, most)
	e.dry = len(items) < most
	e.spent = e.p.Stay != nil && len(items) < most
	e.p.Stay.claimed(len(items))
	if err != nil || len(items) > 0 {
		return gained{items: items}, err
	}
	return e.takeMore(ctx)
}

// admit counts a claim that is about to begin; false when none may any more.
func (e *execution) admit() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed {
		return false
	}
	e.open++
	return true
}

// claim is not broken off when ctx ends: what a lost answer had claimed would
// stay blocked until its lease ends, and count as a death of its worker. It has
// been admitted.
func (e *execution) claim(ctx context.Context, band Band, most int) ([]claimed, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), e.r.statementTime())
	defer cancel()
	started := time.Now()
	items, err := e.r.o.Store.Claim(ctx, ClaimParams{
		WorkerID: e.r.worker.ID, InstanceID: e.r.worker.InstanceID,
		Band: band, Max: most, Lease: e.r.o.Spec.Lease,
	})
	if err != nil {
		e.settle(1, 0)
		return nil, err
	}
	return e.takeUp(items, started), nil
}

// takeUp takes over what an admitted claim brought, which began at a time.
func (e *execution) takeUp(items []Item, started time.Time) []claimed {
	e.settle(1-len(items), 0)
	list := make([]claimed, len(items))
	for i := range items {
		ctx, cancel := e.r.held.add(e.r.runs, &items[i], started.Add(e.r.o.Spec.Lease))
		list[i] = claimed{Item: items[i], ctx: ctx, cancel: cancel}
	}
	return list
}

// batch is how many items to claim: as many as fill the slots, or as many as the
// slots are likely to run within claimAhead.
func (e *execution) batch() int {
	e.mu.Lock()
	defer e.mu.Unlock()
	capacity := max(int(float64(e.r.o.Spec.Capacity)/e.cost), 1)
	if e.mean == 0 {
		return min(capacity, claimLimit)
	}
	ahead := int(claimAhead / max(e.mean, time.Microsecond))
	return min(capacity*max(ahead, 1), claimLimit)
}
