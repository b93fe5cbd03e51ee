package assign

import (
	"context"
	"fmt"
	"slices"
	"time"
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
	f, err := w.forecast(ctx)
	if err != nil {
		return err
	}
	started, err := f.run(ctx, w.item.Priority)
	switch {
	case err != nil:
		return err
	case started:
		start := f.now
		r.ExpectedAt, r.Expected = &start, w.startText(start, f.by)
		w.countFirst(f, r)
		return nil
	case f.expired:
		r.Expected = "never: it expires before a worker is free"
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
	r.Expected = unknownStart(r)
	return nil
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
func (w *why) startText(start time.Time, by string) string {
	in := start.Sub(w.now)
	switch {
	case in < startsNow:
		return "now"
	case by != "" && in > nextPassSoon:
		return fmt.Sprintf("at %s (%s), the next run of %s", instantText(start), w.inText(start), by)
	case by != "":
		return fmt.Sprintf("%s, with the next run of %s", w.inText(start), by)
	case start.Equal(w.item.AvailableAt):
		return fmt.Sprintf("at %s (%s), when it is due", instantText(start), w.inText(start))
	}
	return "in about " + spanText(in)
}

// countFirst counts the items that go first among those that wait for the same workers.
func (w *why) countFirst(f *forecast, r *Reason) {
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
