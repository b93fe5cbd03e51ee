// Package queue holds the handlers that move the work queue: they join the
// steps of pipelines to package workqueue.
package queue

import (
	"context"

	"botwork/handlers"
	"botwork/tasks"
	"botwork/workqueue"
	"botwork/workqueue/assign"
	"botwork/workqueue/runner"
)

// Worker is what the handlers ask of this process's worker; *runner.Runner
// is one.
type Worker interface {
	Assign(ctx context.Context, p assign.AssignParams) (assign.AssignResult, error)
	Execute(ctx context.Context, p runner.ExecuteParams) (runner.ExecuteResult, error)
}

var _ Worker = (*runner.Runner)(nil)

// Enqueuer enqueues the items of Enqueue steps; see workqueue.ItemStore.
type Enqueuer interface {
	Enqueue(ctx context.Context, items []workqueue.NewItem) ([]workqueue.Enqueued, error)
}

// Services are what the handlers of this package work with.
type Services struct {
	// Worker runs AssignTasksToWorker and ExecuteWorkItems. It is asked for
	// at each run, since a registry is made before the worker starts; nil
	// (or a nil answer) where there is no worker, as in the checker.
	Worker func() Worker

	// Store takes the items of Enqueue; nil where nothing may be enqueued.
	Store func() Enqueuer

	// Tasks is what ManageWorkQueue and the revisions of priorities work on;
	// nil (or a nil answer) where there is no database.
	Tasks func() tasks.Store

	// CleanUp is the database that CleanUp works on; nil (or a nil answer) where
	// there is none.
	CleanUp func() workqueue.CleanUpStore

	// WorkerName is who makes and records; nil names the pipeline.
	WorkerName func() string

	// Profiles returns what pipelines declare about their items.
	Profiles workqueue.Profiles

	// Secrets finds a secret of the settings, for the headers of a service that
	// scores; nil knows none.
	Secrets func(name string) (value string, ok bool)

	// CheckPipeline refuses an IntegrationConfig that could not run; nil
	// accepts everything. A *pipelines.BrokenPipelineError says that its items
	// would wait until a file is fixed.
	CheckPipeline func(integrationConfig string) error
}

// Kinds lists the kinds of this package. With zero Services they can be
// documented and checked, and refuse to run.
func Kinds(s Services) []handlers.Kind {
	return []handlers.Kind{assignKind(s), executeKind(s), enqueueKind(s), manageKind(s), loadItemsKind(s), pendingTasksKind(s), cleanUpKind(s)}
}

// bandParams are the priorities that a step is about.
type bandParams struct {
	MinPriority   *int `json:"minPriority" doc:"only priorities from this one on; default no lower bound"`
	AbovePriority *int `json:"abovePriority" doc:"only priorities above this one; instead of minPriority"`
	BelowPriority *int `json:"belowPriority" doc:"only priorities below this one; default no upper bound"`
}

func (b bandParams) band() (workqueue.Band, error) {
	return workqueue.NewBand(b.MinPriority, b.AbovePriority, b.BelowPriority)
}
