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

// ErrStopped says that the scheduler has been stopped and starts nothing more.
var ErrStopped = errors.New("scheduler stopped")

// Store is what the scheduler needs of the database.
type Store interface {
	workqueue.ScheduleStore

	// Now returns the database's clock, in UTC.
	Now(ctx context.Context) (time.Time, error)
}

// Options are the parts of a Scheduler. All but Now are needed.
type Options struct {
	Store  Store
	Worker workqueue.Worker // this process: its ID and Name are used
	Log    zerolog.Logger

	// Now is this machine's clock, for a machine whose clock is wrong; nil is
	// time.Now.
	Now func() time.Time
}

// Scheduler starts the runs of its jobs. Its methods may be called from several
// goroutines, Start and Stop more than once.
type Scheduler struct {
	store  Store
	worker workqueue.Worker
	log    zerolog.Logger
	now    func() time.Time // this machine's clock

	loops sync.WaitGroup
	runs  sync.WaitGroup

	// runCtx ends when Stop has waited long enough for the runs, finishCtx
	// when it has waited long enough for their ends to be recorded.
	runCtx       context.Context
	cancelRuns   context.CancelCauseFunc
	finishCtx    context.Context
	cancelFinish context.CancelFunc
	stopped      chan struct{} // closed when the first Stop is through

	mu        sync.Mutex
	runners   map[string]*runner
	places    map[string]*place // of all names that ever were
	alarms    gocron.Scheduler  // nil until Start
	firing    context.Context   // of the loops; nil until Start
	stopLoops context.CancelFunc
	stopping  bool
	stopErr   error
}

// New returns a scheduler without jobs.
func New(opts Options) *Scheduler {
	s := &Scheduler{
		store:   opts.Store,
		worker:  opts.Worker,
		log:     opts.Log,
		now:     time.Now,
		stopped: make(chan struct{}),
		runners: make(map[string]*runner),
		places:  make(map[string]*place),
	}
	if opts.Now != nil {
		s.now = opts.Now
	}
	s.runCtx, s.cancelRuns = context.WithCancelCause(context.Background())
	s.finishCtx, s.cancelFinish = context.WithCancel(context.Background())
	return s
}

// Add takes a job on before Start; Put does later.
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

// Start begins to fire. When ctx ends nothing new is fired; the runs go on, and
// Stop is still to be called. It does not wait for the database.
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
	alarms.Start()
	return nil
}

// Stop fires nothing more and waits for the running jobs. When ctx ends it
// cancels their contexts, waits a few seconds more, and returns an error if one
// still runs. Called again it waits for the first call.
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
		err = alarms.Shutdown() // at once: what it runs never blocks
	}
	s.stopErr = errors.Join(err, s.drain(ctx))
	close(s.stopped)
	return s.stopErr
}

func (s *Scheduler) drain(ctx context.Context) error {
	idle := make(chan struct{})
	go func() {
		s.loops.Wait() // first: a loop may still start a run that it has won
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
