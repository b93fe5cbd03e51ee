// Package queue has the handlers for the work queue: they connect the steps of pipelines with
// package workqueue.
package queue

import (
	"context"

	"botwork/handlers"
	"botwork/pipelines"
	"botwork/tasks"
	"botwork/workqueue"
	"botwork/workqueue/assign"
	"botwork/workqueue/report"
	"botwork/workqueue/runner"
)

// Worker is the interface of this process's worker for handlers; *runner.Runner implements it.
type Worker interface {
	Assign(ctx context.Context, p assign.AssignParams) (assign.AssignResult, error)
	Execute(ctx context.Context, p runner.ExecuteParams) (runner.ExecuteResult, error)
}

var _ Worker = (*runner.Runner)(nil)

// Enqueuer enqueues the items of Enqueue steps; see workqueue.ItemStore.
type Enqueuer interface {
	Enqueue(ctx context.Context, items []workqueue.NewItem) ([]workqueue.Enqueued, error)
}

// Services are the dependencies of the handlers in this package.
type Services struct {
	// Worker runs AssignTasksToWorker and ExecuteWorkItems. It is called in each run, because the
	// registry is created before the worker starts. It is nil (or returns nil) if there is no
	// worker, as in the checker.
	Worker func() Worker

	// Store receives the items of Enqueue; nil if nothing may be enqueued.
	Store func() Enqueuer

	// Tasks returns the tasks for ManageWorkQueue and the priority revisions; it is nil (or
	// returns nil) if there is no database.
	Tasks func() tasks.Store

	// CleanUp returns the database for CleanUp steps; it is nil (or returns nil) if there is none.
	CleanUp func() workqueue.CleanUpStore

	// Report returns the database for Report steps; it is nil (or returns nil) if there is none.
	Report func() report.Store

	// Forecast returns the database and the pipelines for RecordForecast steps; it is nil (or
	// returns nil) if there is none.
	Forecast func() (ForecastStore, *pipelines.Catalogue)

	// WorkerName returns the name for CreatedBy and records; nil means the pipeline's name.
	WorkerName func() string

	// Profiles returns what pipelines declare about their items.
	Profiles workqueue.Profiles

	// Secrets returns a secret of the settings, for the headers of a scoring service; nil means
	// that there are none.
	Secrets func(name string) (value string, ok bool)

	// CheckPipeline returns an error for an IntegrationConfig that cannot run; nil accepts
	// everything. With a *pipelines.BrokenPipelineError, items would wait until a file is fixed.
	CheckPipeline func(integrationConfig string) error

	// CheckPayload returns an error for a payload that does not match the input of the pipeline
	// that an IntegrationConfig names or contains; nil accepts everything.
	CheckPayload func(integrationConfig string, payload workqueue.JSONText) error
}

// Kinds lists the kinds of this package. With zero Services they can be documented and
// checked, but not run.
func Kinds(s Services) []handlers.Kind {
	return []handlers.Kind{assignKind(s), executeKind(s), enqueueKind(s), manageKind(s), loadItemsKind(s), pendingTasksKind(s), cleanUpKind(s), reportKind(s), forecastKind(s)}
}

// bandParams are the priorities of a step.
type bandParams struct {
	MinPriority   *int `json:"minPriority" doc:"only priorities from this one on; default no lower bound"`
	AbovePriority *int `json:"abovePriority" doc:"only priorities above this one; instead of minPriority"`
	BelowPriority *int `json:"belowPriority" doc:"only priorities below this one; default no upper bound"`
}

func (b bandParams) band() (workqueue.Band, error) {
	return workqueue.NewBand(b.MinPriority, b.AbovePriority, b.BelowPriority)
}
