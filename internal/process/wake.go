package process

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"botwork/pipelines"
	"botwork/workqueue"
)

const (
	// A worker polls for work that it was not notified of every pollEvery, and every
	// pollBusy until it has received no item for busyFor. Polling takes at most one part in
	// pollShare of its time, but a worker never waits longer than pollLatest between polls,
	// since a single slow poll may only show that the machine was busy.
	pollEvery, pollBusy, busyFor = 800 * time.Millisecond, 100 * time.Millisecond, 2 * time.Second
	pollShare, pollLatest        = 50, 10 * time.Second

	// dueMargin is added to the time until an item becomes due, which engines round down.
	dueMargin = time.Millisecond

	// openFor is how long a started run usually needs until it claims slots.
	openFor = 10 * time.Millisecond

	// mostPutOff is how often in a row other pipelines wait for one that was started.
	mostPutOff = 20

	// peersEvery is how often the workers are counted. longestHold is the longest random
	// delay before a worker looks for an item that another process enqueued: of many
	// notified workers one should come first, and the others then find nothing.
	peersEvery, longestHold = 30 * time.Second, 2 * time.Millisecond
)

// waker starts pipelines with wake: true, or wakes their current runs, as soon as there is
// work for them. It listens to the store's notices, and polls for work without a notice.
type waker struct {
	p *Process

	targets atomic.Pointer[[]wakeTarget]
	changed chan struct{} // has a token when targets changed, or not all of them were started
	foreign chan struct{} // has a token when another process has enqueued work, or some is due soon
	peers   atomic.Int64  // other workers that are alive
	putOff  atomic.Int32  // how often pipelines were put off, in a row
	wakesAt atomic.Int64  // when the next poll is due, in Unix nanoseconds; while one is made, never

	stop  context.CancelFunc // nil until start
	loops sync.WaitGroup

	mu     sync.Mutex
	byName map[string]*waking
}

// wakeTarget is a pipeline that runs items, with the priorities for which it is woken.
type wakeTarget struct {
	*waking
	bands  []workqueue.Band
	starts bool // work starts a run; otherwise work only wakes the current run
}

func newWaker(p *Process) *waker {
	return &waker{p: p, changed: make(chan struct{}, 1), foreign: make(chan struct{}, 1), byName: map[string]*waking{}}
}

// adopt sets the targets from the pipelines of a catalogue.
func (w *waker) adopt(of *pipelines.Catalogue) {
	var targets []wakeTarget
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, pl := range system(of) {
		if w.byName[pl.Name] == nil && (pl.Trigger.Wake || len(executeSteps(pl)) > 0) {
			w.byName[pl.Name] = &waking{name: pl.Name}
		}
		if w.byName[pl.Name] != nil {
			targets = append(targets, wakeTarget{w.byName[pl.Name],
				append(bands(pl, pipelines.AssignHandler), bands(pl, pipelines.ExecuteHandler)...), pl.Trigger.Wake})
		}
	}
	if !slices.ContainsFunc(targets, func(t wakeTarget) bool { return t.starts }) {
		targets = nil // without a pipeline to start there is nothing to poll for
	}
	slices.SortStableFunc(targets, func(a, b wakeTarget) int { return cmp.Compare(b.mostUrgent(), a.mostUrgent()) })
	w.targets.Store(&targets)
	offer(w.changed)
}

// find returns the state of a pipeline that runs items, or nil if it runs none.
func (w *waker) find(name string) *waking {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.byName[name]
}

// start listens and polls until the worker drains.
func (w *waker) start(ctx context.Context) {
	ctx, w.stop = context.WithCancel(context.WithoutCancel(ctx))
	w.loops.Go(func() {
		_ = w.p.o.Store.Listen(ctx, w.handleNotice, w.logListening) // its only error is the end of ctx
	})
	w.loops.Go(func() { w.poll(ctx) })
	w.loops.Go(func() { w.followUp(ctx) })
	w.loops.Go(func() {
		select {
		case <-w.p.runner.Draining():
			w.stop()
		case <-ctx.Done():
		}
	})
}

func (w *waker) end() {
	if w.stop != nil {
		w.stop()
		w.loops.Wait()
	}
}

// handleNotice handles a notice of the store. Work that this process enqueued is taken at once.
// Work of other processes was announced to all workers, and some is not due yet, so followUp
// checks it first.
func (w *waker) handleNotice(n workqueue.Notice) {
	switch {
	case len(n.Ended) > 0: // the runner knows when its own runs end
	case !n.Others && !n.Soon:
		w.wake(n.Band, true)
	case len(n.Workers) == 0:
		if w.wanted(n.Band) {
			offer(w.foreign)
		}
	default:
		for _, id := range n.Workers {
			if id == w.p.runner.Worker().ID {
				w.wake(n.Band, false)
			}
		}
	}
}

// logListening logs that notices of other processes do not arrive, or that they do again.
func (w *waker) logListening(err error) {
	if err != nil {
		w.p.o.Log.Warn().Err(err).Msg("not notified of new items; polling every second")
		return
	}
	w.p.o.Log.Info().Msg("listening for new items")
}

// open returns the pipelines that can be woken now: none while a user's request to drain is in
// force, or while the machine is short of a resource.
func (w *waker) open() []wakeTarget {
	if w.p.runner.Suspended() || w.p.runner.Gated() {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(*w.targets.Load()), func(t wakeTarget) bool { return !t.starts && !t.runs() })
}

// wanted reports whether a pipeline wakes for the band.
func (w *waker) wanted(band workqueue.Band) bool {
	return slices.ContainsFunc(w.open(), func(t wakeTarget) bool { return t.overlaps(band) })
}

// wake wakes the current runs of the band's pipelines, or starts new ones.
func (w *waker) wake(band workqueue.Band, pass bool) {
	wake := w.inTurn()
	for _, t := range w.open() {
		if t.overlaps(band) {
			wake(t, pass)
		}
	}
}

// inTurn returns a function that wakes the current run of a pipeline, or starts one. Call it
// for the most urgent pipelines first. After it has started a pipeline, it delays the others
// for a moment, because they could take the slots first; but not for long, since the start
// may fail.
func (w *waker) inTurn() func(t wakeTarget, pass bool) {
	started := ""
	return func(t wakeTarget, pass bool) {
		switch {
		case t.name == started:
		case started != "" && w.putOff.Add(1) <= mostPutOff:
			offer(w.changed)
		case t.wake(pass):
			if started == "" {
				w.putOff.Store(0)
			}
		case !t.starts: // its run has ended
		default:
			started = t.name
			w.p.scheduler.WakeUp(t.name)
		}
	}
}

// followUp looks for work of other processes, which another worker may have taken by now, and for
// what becomes due before the next poll.
func (w *waker) followUp(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-w.foreign:
		}
		if peers := w.peers.Load(); peers > 0 {
			hold := rand.N(min(time.Duration(peers)*longestHold/8, longestHold)) //nolint:gosec // randomness only spreads the workers
			if !pauseFor(ctx, hold) {
				return
			}
		}
		wake := w.inTurn()
		next := w.check(ctx, func(t wakeTarget, r workqueue.Readiness) { wake(t, r != workqueue.ItemsAssigned) })
		if next > 0 && time.Now().Add(next+dueMargin).UnixNano() < w.wakesAt.Load() {
			offer(w.changed)
		}
	}
}

// poll polls for work: about once a second, more often while items arrive, and when the next
// scheduled item becomes due.
func (w *waker) poll(ctx context.Context) {
	var counted, moved time.Time
	seen := 0
	for {
		wait := pollEvery
		if len(*w.targets.Load()) == 0 {
			wait = time.Hour // until they change
		} else {
			if time.Since(counted) > peersEvery {
				w.countPeers(ctx)
				counted = time.Now()
			}
			started := time.Now()
			if n := w.totalMoved(); n != seen {
				seen, moved = n, started
			}
			if started.Sub(moved) < busyFor {
				wait = pollBusy
			}
			// What it reads may be older than a notice that arrives meanwhile: then it is repeated.
			w.wakesAt.Store(math.MaxInt64)
			wake := w.inTurn()
			next := w.check(ctx, func(t wakeTarget, r workqueue.Readiness) {
				if r == workqueue.ItemsDue { // it is new, even if others wait without effect
					wake(t, true)
				} else if worth, again := t.worthwhile(time.Now()); worth {
					// What is assigned may wait for a slot that a more urgent item would not need.
					wake(t, r != workqueue.ItemsAssigned || again)
				}
			})
			wait = min(max(wait, pollShare*time.Since(started)), pollLatest)
			if next > 0 {
				wait = min(wait, next+dueMargin)
			}
		}
		w.wakesAt.Store(time.Now().Add(wait).UnixNano())
		timer := time.NewTimer(wait)
		select {
		case <-ctx.Done():
			timer.Stop()
			return
		case <-w.changed:
			timer.Stop()
			if !pauseFor(ctx, openFor) {
				return
			}
		case <-timer.C:
		}
	}
}

// totalMoved returns the number of items that all runs have assigned and claimed.
func (w *waker) totalMoved() (n int) {
	for _, t := range *w.targets.Load() {
		n += t.totalMoved()
	}
	return n
}

// check asks the store for work, and calls wake for the pipelines that can take it. It
// returns the time until the next scheduled item becomes due, or 0 if unknown. Errors of the
// database are reported by the heartbeat.
func (w *waker) check(ctx context.Context, wake func(wakeTarget, workqueue.Readiness)) (next time.Duration) {
	targets := w.open()
	var all []workqueue.Band
	for _, t := range targets {
		all = append(all, t.bands...)
	}
	spans := workqueue.JoinBands(all)
	if len(spans) == 0 {
		return 0
	}
	ready := func(b workqueue.Band) workqueue.Readiness {
		ctx, cancel := context.WithTimeout(ctx, w.p.o.Spec.Lease/2)
		defer cancel()
		r, dueIn, err := w.p.o.Store.Ready(ctx, w.p.runner.Worker().ID, b)
		if err != nil {
			return workqueue.NothingReady
		}
		next = dueIn
		return r
	}
	// Usually one query suffices; it also covers the priorities between the spans.
	r := ready(workqueue.Band{Min: spans[0].Min, Max: spans[len(spans)-1].Max})
	for _, span := range slices.Backward(spans) {
		if r != workqueue.NothingReady && len(spans) > 1 {
			r = ready(span)
		}
		for _, t := range targets {
			if r != workqueue.NothingReady && t.overlaps(span) {
				wake(t, r)
			}
		}
	}
	return next
}

// countPeers counts the other active workers.
func (w *waker) countPeers(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, w.p.o.Spec.Lease/2)
	defer cancel()
	workers, err := w.p.o.Store.Workers(ctx)
	if err != nil {
		return
	}
	peers := int64(-1)
	for i := range workers {
		if workers[i].State == workqueue.WorkerActive {
			peers++
		}
	}
	w.peers.Store(max(peers, 0))
}

func offer(token chan<- struct{}) {
	select {
	case token <- struct{}{}:
	default:
	}
}

// pauseFor waits, and reports false if ctx ends first.
func pauseFor(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}
