package assign

import (
	"context"
	"fmt"
	"slices"
	"time"

	"botwork/workqueue"
)

// startsNow is how near a start is that is called "now".
const startsNow = time.Second

// expect adds when the item is expected to start, if that can be predicted.
func (w *why) expect(ctx context.Context, r *Reason) error {
	switch r.Kind {
	case WhyDeleted, WhyCompleted, WhyCancelled, WhyUnknown, WhyRunning:
		return nil // it does not wait
	case WhyRetry, WhyNotDue, WhyLimit, WhyStranded, WhyAssigned, WhyFull, WhyBehind, WhyBand, WhyNextPass:
	default:
		r.Expected = unknownStart(r)
		return nil
	}
	f, err := w.findStart(ctx)
	switch {
	case err != nil:
		return err
	case f.started:
		start := w.now.Add(f.at)
		r.ExpectedAt, r.Expected = &start, w.startText(start, f.by)
		w.countFirst(f, r)
		return nil
	case f.beyond > 0:
		r.Ahead = f.beyond
		text := "more than " + goFirst(f.beyond)
		if r.Expected = "unknown: " + text; r.Kind == WhyBehind {
			r.Text = text
		}
		return nil
	case f.expired:
		r.Expected = "never: it expires before a worker is free"
		return nil
	case f.cancelled:
		r.Expected = "never: a rule of escalation cancels it, or moves it away from the workers, before one is free"
		return nil
	case r.Kind == WhyRetry || r.Kind == WhyNotDue:
		// It does not only wait for its time.
		later, err := w.unassigned(ctx)
		if err != nil {
			return err
		}
		r.Expected = unknownStart(&later)
		return nil
	}
	r.Expected, w.moved = unknownStart(r), true
	return nil
}

// startFinder is the Watcher that waits for the start of one item.
type startFinder struct {
	m    *Simulation
	item int

	started, expired bool
	cancelled        bool // or moved away, by a rule of escalation
	beyond           int  // how many items go first, if that are too many to simulate
	at               time.Duration
	first            []int64 // the workers that started the items that went first
	by               string  // the pipeline whose scheduled run starts the item; "": a run that continues
}

// findStart simulates the time until the item starts.
func (w *why) findStart(ctx context.Context) (*startFinder, error) {
	s, err := w.situation(ctx)
	if err != nil {
		return nil, err
	}
	f := &startFinder{m: s.NewSimulation(), item: int(s.item(w.item.ID))}
	if f.item < 0 {
		if most := w.p.mostDue(); len(s.Items) >= most {
			f.beyond = most
		}
		return f, nil
	}
	if s.steps == nil && !slices.ContainsFunc(s.Pipelines, func(p SystemPipeline) bool { return p.runs(w.item.Priority) }) {
		return f, nil
	}
	return f, f.m.Run(ctx, nil, f)
}

// Started implements Watcher.
func (f *startFinder) Started(item, worker int, at time.Duration) bool {
	if item != f.item {
		if f.m.waited.has(int32(item)) { //nolint:gosec // a situation has fewer items
			f.first = append(f.first, f.m.s.Workers[worker].WorkerID)
		}
		return true
	}
	f.started, f.at = true, at
	for p := range f.m.pipelines {
		if f.m.pipelines[p].fresh.Has(worker) && f.m.s.Pipelines[p].runs(f.m.s.Items[item].Priority) {
			f.by = f.m.s.Pipelines[p].Name
		}
	}
	return false
}

// Due implements Watcher.
func (f *startFinder) Due(int, time.Duration) bool { return true }

// Ended implements Watcher.
func (f *startFinder) Ended(int, int, time.Duration, bool) bool { return true }

// Expired implements Watcher.
func (f *startFinder) Expired(item int, _ time.Duration) bool {
	f.expired = f.expired || item == f.item
	return !f.expired
}

// Escalated implements Watcher.
func (f *startFinder) Escalated(item, to int, _ time.Duration) bool {
	if item != f.item {
		return true
	}
	if f.item = to; to < 0 {
		f.cancelled = true
	}
	return !f.cancelled
}

// unknownStart returns why the start cannot be predicted.
func unknownStart(r *Reason) string {
	text := "unknown: " + r.Text
	if r.Change != "" {
		text += "; hint: " + r.Change
	}
	return text
}

// startText describes when the item starts; by is the pipeline whose scheduled run it waits for.
// Items below the band of urgent ones start at least so late: more urgent items may be added.
func (w *why) startText(start time.Time, by string) string {
	in := start.Sub(w.now)
	if in < startsNow {
		return "now"
	}
	atLeast, orLater := "about ", ""
	if w.item.Priority <= workqueue.HighPriority {
		atLeast, orLater = "at least ", " or later"
	}
	switch {
	case by != "" && in > nextPassSoon:
		return fmt.Sprintf("at %s%s (%s), the next run of %s", instantText(start), orLater, w.inText(start), by)
	case by != "":
		return fmt.Sprintf("%s%s, with the next run of %s", w.inText(start), orLater, by)
	case start.Equal(w.item.AvailableAt):
		return fmt.Sprintf("at %s%s (%s), when it is due", instantText(start), orLater, w.inText(start))
	}
	return "in " + atLeast + spanText(in)
}

// countFirst counts the items that go first among those that wait for the same workers.
func (w *why) countFirst(f *startFinder, r *Reason) {
	if r.Kind != WhyBehind && r.Kind != WhyFull {
		return
	}
	for _, worker := range f.first {
		if slices.Contains(r.mayRun, worker) {
			r.Ahead++
		}
	}
	if r.Kind == WhyBehind {
		r.Text = fmt.Sprintf("%s on the workers that may run it", goFirst(r.Ahead))
	}
}

// goFirst describes how many items go first.
func goFirst(n int) string {
	if n == 1 {
		return "1 item goes first"
	}
	return fmt.Sprintf("%d items go first", n)
}
