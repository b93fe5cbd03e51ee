package runner

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"botwork/internal/tracing"
	"botwork/workqueue"
	"botwork/workqueue/assign"
	"botwork/workqueue/learned"

	"github.com/rs/zerolog"
)

// sweepEvery is how often a worker that repeats passes looks for abandoned and expired items.
const sweepEvery = 5 * time.Second

// Runner runs items as one worker. It has the worker's row and heartbeat, the leases of the
// items that it holds, the slots in which items run, and the results that are not written yet.
// Its methods are safe for concurrent use.
type Runner struct {
	o        Options
	dispatch *dispatcher
	held     *held
	active   *active

	// Set by Start.
	worker    workqueue.Worker
	completer *completer

	// runs is the parent of all items' contexts. It outlives the calls of Execute, so that
	// the shutdown timeout ends a run and not its pipeline. dispatchCtx is the parent of the
	// dispatcher's passes: it ends when the worker drains.
	runs           context.Context
	stop           context.CancelFunc // ends the background loops
	dispatchCtx    context.Context
	cancelDispatch context.CancelCauseFunc
	loop           sync.WaitGroup

	draining  chan struct{} // closed when no more items may be claimed until the worker ends
	drained   chan struct{} // closed when assigned items have been released
	executing sync.WaitGroup
	stopOnce  sync.Once
	replaced  chan struct{} // closed when another process has taken over this worker's name
	lost      chan struct{} // closed when the database is lost; lostBecause is set before

	lostBecause error

	schemas workqueue.Schemas // of the queues
	memory  releaser
	learner learner
	learned *learned.Estimates

	paced   chan pacedPass   // passes to repeat for items that wait for a rate
	beatNow chan struct{}    // holds a token when the next heartbeat must not wait
	wall    func() time.Time // the machine's clock

	// suspended is set while a user's request to drain is in force; resumed is closed when it
	// ends. The heartbeat owns resumed.
	suspended atomic.Bool
	resumed   chan struct{}

	// gated is set while Options.Gate is closed. gateWritten is owned by the heartbeat: the
	// worker's row says so, and assigned items were given back.
	gated       atomic.Bool
	gateWritten bool

	// mu prevents that an Execute begins during Drain: Stop would not wait for it.
	mu      sync.Mutex
	started bool
	passes  []assign.AssignParams   // the latest one of each band, oldest first
	pacing  map[workqueue.Band]bool // a pass of the band is in paced
	swept   time.Time               // when a pass last looked for abandoned and expired items
}

// Options configure a Runner.
type Options struct {
	Store   Store
	RunItem workqueue.RunItem
	Log     zerolog.Logger

	// Ended is called with the outcome of each run, after its result was checked against the
	// queue's schemas and before it is written; may be nil. ctx is that of the run.
	Ended func(ctx context.Context, it *workqueue.Item, o workqueue.Outcome, took time.Duration)

	// Observer receives what the runner does, for metrics; may be nil.
	Observer Observer

	// Profiles returns what pipelines declare about their items.
	Profiles workqueue.Profiles

	// Escalations returns the rules of escalation of pipelines; may be nil.
	Escalations func() []workqueue.Escalation

	// Spec describes the worker; items have the same Lease.
	Spec workqueue.WorkerSpec

	// Heartbeat is the interval at which the row and all leases are renewed, at most half of
	// the lease.
	Heartbeat time.Duration

	// AfterHeartbeat is called after each round of the heartbeat loop, even if the heartbeat could not
	// be written, so that a watchdog sees that the worker is alive; may be nil.
	AfterHeartbeat func()

	// ShutdownGrace is how long running items may continue when the worker stops. Then they
	// are cancelled and released, which counts no attempt.
	ShutdownGrace time.Duration

	// Gate closes while this machine is short of a resource; nil: it has no bounds.
	Gate Gate

	// Attend is called with the priorities of abandoned items, for example those of a worker
	// that died. It starts the pipelines of that band unless they are running, and returns at
	// once. If it is nil, such items wait for the next scheduled run.
	Attend func(band workqueue.Band)
}

// New returns a runner with these options. It does not access the store.
func New(o Options) (*Runner, error) {
	switch {
	case o.Store == nil || o.RunItem == nil:
		return nil, errors.New("a runner needs Options.Store and Options.RunItem: a store and a way to run items")
	case o.Heartbeat <= 0 || 2*o.Heartbeat > o.Spec.Lease:
		return nil, fmt.Errorf("heartbeat %s: want more than 0 and at most half of the lease, %s", o.Heartbeat, o.Spec.Lease)
	}
	if err := o.Spec.CheckSlots(); err != nil {
		return nil, err
	}
	if o.Observer == nil {
		o.Observer = unobserved{}
	}
	r := &Runner{
		o: o, learned: learned.NewEstimates(o.Store), held: newHeld(), active: newActive(),
		draining: make(chan struct{}), drained: make(chan struct{}), replaced: make(chan struct{}), lost: make(chan struct{}),
		beatNow: make(chan struct{}, 1), wall: time.Now, learner: learner{profiles: o.Profiles},
		paced: make(chan pacedPass, maxPaced), pacing: map[workqueue.Band]bool{},
	}
	r.dispatch = newDispatcher(r)
	return r, nil
}

// Start registers the worker and starts its heartbeat. The error is a *NameTakenError if
// another process uses the name.
func (r *Runner) Start(ctx context.Context) error {
	worker, err := r.o.Store.RegisterWorker(ctx, r.o.Spec)
	if err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.started = true
	r.worker = worker
	r.completer = newCompleter(r.o.Store, worker, r.held, r.statementTime(), r.o.Log)
	r.completer.observe = r.o.Observer.ObserveFinish
	// The background loops outlive ctx: Stop ends them when the last result is written.
	background, stop := context.WithCancel(context.WithoutCancel(ctx))
	r.runs, r.stop = background, stop
	r.dispatchCtx, r.cancelDispatch = context.WithCancelCause(background)
	r.dispatch.planner.recordBeat(time.Now())
	r.applyOverrides(worker.Overrides)
	if worker.State == workqueue.WorkerDraining {
		r.suspended.Store(true)
		r.resumed = make(chan struct{})
		r.o.Log.Warn().Str("hint", "botwork workers resume "+worker.Name).
			Msg("a user has asked this worker to drain; it takes no items until it is resumed")
	}
	if r.obeyGate() != "" {
		r.beatNow <- struct{}{}
	}
	loops := []func(context.Context){r.completer.run, r.dispatch.run, r.heartbeat, r.watch, r.reportProgress, r.foldStatistics, r.escalate, r.learnDurations}
	if r.o.Attend != nil {
		loops = append(loops, r.pollStranded, r.pace)
	}
	for _, loop := range loops {
		r.loop.Go(func() { loop(background) })
	}
	return nil
}

// Worker returns the row that Start registered.
func (r *Runner) Worker() workqueue.Worker { return r.worker }

// Replaced is closed when another process has taken over this worker's name. This process
// must end.
func (r *Runner) Replaced() <-chan struct{} { return r.replaced }

// Lost is closed when the store returned ErrDatabaseLost to a heartbeat: this worker must end
// and cannot write anything. Stop then returns the error.
func (r *Runner) Lost() <-chan struct{} { return r.lost }

func (r *Runner) isLost() bool {
	select {
	case <-r.lost:
		return true
	default:
		return false
	}
}

// Draining is closed when the worker claims no more items until it ends. See also Suspended.
func (r *Runner) Draining() <-chan struct{} { return r.draining }

// Assign runs an assignment pass. When the worker runs out of items, Execute repeats the
// latest pass that covers one of its priorities.
func (r *Runner) Assign(ctx context.Context, p assign.AssignParams) (assign.AssignResult, error) {
	if err := p.Validate(); err != nil {
		return assign.AssignResult{}, err
	}
	p = p.WithDefaults()
	if p.Profiles == nil {
		p.Profiles = r.o.Profiles
	}
	r.mu.Lock()
	r.passes = slices.DeleteFunc(r.passes, func(old assign.AssignParams) bool { return old.Band == p.Band })
	r.passes = append(r.passes, p)
	r.mu.Unlock()
	result, err := r.pass(ctx, p)
	if s := SessionOf(ctx); s != nil && err == nil {
		s.recordPass(p, result)
	}
	return result, err
}

// pass runs a pass. If the pass freed items that it does not assign, pass calls Attend for
// them: the next pass for items of a low priority may be hours away. It waits for the passes
// of other workers for two leases at most: otherwise a connection that never answers would
// block the pipeline forever.
func (r *Runner) pass(ctx context.Context, p assign.AssignParams) (assign.AssignResult, error) {
	result, _, err := r.passAhead(ctx, p)
	return result, err
}

// passAhead is like pass, and also returns what later passes for this worker alone can reuse,
// or nil.
func (r *Runner) passAhead(ctx context.Context, p assign.AssignParams) (assign.AssignResult, *assign.SelfAssign, error) {
	ctx, cancel := context.WithTimeout(ctx, 2*r.o.Spec.Lease)
	defer cancel()
	ctx, span := tracing.Root(ctx, "pass")
	defer span.End()
	p.Learned = r.learned
	p.Brief = p.Brief && !r.sweepDue()
	began := time.Now()
	result, reusable, err := p.Pass(ctx, r.o.Store)
	r.observePass(began, result, err)
	span.Int("botwork.assigned", int64(result.Assigned))
	span.Int("botwork.claimed", int64(len(result.Claimed)))
	if err != nil {
		span.Fail("error")
	}
	if err == nil && r.o.Attend != nil && result.Waits() && !p.Band.Includes(result.Band) {
		r.o.Attend(result.Band)
	}
	if err == nil && r.o.Attend != nil && result.Pace > 0 {
		p.Brief, p.Claim = false, nil
		r.repeatAfter(p, result.Pace)
	}
	return result, reusable, err
}

// selfAssign makes a pass for this worker alone.
func (r *Runner) selfAssign(ctx context.Context, p assign.AssignParams, selfAssign *assign.SelfAssign) (workqueue.Claimed, bool, error) {
	ctx, cancel := context.WithTimeout(ctx, 2*r.o.Spec.Lease)
	defer cancel()
	ctx, span := tracing.Root(ctx, "pass")
	defer span.End()
	p.Learned = r.learned
	began := time.Now()
	claimed, done, err := selfAssign.Assign(ctx, r.o.Store, p)
	r.observeSelfAssign(began, claimed, done, err)
	span.Int("botwork.claimed", int64(claimed.Len()))
	if err != nil {
		span.Fail("error")
	}
	return claimed, done, err
}

// sweepDue reports whether the next pass must look for abandoned and expired items. If so, it
// records that the pass does.
func (r *Runner) sweepDue() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if time.Since(r.swept) < sweepEvery {
		return false
	}
	r.swept = time.Now()
	return true
}

// passFor returns the pass to repeat for items of a band. Passes of other bands belong to
// other pipelines and do not assign such items.
func (r *Runner) passFor(band workqueue.Band) (assign.AssignParams, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, p := range slices.Backward(r.passes) {
		if p.Band.Overlaps(band) {
			return p, true
		}
	}
	return assign.AssignParams{}, false
}

// random returns the random number for jitter, in [0, 1).
func random() float64 { return rand.Float64() } //nolint:gosec // jitter is no secret
