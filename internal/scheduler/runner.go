package scheduler

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-co-op/gocron/v2"
	"github.com/rs/zerolog"

	"botwork/workqueue"
)

const (
	// storeTimeout bounds one call of the store.
	storeTimeout = 30 * time.Second

	firstPause = time.Second
	maxPause   = 30 * time.Second
)

// runner is one job at work: a loop that looks at the clock whenever an alarm
// rings, and at most one run.
type runner struct {
	s         *Scheduler
	job       Job // but for what it does: see work
	log       zerolog.Logger
	startedAt time.Time // with its elapsed-time reading

	// place is where the job's runs have theirs. A runner whose schedule changed
	// leaves it to the one that comes after.
	place *place

	// work is what the next run does.
	work atomic.Pointer[Work]

	// fresh is true if the job was added while the scheduler ran: earlier instants do not concern
	// it.
	fresh bool

	alarm gocron.Job         // nil: it has none
	stop  context.CancelFunc // ends the loop; nil before it starts
	ended chan struct{}      // closed when the loop has

	// retired is set before the loop is ended if the caller handles what it leaves.
	retired atomic.Bool

	// ahead is how far this machine's clock runs ahead of the one that judges
	// the schedule, as last measured.
	ahead atomic.Int64

	// orphans is true if rows of runs may exist that say "running" although nothing runs: another
	// process of this name left them, or an answer of the database was lost.
	orphans atomic.Bool

	// The rest is the loop's own.

	begun   bool
	origin  time.Time // when the scheduler started, by the schedule's clock
	atStart bool      // the run at start is still owed

	timetable timetable

	// cursor is the latest instant that has been decided about.
	cursor time.Time

	// gone is why undecided instants will not be fired; "" while they may be.
	gone string

	waiting  *Start // queued behind a run
	waitsFor string // that run, in words

	// asked is since when a run that was woken has been waited for; zero: none is.
	asked time.Time
	won   *Start // claimed, but its run could not be recorded yet

	// doubt is the instant whose claim ended in an error: it may be ours.
	doubt time.Time

	// quietSince is when a worker that has something to call missed first found
	// no run elsewhere.
	quietSince time.Time

	backlog backlog
	outage  outage
	recheck time.Duration // above 0: look again after it
}

// place is where a job runs, at most one run at a time. It outlives changes of the
// job's schedule, so that a run that goes on meanwhile still counts.
type place struct {
	rung chan struct{} // holds one: a second ring says nothing new

	mu  sync.Mutex
	run *activity // nil: nothing runs here

	// woken is true if there is new work that no run has seen. Runs that are started for it begin
	// not before wakeAt; failures counts those in a row that failed.
	woken    bool
	wakeAt   time.Time
	failures int
}

// activity is the run that goes on here.
type activity struct {
	since time.Time // UTC
	woken bool      // for new work: it leaves when it has nothing to do and is asked to
	ended bool      // only its record is still to be written
}

// outage is the time for which the store has not answered.
type outage struct {
	err   error // nil: it answers
	since time.Time
	tries int
}

func newRunner(s *Scheduler, job Job, at *place) *runner {
	r := &runner{
		s:       s,
		job:     job,
		log:     s.log.With().Str("pipeline", job.Name).Logger(),
		place:   at,
		atStart: job.AtStart,
		ended:   make(chan struct{}),

		timetable: newTimetable(job.Schedule),
	}
	r.work.Store(&job.Work)
	r.orphans.Store(true)
	return r
}

// ring makes the loop look at the clock.
func (r *runner) ring() {
	select {
	case r.place.rung <- struct{}{}:
	default:
	}
}

// nap is the time until the next alarm.
func (r *runner) nap() time.Duration {
	now := r.localTime()
	next := r.job.Schedule.Next(now)
	if next.IsZero() {
		return longestNap
	}
	return min(max(next.Sub(now), time.Millisecond), longestNap)
}

// localTime is what the schedule's clock shows, as far as this machine knows.
func (r *runner) localTime() time.Time {
	return r.s.now().Add(-time.Duration(r.ahead.Load())).UTC().Round(0)
}

// clock reads the clock that judges the schedule: the database's for a schedule
// that the whole cluster shares.
func (r *runner) clock() (time.Time, error) {
	if r.job.Scope != ScopeOnce {
		return r.localTime(), nil
	}
	ctx, cancel := r.storeCtx()
	defer cancel()
	before := r.s.now()
	now, err := r.s.store.Now(ctx)
	if err != nil {
		return time.Time{}, err
	}
	middle := before.Add(r.s.now().Sub(before) / 2)
	r.ahead.Store(int64(middle.Sub(now)))
	return now.UTC(), nil
}

func (r *runner) loop(ctx context.Context) {
	defer close(r.ended)
	again := time.NewTimer(0)
	defer again.Stop()
	for {
		rung := r.place.rung
		if r.outage.err != nil {
			rung = nil // a database that is away is asked at our own pace
		}
		select {
		case <-ctx.Done():
		case <-rung:
		case <-again.C:
		}
		if ctx.Err() != nil {
			if !r.retired.Load() {
				r.leave("the worker stopped")
			}
			return
		}
		r.recheck = 0
		r.settle(r.step())
		if r.recheck > 0 {
			again.Reset(r.recheck)
		}
	}
}

// settle keeps track of whether the store answers.
func (r *runner) settle(err error) {
	switch {
	case err != nil:
		if r.outage.err == nil {
			r.outage.since = time.Now()
			r.log.Warn().Err(err).Msg("the database does not answer; the schedule is paused")
		}
		r.outage.err = err
		r.recheck = r.pause(r.outage.tries)
		r.outage.tries++
	case r.outage.err != nil:
		r.log.Info().Int64("took_ms", time.Since(r.outage.since).Milliseconds()).Msg("the database answers again; the schedule continues")
		r.outage = outage{}
	}
}

// lookAgain asks for a step after d, or sooner.
func (r *runner) lookAgain(d time.Duration) {
	if r.recheck == 0 || d < r.recheck {
		r.recheck = max(d, time.Millisecond)
	}
}

// leave records what this process can no longer do, and why. What waits for the
// whole cluster is left to the others; if there are none, the next start finds it
// missed.
func (r *runner) leave(why string) {
	if r.waiting != nil && r.job.Scope == ScopeEachWorker {
		waiting := *r.waiting
		r.waiting = nil
		r.skip(waiting, why+" while this firing waited for the previous run to end")
	}
	if err := r.flush(); err != nil && !errors.Is(err, context.Canceled) {
		r.log.Warn().Err(err).Msg("could not record the last missed or skipped runs")
	}
}

// storeCtx is the context of one call of the store. It outlives the loop: a
// claim that were cut off could be won without anybody knowing.
func (r *runner) storeCtx() (context.Context, context.CancelFunc) {
	return context.WithTimeout(r.s.runCtx, storeTimeout)
}

// reserve takes the job's only place to run. If it is taken it returns by what.
func (r *runner) reserve() (activity, bool) {
	p := r.place
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.run != nil {
		return *p.run, false
	}
	p.run = &activity{since: r.s.now().UTC()}
	return activity{}, true
}

func (r *runner) release() {
	r.place.mu.Lock()
	defer r.place.mu.Unlock()
	r.place.run = nil
}

func (p *place) busy() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.run != nil
}

// workerKey is the Worker of the schedule's firing rows.
func (r *runner) workerKey() string {
	if r.job.Scope == ScopeOnce {
		return ""
	}
	return r.s.worker.Name
}

func (r *runner) firing(planned time.Time, outcome workqueue.FiringOutcome, reason string) workqueue.Firing {
	return workqueue.Firing{
		Schedule:   r.job.Name,
		PlannedAt:  planned,
		Worker:     r.workerKey(),
		Outcome:    outcome,
		Reason:     reason,
		RecordedBy: r.s.worker.Name,
	}
}

// pause is the wait after the given number of failures in a row: 1s, 2s, 4s, …
// 30s, each up to a fifth shorter, so that workers do not come back in step. The
// share follows from the names: a simulation of many workers repeats itself.
func (r *runner) pause(failures int) time.Duration {
	d := maxPause
	if failures < 5 {
		d = firstPause << failures
	}
	spread := fnv.New32a()
	fmt.Fprintf(spread, "%s %s %d", r.s.worker.Name, r.job.Name, failures)
	return d - time.Duration(float64(d/5)*float64(spread.Sum32())/(1<<32))
}
