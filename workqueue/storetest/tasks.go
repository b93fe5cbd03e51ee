package storetest

import (
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"botwork/workqueue"
)

func taskTests() []test {
	return []test{
		{"a row inserted by hand", taskHand},
		{"definitions of a file", taskDefine},
		{"a change by hand is kept when the same file is read again", taskHandEdit},
		{"tasks that were removed from the file", taskLeft},
		{"eight processes define tasks at the same time", taskDefineContention},
		{"windows are settled", taskSettle},
		{"one item for each window", taskFire},
		{"eight passes at the same time", taskFireContention},
		{"windows that get no item", taskFireRefused},
		{"an unknown queue creates nothing", taskFireUnknownQueue},
		{"items on request", taskRun},
		{"waiting items are revised", taskRevise},
		{"a priority set by a user is kept", taskReviseByHand},
		{"each failure is reported once", taskFailures},
		{"eight passes report at the same time", taskFailureContention},
		{"failures that are not reported", taskNoNews},
		{"a retry as a copy belongs to the task", taskCopy},
	}
}

// aTask returns the row of a task as a file defines it.
func aTask(name, definition string) workqueue.TaskRow {
	return workqueue.TaskRow{Name: name, Active: true, QueueName: "default", Pipeline: "Work", Importance: 1, Definition: definition}
}

// defineTasks writes definitions and checks which of them changed.
func (x *fixture) defineTasks(want []string, defs ...workqueue.TaskRow) {
	x.Helper()
	changed, err := x.Store.DefineTasks(x.ctx, defs, "ann")
	if err != nil || !slices.Equal(changed, want) {
		x.Fatalf("DefineTasks = %q, %v, want %q", changed, err, want)
	}
}

// task reads the row of a task.
func (x *fixture) task(name string) workqueue.TaskRow {
	x.Helper()
	rows, err := x.Store.Tasks(x.ctx)
	if err != nil {
		x.Fatal(err)
	}
	i := slices.IndexFunc(rows, func(t workqueue.TaskRow) bool { return t.Name == name })
	if i < 0 {
		x.Fatalf("task %q does not exist", name)
	}
	return rows[i]
}

func taskHand(x *fixture) {
	x.exec(1, `INSERT INTO "BotTasks" ("Name", "Pipeline") VALUES ('Nightly', 'Work')`)
	got := x.task("Nightly")
	x.wantClean("UpdatedAt", &got.UpdatedAt)
	x.wantClean("SettledUntil", &got.SettledUntil)
	want := workqueue.TaskRow{
		Name: "Nightly", Active: true, QueueName: "default", Pipeline: "Work", Importance: 1, Revision: 1,
		UpdatedAt: got.UpdatedAt, SettledUntil: got.SettledUntil,
	}
	if got != want {
		x.Errorf("the row is\n     %+v\nwant %+v", got, want)
	}
	x.defineTasks(nil) // a file without tasks does not change the row
	if again := x.task("Nightly"); again != want {
		x.Errorf("a file without this task changed the row to %+v", again)
	}
	// A file that defines the task changes the row.
	x.defineTasks([]string{"Nightly"}, aTask("Nightly", "one"))
}

func taskDefine(x *fixture) {
	full := workqueue.TaskRow{
		Name: "books", Topic: "finance", Description: "Close the books", Active: true, QueueName: "default", Pipeline: "Work", Importance: 2,
		ScheduleConfig: `{"execute":"daily"}`, Scope: `["a","b"]`, Payload: `{"k":1}`, ResilienceConfig: `{"limit":2}`,
		NotificationConfig: `{"pipeline":"Notify"}`, Estimate: 90 * time.Second, Definition: "one",
	}
	x.defineTasks([]string{"books", "other"}, full, aTask("other", "two"))
	got := x.task("books")
	want := full
	want.DefinedBy, want.Revision, want.UpdatedAt, want.SettledUntil = "ann", 1, got.UpdatedAt, got.SettledUntil
	if got != want {
		x.Errorf("the row is\n     %+v\nwant %+v", got, want)
	}
	x.defineTasks(nil, full, aTask("other", "two"))
	if again := x.task("books"); again != got {
		x.Errorf("the same definition changed the row to %+v", again)
	}
	later := full
	later.Definition, later.Importance, later.Topic, later.Estimate = "three", 0, "", 0
	x.defineTasks([]string{"books"}, later, aTask("other", "two"))
	now := x.task("books")
	if now.Importance != 0 || now.Topic != "" || now.Estimate != 0 || now.Revision != 2 || now.Definition != "three" {
		x.Errorf("the new definition changed the row to %+v", now)
	}
	if !now.SettledUntil.Equal(got.SettledUntil) {
		x.Error("a change of the importance settled windows that have no record yet")
	}
	for definition, change := range map[string]func(){
		"another schedule": func() { later.ScheduleConfig = `{"execute":"weekly"}` },
		"another scope":    func() { later.Scope = `["a","c"]` },
		"no longer active": func() { later.Active = false },
	} {
		x.exec(2, `UPDATE "BotTasks" SET "SettledUntil" = %s`, longAgo)
		later.Definition = definition
		change()
		x.defineTasks([]string{"books"}, later, aTask("other", "two"))
		if now := x.task("books"); now.SettledUntil.Before(got.SettledUntil) {
			x.Errorf("%s: settled until %s, want until now: earlier windows belong to the previous definition", definition, now.SettledUntil)
		}
	}
}

func taskHandEdit(x *fixture) {
	x.defineTasks([]string{"books"}, aTask("books", "one"))
	x.exec(1, `UPDATE "BotTasks" SET "Active" = '0', "Importance" = 2`)
	x.defineTasks(nil, aTask("books", "one"))
	if got := x.task("books"); got.Active || got.Importance != 2 {
		x.Errorf("reading the same file again reverted the change by hand: %+v", got)
	}
	x.defineTasks([]string{"books"}, aTask("books", "two"))
	if got := x.task("books"); !got.Active || got.Importance != 1 {
		x.Errorf("after a new definition the row is %+v", got)
	}
}

func taskLeft(x *fixture) {
	x.exec(1, `INSERT INTO "BotTasks" ("Name", "Pipeline") VALUES ('by hand', 'Work')`)
	x.defineTasks([]string{"a", "b"}, aTask("a", "one"), aTask("b", "one"))
	x.defineTasks([]string{"b"}, aTask("a", "one"))
	if a, b, hand := x.task("a"), x.task("b"), x.task("by hand"); !a.Active || b.Active || b.Revision != 2 || !hand.Active {
		x.Errorf("after b was removed from the file: a active %t, b %+v, the task by hand active %t", a.Active, b, hand.Active)
	}
	x.defineTasks(nil, aTask("a", "one")) // b changes only once
	x.defineTasks([]string{"b"}, aTask("a", "one"), aTask("b", "one"))
	if !x.task("b").Active {
		x.Error("b was added again and is not active")
	}
}

func taskDefineContention(x *fixture) {
	defs := []workqueue.TaskRow{aTask("a", "one"), aTask("b", "one"), aTask("c", "one")}
	x.defineTasks([]string{"a"}, aTask("a", "zero"))
	stores := []Store{x.Store, x.Another(x.T), x.Another(x.T)}
	var wrote atomic.Int32
	var wg sync.WaitGroup
	for n := range 8 {
		wg.Go(func() {
			changed, err := stores[n%len(stores)].DefineTasks(x.ctx, defs, "ann")
			if err != nil {
				x.Error(err)
			}
			wrote.Add(int32(len(changed)))
		})
	}
	wg.Wait()
	if wrote.Load() != 3 {
		x.Errorf("%d definitions were written, want each once", wrote.Load())
	}
	if a, b := x.task("a"), x.task("b"); a.Revision != 2 || b.Revision != 1 {
		x.Errorf("revisions %d and %d, want 2 and 1", a.Revision, b.Revision)
	}
}

func taskSettle(x *fixture) {
	x.defineTasks([]string{"books"}, aTask("books", "one"))
	x.exec(1, `UPDATE "BotTasks" SET "SettledUntil" = %s`, longAgo)
	closed := func(outcome workqueue.FiringOutcome, scope, reason string) workqueue.Firing {
		return workqueue.Firing{
			Schedule: workqueue.TaskSchedule("books"), PlannedAt: planned, Worker: scope, Outcome: outcome, Reason: reason, RecordedBy: "ann",
		}
	}
	settle := func(until time.Time, fs ...workqueue.Firing) {
		x.Helper()
		if err := x.Store.SettleTask(x.ctx, "books", fs, until); err != nil {
			x.Fatal(err)
		}
	}
	end := planned.Add(time.Hour)
	settle(end, closed(workqueue.Missed, "a", "no worker was running"), closed(workqueue.Skipped, "b", "busy"))
	settle(planned, closed(workqueue.Skipped, "a", "another reason"), closed(workqueue.Missed, "c", "no worker was running"))
	if got := x.task("books"); !got.SettledUntil.Equal(end) || got.Revision != 1 {
		x.Errorf("settled until %s in revision %d, want %s in 1", got.SettledUntil, got.Revision, end)
	}
	got := map[string]string{}
	firings, err := x.Store.TaskFirings(x.ctx, []workqueue.TaskSince{{Task: "books", From: planned}, {Task: "other", From: planned}})
	if err != nil {
		x.Fatal(err)
	}
	for _, f := range firings {
		x.wantClean("RecordedAt", &f.RecordedAt)
		got[f.Worker] = string(f.Outcome) + ": " + f.Reason
	}
	want := map[string]string{"a": "missed: no worker was running", "b": "skipped: busy", "c": "missed: no worker was running"}
	if asJSON(got) != asJSON(want) {
		x.Errorf("the records are %v, want %v", got, want)
	}
	if later, err := x.Store.TaskFirings(x.ctx, []workqueue.TaskSince{{Task: "books", From: end}}); err != nil || len(later) > 0 {
		x.Errorf("records since %s: %v, %v, want none", end, later, err)
	}
}
