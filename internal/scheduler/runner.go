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

// runner executes one job: a loop that reads the clock whenever an alarm rings, and at most one
// run.
type runner struct {
	s         *Scheduler
	job       Job // except its work: see work
	log       zerolog.Logger
	startedAt time.Time // with the monotonic clock

	// place is the place of the job's runs. If the schedule changes, the next runner takes it
	// over.
	place *place

	// work is the work of the next run.
	work atomic.Pointer[Work]

	// fresh is true if the job was added while the scheduler ran: earlier instants do not count.
	fresh bool

	alarm gocron.Job         // nil: it has none
	stop  context.CancelFunc // ends the loop; nil before it starts
	ended chan struct{}      // closed when the loop has

	// retired is set before the loop ends if the caller takes over its firings.
	retired atomic.Bool

	// ahead is how far this machine's clock is ahead of the schedule's clock, as last
	// measured.
	ahead atomic.Int64

	// orphans is true if there may be recorded runs with the state "running" that do not run: from
	// another process of this name, or because an answer of the database was lost.
	orphans atomic.Bool

	// The rest is used only by the loop.

	initialized bool
	origin      time.Time // when the scheduler started, by the schedule's clock
	atStart     bool      // the run at start has not been started yet

	timetable timetable

	// cursor is the latest instant that was handled.
	cursor time.Time

	// missedReason is why unhandled instants will not be fired; "" while they may be.
	missedReason string

	waiting  *Start // queued behind a run
	waitsFor string // a description of that run

	// asked is when the scheduler started to wait for the end of a woken run; zero: it does not.
	asked time.Time
	won   *Start // claimed, but its run could not be recorded yet

	// doubt is the instant whose claim ended with an error: the claim may have succeeded.
	doubt time.Time

	// quietSince is when a worker with a missed instant first found no run on other
	// workers.
	quietSince time.Time

	backlog backlog
	outage  outage
	recheck time.Duration // above 0: check again after this time
}

// place is where a job runs, with at most one run at a time. It stays the same when the job's
// schedule changes, so that the current run still counts.
type place struct {
	rung chan struct{} // holds one: a second ring adds nothing

	mu  sync.Mutex
	run *activity // nil: no run is active

	// woken is true if there is new work that no run has seen. Runs for new work do not start
	// before wakeAt; failures is the number of such runs in a row that failed.
	woken    bool
	wakeAt   time.Time
	failures int

	// paused is the pause as last read, nil if there is none. It only saves work: the store
	// decides whether a run may start.
	paused *workqueue.PipelinePause

	// requested is true while a person waits for a run: no run for new work starts before it.
	requested bool
}

// activity is an active run.
type activity struct {
	since time.Time // UTC
	woken bool      // started for new work: it ends on request when it has nothing to do
	ended bool      // it has ended, but its end is not recorded yet
}

// outage is the time for which the store has not answered.
type outage struct {
	err   error // nil: the store answers
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

// ring makes the loop read the clock.
func (r *runner) ring() {
	select {
	case r.place.rung <- struct{}{}:
	default:
	}
}

// waitTime returns the time until the next alarm.
func (r *runner) waitTime() time.Duration {
	now := r.localTime()
	next := r.job.Schedule.Next(now)
	if next.IsZero() {
		return longestNap
	}
	return min(max(next.Sub(now), time.Millisecond), longestNap)
}

// localTime returns the time of the schedule's clock, estimated from this machine's clock.
func (r *runner) localTime() time.Time {
	return r.s.now().Add(-time.Duration(r.ahead.Load())).UTC().Round(0)
}

// clock reads the schedule's clock: that of the database for a schedule of scope once.
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
			rung = nil // while the database is down, only the pauses count
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

// settle records whether the store answers.
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

// checkAgain schedules a step after d or sooner.
func (r *runner) checkAgain(d time.Duration) {
	if r.recheck == 0 || d < r.recheck {
		r.recheck = max(d, time.Millisecond)
	}
}

// leave records the firings that this process can no longer start, with the reason. Queued
// firings of scope once are left to other workers; if there are none, the next start records
// them as missed.
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

// storeCtx returns the context of one call of the store. It outlives the loop: a cancelled
// claim could succeed unnoticed.
func (r *runner) storeCtx() (context.Context, context.CancelFunc) {
	return context.WithTimeout(r.s.runCtx, storeTimeout)
}

// reserve reserves the job's place. If another run has it, it returns that run.
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

// workerKey returns the Worker of the schedule's firing rows.
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

// pause returns the wait after the given number of failures in a row: 1s, 2s, 4s, …
// 30s, each up to a fifth shorter, so that workers do not retry at the same time. The
// reduction is derived from the names, so that simulations are repeatable.
func (r *runner) pause(failures int) time.Duration {
	d := maxPause
	if failures < 5 {
		d = firstPause << failures
	}
	spread := fnv.New32a()
	fmt.Fprintf(spread, "%s %s %d", r.s.worker.Name, r.job.Name, failures)
	return d - time.Duration(float64(d/5)*float64(spread.Sum32())/(1<<32))
}
