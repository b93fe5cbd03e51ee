package assign

import (
	"context"
	"math"
	"slices"
	"time"

	"botwork/workqueue"
)

const (
	// mostHeld bounds the held items of each state that a forecast reads.
	mostHeld = 20_000

	// mostLesser bounds the due items below the item's priority that it reads: they
	// matter only while they may start before the item.
	mostLesser = 2_000

	// mostPasses is how many passes a forecast makes as their pipelines declare them. Later ones
	// assign everything at once, so that a long queue takes few passes.
	mostPasses = 500

	// mostQuiet is after how many scheduled runs without an effect a forecast gives up.
	mostQuiet = 100
)

// mostWaitHorizon is long enough that every worker has room.
const mostWaitHorizon = 10 * 365 * 24 * time.Hour

// forecast simulates the time until an item starts, in memory: whenever something happens, it
// makes the assignment passes that pipelines would make then, by the code of AssignPass, and
// starts what workers would start. Items take as long as estimated. It does not know items that
// will be enqueued later.
type forecast struct {
	item int64
	now  time.Time

	workers   []*forecastWorker // by id
	pipelines []*forecastPipeline
	waiting   *waitingItems
	later     []workqueue.DueItem // not due yet
	limits    *forecastLimits
	queues    map[string]workqueue.JSONText
	marks     workqueue.PassState

	defaultEstimate time.Duration // of the current pass
	passes          int
	assigned        int // items
	changes         int // grows with each event

	started bool
	expired bool
	first   []int64 // the workers that started the items that went first
	by      string  // the pipeline whose scheduled run starts the item; "": a run that continues
}

// forecastPipeline is a pipeline and the workers on which it is running.
type forecastPipeline struct {
	SystemPipeline
	at     time.Time // of its next scheduled run; zero: never
	paced  time.Time // when a pass is repeated because of a rate limit; zero: never
	ticked bool      // its passes are due now
	seen   int       // changes, when its passes last found nothing; -1: never

	on    map[int64]bool // by worker: it is running there
	fresh map[int64]bool // by worker: that run starts now
}

// mostUrgent returns the highest priority that the passes assign.
func (p *forecastPipeline) mostUrgent() int {
	highest := math.MinInt
	for i := range p.Passes {
		highest = max(highest, p.Passes[i].Band.Max)
	}
	return highest
}

// run simulates the time until the item starts; false if the start cannot be predicted.
func (f *forecast) run(ctx context.Context, priority int) (bool, error) {
	if !slices.ContainsFunc(f.pipelines, func(p *forecastPipeline) bool { return p.runs(priority) }) {
		return false, nil
	}
	arrived := true
	for quiet := 0; quiet < mostQuiet; quiet++ {
		assigned := f.assigned
		if err := f.moment(ctx, arrived); err != nil || f.started || f.expired {
			return f.started, err
		}
		if f.assigned > assigned || f.goesOn() {
			quiet = 0
		}
		next := f.next()
		if next.IsZero() {
			return false, nil
		}
		f.now = next
		arrived = f.advance()
	}
	return false, ctx.Err()
}

// goesOn reports whether time alone changes something: a run ends, an item becomes due, a rate
// limit allows more.
func (f *forecast) goesOn() bool {
	return len(f.later) > 0 || slices.ContainsFunc(f.workers, func(w *forecastWorker) bool { return len(w.running) > 0 }) ||
		slices.ContainsFunc(f.pipelines, func(p *forecastPipeline) bool { return !p.paced.IsZero() })
}

// moment does everything that can happen now. Passes come before starts if they may assign
// something more urgent: a free slot goes to the most urgent due item.
func (f *forecast) moment(ctx context.Context, arrived bool) error {
	for _, p := range f.pipelines {
		if p.ticked || arrived && p.Wake || f.asks(p, f.urgent) {
			if _, err := f.pass(ctx, p); err != nil {
				return err
			}
		}
	}
	for more := true; more; {
		for _, w := range f.workers {
			if f.start(w); f.started || f.expired {
				return nil
			}
		}
		more = false
		for _, p := range f.pipelines {
			if f.asks(p, nil) {
				assigned, err := f.pass(ctx, p)
				if err != nil {
					return err
				}
				more = more || assigned
			}
		}
	}
	for _, p := range f.pipelines {
		p.ticked = false
		clear(p.fresh)
		for _, w := range f.workers {
			waits := w.free() == 0 && slices.ContainsFunc(p.Passes, func(params AssignParams) bool { return f.waiting.any(params.Band) })
			p.on[w.load.WorkerID] = p.on[w.load.WorkerID] && (w.holds(p) || waits)
		}
	}
	return nil
}

// next returns the next time at which something may happen; zero if never.
func (f *forecast) next() (next time.Time) {
	sooner := func(t time.Time) {
		if !t.IsZero() && (next.IsZero() || t.Before(next)) {
			next = t
		}
	}
	for _, w := range f.workers {
		for i := range w.running {
			sooner(w.running[i].ends)
		}
	}
	for _, p := range f.pipelines {
		sooner(p.at)
		sooner(p.paced)
	}
	for i := range f.later {
		sooner(f.later[i].Due)
	}
	return next
}

// advance ends the runs that end now, and starts the scheduled runs that are due now; it reports
// whether items have become due.
func (f *forecast) advance() (arrived bool) {
	for _, w := range f.workers {
		for _, it := range w.end(f.now) {
			f.limits.end(&it.DueItem)
			f.changes++
		}
	}
	for _, p := range f.pipelines {
		if !p.at.IsZero() && !p.at.After(f.now) {
			p.at, p.ticked = p.next(f.now), true
			for _, w := range f.workers {
				p.fresh[w.load.WorkerID] = !p.on[w.load.WorkerID] && !p.Wake
				p.on[w.load.WorkerID] = true
			}
		}
		if !p.paced.IsZero() && !p.paced.After(f.now) {
			p.paced, p.ticked = time.Time{}, true
		}
	}
	f.later = slices.DeleteFunc(f.later, func(it workqueue.DueItem) bool {
		due := !it.Due.After(f.now)
		if due {
			f.waiting.add(it)
			arrived = true
			f.changes++
		}
		return due
	})
	return arrived
}

// asks reports whether a run of the pipeline makes a pass by itself: on a worker with a free slot
// for which also returns true; a nil also is always true.
func (f *forecast) asks(p *forecastPipeline, also func(*forecastPipeline, *forecastWorker) bool) bool {
	return slices.ContainsFunc(f.workers, func(w *forecastWorker) bool {
		return w.free() > 0 && (p.Wake || p.on[w.load.WorkerID]) && (also == nil || also(p, w))
	})
}

// urgent reports whether a pass comes before the worker starts its assigned items: if a more
// urgent item waits, and always if the pipeline wakes, since the waiting item has woken it.
func (f *forecast) urgent(p *forecastPipeline, w *forecastWorker) bool {
	if len(w.assigned) == 0 {
		return false
	}
	if p.Wake {
		return slices.ContainsFunc(p.Passes, func(params AssignParams) bool { return f.waiting.any(params.Band) })
	}
	return slices.ContainsFunc(p.Passes, func(params AssignParams) bool {
		above := workqueue.Band{Min: max(params.Band.Min, w.assigned[0].Priority+1), Max: params.Band.Max}
		return !above.Empty() && f.waiting.any(above)
	})
}

// given reports whether a worker holds an item of the band that has not started.
func (f *forecast) given(band workqueue.Band) bool {
	return slices.ContainsFunc(f.workers, func(w *forecastWorker) bool {
		return slices.ContainsFunc(w.assigned, func(it *forecastItem) bool { return band.Contains(it.Priority) })
	})
}

// pass makes the passes of a pipeline, and reports whether one has assigned something. If nothing
// has happened since they found nothing, they find nothing again, except for what time alone
// changes.
func (f *forecast) pass(ctx context.Context, p *forecastPipeline) (assigned bool, err error) {
	if f.passes > 20*mostPasses || p.seen == f.changes && (f.passes > mostPasses || !p.ticked) {
		return false, nil
	}
	for _, params := range p.Passes {
		if !f.waiting.any(params.Band) && !f.given(params.Band) {
			continue // nothing to assign or to take back
		}
		if f.passes++; f.passes > mostPasses {
			params.Workers, params.Horizon, params.MaxPerWorker, params.unbounded = AvailableWorkers, mostWaitHorizon, math.MaxInt32, true
		}
		f.defaultEstimate = params.DefaultEstimate
		result, err := AssignPass(ctx, f, params)
		if err != nil {
			return false, err
		}
		if result.Pace > 0 {
			p.paced = f.now.Add(result.Pace)
		}
		if result.Assigned+result.Moved > 0 {
			assigned = true
			f.changes++
		}
		f.assigned += result.Assigned
	}
	if !assigned {
		p.seen = f.changes
	}
	return assigned, nil
}

// start makes a worker start its assigned items, the most urgent first, if a pipeline that runs
// them is running there.
func (f *forecast) start(w *forecastWorker) {
	for {
		it := w.startable(func(priority int) bool {
			return slices.ContainsFunc(f.pipelines, func(p *forecastPipeline) bool {
				return (p.Wake || p.on[w.load.WorkerID]) && p.runs(priority)
			})
		})
		if it == nil {
			return
		}
		f.changes++
		if !it.Deadline.IsZero() && it.Deadline.Before(f.now) {
			f.limits.end(&it.DueItem)
			f.expired = f.expired || it.ID == f.item
			continue
		}
		w.run(it, f.now)
		f.limits.start(it.ID, f.now)
		switch {
		case it.ID == f.item:
			f.started = true
			for _, p := range f.pipelines {
				if p.fresh[w.load.WorkerID] && p.runs(it.Priority) {
					f.by = p.Name
				}
			}
			return
		case it.waited:
			f.first = append(f.first, it.Holder)
		}
	}
}
