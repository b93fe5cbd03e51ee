package pipelines

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"botwork/cmd/internal/cli"
	"botwork/workqueue"
)

const (
	// startWithin is how long a worker may take to start a requested run.
	startWithin = time.Minute

	// askAgain is how often a command looks for the start and the end of the run.
	askAgain = 250 * time.Millisecond
)

// requestView is what `pipelines run --output json` prints for a system pipeline.
type requestView struct {
	workqueue.RunRequest
	Worker *string                `json:"worker"`
	Run    *workqueue.PipelineRun `json:"run"`
}

// requestRun asks the workers to start a system pipeline, and waits for its start, or for its end.
func (a *command) requestRun(ctx context.Context, name string, wait bool, output cli.Format) error {
	return a.WithBackend(ctx, func(store cli.Backend) error {
		if err := a.checkSystem(ctx, store, name); err != nil {
			return err
		}
		ids, err := store.RequestRuns(ctx, workqueue.NewRunRequests{Pipeline: name, By: cli.UserName(), Within: startWithin})
		if err != nil {
			return explainRefusal(name, err)
		}
		view, err := a.awaitStart(ctx, store, ids[0])
		if err != nil {
			return err
		}
		if err := a.awaitRun(ctx, store, view, wait); err != nil {
			return err
		}
		err = a.Print(output, view, func() { a.requestSheet(view) })
		if err == nil && wait && view.Run.Outcome == workqueue.RunFailed {
			err = &cli.ReportedError{Code: cli.ExitFailed}
		}
		return err
	})
}

// explainRefusal adds a hint to the error of a request that was not recorded.
func explainRefusal(name string, err error) error {
	if paused, ok := errors.AsType[*workqueue.PausedError](err); ok {
		return fmt.Errorf("%w; hint: botwork pipelines resume %s", paused, name)
	}
	if errors.Is(err, workqueue.ErrNoWorker) {
		return fmt.Errorf("pipeline %q is not started: %w; hint: start a worker, or run it in this process with botwork run --once %s", name, err, name)
	}
	return err
}

// awaitStart waits until a worker has started the requested run.
func (a *command) awaitStart(ctx context.Context, store cli.Backend, id int64) (*requestView, error) {
	told := false
	for began := time.Now(); ; {
		requests, err := store.RunRequests(ctx, workqueue.RequestFilter{ID: id, Limit: 1})
		if err == nil && len(requests) == 0 {
			err = workqueue.ErrNotFound
		}
		if err != nil {
			return nil, fmt.Errorf("the run was requested, and a worker may start it within %v, but request %d cannot be read: %w", startWithin, id, err)
		}
		q := requests[0]
		switch q.State {
		case workqueue.RequestStarted:
			return &requestView{RunRequest: q}, nil
		case workqueue.RequestPending:
		default:
			return nil, fmt.Errorf("pipeline %q was not started within %v: %s", q.Pipeline, startWithin, a.whyNotStarted(ctx, store, q.Pipeline))
		}
		if !told && time.Since(began) > 3*time.Second {
			told = true
			fmt.Fprintf(a.Stderr, "botwork: waiting up to %v for a worker: %s\n", startWithin, a.whyNotStarted(ctx, store, q.Pipeline))
		}
		select {
		case <-ctx.Done():
			return nil, fmt.Errorf("interrupted; a worker may still start pipeline %q until %s", q.Pipeline, a.Instant(&q.ExpiresAt))
		case <-time.After(askAgain):
		}
	}
}

// whyNotStarted guesses why no worker starts a run.
func (a *command) whyNotStarted(ctx context.Context, store cli.Backend, name string) string {
	controls, err := store.Controls(ctx)
	if pause, ok := controls.Paused[name]; err == nil && ok {
		return "the pipeline is " + a.PauseText(pause)
	}
	workers, err := store.Workers(ctx)
	if err != nil {
		return err.Error()
	}
	now, err := store.Now(ctx)
	if err != nil {
		return err.Error()
	}
	names := map[int64]string{}
	var alive []string
	for i := range workers {
		if w := &workers[i]; w.State == workqueue.WorkerActive && w.LeaseExpiresAt != nil && !w.LeaseExpiresAt.Before(now) {
			names[w.ID] = w.Name
			alive = append(alive, w.Name)
		}
	}
	active, err := store.Runs(ctx, workqueue.RunFilter{Pipeline: name, Outcomes: []workqueue.RunOutcome{workqueue.RunRunning}, Limit: 1})
	if err != nil {
		return err.Error()
	}
	switch {
	case len(alive) == 0:
		return workqueue.ErrNoWorker.Error()
	case len(active) > 0 && active[0].WorkerID != nil && names[*active[0].WorkerID] != "":
		return fmt.Sprintf("run %d is active on worker %s since %s", active[0].ID, names[*active[0].WorkerID], a.Instant(&active[0].StartedAt))
	}
	return fmt.Sprintf("none of the live workers (%s) has started it; perhaps none of them has the pipeline", strings.Join(alive, ", "))
}

// awaitRun reads the run that was started; if toEnd is true, it waits for its end.
func (a *command) awaitRun(ctx context.Context, store cli.Backend, view *requestView, toEnd bool) error {
	unread := func(err error) error {
		return fmt.Errorf("run %d was started, but cannot be read: %w; botwork runs show %[1]d shows it later", *view.RunID, err)
	}
	workers, err := store.Workers(ctx)
	if err != nil {
		return unread(err)
	}
	for i := range workers {
		if workers[i].ID == *view.WorkerID {
			view.Worker = &workers[i].Name
		}
	}
	for {
		runs, err := store.Runs(ctx, workqueue.RunFilter{ID: *view.RunID, Limit: 1})
		if err == nil && len(runs) == 0 {
			err = workqueue.ErrNotFound
		}
		if err != nil {
			return unread(err)
		}
		view.Run = &runs[0]
		if !toEnd || view.Run.Outcome != workqueue.RunRunning {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("interrupted; run %d continues on worker %s", *view.RunID, cli.OrDash(view.Worker))
		case <-time.After(askAgain):
		}
	}
}

func (a *command) requestSheet(v *requestView) {
	fmt.Fprintf(a.Stdout, "%s: run %d started on worker %s", v.Pipeline, *v.RunID, cli.OrDash(v.Worker))
	switch {
	case v.Run.Outcome == workqueue.RunRunning:
		fmt.Fprintf(a.Stdout, "; botwork runs show %d shows how it ends\n", *v.RunID)
	case v.Run.Error != nil:
		fmt.Fprintf(a.Stdout, "\n%s: %s\n", v.Run.Outcome, *v.Run.Error)
	default:
		fmt.Fprintf(a.Stdout, "\n%s %s\n", v.Run.Outcome, v.Run.Summary)
	}
}
