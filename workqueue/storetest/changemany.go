package storetest

import (
	"slices"

	"botwork/workqueue"
)

// A queue with logical deletion keeps the row: listings show it only on request, no
// worker runs it, and Repeat restores it.
func changeHidden(x *fixture) {
	x.exec(1, `INSERT INTO "BotQueues" ("Name", "Deletion") VALUES ('kept', 'logical')`)
	for _, state := range workqueue.Delete.From() {
		before := x.Item(ItemOpts{Queue: "kept", State: state})
		if err := Do(x.ctx, x.Store, workqueue.Delete, before.ID, "by mistake"); err != nil {
			x.Fatal(err)
		}
		got := x.show(before.ID)
		if got.Lifecycle != workqueue.LifeDeleted || deref(got.DeletedReason) != "by mistake" || got.DeletedAt == nil {
			x.Errorf("the deleted item is %s", asJSON(got))
		}
		x.wantIDs("due items", x.due(workqueue.EveryPriority, 10), nil)
		x.wantRescue(workqueue.RescueResult{})
		x.wantIDs("listed", x.list(workqueue.ItemFilter{}), nil)
		x.wantIDs("listed as deleted", x.list(workqueue.ItemFilter{Lifecycles: []workqueue.Lifecycle{workqueue.LifeDeleted}}), []int64{before.ID})
		if err := Do(x.ctx, x.Store, workqueue.Repeat, before.ID, ""); err != nil {
			x.Fatal(err)
		}
		x.runOnce(before.ID)
		x.exec(1, `DELETE FROM "BotWorkQueueItems" WHERE "Id" = %d`, before.ID)
	}
}

func (x *fixture) list(f workqueue.ItemFilter) []int64 {
	x.Helper()
	items, err := x.Store.Items(x.ctx, f)
	if err != nil {
		x.Fatal(err)
	}
	return idsOf(items)
}

// changeAll applies a Change to all items of a filter.
func (x *fixture) changeAll(f workqueue.ItemFilter, c workqueue.Change) (changed int, clones []int64) {
	x.Helper()
	for {
		result, err := x.Store.ChangeItems(x.ctx, f, c)
		if err != nil {
			x.Fatal(err)
		}
		changed += result.Changed
		clones = append(clones, result.Clones...)
		if result.Next == 0 {
			return changed, clones
		}
		f.BeforeID = result.Next
	}
}

func changePages(x *fixture) {
	x.exec(1, `INSERT INTO "BotQueues" ("Name") VALUES ('mail')`)
	mail := x.Items(25, ItemOpts{Queue: "mail"})
	inDefault := x.Items(5, ItemOpts{})
	filter := workqueue.ItemFilter{QueueName: "mail", Limit: 4}
	want := func(what string, got, want int) {
		x.Helper()
		if got != want {
			x.Errorf("%s changed %d items, want %d", what, got, want)
		}
	}
	archived, _ := x.changeAll(filter, workqueue.Change{Action: workqueue.Archive, Reason: "season over"})
	want("archive", archived, 25)
	x.wantState(workqueue.Cancelled, mail...)
	x.wantState(workqueue.Ready, inDefault...)
	again, _ := x.changeAll(filter, workqueue.Change{Action: workqueue.Archive})
	want("archive again", again, 0)
	cloned, clones := x.changeAll(filter, workqueue.Change{Action: workqueue.Clone, By: "ann"})
	want("clone", cloned, 25)
	x.wantState(workqueue.Pending, clones...)
	if len(clones) != 25 || slices.ContainsFunc(clones, func(id int64) bool { return id <= inDefault[4] }) {
		x.Errorf("the clones are %v, want 25 new ones", clones)
	}
	filter.Lifecycles = []workqueue.Lifecycle{workqueue.LifeArchived}
	repeated, _ := x.changeAll(filter, workqueue.Change{Action: workqueue.Repeat})
	want("repeat", repeated, 25)
	x.wantState(workqueue.Ready, mail...)
	filter.Lifecycles = []workqueue.Lifecycle{workqueue.LifePending}
	deleted, _ := x.changeAll(filter, workqueue.Change{Action: workqueue.Delete})
	want("delete", deleted, 50)
	x.wantIDs("remaining items", x.list(workqueue.ItemFilter{}), []int64{inDefault[4], inDefault[3], inDefault[2], inDefault[1], inDefault[0]})
}

func changePassesOver(x *fixture) {
	w := x.Worker(WorkerOpts{})
	running := x.Item(ItemOpts{State: workqueue.Blocked, Worker: w})
	done := x.Item(ItemOpts{State: workqueue.Processed, Worker: w})
	waiting := x.Item(ItemOpts{})
	changed, _ := x.changeAll(workqueue.ItemFilter{Limit: 1}, workqueue.Change{Action: workqueue.Cancel, Reason: "all of them"})
	if changed != 2 {
		x.Errorf("%d items were cancelled, want 2", changed)
	}
	x.wantState(workqueue.Cancelled, running.ID, waiting.ID)
	x.wantSame(done)
	if n := len(x.attempts(running.ID)); n != 1 {
		x.Errorf("the cancelled run has %d attempts, want 1", n)
	}
}

// Two deleted items had the same key, and only one of them can have it again. The result
// also counts the items that were repeated before the conflict was found.
func changeKeyTaken(x *fixture) {
	x.exec(1, `INSERT INTO "BotQueues" ("Name", "Deletion", "KeyScope") VALUES ('kept', 'logical', 'queue')`)
	present := x.Item(ItemOpts{Queue: "kept", State: workqueue.Cancelled})
	var deleted []int64
	for range 2 {
		it := x.Item(ItemOpts{Queue: "kept", State: workqueue.Cancelled})
		if err := Do(x.ctx, x.Store, workqueue.Delete, it.ID, ""); err != nil {
			x.Fatal(err)
		}
		x.exec(1, `UPDATE "BotWorkQueueItems" SET "NaturalKey" = '4711' WHERE "Id" = %d`, it.ID)
		deleted = append(deleted, it.ID)
	}
	repeated, _ := x.changeAll(workqueue.ItemFilter{QueueName: "kept", Lifecycles: workqueue.Lifecycles()}, workqueue.Change{Action: workqueue.Repeat})
	if repeated != 2 {
		x.Errorf("%d items were repeated, want 2", repeated)
	}
	x.wantState(workqueue.Ready, present.ID)
	ready := x.list(workqueue.ItemFilter{QueueName: "kept", States: []workqueue.State{workqueue.Ready}})
	hidden := x.list(workqueue.ItemFilter{QueueName: "kept", Lifecycles: []workqueue.Lifecycle{workqueue.LifeDeleted}})
	if len(ready) != 2 || len(hidden) != 1 || !slices.Contains(deleted, hidden[0]) {
		x.Errorf("%v are ready and %v are still deleted, want one of %v still deleted", ready, hidden, deleted)
	}
}
