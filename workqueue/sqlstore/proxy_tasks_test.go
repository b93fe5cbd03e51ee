package sqlstore_test

import (
	"context"
	"time"

	"botwork/workqueue"
	"botwork/workqueue/sqlstore"
	"botwork/workqueue/storetest"
)

const (
	countTasks     = `SELECT COUNT(*) FROM "BotTasks" WHERE "Definition" IS NOT NULL AND "Name" LIKE $1 || '%'`
	countTaskItems = `SELECT COUNT(*) FROM "BotWorkQueueItems" WHERE "TaskName" = $1 AND "TaskPriority" IS NOT NULL`
	countSettled   = `SELECT COUNT(*) FROM "BotTasks" WHERE "Name" = $1 AND "SettledUntil" > '2090-01-01'`
	countRevised   = `SELECT COUNT(*) FROM "BotWorkQueueItems" WHERE "TaskName" = $1 AND "Priority" = 1100`
	countNotices   = `SELECT COUNT(*) FROM "BotWorkQueueItems" WHERE "IntegrationConfig" = $1 OR "TaskName" = $1 AND "TaskNotifiedAt" IS NOT NULL`
)

// taskMethods are the methods for tasks and their items.
var taskMethods = []method{
	{"DefineTasks", 3, true, func(x *behindProxy) trial {
		x.alone()
		by := x.make.Spec(storetest.WorkerOpts{}).Name
		var defs []workqueue.TaskRow
		for _, suffix := range []string{"-1", "-2", "-3"} {
			defs = append(defs, workqueue.TaskRow{Name: by + suffix, Active: true, Pipeline: "P", Importance: 1, Definition: by})
		}
		return trial{func(ctx context.Context, s *sqlstore.Store) error {
			_, err := s.DefineTasks(ctx, defs, by)
			return err
		}, func() int { return x.count(countTasks, by) }}
	}},
	{"FireTasks", 4, true, func(x *behindProxy) trial {
		name := x.task()
		windows := []workqueue.TaskWindow{taskWindow(name, "a"), taskWindow(name, "b")}
		return trial{func(ctx context.Context, s *sqlstore.Store) error {
			_, err := s.FireTasks(ctx, windows, name)
			return err
		}, func() int { return x.count(countTaskItems, name) + x.firings(workqueue.TaskSchedule(name)) }}
	}},
	{"RunTask", 2, true, func(x *behindProxy) trial {
		name := x.task()
		items := []workqueue.ScopedItem{taskWindow(name, "a").ScopedItem, taskWindow(name, "b").ScopedItem}
		part := workqueue.BatchPart{Key: workqueue.NewBatchKey(), Part: 1}
		return trial{func(ctx context.Context, s *sqlstore.Store) error {
			_, err := s.RunTask(ctx, name, part, items)
			return err
		}, func() int { return x.count(countTaskItems, name) }}
	}},
	{"SettleTask", 2, true, func(x *behindProxy) trial {
		name := x.task()
		f := x.firing()
		f.Schedule, f.Outcome = workqueue.TaskSchedule(name), workqueue.Missed
		return trial{func(ctx context.Context, s *sqlstore.Store) error {
			return s.SettleTask(ctx, name, []workqueue.Firing{f}, time.Date(2091, 1, 1, 0, 0, 0, 0, time.UTC))
		}, func() int { return x.count(countSettled, name) + x.firings(f.Schedule) }}
	}},
	{"ReviseTaskItems", 2, false, func(x *behindProxy) trial {
		name := x.task()
		made, err := x.way.FireTasks(x.Context(), []workqueue.TaskWindow{taskWindow(name, "a"), taskWindow(name, "b")}, name)
		if err != nil || len(made) != 2 {
			x.Fatalf("FireTasks = %v, %v", made, err)
		}
		var revisions []workqueue.TaskRevision
		for _, it := range made {
			revisions = append(revisions, workqueue.TaskRevision{ItemID: it.ID, State: workqueue.Ready, Old: it.Priority, New: 1100})
		}
		return trial{func(ctx context.Context, s *sqlstore.Store) error {
			_, err := s.ReviseTaskItems(ctx, revisions)
			return err
		}, func() int { return x.count(countRevised, name) }}
	}},
	{"NotifyTaskFailures", 2, true, func(x *behindProxy) trial {
		name := x.task()
		it := x.make.Item(storetest.ItemOpts{State: workqueue.Cancelled})
		if _, err := x.hand.ExecContext(x.Context(), `UPDATE "BotWorkQueueItems" SET "TaskName" = $1 WHERE "Id" = $2`, name, it.ID); err != nil {
			x.Fatal(err)
		}
		return trial{func(ctx context.Context, s *sqlstore.Store) error {
			_, err := s.NotifyTaskFailures(ctx, 1000, func(f workqueue.TaskFailure) (workqueue.NewItem, bool) {
				return workqueue.NewItem{IntegrationConfig: f.Task}, true
			})
			return err
		}, func() int { return x.count(countNotices, name) }}
	}},
	reading("Tasks", func(ctx context.Context, s *sqlstore.Store, _ workqueue.Item) error {
		_, err := s.Tasks(ctx)
		return err
	}),
	reading("TaskFirings", func(ctx context.Context, s *sqlstore.Store, _ workqueue.Item) error {
		_, err := s.TaskFirings(ctx, []workqueue.TaskSince{{Task: "T"}})
		return err
	}),
	reading("TaskScopesBusy", func(ctx context.Context, s *sqlstore.Store, _ workqueue.Item) error {
		_, err := s.TaskScopesBusy(ctx, "T")
		return err
	}),
	reading("WaitingTaskItems", func(ctx context.Context, s *sqlstore.Store, _ workqueue.Item) error {
		_, err := s.WaitingTaskItems(ctx, workqueue.Ready, 0, 10)
		return err
	}),
}

// task defines the only task. It removes what earlier trials left, and the queues' policies are
// read again: otherwise the answers of two calls would differ in length.
func (x *behindProxy) task() string {
	x.Helper()
	x.alone()
	name := x.make.Spec(storetest.WorkerOpts{}).Name
	row := workqueue.TaskRow{Name: name, Active: true, Pipeline: "P", Importance: 1, Definition: name}
	if _, err := x.way.DefineTasks(x.Context(), []workqueue.TaskRow{row}, name); err != nil {
		x.Fatal(err)
	}
	return name
}

// alone removes the tasks and failures of earlier trials.
func (x *behindProxy) alone() {
	x.Helper()
	x.store.ForgetPolicies()
	for _, statement := range []string{
		`DELETE FROM "BotTasks"`, `UPDATE "BotWorkQueueItems" SET "TaskNotifiedAt" = "CreatedAt" WHERE "TaskName" IS NOT NULL`,
	} {
		if _, err := x.hand.ExecContext(x.Context(), statement); err != nil {
			x.Fatalf("%s: %v", statement, err)
		}
	}
}

func taskWindow(task, scope string) workqueue.TaskWindow {
	return workqueue.TaskWindow{Task: task, PlannedAt: time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC), ScopedItem: workqueue.ScopedItem{
		Scope: scope, Item: workqueue.NewItem{State: workqueue.Ready, Priority: 550, IntegrationConfig: "P", TaskName: task},
	}}
}
