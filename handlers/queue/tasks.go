package queue

import (
	"context"
	"errors"

	"botwork/handlers"
	"botwork/tasks"
	"botwork/workqueue"
)

// errNoTasks reports that the step ran outside of `botwork run`.
var errNoTasks = handlers.Permanent(errors.New("no tasks can be reached here; hint: botwork run, or botwork run --once PIPELINE"))

// taskStep is a step that works on tasks; none of them has parameters.
type taskStep struct {
	services Services
	do       func(ctx context.Context, store tasks.Store, call *handlers.Call) (any, error)
}

// Handle implements handlers.Handler.
func (t *taskStep) Handle(ctx context.Context, call *handlers.Call) (any, error) {
	if t.services.Tasks == nil {
		return nil, errNoTasks
	}
	store := t.services.Tasks()
	if store == nil {
		return nil, errNoTasks
	}
	return t.do(ctx, store, call)
}

func manageKind(s Services) handlers.Kind {
	return handlers.Kind{
		Name: "ManageWorkQueue", Summary: "Create the items of scheduled tasks that are due",
		Doc: `Checks all tasks. A task gets an item, for each of its scope values, if it is active, its window is open, no item was created for
that window, and no earlier item of that task and value waits or runs. The item has state 0 (Ready), the task's payload with the key
task added, and the window's end as its deadline. A window that closed without an item gets a record with the reason.

Then it finds items of tasks that failed for good, and creates an item of the pipeline that the task's notify names for each.

It is safe to run twice, and on several workers at the same time: an item and the unique record of its window are written together.
A task that cannot be read or used is logged and does not affect the others. Without tasks the step is one query.`,
		Output: "{tasks, items, missed, skipped, failures, notices}: active tasks with a schedule, items created, windows that closed because no " +
			"worker checked them, and because an earlier item had not ended, items that failed for good, notifications created.",
		OutputShape: handlers.Always(handlers.CountsShape("tasks", "items", "missed", "skipped", "failures", "notices")),
		Example: `- handler: ManageWorkQueue
`,
		New: func() handlers.Handler {
			return &taskStep{services: s, do: func(ctx context.Context, store tasks.Store, call *handlers.Call) (any, error) {
				return s.load(ctx, store, call)
			}}
		},
	}
}

func (s Services) load(ctx context.Context, store tasks.Store, call *handlers.Call) (any, error) {
	loader := tasks.Loader{Store: store, By: "pipeline " + call.Pipeline, Report: func(task string, err error) {
		call.Log.Error().Err(err).Str("task", task).Msg("could not serve the task")
	}}
	if s.WorkerName != nil {
		loader.By = s.WorkerName()
	}
	r, err := loader.Load(ctx)
	log := call.Log.With().Int("tasks", r.Tasks).Logger()
	reportCounts(call, log, "created items of tasks", counter{"created", r.Items}, counter{"missed", r.Missed},
		counter{"skipped", r.Skipped}, counter{"failures", r.Failures}, counter{"notices", r.Notices})
	return map[string]any{
		"tasks": r.Tasks, "items": r.Items, "missed": r.Missed, "skipped": r.Skipped, "failures": r.Failures, "notices": r.Notices,
	}, err
}

const reviseDoc = `

The priority is that of docs/tasks.md: the task's importance sets the base, age and the closing window raise it above 1000 in the
end. It is never lowered, and a priority that a person has set is not changed. It is safe to run twice. Without tasks
the step is one query.`

func loadItemsKind(s Services) handlers.Kind {
	return handlers.Kind{
		Name: "LoadWorkQueueItems", Summary: "Update the priorities of tasks' items in state 0",
		Doc:         `Updates the priorities of tasks' items that a schedule created or that wait for a retry: those in state 0 (Ready).` + reviseDoc,
		Output:      "{seen, changed}: items that were checked, and items whose priority was raised.",
		OutputShape: handlers.Always(handlers.CountsShape("seen", "changed")),
		Example: `- handler: LoadWorkQueueItems
`,
		New: func() handlers.Handler { return reviseStep(s, workqueue.Ready) },
	}
}

func pendingTasksKind(s Services) handlers.Kind {
	return handlers.Kind{
		Name: "SchedulePendingTasks", Summary: "Update the priorities of tasks' items in state 4",
		Doc:         `Updates the priorities of tasks' items that were created on request: those in state 4 (Pending).` + reviseDoc,
		Output:      "{seen, changed}: items that were checked, and items whose priority was raised.",
		OutputShape: handlers.Always(handlers.CountsShape("seen", "changed")),
		Example: `- handler: SchedulePendingTasks
`,
		New: func() handlers.Handler { return reviseStep(s, workqueue.Pending) },
	}
}

func reviseStep(s Services, state workqueue.State) handlers.Handler {
	return &taskStep{services: s, do: func(ctx context.Context, store tasks.Store, call *handlers.Call) (any, error) {
		seen, changed, err := tasks.RaisePriorities(workqueue.ByRule(ctx, call.Pipeline), store, state)
		log := call.Log.With().Stringer("state", state).Int("seen", seen).Logger()
		reportCounts(call, log, "revised priorities", counter{"revised", changed})
		return map[string]any{"seen": seen, "changed": changed}, err
	}}
}
