package tasks

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"botwork/internal/author/strictyaml"
	"botwork/workqueue"
)

// UnknownScopeError reports that a task has no such scope value.
type UnknownScopeError struct {
	Task, Scope string
	Known       []string
}

func (e *UnknownScopeError) Error() string {
	switch hint := strictyaml.Suggest(e.Scope, e.Known); {
	case len(e.Known) == 0:
		return fmt.Sprintf("task %q has no scope, got the value %q", e.Task, e.Scope)
	case hint != "":
		return fmt.Sprintf("task %q has no scope value %q; %s", e.Task, e.Scope, hint)
	default:
		known := e.Known[:min(len(e.Known), 20)]
		return fmt.Sprintf("task %q has no scope value %q; valid values: %s", e.Task, e.Scope, strings.Join(known, ", "))
	}
}

// Run creates the items of a task on request, whether it is active or not: one for each given
// scope value, or for each of the task's if none is given. The items are Pending with
// workqueue.RequestPriority, and have no window and no deadline.
func (t *Task) Run(ctx context.Context, store workqueue.TaskStore, part workqueue.BatchPart, scopes []string, by string) ([]int64, error) {
	for _, scope := range scopes {
		if !slices.Contains(t.Scope, scope) {
			return nil, &UnknownScopeError{Task: t.Name, Scope: scope, Known: t.Scope}
		}
	}
	if len(scopes) == 0 {
		scopes = t.Scopes()
	}
	items := make([]workqueue.ScopedItem, len(scopes))
	for i, scope := range scopes {
		it, err := t.item(scope, time.Time{}, time.Time{})
		if err != nil {
			return nil, err
		}
		it.Item.State, it.Item.Priority, it.Item.CreatedBy = workqueue.Pending, workqueue.RequestPriority, by
		items[i] = it
	}
	return store.RunTask(ctx, t.Name, part, items)
}
