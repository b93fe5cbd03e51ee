package operations

import (
	"context"
	"fmt"
	"slices"
	"time"

	"botwork/workqueue"
)

// RunStore is what the runs are read from.
type RunStore interface {
	Runs(ctx context.Context, f workqueue.RunFilter) ([]workqueue.PipelineRun, error)
	Firings(ctx context.Context, f workqueue.FiringFilter) ([]workqueue.Firing, error)
	RunRequests(ctx context.Context, f workqueue.RequestFilter) ([]workqueue.RunRequest, error)
	Workers(ctx context.Context) ([]workqueue.Worker, error)
	Now(ctx context.Context) (time.Time, error)
}

// RunFilter selects runs, and planned or requested runs that have not taken place.
type RunFilter struct {
	Pipeline string
	Outcomes []string // of RunOutcomes; none: all

	// Since and Until apply to the start of a run, to a planned time without a run, and to the
	// time of a request.
	Since, Until time.Time

	// EndsAfter selects only runs, and of these the ones that have not ended or ended at this time or later.
	EndsAfter time.Time

	Limit int // 1 to MostRunsScanned
}

// FailedRuns are the outcomes of what failed.
func FailedRuns() []string {
	return []string{string(workqueue.RunFailed), Interrupted, string(workqueue.Missed), string(workqueue.RequestExpired)}
}

// RunOutcomes are the outcomes by which runs can be selected.
func RunOutcomes() []string {
	return []string{
		string(workqueue.RunRunning), string(workqueue.RunSucceeded), string(workqueue.RunFailed), Interrupted, Late,
		string(workqueue.Missed), string(workqueue.Skipped), string(workqueue.RequestPending), string(workqueue.RequestExpired), string(workqueue.RequestRefused),
	}
}

// MostRunsScanned bounds the rows that are read to find the runs with an outcome that the database
// does not have: late and interrupted.
const MostRunsScanned = 10_000

// FindRuns returns what the filter selects, the latest first.
func FindRuns(ctx context.Context, store RunStore, f RunFilter) ([]Run, error) {
	views := []Run{}
	parts := []func(context.Context, RunStore, RunFilter) ([]Run, error){findRuns, findFirings, findRequests}
	if !f.EndsAfter.IsZero() {
		parts = parts[:1]
	}
	for _, part := range parts {
		found, err := part(ctx, store, f)
		if err != nil {
			return nil, err
		}
		views = append(views, found...)
	}
	slices.SortStableFunc(views, func(x, y Run) int { return y.at.Compare(x.at) })
	return views[:min(len(views), f.Limit)], nil
}

// wants reports whether the filter selects any of the outcomes.
func (f *RunFilter) wants(any ...string) bool {
	return len(f.Outcomes) == 0 || slices.ContainsFunc(f.Outcomes, func(o string) bool { return slices.Contains(any, o) })
}

func findRuns(ctx context.Context, store RunStore, f RunFilter) ([]Run, error) {
	by := workqueue.RunFilter{Pipeline: f.Pipeline, Since: f.Since, Until: f.Until, EndsAfter: f.EndsAfter, Limit: f.Limit}
	for _, o := range f.Outcomes {
		switch o {
		case Late:
			by.Outcomes = append(by.Outcomes, workqueue.RunRunning, workqueue.RunSucceeded, workqueue.RunFailed)
			by.Limit = MostRunsScanned
		case Interrupted:
			by.Outcomes = append(by.Outcomes, workqueue.RunRunning)
			by.Limit = MostRunsScanned
		case string(workqueue.RunRunning), string(workqueue.RunSucceeded), string(workqueue.RunFailed):
			by.Outcomes = append(by.Outcomes, workqueue.RunOutcome(o))
		}
	}
	if len(f.Outcomes) > 0 && len(by.Outcomes) == 0 {
		return nil, nil
	}
	runs, err := store.Runs(ctx, by)
	if err != nil {
		return nil, err
	}
	all, err := viewRuns(ctx, store, runs)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(all, func(v Run) bool { return !f.wants(v.Outcome) && (!v.IsLate() || !f.wants(Late)) }), nil
}

// viewRuns returns runs with the names of their workers.
func viewRuns(ctx context.Context, store RunStore, runs []workqueue.PipelineRun) ([]Run, error) {
	list, err := store.Workers(ctx)
	if err != nil {
		return nil, err
	}
	now, err := store.Now(ctx)
	if err != nil {
		return nil, err
	}
	workers := workersByID{}
	for i := range list {
		workers[list[i].ID] = &list[i]
	}
	views := make([]Run, len(runs))
	for i := range runs {
		views[i] = viewRun(&runs[i], workers, now)
	}
	return views, nil
}

func findFirings(ctx context.Context, store RunStore, f RunFilter) ([]Run, error) {
	by := workqueue.FiringFilter{Schedule: f.Pipeline, Pipelines: true, Since: f.Since, Until: f.Until, Limit: f.Limit}
	for _, o := range []workqueue.FiringOutcome{workqueue.Missed, workqueue.Skipped} {
		if f.wants(string(o)) {
			by.Outcomes = append(by.Outcomes, o)
		}
	}
	if len(by.Outcomes) == 0 {
		return nil, nil
	}
	firings, err := store.Firings(ctx, by)
	views := make([]Run, len(firings))
	for i := range firings {
		views[i] = viewFiring(&firings[i])
	}
	return views, err
}

// findRequests returns requests without a run.
func findRequests(ctx context.Context, store RunStore, f RunFilter) ([]Run, error) {
	if !f.wants(string(workqueue.RequestPending), string(workqueue.RequestExpired), string(workqueue.RequestRefused)) {
		return nil, nil
	}
	requests, err := store.RunRequests(ctx, workqueue.RequestFilter{Pipeline: f.Pipeline, Since: f.Since, Until: f.Until, Limit: MostRunsScanned})
	var views []Run
	for i := range requests {
		if q := &requests[i]; q.State != workqueue.RequestStarted && f.wants(string(q.State)) {
			views = append(views, viewRequest(q))
		}
	}
	return views, err
}

// RunByID returns one run. workqueue.ErrNotFound if it is not kept.
func RunByID(ctx context.Context, store RunStore, id int64) (Run, error) {
	runs, err := store.Runs(ctx, workqueue.RunFilter{ID: id, Limit: 1})
	if err != nil {
		return Run{}, err
	}
	if len(runs) == 0 {
		return Run{}, fmt.Errorf("run %d: %w; hint: botwork runs list shows the runs that are kept", id, workqueue.ErrNotFound)
	}
	views, err := viewRuns(ctx, store, runs)
	if err != nil {
		return Run{}, err
	}
	return views[0], nil
}
