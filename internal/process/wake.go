package process

import (
	"cmp"
	"context"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"botwork/pipelines"
	"botwork/workqueue"
)

const (
	// pollEvery is how often a worker looks for work that nobody told it of, pollBusy
	// how often until it has got no item for busyFor, and pollShare the share of its
	// time that this may take: one part in so many, though it never waits longer than
	// pollLatest. One look that had to wait for a busy machine tells little of what
	// looks take.
	pollEvery, pollBusy, busyFor = 800 * time.Millisecond, 100 * time.Millisecond, 2 * time.Second
	pollShare, pollLatest        = 50, 10 * time.Second

	// openFor is how long a run that was started is likely to take until it gives out
	// slots.
	openFor = 10 * time.Millisecond

	// mostPutOff is how often in a row pipelines are put off behind one that was started.
	mostPutOff = 20

	// peersEvery is how often the workers are counted, longestHold the longest that
	// a worker waits before it looks for what another process has enqueued. Of many
	// that hear of an item one should be the first: the others find it gone.
	peersEvery, longestHold = 30 * time.Second, 2 * time.Millisecond
)

// waker starts the pipelines that wake, or wakes the runs of them that go on, as
// soon as there is work for them. It listens to the store, and looks once a second
// for what it cannot hear of.
type waker struct {
	p *Process

	targets atomic.Pointer[[]wakeTarget]
	changed chan struct{} // holds a token when targets have changed, or not all of them were started
	heard   chan struct{} // holds a token when another process has told of work
	peers   atomic.Int64  // other workers that are alive
	putOff  atomic.Int32  // how often pipelines were put off, in a row

	stop  context.CancelFunc // nil until start
	loops sync.WaitGroup

	mu    sync.Mutex
	known map[string]*waking
}

// wakeTarget is a pipeline that runs items and the priorities for which it is woken.
type wakeTarget struct {
	*waking
	bands  []workqueue.Band
	starts bool // work starts it; else a run of it that goes on hears of work, and no more
}

func newWaker(p *Process) *waker {
	return &waker{p: p, changed: make(chan struct{}, 1), heard: make(chan struct{}, 1), known: map[string]*waking{}}
}

// adopt takes over what the pipelines of a catalogue say.
func (w *waker) adopt(of *pipelines.Catalogue) {
	var targets []wakeTarget
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, pl := range system(of) {
		if w.known[pl.Name] == nil && (pl.Trigger.Wake || len(executeSteps(pl)) > 0) {
			w.known[pl.Name] = &waking{name: pl.Name}
		}
		if w.known[pl.Name] != nil {
			targets = append(targets, wakeTarget{w.known[pl.Name],
				append(bands(pl, pipelines.AssignHandler), bands(pl, pipelines.ExecuteHandler)...), pl.Trigger.Wake})
		}
	}
	if !slices.ContainsFunc(targets, func(t wakeTarget) bool { return t.starts }) {
		targets = nil // who wants no pipeline to be woken wants no looks either
	}
	slices.SortStableFunc(targets, func(a, b wakeTarget) int { return cmp.Compare(b.mostUrgent(), a.mostUrgent()) })
	w.targets.Store(&targets)
	offer(w.changed)
}

// find returns what is known of a pipeline that runs items; nil: it runs none.
func (w *waker) find(name string) *waking {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.known[name]
}

// start begins to listen and to look, until the worker drains.
func (w *waker) start(ctx context.Context) {
	ctx, w.stop = context.WithCancel(context.WithoutCancel(ctx))
	w.loops.Go(func() {
		_ = w.p.o.Store.Listen(ctx, w.hear, w.trouble) // its only error is the end of ctx
	})
	w.loops.Go(func() { w.look(ctx) })
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

// hear takes a notice of the store. What this process has made ready it goes for at
// once; of what others have, all workers hear, so followUp looks first.
func (w *waker) hear(n workqueue.Notice) {
	switch {
	case !n.Others:
		w.wake(n.Band, true)
	case len(n.Workers) == 0:
		if w.wanted(n.Band) {
			offer(w.heard)
		}
	default:
		for _, id := range n.Workers {
			if id == w.p.runner.Worker().ID {
				w.wake(n.Band, false)
			}
		}
	}
}

// trouble says once that notices of others do not come, and once that they do.
func (w *waker) trouble(err error) {
	if err != nil {
		w.p.o.Log.Warn().Err(err).Msg("the database does not tell what other processes enqueue; looking once a second")
		return
	}
	w.p.o.Log.Info().Msg("the database tells what other processes enqueue")
}

// open are the pipelines that can be woken at present.
func (w *waker) open() []wakeTarget {
	return slices.DeleteFunc(slices.Clone(*w.targets.Load()), func(t wakeTarget) bool { return !t.starts && !t.runs() })
}

// wanted tells whether a pipeline wakes for the band.
func (w *waker) wanted(band workqueue.Band) bool {
	return slices.ContainsFunc(w.open(), func(t wakeTarget) bool { return t.takes(band) })
}

// wake wakes the pipelines of a band: their runs that go on, else new ones.
func (w *waker) wake(band workqueue.Band, pass bool) {
	wake := w.inTurn()
	for _, t := range w.open() {
		if t.takes(band) {
			wake(t, pass)
		}
	}
}

// inTurn returns what wakes the run of a pipeline that goes on, else starts one. It is
// called for the most urgent pipelines first. Behind one that it starts it puts the others
// off for a moment, or they could take the slots before that is there; but not for long,
// since a run may never come of it.
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

// followUp looks for what others have told of, which somebody may have taken by now.
func (w *waker) followUp(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-w.heard:
		}
		if peers := w.peers.Load(); peers > 0 {
			hold := rand.N(min(time.Duration(peers)*longestHold/8, longestHold)) //nolint:gosec // a draw of lots among friends
			if !pauseFor(ctx, hold) {
				return
			}
		}
		wake := w.inTurn()
		w.check(ctx, func(t wakeTarget, r workqueue.Readiness) { wake(t, r != workqueue.ItemsAssigned) })
	}
}

// look looks for work that nobody told of: once a second, more often while items come,
// and when the next scheduled item becomes due.
func (w *waker) look(ctx context.Context) {
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
			began := time.Now()
			if n := w.moved(); n != seen {
				seen, moved = n, began
			}
			if began.Sub(moved) < busyFor {
				wait = pollBusy
			}
			wake := w.inTurn()
			next := w.check(ctx, func(t wakeTarget, r workqueue.Readiness) {
				// What has just become due is news, whatever else waits in vain.
				if r == workqueue.ItemsDue || t.worthwhile(time.Now()) {
					wake(t, r != workqueue.ItemsAssigned)
				}
			})
			wait = min(max(wait, pollShare*time.Since(began)), pollLatest)
			if next > 0 {
				wait = min(wait, next+time.Millisecond) // which engines round down to
			}
		}
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

// moved counts the items that all runs have assigned and claimed.
func (w *waker) moved() (n int) {
	for _, t := range *w.targets.Load() {
		n += t.movedSoFar()
	}
	return n
}

// check asks the store what there is to do, and has the pipelines woken that it is
// for. It returns how long it is until a scheduled item becomes due; 0: that is not
// known. An error is the heartbeat's to report.
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
	// One query as a rule: what lies between the spans is looked at as well.
	r := ready(workqueue.Band{Min: spans[0].Min, Max: spans[len(spans)-1].Max})
	for _, span := range slices.Backward(spans) {
		if r != workqueue.NothingReady && len(spans) > 1 {
			r = ready(span)
		}
		for _, t := range targets {
			if r != workqueue.NothingReady && t.takes(span) {
				wake(t, r)
			}
		}
	}
	return next
}

// countPeers counts the other workers that are alive.
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

// pauseFor waits; false when ctx ends first.
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
