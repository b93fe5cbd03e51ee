package process

import (
	"context"
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
	longestPause = 30 * time.Second
)

// waking is what a process knows of one pipeline that wakes, whatever its text.
// Its methods may be called of a nil one.
type waking struct {
	name string

	mu   sync.Mutex
	stay *workqueue.Stay // of the run that goes on

	// How the last looks went.
	moved int           // items by all runs that have ended
	seen  int           // of all runs, when it was woken last
	pause time.Duration // until it is woken again for as long as nothing moves
	next  time.Time
}

// takes tells whether a band has a priority in common with the pipeline's.
func (t wakeTarget) takes(band workqueue.Band) bool {
	return slices.ContainsFunc(t.bands, band.Overlaps)
}

// wake wakes the run that goes on; false: none does that looks for work.
func (k *waking) wake(pass bool) bool {
	if k == nil {
		return false
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.stay.Wake(pass)
}

// leave asks the run that goes on to end when it has nothing to do.
func (k *waking) leave() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.stay.Leave()
}

// worthwhile tells whether to wake the pipeline for what a look has found. As long
// as nothing comes of it, the pauses grow.
func (k *waking) worthwhile(now time.Time) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	if moved := k.moved + k.stay.Moved(); moved != k.seen {
		k.seen, k.pause, k.next = moved, 0, time.Time{}
	}
	if now.Before(k.next) {
		return false
	}
	k.pause = min(max(2*k.pause, pollEvery/2), longestPause)
	k.next = now.Add(k.pause)
	return true
}

// begin notes that a run begins, and returns its stay.
func (k *waking) begin(pl *pipelines.Pipeline, woken bool) *workqueue.Stay {
	atMost := time.Duration(0)
	if woken {
		atMost = stayFor
	}
	stay := workqueue.NewStay(atMost)
	for _, step := range pl.Steps {
		if step.Handler == pipelines.ExecuteHandler {
			stay.Step = step.Name
		}
	}
	if spans := workqueue.JoinBands(bands(pl, pipelines.ExecuteHandler)); len(spans) == 1 {
		stay.Band = spans[0]
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.stay = stay
	return stay
}

// over notes that the run has ended, and tells whether it left work unseen.
func (k *waking) over(stay *workqueue.Stay) (unseen bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.moved += stay.Moved()
	k.stay = nil
	return stay.End()
}

// runWaking runs a system pipeline that wakes.
func (p *Process) runWaking(ctx context.Context, pl *pipelines.Pipeline, start scheduler.Start) error {
	k := p.waker.find(pl.Name)
	if k == nil || !p.started.Load() {
		return p.run(ctx, pl)
	}
	stay := k.begin(pl, start.Trigger == scheduler.TriggerWake)
	defer func() {
		if k.over(stay) {
			p.scheduler.WakeUp(pl.Name)
		}
	}()
	return p.run(stay.With(ctx), pl)
}
