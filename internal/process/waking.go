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
)

const (
	// stayFor is how long a run that was woken stays for what comes next, if no
	// planned instant ends it before. A run that begins and ends costs two records
	// and a full pass: at a hundred items a second that must not be done for each.
	stayFor = time.Minute

	// longestPause bounds the pause between two looks that wake a pipeline for items
	// which wait, but which it can do nothing with, for lack of a worker or under
	// a limit.
	longestPause = 4 * time.Second
)

// waking is what a process knows of one pipeline that runs items, whatever its text.
// Its methods may be called of a nil one.
type waking struct {
	name string

	mu      sync.Mutex
	session *workqueue.Session // of the run that goes on

	// How the last looks went.
	moved int           // items by all runs that have ended
	seen  int           // of all runs, when it was woken last
	pause time.Duration // until it is woken again for as long as nothing moves
	next  time.Time
}

// takes reports whether a band has a priority in common with the pipeline's.
func (t wakeTarget) takes(band workqueue.Band) bool {
	return slices.ContainsFunc(t.bands, band.Overlaps)
}

// mostUrgent is the highest priority of the pipeline.
func (t wakeTarget) mostUrgent() int {
	highest := math.MinInt
	for _, b := range t.bands {
		highest = max(highest, b.Max)
	}
	return highest
}

// wake wakes the run that goes on; false: none does that looks for work.
func (k *waking) wake(pass bool) bool {
	if k == nil {
		return false
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.session.Wake(pass)
}

// runs reports whether a run goes on.
func (k *waking) runs() bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.session != nil
}

// leave asks the run that goes on to end when it has nothing to do.
func (k *waking) leave() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.session.Leave()
}

// tick has the run that goes on do what the next one would: that one is due.
func (k *waking) tick() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.session.Tick()
}

// movedSoFar counts the items that all runs have assigned and claimed.
func (k *waking) movedSoFar() int {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.moved + k.session.Moved()
}

// worthwhile reports whether to wake the pipeline for what a look has found. As long
// as nothing comes of it, the pauses grow.
func (k *waking) worthwhile(now time.Time) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	if moved := k.moved + k.session.Moved(); moved != k.seen {
		k.seen, k.pause, k.next = moved, 0, time.Time{}
	}
	if now.Before(k.next) {
		return false
	}
	k.pause = min(max(2*k.pause, pollEvery/2), longestPause)
	k.next = now.Add(k.pause)
	return true
}

// begin notes that a run begins, and returns its session.
func (k *waking) begin(r *workqueue.Runner, pl *pipelines.Pipeline, woken bool) *workqueue.Session {
	o := workqueue.SessionOptions{Steps: executeSteps(pl), Wakes: pl.Trigger.Wake}
	if woken {
		o.StayFor = stayFor
	}
	session := r.NewSession(o)
	k.mu.Lock()
	defer k.mu.Unlock()
	k.session = session
	return session
}

// over notes that the run has ended, and reports whether it left work unseen.
func (k *waking) over(session *workqueue.Session) (unseen bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.moved += session.Moved()
	k.session = nil
	return session.End()
}

// executeSteps are the steps of a pipeline that run items. One that may not run, or
// whose priorities are expressions, has none until it begins.
func executeSteps(pl *pipelines.Pipeline) (steps []workqueue.SessionStep) {
	for _, step := range pl.Steps {
		if step.Handler != pipelines.ExecuteHandler {
			continue
		}
		of := workqueue.SessionStep{Name: step.Name}
		if band, known := bandOf(step); known && step.If == "" {
			of.Band = band
		}
		steps = append(steps, of)
	}
	return steps
}

// runSession runs a system pipeline that runs items.
func (p *Process) runSession(ctx context.Context, pl *pipelines.Pipeline, start scheduler.Start) error {
	k := p.waker.find(pl.Name)
	if k == nil {
		return p.run(ctx, pl)
	}
	session := k.begin(p.runner, pl, start.Trigger == scheduler.TriggerWake)
	defer func() {
		if k.over(session) && pl.Trigger.Wake {
			p.scheduler.WakeUp(pl.Name)
		}
	}()
	return p.run(session.With(ctx), pl)
}
