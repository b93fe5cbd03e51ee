package runner

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"botwork/workqueue"
	"botwork/workqueue/assign"
	"botwork/workqueue/learned"

	"github.com/rs/zerolog"
)

// sweepEvery is how often a worker that makes pass after pass looks for what is to
// be freed first.
const sweepEvery = 5 * time.Second

// Runner keeps this process's place among the workers: its row and its
// heartbeat, the leases of what it holds, the slots in which items run, and
// the results that are not written yet. Methods may be called from several
// goroutines at once.
type Runner struct {
	o        Options
	dispatch *dispatcher
	held     *held
	active   *active

	// Set by Start.
	worker    workqueue.Worker
	completer *completer

	// runs is the parent of all items' contexts; it outlives the calls of
	// Execute, so that a run ends by its grace and not with its pipeline. looking is
	// that of the passes that the dispatcher makes: it ends when the worker drains.
	runs       context.Context
	stop       context.CancelFunc // ends the background loops
	looking    context.Context
	endLooking context.CancelCauseFunc
	loop       sync.WaitGroup

	draining  chan struct{} // closed when no more items may be claimed
	drained   chan struct{} // closed when what was assigned has been given back
	executing sync.WaitGroup
	stopOnce  sync.Once
	replaced  chan struct{} // closed when another process has this worker's name
	lost      chan struct{} // closed when the database is lost; lostBecause is set before

	lostBecause error

	schemas workqueue.Schemas // of the queues
	memory  releaser          // likewise
	learner learner           // what runs took
	learned *learned.Estimates

	paced   chan pacedPass   // passes to repeat for items that wait for a rate
	beatNow chan struct{}    // holds a token when the next heartbeat must not wait
	wall    func() time.Time // the machine's clock

	// mu makes sure that no Execute begins while Drain closes the door: Stop
	// would not wait for it.
	mu      sync.Mutex
	started bool
	passes  []assign.AssignParams   // the latest of each band, the latest last
	pacing  map[workqueue.Band]bool // a pass of the band is in paced
	swept   time.Time               // when a brief pass last had to look for what is to be freed
}

// Options say who the worker is and how it works.
type Options struct {
	Store   Store
	RunItem workqueue.RunItem
	Log     zerolog.Logger

	// Ended is told what came of each run, its queue's schemas included, before
	// that is written; nil tells nobody.
	Ended func(it *workqueue.Item, o workqueue.Outcome, took time.Duration)

	// Profiles tell what pipelines say of their items.
	Profiles workqueue.Profiles

	// Spec is the worker's row; its Lease is also that of the items.
	Spec workqueue.WorkerSpec

	// Heartbeat is how often the row and all leases are renewed; at most
	// half of the lease.
	Heartbeat time.Duration

	// Beaten is told each time the loop of heartbeats has come round, whether the
	// beat could be written or not: a watchdog sees by it that the worker lives. nil
	// tells nobody.
	Beaten func()

	// ShutdownGrace is how long running items may go on when the worker
	// stops; then they are cancelled and released, uncounted.
	ShutdownGrace time.Duration

	// Attend is told of priorities at which items lie about that nobody runs,
	// such as those of a worker that died: it starts the passes and executions
	// of that band, unless they go on already, and returns at once. nil leaves
	// such items to the next tick.
	Attend func(band workqueue.Band)
}

// New checks the options; it touches nothing.
func New(o Options) (*Runner, error) {
	switch {
	case o.Store == nil || o.RunItem == nil:
		return nil, errors.New("a runner needs a store and a way to run items")
	case o.Heartbeat <= 0 || 2*o.Heartbeat > o.Spec.Lease:
		return nil, fmt.Errorf("heartbeat %s: want more than 0 and at most half of the lease, %s", o.Heartbeat, o.Spec.Lease)
	}
	if err := o.Spec.CheckSlots(); err != nil {
		return nil, err
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

// Start registers the worker and begins to beat. A *NameTakenError says that
// another process works under the name.
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
	// The background outlives ctx: Stop ends it when the last result is written.
	background, stop := context.WithCancel(context.WithoutCancel(ctx))
	r.runs, r.stop = background, stop
	r.looking, r.endLooking = context.WithCancelCause(background)
	r.dispatch.planner.recordBeat(time.Now())
	loops := []func(context.Context){r.completer.run, r.dispatch.run, r.heartbeat, r.watch, r.tellProgress, r.foldStatistics, r.learnDurations}
	if r.o.Attend != nil {
		loops = append(loops, r.lookForStranded, r.pace)
	}
	for _, loop := range loops {
		r.loop.Go(func() { loop(background) })
	}
	return nil
}

// Worker returns the row that Start registered.
func (r *Runner) Worker() workqueue.Worker { return r.worker }

// Replaced is closed when another process has taken this worker's name: this
// one must end.
func (r *Runner) Replaced() <-chan struct{} { return r.replaced }

// Lost is closed when the store returned ErrDatabaseLost to a heartbeat: this worker must
// end, and can write nothing. LostBecause returns the error then.
func (r *Runner) Lost() <-chan struct{} { return r.lost }

// LostBecause returns the ErrDatabaseLost of a heartbeat; nil when there was none.
func (r *Runner) LostBecause() error {
	if !r.isLost() {
		return nil
	}
	return r.lostBecause
}

func (r *Runner) isLost() bool {
	select {
	case <-r.lost:
		return true
	default:
		return false
	}
}

// Draining is closed when the worker claims no more items.
func (r *Runner) Draining() <-chan struct{} { return r.draining }

// Assign runs an assignment pass. Execute repeats the latest one that has a
// priority in common with it when the worker runs dry.
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
		s.notePass(p, result)
	}
	return result, err
}

// pass runs a pass. It may have freed items that it does not assign, such as
// low ones, whose own pass may be hours away: those are attended to. It waits
// for the passes of other workers, two leases at most: a connection that takes
// what is sent and never answers would else hold up its pipeline for ever.
// Overlap skips the next firings then, and what others assign to this worker,
// which still beats, lies about.
func (r *Runner) pass(ctx context.Context, p assign.AssignParams) (assign.AssignResult, error) {
	result, _, err := r.passAhead(ctx, p)
	return result, err
}

// passAhead is pass, and tells what passes of this worker alone may count on; nil: nothing.
func (r *Runner) passAhead(ctx context.Context, p assign.AssignParams) (assign.AssignResult, *assign.SelfAssign, error) {
	ctx, cancel := context.WithTimeout(ctx, 2*r.o.Spec.Lease)
	defer cancel()
	p.Learned = r.learned
	p.Brief = p.Brief && !r.sweepDue()
	result, own, err := p.Pass(ctx, r.o.Store)
	if err == nil && r.o.Attend != nil && result.Waits() && !p.Band.Includes(result.Band) {
		r.o.Attend(result.Band)
	}
	if err == nil && r.o.Attend != nil && result.Pace > 0 {
		p.Brief, p.Claim = false, nil
		r.repeatAfter(p, result.Pace)
	}
	return result, own, err
}

// selfAssign makes a pass for this worker alone.
func (r *Runner) selfAssign(ctx context.Context, p assign.AssignParams, own *assign.SelfAssign) (workqueue.Claimed, bool, error) {
	ctx, cancel := context.WithTimeout(ctx, 2*r.o.Spec.Lease)
	defer cancel()
	p.Learned = r.learned
	return own.Assign(ctx, r.o.Store, p)
}

// sweepDue tells whether a pass shall look for what is to be freed, and counts on
// it that it does.
func (r *Runner) sweepDue() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if time.Since(r.swept) < sweepEvery {
		return false
	}
	r.swept = time.Now()
	return true
}

// passFor finds the pass to repeat for items of a band. The passes of other
// bands, which other pipelines run in between, bring it nothing.
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

// random is the draw for jitter, in [0, 1).
func random() float64 { return rand.Float64() } //nolint:gosec // jitter is no secret
