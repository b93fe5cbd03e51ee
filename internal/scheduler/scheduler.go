package scheduler

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/go-co-op/gocron/v2"
	"github.com/rs/zerolog"

	"botwork/workqueue"
)

// stopGrace is how long Stop waits for runs whose context it has cancelled.
const stopGrace = 5 * time.Second

// ErrStopped is the error of a scheduler that was stopped.
var ErrStopped = errors.New("scheduler stopped")

// Store is what the scheduler needs of the database.
type Store interface {
	workqueue.ScheduleStore

	// Now returns the database's clock, in UTC.
	Now(ctx context.Context) (time.Time, error)
}

// Options are the parts of a Scheduler. All except By, Started and Now are required.
type Options struct {
	Store  Store
	Worker workqueue.Worker // this process: its ID and Name are used
	Log    zerolog.Logger

	// By is who calls Trigger, for the records of its runs.
	By string

	// Started is called after each start of a planned run of a cron or interval trigger, also of
	// one that catches up, with the time from its planned instant; nil: it is not needed.
	Started func(pipeline string, late time.Duration)

	// Now is this machine's clock; tests use it for wrong clocks. nil: time.Now.
	Now func() time.Time
}

// Scheduler starts the runs of its jobs. Its methods are safe for concurrent use; Start
// and Stop may be called more than once.
type Scheduler struct {
	store  Store
	worker workqueue.Worker
	log    zerolog.Logger
	by     string
	now    func() time.Time // this machine's clock

	started func(pipeline string, late time.Duration)

	asked chan struct{} // holds one: read the controls now

	loops sync.WaitGroup
	runs  sync.WaitGroup

	// runCtx ends when the time limit of Stop for runs is reached, finishCtx when
	// the time limit for recording their ends is reached.
	runCtx       context.Context
	cancelRuns   context.CancelCauseFunc
	finishCtx    context.Context
	cancelFinish context.CancelFunc
	stopped      chan struct{} // closed when the first Stop has returned

	mu        sync.Mutex
	runners   map[string]*runner
	places    map[string]*place // of all names so far
	alarms    gocron.Scheduler  // nil until Start
	firing    context.Context   // of the loops; nil until Start
	stopLoops context.CancelFunc
	stopping  bool
	stopErr   error
}

// New returns a scheduler without jobs. Runs have the values of ctx; its end is ignored.
func New(ctx context.Context, opts Options) *Scheduler {
	s := &Scheduler{
		store:   opts.Store,
		worker:  opts.Worker,
		by:      opts.By,
		log:     opts.Log,
		now:     time.Now,
		stopped: make(chan struct{}),
		asked:   make(chan struct{}, 1),
		runners: make(map[string]*runner),
		places:  make(map[string]*place),
	}
	if opts.Now != nil {
		s.now = opts.Now
	}
	if s.started = opts.Started; s.started == nil {
		s.started = func(string, time.Duration) {}
	}
	ctx = context.WithoutCancel(ctx)
	s.runCtx, s.cancelRuns = context.WithCancelCause(ctx)
	s.finishCtx, s.cancelFinish = context.WithCancel(ctx)
	return s
}

// Add adds a job before Start; use Put later.
func (s *Scheduler) Add(job Job) error {
	if err := job.validate(); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.alarms != nil || s.stopping {
		return fmt.Errorf("schedule %q: added after the scheduler was started or stopped", job.Name)
	}
	if _, ok := s.runners[job.Name]; ok {
		return fmt.Errorf("schedule %q: added twice", job.Name)
	}
	s.runners[job.Name] = newRunner(s, job, s.place(job.Name))
	return nil
}

// Start starts the schedules. When ctx ends, no more runs are started; active runs
// continue, and Stop must still be called. Start does not wait for the database.
func (s *Scheduler) Start(ctx context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stopping {
		return ErrStopped
	}
	if s.alarms != nil {
		return nil
	}
	alarms, err := newAlarms(s.runners)
	if err != nil {
		return err
	}
	s.alarms = alarms
	s.firing, s.stopLoops = context.WithCancel(ctx)
	for _, r := range s.runners {
		r.startedAt = time.Now()
		s.begin(r)
	}
	firing := s.firing
	s.loops.Go(func() { s.followControls(firing) })
	alarms.Start()
	return nil
}

// Stop starts no more runs and waits for the active ones. When ctx ends, it cancels
// their contexts, waits a few more seconds, and returns an error if a run is still
// active. Later calls wait for the first one.
func (s *Scheduler) Stop(ctx context.Context) error {
	s.mu.Lock()
	if s.stopping {
		s.mu.Unlock()
		select {
		case <-s.stopped:
			return s.stopErr
		case <-ctx.Done():
			return fmt.Errorf("stop the scheduler: %w", context.Cause(ctx))
		}
	}
	s.stopping = true
	alarms, stopLoops := s.alarms, s.stopLoops
	s.mu.Unlock()

	var err error
	if alarms != nil {
		stopLoops()
		err = alarms.Shutdown() // returns at once: its jobs never block
	}
	s.stopErr = errors.Join(err, s.drain(ctx))
	close(s.stopped)
	return s.stopErr
}

func (s *Scheduler) drain(ctx context.Context) error {
	idle := make(chan struct{})
	go func() {
		s.loops.Wait() // first: a loop may still start a run that it has claimed
		s.runs.Wait()
		close(idle)
	}()
	defer s.cancelFinish()
	defer s.cancelRuns(workqueue.ErrDraining)
	select {
	case <-idle:
		return nil
	case <-ctx.Done():
	}
	s.cancelRuns(workqueue.ErrDraining)
	grace := time.NewTimer(stopGrace)
	defer grace.Stop()
	select {
	case <-idle:
		return nil
	case <-grace.C:
	}
	var names []string
	for _, name := range slices.Sorted(maps.Keys(s.places)) {
		if s.places[name].busy() {
			names = append(names, name)
		}
	}
	return fmt.Errorf("stop the scheduler: still running %v after cancelling: %s", stopGrace, strings.Join(names, ", "))
}
