package process

import (
	"context"
	"math"
	"slices"
	"sync"
	"time"

	"botwork/internal/scheduler"
	"botwork/pipelines"
	"botwork/workqueue"
	"botwork/workqueue/runner"
)

const (
	// stayFor is how long a woken run waits for further items, unless a scheduled run is due
	// before. Starting and ending a run costs two records and a full pass, which is too much
	// for each item at a hundred items per second.
	stayFor = time.Minute

	// longestPause bounds the pause before a pipeline is woken again for items that it cannot
	// run, for lack of a worker or because of a limit.
	longestPause = 4 * time.Second
)

// waking is the state of one pipeline that runs items, across changes of its text. Its
// methods may be called on nil where they check for it.
type waking struct {
	name string

	mu      sync.Mutex
	session *runner.Session // of the current run

	// The results of the last polls.
	moved int           // items of all runs that have ended
	seen  int           // items of all runs at the last wake
	pause time.Duration // before the next wake while nothing moves
	next  time.Time
}

// overlaps reports whether the band overlaps with the pipeline's.
func (t wakeTarget) overlaps(band workqueue.Band) bool {
	return slices.ContainsFunc(t.bands, band.Overlaps)
}

// mostUrgent returns the highest priority of the pipeline.
func (t wakeTarget) mostUrgent() int {
	highest := math.MinInt
	for _, b := range t.bands {
		highest = max(highest, b.Max)
	}
	return highest
}

// wake wakes the current run, and reports false if there is none that looks for work.
func (k *waking) wake(pass bool) bool {
	if k == nil {
		return false
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.session.Wake(pass)
}

// runs reports whether the pipeline is running.
func (k *waking) runs() bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.session != nil
}

// leave asks the current run to end when it has nothing to do.
func (k *waking) leave() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.session.Leave()
}

// tick asks the current run to do the work of the scheduled run that is due now.
func (k *waking) tick() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.session.Tick()
}

// halt makes the current run start no more items.
func (k *waking) halt() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.session.Halt()
}

// totalMoved returns the number of items that all runs have assigned and claimed.
func (k *waking) totalMoved() int {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.moved + k.session.Moved()
}

// worthwhile reports whether to wake the pipeline for items that a poll has found, and whether the
// latest time had no effect. The pauses grow as long as waking it has none.
func (k *waking) worthwhile(now time.Time) (worth, again bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if moved := k.moved + k.session.Moved(); moved != k.seen {
		k.seen, k.pause, k.next = moved, 0, time.Time{}
	}
	if now.Before(k.next) {
		return false, false
	}
	again = k.pause > 0
	k.pause = min(max(2*k.pause, pollEvery/2), longestPause)
	k.next = now.Add(k.pause)
	return true, again
}

// start records the start of a run, and returns its session.
func (k *waking) start(r *runner.Runner, pl *pipelines.Pipeline, woken bool) *runner.Session {
	o := runner.SessionOptions{Steps: executeSteps(pl), Wakes: pl.Trigger.Wake}
	if woken {
		o.StayFor = stayFor
	}
	session := r.NewSession(o)
	k.mu.Lock()
	defer k.mu.Unlock()
	k.session = session
	return session
}

// end records the end of the run, and reports whether it left work unseen.
func (k *waking) end(session *runner.Session) (unseen bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.moved += session.Moved()
	k.session = nil
	return session.End()
}

// executeSteps returns the steps of a pipeline that run items. A step with a condition, or
// whose priorities are expressions, has no band until it starts.
func executeSteps(pl *pipelines.Pipeline) (steps []runner.SessionStep) {
	for step := range pl.Each() {
		if step.Handler != pipelines.ExecuteHandler {
			continue
		}
		of := runner.SessionStep{Name: step.Path}
		if band, known := bandOf(step); known && !step.Conditional() {
			of.Band = band
		}
		steps = append(steps, of)
	}
	return steps
}

// runSession runs a system pipeline that runs items.
func (p *Process) runSession(ctx context.Context, pl *pipelines.Pipeline, start scheduler.Start) (scheduler.Report, error) {
	k := p.waker.find(pl.Name)
	if k == nil {
		return p.run(ctx, pl, start)
	}
	session := k.start(p.runner, pl, start.Trigger == scheduler.TriggerWake)
	defer func() {
		if k.end(session) && pl.Trigger.Wake {
			p.scheduler.WakeUp(pl.Name)
		}
	}()
	return p.run(session.With(ctx), pl, start)
}
