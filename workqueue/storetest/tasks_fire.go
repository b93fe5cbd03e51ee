package storetest

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"botwork/workqueue"
)

// window returns a window with its item. It has opened for every clock, and its
// deadline is in the distant future.
func window(task, scope string) workqueue.TaskWindow {
	return workqueue.TaskWindow{Task: task, PlannedAt: planned, ScopedItem: workqueue.ScopedItem{Scope: scope, Item: workqueue.NewItem{
		State: workqueue.Ready, Priority: 550, IntegrationConfig: Pipeline, Payload: workqueue.JSONText(fmt.Sprintf(`{"scope":%q}`, scope)),
		Deadline: time.Date(2098, 1, 1, 0, 0, 0, 0, time.UTC), CreatedBy: "schedule", TaskName: task, Estimate: time.Minute,
	}}}
}

// fire makes the items of windows and returns the scope values with an item.
func (x *fixture) fire(windows ...workqueue.TaskWindow) []string {
	x.Helper()
	made, err := x.Store.FireTasks(x.ctx, windows, "ann")
	if err != nil {
		x.Fatal(err)
	}
	scopes := make([]string, len(made))
	for i, it := range made {
		scopes[i] = it.Scope
	}
	slices.Sort(scopes)
	return scopes
}

func (x *fixture) wantScopes(what string, got []string, want ...string) {
	x.Helper()
	if !slices.Equal(got, want) {
		x.Errorf("%s: items for %q, want for %q", what, got, want)
	}
}

func taskFire(x *fixture) {
	x.defineTasks([]string{"books"}, aTask("books", "one"))
	made, err := x.Store.FireTasks(x.ctx, []workqueue.TaskWindow{window("books", "lisbon"), window("books", "porto"), window("books", "porto")}, "ann")
	if err != nil || len(made) != 2 {
		x.Fatalf("FireTasks = %v, %v, want two items", made, err)
	}
	for _, m := range made {
		it := x.show(m.ID)
		if it.State != workqueue.Ready || it.Priority != 550 || deref(it.TaskName) != "books" || deref(it.TaskScope) != m.Scope ||
			it.TaskPlannedAt == nil || !it.TaskPlannedAt.Equal(planned) || deref(it.CreatedBy) != "schedule" ||
			string(it.Payload) != fmt.Sprintf(`{"scope":%q}`, m.Scope) || it.DeadlineAt == nil || !it.DeadlineAt.Equal(m.Deadline) ||
			!m.PlannedAt.Equal(planned) || m.Priority != 550 || m.Task != "books" {
			x.Errorf("the item of %+v is %s", m, asJSON(it))
		}
	}
	records := x.firings("task:books", 0)
	if len(records) != 2 || records[0].Outcome != workqueue.Fired || records[0].RecordedBy != "ann" || !records[0].PlannedAt.Equal(planned) {
		x.Errorf("the records are %s", asJSON(records))
	}
	busy, err := x.Store.TaskScopesBusy(x.ctx, "books")
	if err != nil || len(busy) != 2 || !busy["lisbon"].Equal(x.show(made[0].ID).CreatedAt) || busy["porto"].IsZero() {
		x.Errorf("TaskScopesBusy = %v, %v, want both since the creation of their items", busy, err)
	}
	if busy, err := x.Store.TaskScopesBusy(x.ctx, "other"); err != nil || len(busy) > 0 {
		x.Errorf("TaskScopesBusy of another task = %v, %v, want none", busy, err)
	}
	x.runOnceEach(made)
	x.wantScopes("the same window again", x.fire(window("books", "lisbon"), window("books", "porto")))
	next := window("books", "lisbon")
	next.PlannedAt = planned.Add(time.Hour)
	x.wantScopes("the next window", x.fire(next), "lisbon")
}

// runOnceEach runs each item successfully.
func (x *fixture) runOnceEach(items []workqueue.TaskItem) {
	x.Helper()
	w := x.Worker(WorkerOpts{})
	for _, it := range items {
		x.Assign(w, it.ID)
	}
	for _, it := range x.claim(w, len(items)) {
		if deref(it.TaskScope) == "" || it.TaskPlannedAt == nil {
			x.Errorf("the claimed item is %s, want its scope and its window", asJSON(it))
		}
		x.wantIDs("lost", x.finish(w, success(it)), nil)
	}
}

func taskFireContention(x *fixture) {
	x.defineTasks([]string{"books", "sweep"}, aTask("books", "one"), aTask("sweep", "one"))
	stores := []Store{x.Store, x.Another(x.T), x.Another(x.T)}
	var windows []workqueue.TaskWindow
	for n := range 20 {
		windows = append(windows, window("books", fmt.Sprint("scope-", n)))
	}
	windows = append(windows, window("sweep", ""))
	var mu sync.Mutex
	made := map[string]int{}
	var wg sync.WaitGroup
	for n := range 8 {
		// Each process uses a different order, as passes of different tasks do.
		ordered := slices.Clone(windows)
		if n%2 == 1 {
			slices.Reverse(ordered)
		}
		wg.Go(func() {
			for part := range slices.Chunk(ordered, 7) {
				items, err := stores[n%len(stores)].FireTasks(x.ctx, part, "ann")
				if err != nil {
					x.Error(err)
				}
				mu.Lock()
				for _, it := range items {
					made[it.Task+"/"+it.Scope]++
				}
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	if len(made) != len(windows) {
		x.Errorf("%d windows got an item, want %d", len(made), len(windows))
	}
	for key, n := range made {
		if n != 1 {
			x.Errorf("%s was made %d times", key, n)
		}
	}
	items, err := x.Store.Items(x.ctx, workqueue.ItemFilter{})
	if err != nil || len(items) != len(windows) {
		x.Errorf("%d items, %v, want %d", len(items), err, len(windows))
	}
	if records := x.firings("", 0); len(records) != len(windows) {
		x.Errorf("%d records, want %d", len(records), len(windows))
	}
}

func taskFireRefused(x *fixture) {
	x.defineTasks([]string{"books"}, aTask("books", "one"))
	early, late := window("books", "early"), window("books", "late")
	early.PlannedAt = time.Date(2090, 1, 1, 0, 0, 0, 0, time.UTC)
	late.Item.Deadline = planned.Add(time.Hour)
	x.wantScopes("not open, or unknown", x.fire(early, late, window("unknown", "x")))

	// An unfinished item of the task and scope, in each state.
	x.exec(0, `UPDATE "BotWorkQueueItems" SET "State" = 0`)
	for _, state := range []workqueue.State{workqueue.Ready, workqueue.Blocked, workqueue.Pending, workqueue.Assigned} {
		it := x.Item(ItemOpts{State: state})
		x.exec(1, `UPDATE "BotWorkQueueItems" SET "TaskName" = 'books', "TaskScope" = '%s' WHERE "Id" = %d`, state, it.ID)
		x.wantScopes("busy", x.fire(window("books", state.String())))
	}
	for _, state := range []workqueue.State{workqueue.Processed, workqueue.Cancelled} {
		it := x.Item(ItemOpts{State: state, Priority: 10})
		x.exec(1, `UPDATE "BotWorkQueueItems" SET "TaskName" = 'books', "TaskScope" = '%s' WHERE "Id" = %d`, state, it.ID)
		x.wantScopes("finished", x.fire(window("books", state.String())), state.String())
	}
	x.wantScopes("another scope", x.fire(window("books", "free")), "free")

	// A row inserted by hand without a scope value counts as the task's only item.
	x.exec(1, `INSERT INTO "BotTasks" ("Name", "Pipeline") VALUES ('sweep', 'Work')`)
	x.exec(1, `INSERT INTO "BotWorkQueueItems" ("IntegrationConfig", "TaskName") VALUES ('Work', 'sweep')`)
	x.wantScopes("busy by hand", x.fire(window("sweep", "")))
	x.exec(1, `UPDATE "BotWorkQueueItems" SET "State" = 2 WHERE "TaskName" = 'sweep'`)
	x.exec(1, `UPDATE "BotTasks" SET "Active" = '0' WHERE "Name" = 'sweep'`)
	x.wantScopes("stopped by hand", x.fire(window("sweep", "")))
	x.exec(1, `UPDATE "BotTasks" SET "Active" = '1' WHERE "Name" = 'sweep'`)
	x.wantScopes("active again", x.fire(window("sweep", "")), "")
}

func taskFireUnknownQueue(x *fixture) {
	x.defineTasks([]string{"books"}, aTask("books", "one"))
	w := window("books", "")
	w.Item.QueueName = "nowhere"
	var unknown *workqueue.UnknownQueueError
	if made, err := x.Store.FireTasks(x.ctx, []workqueue.TaskWindow{window("books", "good"), w}, "ann"); !errors.As(err, &unknown) || !strings.Contains(err.Error(), "books") {
		x.Errorf("FireTasks = %v, %v, want an *UnknownQueueError that names the task", made, err)
	}
	if records := x.firings("", 0); len(records) > 0 {
		x.Errorf("the refused windows have the records %s", asJSON(records))
	}
	x.wantScopes("after the refusal", x.fire(window("books", "good")), "good")
}

func taskRun(x *fixture) {
	x.exec(1, `INSERT INTO "BotTasks" ("Name", "Pipeline", "Active") VALUES ('books', 'Work', '0')`)
	var items []workqueue.ScopedItem
	for _, scope := range []string{"lisbon", "porto"} {
		it := window("books", scope).ScopedItem
		it.Item.State, it.Item.Priority, it.Item.Deadline = workqueue.Pending, 1000, time.Time{}
		items = append(items, it)
	}
	ids, err := x.Store.RunTask(x.ctx, "books", workqueue.BatchPart{}, items)
	if err != nil || len(ids) != 2 {
		x.Fatalf("RunTask = %v, %v, want two ids", ids, err)
	}
	for i, id := range ids {
		if it := x.show(id); it.State != workqueue.Pending || it.Priority != 1000 || deref(it.TaskName) != "books" || it.Payload != items[i].Item.Payload {
			x.Errorf("item %d is %s", i, asJSON(it))
		}
	}
	if records := x.firings("", 0); len(records) > 0 {
		x.Errorf("a request recorded windows: %s", asJSON(records))
	}
	if busy, err := x.Store.TaskScopesBusy(x.ctx, "books"); err != nil || len(busy) != 2 {
		x.Errorf("TaskScopesBusy = %v, %v, want both", busy, err)
	}
}
