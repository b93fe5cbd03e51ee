package api

import (
	"context"
	"errors"
	"net/http"

	"botwork/internal/api/auth"
	"botwork/internal/operations"
	"botwork/tasks"
	"botwork/workqueue"
	"botwork/workqueue/access"
)

func (a *API) registerTasks() {
	register(a, operation{
		id: "tasks-list", method: http.MethodGet, path: "/tasks", summary: "List the scheduled tasks by name", needs: access.Viewer,
	}, a.listTasks)
	register(a, operation{
		id: "tasks-get", method: http.MethodGet, path: "/tasks/{task}", summary: "Get a task, its next windows and the outcome of the last ones", needs: access.Viewer,
		refuses: []int{http.StatusNotFound},
	}, a.getTask)
	register(a, operation{
		id: "tasks-run", method: http.MethodPost, path: "/tasks/{task}/run", summary: "Create the items of a task now", needs: access.Operator, status: http.StatusCreated,
		doc:  "Creates an item for each of the task's scope values, or for those of the request, whether the task is active or not. Its windows do not change.",
		once: true, refuses: []int{http.StatusNotFound, http.StatusConflict},
	}, a.runTask)
}

// TaskPath is the path of a task.
type TaskPath struct {
	Task string `path:"task" maxLength:"200" doc:"the task's name"`
}

func (a *API) listTasks(ctx context.Context, in *NamePage) (*pageOf[operations.Task], error) {
	list, err := operations.Tasks(ctx, a.store)
	return cut(list, func(t *operations.Task) string { return t.Name }, in.After, in.Limit, "/tasks"), err
}

type taskQuery struct {
	TaskPath
	Count int `query:"count" minimum:"1" maximum:"1000" default:"5" doc:"how many of the next windows; of records, twice as many"`
}

type taskBody struct{ Body operations.TaskDetails }

func (a *API) getTask(ctx context.Context, in *taskQuery) (*taskBody, error) {
	d, err := operations.TaskByName(ctx, a.store, in.Task, in.Count)
	return &taskBody{d}, err
}

type taskRunRequest struct {
	TaskPath
	Body *struct {
		Scopes []string `json:"scopes,omitempty" maxItems:"1000" nullable:"false" doc:"only for these scope values"`
		Reason string   `json:"reason,omitempty" maxLength:"1000" doc:"why, for the audit log"`
	}
}

type taskItems struct {
	Body struct {
		Items []operations.ScopedItem `json:"items" nullable:"false"`
	}
}

func (a *API) runTask(ctx context.Context, in *taskRunRequest) (*taskItems, error) {
	var scopes []string
	if in.Body != nil {
		scopes, ctx = in.Body.Scopes, because(ctx, in.Body.Reason)
	}
	var made []operations.ScopedItem
	part := workqueue.BatchPart{Key: batchKeyOf(ctx), Part: 1}
	err := runPart(ctx, func(ctx context.Context) (err error) {
		made, err = operations.RunTask(ctx, a.store, in.Task, part, scopes, auth.From(ctx).Name)
		return err
	})
	if unknown := (*tasks.UnknownScopeError)(nil); errors.As(err, &unknown) {
		return nil, fault("body.scopes", "%v", err)
	}
	if problems := (tasks.Problems)(nil); errors.As(err, &problems) {
		p := problem(http.StatusConflict, "task-broken", "the row of the task %q cannot be read", in.Task)
		for _, one := range problems {
			p.Errors = append(p.Errors, Fault{Location: "task", Message: one.String()})
		}
		return nil, p
	}
	if err != nil {
		return nil, err
	}
	out := &taskItems{}
	out.Body.Items = append([]operations.ScopedItem{}, made...)
	return out, nil
}
