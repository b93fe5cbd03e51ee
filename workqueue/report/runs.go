package report

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"botwork/workqueue"
)

// Problem is what went wrong with runs of a system pipeline.
type Problem string

// The problems, in the words of `botwork runs list`.
const (
	ProblemFailed      Problem = "failed"
	ProblemInterrupted Problem = "interrupted" // the process ended before the run
	ProblemMissed      Problem = "missed"      // no worker noticed the planned time
	ProblemExpired     Problem = "expired"     // no worker started the requested run in time
	ProblemLate        Problem = "late"        // started more than a minute after the planned time
)

// Runs are runs of a system pipeline with the same problem and message.
type Runs struct {
	Pipeline string  `json:"pipeline"`
	Problem  Problem `json:"problem"`
	Step     string  `json:"step"`    // that failed; "" for none
	Message  string  `json:"message"` // as in Group; "" for none

	Count int       `json:"count"`
	First time.Time `json:"first"`
	Last  time.Time `json:"last"`

	// MaxDelayMs is the longest delay of late runs; null for other problems.
	MaxDelayMs *int64  `json:"maxDelayMs"`
	Samples    []int64 `json:"samples"` // ids of runs, the latest first; none for planned times without a run
}

// runKey is what the runs of a group have in common.
type runKey struct {
	pipeline      string
	problem       Problem
	step, message string
}

// runTally groups runs.
type runTally map[runKey]*Runs

// add counts a run, or a planned or requested time without one: id is 0 then.
func (t runTally) add(k runKey, at time.Time, id int64) *Runs {
	g := t[k]
	if g == nil {
		g = &Runs{Pipeline: k.pipeline, Problem: k.problem, Step: k.step, Message: k.message, First: at, Last: at, Samples: []int64{}}
		t[k] = g
	}
	g.Count++
	if at.Before(g.First) {
		g.First = at
	}
	if at.After(g.Last) {
		g.Last = at
	}
	if id != 0 && len(g.Samples) < samples {
		g.Samples = append(g.Samples, id)
	}
	return g
}

func (t runTally) sorted() []Runs {
	list := []Runs{}
	for _, g := range t {
		list = append(list, *g)
	}
	slices.SortStableFunc(list, func(a, b Runs) int {
		return cmp.Or(cmp.Compare(a.Pipeline, b.Pipeline), cmp.Compare(b.Count, a.Count), cmp.Compare(a.Problem, b.Problem),
			cmp.Compare(a.Step, b.Step), cmp.Compare(a.Message, b.Message))
	})
	return list
}

// readRuns groups the runs with problems, and the planned and requested runs that did not take
// place. A run that was late and failed is in both groups.
func (b *builder) readRuns(ctx context.Context, workers []workqueue.Worker, now time.Time) error {
	found := runTally{}
	byID := map[int64]*workqueue.Worker{}
	for i := range workers {
		byID[workers[i].ID] = &workers[i]
	}
	runs, err := b.store.Runs(ctx, workqueue.RunFilter{Pipeline: b.Pipeline, Since: b.Since, Until: b.Until, Limit: mostRuns})
	if err != nil {
		return err
	}
	b.bound(len(runs) == mostRuns, "runs: only the latest %s were read", thousands(mostRuns))
	for i := range runs {
		r := &runs[i]
		var worker *workqueue.Worker
		if r.WorkerID != nil {
			worker = byID[*r.WorkerID]
		}
		switch {
		case r.Outcome == workqueue.RunFailed:
			found.add(runKey{r.Pipeline, ProblemFailed, deref(r.FailedStep), Message(withoutStep(deref(r.Error)))}, r.StartedAt, r.ID)
		case r.Interrupted(worker, now):
			found.add(runKey{pipeline: r.Pipeline, problem: ProblemInterrupted}, r.StartedAt, r.ID)
		}
		if r.Late() {
			delay, _ := r.Delay()
			g := found.add(runKey{pipeline: r.Pipeline, problem: ProblemLate}, r.StartedAt, r.ID)
			g.MaxDelayMs = new(max(delay.Milliseconds(), deref(g.MaxDelayMs)))
		}
	}
	firings, err := b.store.Firings(ctx, workqueue.FiringFilter{
		Schedule: b.Pipeline, Outcomes: []workqueue.FiringOutcome{workqueue.Missed}, Pipelines: true, Since: b.Since, Until: b.Until, Limit: mostRuns,
	})
	if err != nil {
		return err
	}
	b.bound(len(firings) == mostRuns, "missed runs: only the latest %s were read", thousands(mostRuns))
	for _, f := range firings {
		found.add(runKey{pipeline: f.Schedule, problem: ProblemMissed, message: Message(f.Reason)}, f.PlannedAt, 0)
	}
	requests, err := b.store.RunRequests(ctx, workqueue.RequestFilter{Pipeline: b.Pipeline, Since: b.Since, Until: b.Until, Limit: mostRuns})
	if err != nil {
		return err
	}
	b.bound(len(requests) == mostRuns, "requested runs: only the latest %s were read", thousands(mostRuns))
	for i := range requests {
		if q := &requests[i]; q.State == workqueue.RequestExpired {
			found.add(runKey{pipeline: q.Pipeline, problem: ProblemExpired, message: "requested by " + q.By}, q.At, 0)
		}
	}
	b.report.Runs = found.sorted()
	return nil
}

// bound adds a line to the report's bounds.
func (b *builder) bound(reached bool, format string, args ...any) {
	if reached {
		b.report.Bounds = append(b.report.Bounds, fmt.Sprintf(format, args...))
	}
}

func deref[T any](p *T) (value T) {
	if p != nil {
		value = *p
	}
	return value
}
