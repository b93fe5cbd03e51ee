package tasks_test

import (
	"errors"
	"fmt"
	"maps"
	"strings"
	"testing"
	"time"

	"botwork/tasks"
	"botwork/workqueue"
)

// priorities returns the priorities of items by task.
func (x *fixture) priorities() map[string]int {
	got := map[string]int{}
	for _, it := range x.items() {
		got[*it.TaskName] = it.Priority
	}
	return got
}

func (x *fixture) revise(state workqueue.State, seen, changed int) {
	x.Helper()
	gotSeen, gotChanged, err := tasks.RaisePriorities(x.Context(), x.store, state)
	if err != nil || gotSeen != seen || gotChanged != changed {
		x.Errorf("Revise(%s) = %d, %d, %v, want %d, %d", state, gotSeen, gotChanged, err, seen, changed)
	}
}

func (x *fixture) wantPriorities(want map[string]int) {
	x.Helper()
	if got := x.priorities(); !maps.Equal(got, want) {
		x.Errorf("at %s the priorities are %v, want %v", x.now.Format(time.RFC3339), got, want)
	}
}

func TestReviseRaisesWaitingItems(t *testing.T) {
	each(t, func(x *fixture) {
		if _, err := x.store.DefineQueues(t.Context(), []workqueue.Queue{{Name: "urgent", PriorityOffset: 40}}, "ann"); err != nil {
			t.Fatal(err)
		}
		window := "schedule: {execute: daily, startAt: 8, startTolerance: 10}"
		x.define(fmt.Sprintf(`
low: {pipeline: p, importance: low, %[1]s}
normal: {pipeline: p, queue: urgent, %[1]s}
high: {pipeline: p, importance: high, %[1]s}
open: {pipeline: p, schedule: {cron: "0 8 * * *"}}
byhand: {pipeline: p, %[1]s}
`, window))
		x.at("2026-11-21T08:00")
		x.load(tasks.LoadResult{Tasks: 5, Items: 5})
		x.wantPriorities(map[string]int{"low": 200, "normal": 590, "high": 900, "open": 550, "byhand": 550})
		x.exec(`UPDATE "BotWorkQueueItems" SET "Priority" = 10 WHERE "TaskName" = 'byhand'`)
		x.revise(workqueue.Ready, 4, 0) // nothing has changed yet
		x.revise(workqueue.Pending, 0, 0)
		x.at("2026-11-21T12:00")
		x.revise(workqueue.Ready, 4, 4)
		x.wantPriorities(map[string]int{"low": 650, "normal": 915, "high": 1100, "open": 658, "byhand": 10})
		x.at("2026-11-21T10:00")
		x.revise(workqueue.Ready, 4, 0) // it never lowers one
		x.at("2026-11-22T08:00")
		x.revise(workqueue.Ready, 4, 4)
		x.wantPriorities(map[string]int{"low": 1100, "normal": 1240, "high": 1300, "open": 1200, "byhand": 10})
	})
}

func TestReviseRaisesRequestedItems(t *testing.T) {
	each(t, func(x *fixture) {
		x.define(`{books: {pipeline: p, importance: low, active: false, scope: [a, b]}}`)
		task := x.read("books")
		ids, err := task.Run(t.Context(), x.store, workqueue.BatchPart{}, []string{"b"}, "tester")
		if err != nil || len(ids) != 1 {
			t.Fatalf("Run = %v, %v, want one id", ids, err)
		}
		it := x.items()[0]
		if it.State != workqueue.Pending || it.Priority != 1000 || it.DeadlineAt != nil || *it.CreatedBy != "tester" ||
			string(it.Payload) != `{"task":{"name":"books","scope":"b","plannedAt":null,"deadlineAt":null}}` {
			t.Errorf("the item is %+v", it)
		}
		var unknown *tasks.UnknownScopeError
		if _, err := task.Run(t.Context(), x.store, workqueue.BatchPart{}, []string{"a", "c"}, "tester"); !errors.As(err, &unknown) || !strings.Contains(err.Error(), `"c"`) || len(x.items()) != 1 {
			t.Errorf("an unknown scope value: %v, and there are %d items", err, len(x.items()))
		}
		if ids, err := task.Run(t.Context(), x.store, workqueue.BatchPart{}, nil, "tester"); err != nil || len(ids) != 2 {
			t.Errorf("Run for all = %v, %v, want two ids", ids, err)
		}
		x.revise(workqueue.Pending, 3, 0) // 1000 is more than it would have
		x.revise(workqueue.Ready, 0, 0)
		x.at("2026-11-22T07:00")
		x.revise(workqueue.Pending, 3, 3)
		x.wantPriorities(map[string]int{"books": 1100})
	})
}

// read reads the row of a task.
func (x *fixture) read(name string) tasks.Task {
	x.Helper()
	rows, err := x.store.Tasks(x.Context())
	if err != nil {
		x.Fatal(err)
	}
	for _, row := range rows {
		if row.Name == name {
			task, err := tasks.Read(row)
			if err != nil {
				x.Fatal(err)
			}
			return task
		}
	}
	x.Fatalf("no task %q", name)
	return tasks.Task{}
}

func TestNotification(t *testing.T) {
	each(t, func(x *fixture) {
		x.define(`
books:
  pipeline: close-books
  schedule: {execute: daily}
  scope: [lisbon, porto]
  notify: {pipeline: tell-admins, payload: {to: [books@example.com]}}
quiet: {pipeline: p, schedule: {execute: daily}}
`)
		x.load(tasks.LoadResult{Tasks: 2, Items: 3})
		x.exec(`UPDATE "BotWorkQueueItems" SET "State" = 2 WHERE "TaskScope" = 'porto'`)
		failed := x.items()[0]
		x.end(workqueue.Cancelled, "timeout")
		x.load(tasks.LoadResult{Tasks: 2, Failures: 2, Notices: 1})
		x.load(tasks.LoadResult{Tasks: 2}) // once
		items := x.items()
		notice := items[len(items)-1]
		if len(items) != 4 || notice.IntegrationConfig != "tell-admins" || notice.State != workqueue.Ready || notice.Priority != 1000 ||
			notice.TaskName != nil || *notice.CreatedBy != "task books" {
			t.Errorf("%d items, the notification is %+v", len(items), notice)
		}
		want := map[string]any{
			"task": "books", "scope": "lisbon", "itemId": float64(failed.ID), "pipeline": "close-books", "error": "broken", "errorKind": "timeout",
			"attempts": float64(0), "plannedAt": "2026-11-21T00:00:00Z", "failedAt": "2026-11-21T07:00:00Z",
		}
		if got := info(t, notice.Payload, tasks.FailureKey); !maps.Equal(got, want) {
			t.Errorf("it tells %v, want %v", got, want)
		}
		if !strings.Contains(string(notice.Payload), `"to":["books@example.com"]`) {
			t.Errorf("the task's own words are not in %s", notice.Payload)
		}
		x.end(workqueue.Cancelled, "error") // the notification fails, too
		x.load(tasks.LoadResult{Tasks: 2})
		if n := len(x.items()); n != 4 {
			t.Errorf("the failure of a notification made item %d", n)
		}

		x.at("2026-11-22T07:00")
		x.load(tasks.LoadResult{Tasks: 2, Items: 3})
		x.end(workqueue.Cancelled, "cancelled") // a cancel by a person is not a failure
		x.load(tasks.LoadResult{Tasks: 2, Failures: 3})
	})
}
