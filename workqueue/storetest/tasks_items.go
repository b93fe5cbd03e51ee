package storetest

import (
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"botwork/workqueue"
)

// waiting lists the waiting items of tasks.
func (x *fixture) waiting(state workqueue.State, after int64, limit int) []workqueue.TaskItem {
	x.Helper()
	items, err := x.Store.WaitingTaskItems(x.ctx, state, after, limit)
	if err != nil {
		x.Fatal(err)
	}
	return items
}

// revise sets priorities and checks how many items changed.
func (x *fixture) revise(want int, revisions ...workqueue.TaskRevision) {
	x.Helper()
	if n, err := x.Store.ReviseTaskItems(x.ctx, revisions); err != nil || n != want {
		x.Errorf("ReviseTaskItems = %d, %v, want %d", n, err, want)
	}
}

func taskRevise(x *fixture) {
	x.defineTasks([]string{"books"}, aTask("books", "one"))
	x.fire(window("books", "a"), window("books", "b"), window("books", "c"))
	x.Item(ItemOpts{}) // of no task
	pending := x.Item(ItemOpts{State: workqueue.Pending})
	x.exec(1, `UPDATE "BotWorkQueueItems" SET "TaskName" = 'books' WHERE "Id" = %d`, pending.ID)

	ready := x.waiting(workqueue.Ready, 0, 10)
	if len(ready) != 3 || !slices.IsSortedFunc(ready, func(a, b workqueue.TaskItem) int { return int(a.ID - b.ID) }) {
		x.Fatalf("waiting: %+v, want three in the order of their ids", ready)
	}
	for _, it := range ready {
		if it.Task != "books" || it.Queue != "default" || it.Priority != 550 || !it.PlannedAt.Equal(planned) || it.Deadline.Year() != 2098 {
			x.Errorf("waiting: %+v", it)
		}
	}
	if page := x.waiting(workqueue.Ready, ready[0].ID, 1); len(page) != 1 || page[0].ID != ready[1].ID {
		x.Errorf("the next page is %+v, want item %d", page, ready[1].ID)
	}
	other := x.waiting(workqueue.Pending, 0, 10)
	if len(other) != 1 || other[0].ID != pending.ID || !other[0].PlannedAt.Equal(pending.CreatedAt) || !other[0].Deadline.IsZero() {
		x.Fatalf("waiting on request: %+v, want item %d since %s", other, pending.ID, pending.CreatedAt)
	}

	change := func(it workqueue.TaskItem, state workqueue.State, priority int) workqueue.TaskRevision {
		return workqueue.TaskRevision{ItemID: it.ID, State: state, Old: it.Priority, New: priority}
	}
	w := x.Worker(WorkerOpts{})
	x.Assign(w, ready[2].ID) // it no longer waits
	x.revise(3, change(ready[0], workqueue.Ready, 900), change(ready[1], workqueue.Ready, 901), change(ready[2], workqueue.Ready, 902),
		change(other[0], workqueue.Pending, 1100))
	x.revise(0, change(ready[0], workqueue.Ready, 950), // with the old priority
		workqueue.TaskRevision{ItemID: ready[1].ID, State: workqueue.Pending, Old: 901, New: 950})
	x.revise(0)
	for id, want := range map[int64]int{ready[0].ID: 900, ready[1].ID: 901, ready[2].ID: 550, pending.ID: 1100} {
		if got := x.show(id).Priority; got != want {
			x.Errorf("item %d has priority %d, want %d", id, got, want)
		}
	}
	if again := x.waiting(workqueue.Ready, 0, 10); len(again) != 2 || again[0].Priority != 900 {
		x.Errorf("after the revision: %+v, want the two waiting items", again)
	}
}

func taskReviseByHand(x *fixture) {
	x.defineTasks([]string{"books"}, aTask("books", "one"))
	x.fire(window("books", "a"))
	it := x.waiting(workqueue.Ready, 0, 10)[0]
	x.exec(1, `UPDATE "BotWorkQueueItems" SET "Priority" = 10 WHERE "Id" = %d`, it.ID)
	if left := x.waiting(workqueue.Ready, 0, 10); len(left) > 0 {
		x.Errorf("a user set the priority, but the program would revise %+v", left)
	}
	x.revise(0, workqueue.TaskRevision{ItemID: it.ID, State: workqueue.Ready, Old: 10, New: 900}) // set during the revision
	x.exec(1, `UPDATE "BotWorkQueueItems" SET "Priority" = 550 WHERE "Id" = %d`, it.ID)
	if back := x.waiting(workqueue.Ready, 0, 10); len(back) != 1 {
		x.Errorf("after the user restored the program's priority: %+v, want it revised again", back)
	}
}

// fail makes an item of a task that has finally failed.
func (x *fixture) fail(task, scope string) int64 {
	x.Helper()
	it := x.Item(ItemOpts{State: workqueue.Cancelled})
	x.exec(1, `UPDATE "BotWorkQueueItems" SET "TaskName" = '%s', "TaskScope" = '%s' WHERE "Id" = %d`, task, scope, it.ID)
	return it.ID
}

// notice reports a failure with an item of the pipeline Notify.
func notice(f workqueue.TaskFailure) (workqueue.NewItem, bool) {
	return workqueue.NewItem{State: workqueue.Ready, Priority: 1000, IntegrationConfig: "Notify", Payload: workqueue.JSONText(asJSON(f.ID))}, true
}

// notices lists the payloads of notices.
func (x *fixture) notices() []string {
	x.Helper()
	items, err := x.Store.Items(x.ctx, workqueue.ItemFilter{Pipeline: "Notify", Limit: 1000})
	if err != nil {
		x.Fatal(err)
	}
	payloads := make([]string, len(items))
	for i, it := range items {
		payloads[i] = string(it.Payload)
	}
	slices.Sort(payloads)
	return payloads
}

func taskFailures(x *fixture) {
	first, second := x.fail("books", "lisbon"), x.fail("books", "porto")
	var seen []workqueue.TaskFailure
	collect := func(f workqueue.TaskFailure) (workqueue.NewItem, bool) {
		seen = append(seen, f)
		return notice(f)
	}
	for i, want := range []int{1, 1, 0} {
		if n, err := x.Store.NotifyTaskFailures(x.ctx, 1, collect); err != nil || n != want {
			x.Errorf("call %d handled %d, %v, want %d", i+1, n, err, want)
		}
	}
	if got, want := x.notices(), []string{asJSON(first), asJSON(second)}; !slices.Equal(got, want) {
		x.Errorf("notices of %v, want of %v", got, want)
	}
	it := x.show(first)
	want := workqueue.TaskFailure{
		TaskItem: workqueue.TaskItem{ID: first, Task: "books", Scope: "lisbon", Queue: "default", Priority: 1000, PlannedAt: it.CreatedAt},
		Pipeline: "Work", Error: "made to fail", ErrorKind: workqueue.KindPermanent, Attempts: 1, FinishedAt: *it.FinishedAt,
	}
	if len(seen) != 2 || seen[0] != want {
		x.Errorf("the failures are\n     %+v\nwant the first to be\n     %+v", seen, want)
	}
}

func taskFailureContention(x *fixture) {
	want := make([]string, 20)
	for i := range want {
		want[i] = asJSON(x.fail("books", ""))
	}
	slices.Sort(want)
	stores := []Store{x.Store, x.Another(x.T), x.Another(x.T)}
	var handled atomic.Int32
	var wg sync.WaitGroup
	for n := range 8 {
		store := stores[n%len(stores)]
		wg.Go(func() {
			for range 5 {
				n, err := store.NotifyTaskFailures(x.ctx, 7, notice)
				if err != nil {
					x.Error(err)
				}
				handled.Add(int32(n))
			}
		})
	}
	wg.Wait()
	for again := 1; again > 0; { // a call leaves the failures that another one is handling
		var err error
		if again, err = x.Store.NotifyTaskFailures(x.ctx, 7, notice); err != nil {
			x.Fatal(err)
		}
		handled.Add(int32(again))
	}
	if got := x.notices(); !slices.Equal(got, want) || handled.Load() != 20 {
		x.Errorf("handled %d with notices of %v, want each of %v once", handled.Load(), got, want)
	}
}

func taskCopy(x *fixture) {
	x.defineTasks([]string{"books"}, aTask("books", "one"))
	x.fire(window("books", "porto"))
	first := x.waiting(workqueue.Ready, 0, 1)[0]
	w := x.Worker(WorkerOpts{})
	x.Assign(w, first.ID)
	x.wantIDs("lost", x.finish(w, asCopy(x.claim(w, 1)[0], 1)), nil)

	next := window("books", "porto")
	next.PlannedAt = planned.Add(time.Hour)
	x.wantScopes("while a copy waits", x.fire(next))
	copied := x.waiting(workqueue.Ready, 0, 10)
	if len(copied) != 1 || copied[0].ID == first.ID || copied[0].Scope != "porto" || !copied[0].PlannedAt.Equal(planned) || copied[0].Priority != first.Priority {
		x.Fatalf("the copy is %+v, want it to have the window of %+v", copied, first)
	}
	clone, err := x.Store.ChangeItem(x.ctx, copied[0].ID, workqueue.Change{Action: workqueue.Clone})
	if err != nil {
		x.Fatal(err)
	}
	if pending := x.waiting(workqueue.Pending, 0, 10); len(pending) != 1 || pending[0].ID != clone || pending[0].Scope != "porto" {
		x.Errorf("the clone is %+v, want it to have the scope value", pending)
	}
}

func taskNoNews(x *fixture) {
	none := func(workqueue.TaskFailure) (workqueue.NewItem, bool) {
		x.Error("the failure is reported")
		return workqueue.NewItem{}, false
	}
	x.Item(ItemOpts{State: workqueue.Cancelled}) // of no task
	byHand := x.fail("books", "")
	x.exec(1, `UPDATE "BotWorkQueueItems" SET "ErrorKind" = 'cancelled' WHERE "Id" = %d`, byHand)
	dropped := x.fail("books", "")
	x.exec(1, `UPDATE "BotWorkQueueItems" SET "DeletedAt" = %s WHERE "Id" = %d`, longAgo, dropped)
	noKind := x.fail("books", "") // the state was set by hand
	x.exec(1, `UPDATE "BotWorkQueueItems" SET "ErrorKind" = NULL WHERE "Id" = %d`, noKind)
	copied := x.fail("books", "")
	retry := x.Item(ItemOpts{})
	x.exec(1, `UPDATE "BotWorkQueueItems" SET "RootId" = %d WHERE "Id" = %d`, copied, retry.ID)
	if n, err := x.Store.NotifyTaskFailures(x.ctx, 10, none); err != nil || n != 4 {
		x.Errorf("handled %d, %v, want 4 without a notice", n, err)
	}

	// When the copy fails as well, the task has finally failed.
	x.exec(1, `UPDATE "BotWorkQueueItems" SET "State" = 3, "ErrorKind" = 'expired', "TaskName" = 'books', "FinishedAt" = %s WHERE "Id" = %d`, longAgo, retry.ID)
	if n, err := x.Store.NotifyTaskFailures(x.ctx, 10, notice); err != nil || n != 1 || !slices.Equal(x.notices(), []string{asJSON(retry.ID)}) {
		x.Errorf("handled %d, %v with notices of %v, want of the copy", n, err, x.notices())
	}

	// A notice that the queue refuses is lost with an error, and does not prevent other notices.
	bad, good := x.fail("books", "bad"), x.fail("books", "good")
	n, err := x.Store.NotifyTaskFailures(x.ctx, 10, func(f workqueue.TaskFailure) (workqueue.NewItem, bool) {
		item, ok := notice(f)
		if f.ID == bad {
			item.IntegrationConfig = ""
		}
		return item, ok
	})
	var refused *workqueue.BadItemError
	if n != 2 || !errors.As(err, &refused) || !slices.Contains(x.notices(), asJSON(good)) {
		x.Errorf("handled %d, %v with notices of %v, want the refusal and a notice of %d", n, err, x.notices(), good)
	}
}
