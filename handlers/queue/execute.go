package queue

import (
	"context"

	"botwork/handlers"
	"botwork/pipelines"
	"botwork/workqueue/runner"
)

func executeKind(s Services) handlers.Kind {
	return handlers.Kind{
		Name: pipelines.ExecuteHandler, Summary: "Run the items that are assigned to this worker",
		Doc: `Runs this worker's assigned items of the given priorities, the highest first: claims each (state 1, a lease), runs the pipeline
of its IntegrationConfig step by step, and records its end (state 2). After a failure RetryCount grows by one; below the resilience
limit the item runs again after its backoff (state 0), else it has failed (state 3). The step ends when no items are left and all
ends are written.

Items run in the worker's slots, which all pipelines share. From the first such step of a run until the last one has ended, the
priorities of all of them are open: a free slot goes to the most urgent due item of all open priorities, and a step that waits for a
long item keeps no other item from a free slot. With refill the step asks for more items when the worker has none left, by repeating
the latest AssignTasksToWorker, and every 15 seconds, and at each tick of the pipeline, while it is busy. A failed item does not fail
the step.

It is safe to run twice: an item is claimed by one worker at a time.`,
		Output:      "{succeeded, failed, snoozed, released, dropped}: counts of attempts by how they ended.",
		OutputShape: handlers.Always(handlers.CountsShape("succeeded", "failed", "snoozed", "released", "dropped")),
		Example: `- handler: ExecuteWorkItems
  with: {abovePriority: 1000}
`,
		New: func() handlers.Handler { return &executeStep{services: s, Refill: true} },
	}
}

type executeStep struct {
	services Services

	bandParams
	Refill bool `json:"refill" doc:"ask for more items when the worker has none left"`
}

// Validate implements handlers.Validator.
func (e *executeStep) Validate() error {
	_, err := e.band()
	return err
}

// Handle implements handlers.Handler.
func (e *executeStep) Handle(ctx context.Context, call *handlers.Call) (any, error) {
	worker := e.services.worker()
	if worker == nil {
		return nil, errNoWorker
	}
	band, err := e.band()
	if err != nil {
		return nil, handlers.Permanent(err)
	}
	p := runner.ExecuteParams{Band: band, Refill: e.Refill, Session: runner.SessionOf(ctx), Step: call.Step}
	r, err := worker.Execute(ctx, p)
	log := call.Log.With().Stringer("band", band).Logger()
	reportCounts(call, log, "ran items", counter{"succeeded", r.Succeeded}, counter{"failed", r.Failed},
		counter{"snoozed", r.Snoozed}, counter{"released", r.Released}, counter{"dropped", r.Dropped})
	return map[string]any{
		"succeeded": r.Succeeded, "failed": r.Failed, "snoozed": r.Snoozed, "released": r.Released, "dropped": r.Dropped,
	}, err
}
