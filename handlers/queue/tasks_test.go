package queue_test

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"botwork/handlers"
	"botwork/handlers/queue"
	"botwork/internal/database"
	"botwork/tasks"
	"botwork/workqueue"
	"botwork/workqueue/sqlstore"
)

// tasksAt opens a new database whose clock returns now.
func tasksAt(t *testing.T, now *time.Time) *sqlstore.Store {
	t.Helper()
	store, err := sqlstore.Open(t.Context(), sqlstore.Options{
		Driver: string(database.SQLite), DSN: filepath.Join(t.TempDir(), "botwork.db"), Now: func() time.Time { return *now },
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := store.Close(); err != nil {
			t.Errorf("close store: %v", err)
		}
	})
	if _, err := store.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	return store
}

func TestTaskHandlers(t *testing.T) {
	now := time.Date(2026, 11, 21, 8, 0, 0, 0, time.UTC)
	store := tasksAt(t, &now)
	s := queue.Services{Tasks: func() tasks.Store { return store }, WorkerName: func() string { return "ann" }}
	step := func(kind string, want map[string]any) {
		t.Helper()
		out, err := run(t, s, kind, nil, handlers.Call{Pipeline: "P"})
		if err != nil {
			t.Fatalf("%s: %v", kind, err)
		}
		if diff := cmp.Diff(want, out); diff != "" {
			t.Errorf("%s at %s (-want +got):\n%s", kind, now.Format(time.DateTime), diff)
		}
	}
	managed := func(n, items, missed, skipped, failures, notices int) map[string]any {
		return map[string]any{"tasks": n, "items": items, "missed": missed, "skipped": skipped, "failures": failures, "notices": notices}
	}
	revised := func(seen, changed int) map[string]any { return map[string]any{"seen": seen, "changed": changed} }

	step("ManageWorkQueue", managed(0, 0, 0, 0, 0, 0))
	step("LoadWorkQueueItems", revised(0, 0))
	step("SchedulePendingTasks", revised(0, 0))

	task := tasks.Task{
		Name: "books", Active: true, Pipeline: "p", Importance: tasks.Normal, Schedule: &tasks.Schedule{Execute: tasks.Daily, StartAt: "8", StartTolerance: "10"},
		Notify: &tasks.Notify{Pipeline: "tell"},
	}
	rows, err := tasks.Rows([]tasks.Task{task})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := store.DefineTasks(t.Context(), rows, "ann"); err != nil {
		t.Fatal(err)
	}
	step("ManageWorkQueue", managed(1, 1, 0, 0, 0, 0))
	step("ManageWorkQueue", managed(1, 0, 0, 0, 0, 0))
	ids, err := task.Run(t.Context(), store, workqueue.BatchPart{}, nil, "ann")
	if err != nil || len(ids) != 1 {
		t.Fatalf("Run = %v, %v", ids, err)
	}
	now = now.Add(4 * time.Hour)
	step("LoadWorkQueueItems", revised(1, 1))
	step("SchedulePendingTasks", revised(1, 0))
	now = now.Add(20 * time.Hour)
	step("SchedulePendingTasks", revised(1, 1))

	items, err := store.Items(t.Context(), workqueue.ItemFilter{TaskName: "books"})
	if err != nil || len(items) != 2 || items[0].Priority != 1200 || items[1].Priority != 875 {
		t.Errorf("the items are %+v, %v, want priorities 1200 on request and 875 by the schedule", items, err)
	}
	records, err := store.Firings(t.Context(), workqueue.FiringFilter{Schedule: "task:books", Limit: 10})
	if err != nil || len(records) != 1 || records[0].RecordedBy != "ann" {
		t.Errorf("the records are %+v, %v, want one of ann", records, err)
	}
	// Both items still wait for workers, so the next day's window waits too.
	step("ManageWorkQueue", managed(1, 0, 0, 0, 0, 0))
	now = now.Add(10 * time.Hour)
	step("ManageWorkQueue", managed(1, 0, 0, 1, 0, 0))
}

func TestTaskHandlersWithoutADatabase(t *testing.T) {
	for _, s := range []queue.Services{{}, {Tasks: func() tasks.Store { return nil }}} {
		for _, kind := range []string{"ManageWorkQueue", "LoadWorkQueueItems", "SchedulePendingTasks"} {
			_, err := run(t, s, kind, nil, handlers.Call{})
			if permanent := (*handlers.PermanentError)(nil); !errors.As(err, &permanent) || !strings.Contains(err.Error(), "botwork run") {
				t.Errorf("%s: err = %v, want a permanent one that names botwork run", kind, err)
			}
		}
	}
}
