package storetest

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"botwork/workqueue"
)

func stepTests() []test {
	return []test{
		{"records in the order in which they were first made", stepsOrder},
		{"a later record replaces that of the same step", stepsReplace},
		{"all are dropped", stepsDrop},
		{"steps that end at the same time", stepsParallel},
		{"paths of steps", stepsPaths},
		{"a claim that is not held records and drops nothing", stepsLost},
		{"an item that another session holds", stepsLocked},
		{"what goes on keeps its records", stepsKept},
		{"the success of a run removes its records", stepsEnd},
		{"a copy that retries has none", stepsCopy},
		{"a removed item has none", stepsRemoved},
		{"a clean-up removes those that a success has left", stepsCleaned},
		{"a clean-up has a limit", stepsCleanedBatch},
		{"a finished item runs again", stepsRevived},
		{"a finished item runs again from a step on", stepsFrom},
		{"a step at which an item cannot begin", stepsFromUnknown},
	}
}

// steps makes records from the form "load=1".
func steps(list ...string) []workqueue.StepRecord {
	records := make([]workqueue.StepRecord, len(list))
	for i, text := range list {
		step, data, _ := strings.Cut(text, "=")
		records[i] = workqueue.StepRecord{Step: step, Data: workqueue.JSONText(data)}
	}
	return records
}

func (x *fixture) saveSteps(it workqueue.Item, list ...string) {
	x.Helper()
	if err := x.Store.SaveSteps(x.ctx, ref(it), steps(list...)); err != nil {
		x.Fatal(err)
	}
}

func (x *fixture) wantSteps(id int64, want ...string) {
	x.Helper()
	got, err := x.Store.Steps(x.ctx, id)
	if err != nil {
		x.Fatal(err)
	}
	if !slices.Equal(got, steps(want...)) {
		x.Errorf("the steps of item %d are %+v, want %q", id, got, want)
	}
}

// stepping makes a running item with records of two steps.
func (x *fixture) stepping(w workqueue.Worker) workqueue.Item {
	x.Helper()
	it := x.Item(ItemOpts{State: workqueue.Blocked, Worker: w})
	x.saveSteps(it, "load=1", "post / sign=2")
	return it
}

// hasSteps is the end of a run that has recorded steps.
func hasSteps(end workqueue.Finish) workqueue.Finish {
	end.HasSteps = true
	return end
}

func stepsOrder(x *fixture) {
	w := x.Worker(WorkerOpts{})
	it, other := x.Item(ItemOpts{State: workqueue.Blocked, Worker: w}), x.Item(ItemOpts{State: workqueue.Blocked, Worker: w})
	x.wantSteps(it.ID)
	x.saveSteps(it)
	x.saveSteps(it, `z={"rows":[1,"\u0000ol\u00e1"]}`)
	x.saveSteps(other, "z=other")
	x.saveSteps(it, "b=", "a=null")
	x.saveSteps(it, "c=4")
	x.wantSteps(it.ID, `z={"rows":[1,"\u0000ol\u00e1"]}`, "b=", "a=null", "c=4")
	x.wantSteps(other.ID, "z=other")
	x.wantSteps(4711)
	x.wantSame(it)
}

func stepsReplace(x *fixture) {
	it := x.Item(ItemOpts{State: workqueue.Blocked})
	x.saveSteps(it, "load=1", "sign=1", "post=1")
	x.saveSteps(it, "sign=2")
	x.saveSteps(it, "send=1", "load=2", "send=2")
	x.wantSteps(it.ID, "load=2", "sign=2", "post=1", "send=2")
}

func stepsDrop(x *fixture) {
	it := x.Item(ItemOpts{State: workqueue.Blocked})
	drop := func() {
		x.Helper()
		if err := x.Store.DropSteps(x.ctx, ref(it)); err != nil {
			x.Fatal(err)
		}
	}
	drop()
	x.saveSteps(it, "load=1", "sign=1", "post=1")
	drop()
	x.wantSteps(it.ID)
	x.saveSteps(it, "post=2", "sign=2")
	x.wantSteps(it.ID, "post=2", "sign=2")
}

func stepsParallel(x *fixture) {
	it := x.Item(ItemOpts{State: workqueue.Blocked})
	const n = 16
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() {
			if err := x.Store.SaveSteps(x.ctx, ref(it), steps(fmt.Sprintf("branch %d=%d", i, i))); err != nil {
				x.Errorf("SaveSteps of branch %d: %v", i, err)
			}
		})
	}
	all.Wait()
	got, err := x.Store.Steps(x.ctx, it.ID)
	if err != nil || len(got) != n {
		x.Errorf("Steps = %+v, %v, want %d records", got, err, n)
	}
}

// Paths differ by case, on every engine. One that does not fit is refused, and not cut: two steps
// would share a record.
func stepsPaths(x *fixture) {
	it := x.Item(ItemOpts{State: workqueue.Blocked})
	long := strings.Repeat("\U0001F916", 100)
	x.saveSteps(it, "load=1", "Load=2", "l\u00f3ad=3", long+"=4")
	x.wantSteps(it.ID, "load=1", "Load=2", "l\u00f3ad=3", long+"=4")
	for _, path := range []string{"", long + "a"} {
		if err := x.Store.SaveSteps(x.ctx, ref(it), steps("new=1", path+"=1")); err == nil {
			x.Errorf("the path %q was recorded", path)
		}
	}
	x.wantSteps(it.ID, "load=1", "Load=2", "l\u00f3ad=3", long+"=4")
}

// A worker that has lost its claim changes nothing, although the item runs again.
func stepsLost(x *fixture) {
	w := x.Worker(WorkerOpts{})
	old := x.stepping(w)
	x.finish(w, hasSteps(failure(old, workqueue.Ready)))
	waits := old
	x.dueNow(old.ID)
	x.Assign(w, old.ID)
	again := x.claim(w, 1)[0]
	cancelled := x.stepping(w)
	if err := Do(x.ctx, x.Store, workqueue.Cancel, cancelled.ID, ""); err != nil {
		x.Fatal(err)
	}
	waiting := x.stepping(w)
	x.finish(w, hasSteps(failure(waiting, workqueue.Ready)))
	for name, it := range map[string]workqueue.Item{"an old fence": waits, "a cancelled item": cancelled, "a waiting item": waiting, "no item": {ID: 4711}} {
		for what, err := range map[string]error{
			"SaveSteps of a new step":   x.Store.SaveSteps(x.ctx, ref(it), steps("new=1")),
			"SaveSteps of a known step": x.Store.SaveSteps(x.ctx, ref(it), steps("load=9")),
			"DropSteps":                 x.Store.DropSteps(x.ctx, ref(it)),
		} {
			if !errors.Is(err, workqueue.ErrLeaseLost) {
				x.Errorf("%s: %s returned %v, want ErrLeaseLost", name, what, err)
			}
		}
		if it.ID != 4711 {
			x.wantSteps(it.ID, "load=1", "post / sign=2")
		}
	}
	x.saveSteps(again, "load=3")
	x.wantSteps(again.ID, "load=3", "post / sign=2")
}

func stepsLocked(x *fixture) {
	w := x.Worker(WorkerOpts{})
	it, other := x.stepping(w), x.stepping(w)
	release := x.hold(it.ID)
	x.wantLocked(x.Store.SaveSteps(x.ctx, ref(it), steps("new=1")), it.ID)
	x.wantLocked(x.Store.SaveSteps(x.ctx, ref(it), steps("load=9")), it.ID)
	x.wantLocked(x.Store.DropSteps(x.ctx, ref(it)), it.ID)
	x.saveSteps(other, "new=1")
	release()
	x.wantSteps(it.ID, "load=1", "post / sign=2")
	x.saveSteps(it, "new=1")
	x.wantSteps(it.ID, "load=1", "post / sign=2", "new=1")
}

func stepsKept(x *fixture) {
	w := x.Worker(WorkerOpts{})
	kept := func(what string, end func(it workqueue.Item)) {
		x.Helper()
		it := x.stepping(w)
		end(it)
		x.wantState(workqueue.Ready, it.ID)
		if n, err := x.Store.RemoveSteps(x.ctx, 0); n != 0 || err != nil {
			x.Errorf("%s: RemoveSteps = %d, %v, want 0", what, n, err)
		}
		x.wantSteps(it.ID, "load=1", "post / sign=2")
	}
	for _, outcome := range []string{"failed", "timeout", "released", workqueue.OutcomeSnoozed} {
		kept(outcome, func(it workqueue.Item) {
			end := hasSteps(failure(it, workqueue.Ready))
			end.Attempt.Outcome = outcome
			x.finish(w, end)
		})
	}
	kept("returned", func(it workqueue.Item) {
		x.finish(w, workqueue.Finish{ItemID: it.ID, Fence: it.Fence, State: workqueue.Ready, HasSteps: true})
	})
	kept("rescued", func(it workqueue.Item) {
		x.expire(it.ID)
		x.wantRescue(workqueue.RescueResult{Rescued: 1})
	})
	running := x.stepping(w)
	if n, err := x.Store.RemoveSteps(x.ctx, 0); n != 0 || err != nil {
		x.Errorf("RemoveSteps = %d, %v while the items wait and run, want 0", n, err)
	}
	x.wantSteps(running.ID, "load=1", "post / sign=2")
}

// The end removes the records only if the run says that it has some: other runs pay nothing.
func stepsEnd(x *fixture) {
	w := x.Worker(WorkerOpts{})
	good, bad, silent, retry := x.stepping(w), x.stepping(w), x.stepping(w), x.stepping(w)
	lost := x.stepping(w)
	x.exec(1, `UPDATE "BotWorkQueueItems" SET "Fence" = "Fence" + 1 WHERE "Id" = %d`, lost.ID)
	x.wantIDs("lost", x.finish(w, hasSteps(success(good)), success(silent), hasSteps(success(lost))), []int64{lost.ID})
	x.finish(w, hasSteps(failure(bad, workqueue.Cancelled)), hasSteps(failure(retry, workqueue.Ready)))
	x.wantState(workqueue.Processed, good.ID, silent.ID)
	x.wantState(workqueue.Cancelled, bad.ID)
	x.wantSteps(good.ID)
	for _, it := range []workqueue.Item{bad, silent, retry, lost} {
		x.wantSteps(it.ID, "load=1", "post / sign=2")
	}
}

func stepsCopy(x *fixture) {
	w := x.Worker(WorkerOpts{})
	it := x.stepping(w)
	end := hasSteps(failure(it, workqueue.Cancelled))
	end.Copy, end.Delay = true, 0
	x.finish(w, end)
	x.wantSteps(it.ID)
	items, err := x.Store.Items(x.ctx, workqueue.ItemFilter{States: []workqueue.State{workqueue.Ready}})
	if err != nil || len(items) != 1 {
		x.Fatalf("%d items wait, %v, want the copy", len(items), err)
	}
	x.wantSteps(items[0].ID)
}

func stepsRemoved(x *fixture) {
	w := x.Worker(WorkerOpts{})
	done, deleted, purged := x.stepping(w), x.stepping(w), x.stepping(w)
	end := hasSteps(success(done))
	end.Delete = workqueue.DeletionPhysical
	x.finish(w, end, hasSteps(failure(deleted, workqueue.Ready)), success(purged))
	if err := Do(x.ctx, x.Store, workqueue.Delete, deleted.ID, ""); err != nil {
		x.Fatal(err)
	}
	if r, err := x.Store.PurgeQueue(x.ctx, workqueue.PurgeParams{Queue: workqueue.DefaultQueue}); err != nil || r.Removed != 1 {
		x.Fatalf("PurgeQueue = %+v, %v, want 1 removed", r, err)
	}
	x.exec(0, `DELETE FROM "BotWorkItemSteps"`)
}

func stepsCleaned(x *fixture) {
	w := x.Worker(WorkerOpts{})
	done, cancelled, runs := x.stepping(w), x.stepping(w), x.stepping(w)
	x.finish(w, success(done))
	if err := Do(x.ctx, x.Store, workqueue.Cancel, cancelled.ID, ""); err != nil {
		x.Fatal(err)
	}
	if n, err := x.Store.RemoveSteps(x.ctx, 0); n != 2 || err != nil {
		x.Errorf("RemoveSteps = %d, %v, want 2", n, err)
	}
	x.wantSteps(done.ID)
	x.wantSteps(cancelled.ID, "load=1", "post / sign=2")
	x.wantSteps(runs.ID, "load=1", "post / sign=2")
}

func stepsCleanedBatch(x *fixture) {
	w := x.Worker(WorkerOpts{})
	first, second := x.stepping(w), x.stepping(w)
	x.finish(w, success(first), success(second))
	for _, want := range []int{3, 1, 0} {
		if n, err := x.Store.RemoveSteps(x.ctx, 3); n != want || err != nil {
			x.Errorf("RemoveSteps of three = %d, %v, want %d", n, err, want)
		}
		if want == 3 {
			x.wantSteps(first.ID)
			x.wantSteps(second.ID, "post / sign=2")
		}
	}
}

// A repeat begins at the first step. One more attempt goes on, except after a success.
func stepsRevived(x *fixture) {
	w := x.Worker(WorkerOpts{})
	for _, c := range []struct {
		action workqueue.Action
		end    func(it workqueue.Item)
		kept   bool
	}{
		{workqueue.Repeat, x.cancel, false},
		{workqueue.RunNow, x.cancel, true},
		{workqueue.Repeat, func(it workqueue.Item) { x.finish(w, success(it)) }, false},
		{workqueue.RunNow, func(it workqueue.Item) { x.finish(w, success(it)) }, false},
		{workqueue.RunNow, func(it workqueue.Item) { x.finish(w, hasSteps(failure(it, workqueue.Cancelled))) }, true},
		{workqueue.RunNow, func(it workqueue.Item) { x.finish(w, hasSteps(failure(it, workqueue.Ready))) }, true}, // it has not ended
	} {
		it, other := x.stepping(w), x.stepping(w)
		x.finish(w, success(other))
		c.end(it)
		if err := Do(x.ctx, x.Store, c.action, it.ID, ""); err != nil {
			x.Fatal(err)
		}
		x.wantState(workqueue.Ready, it.ID)
		want := []string{"load=1", "post / sign=2"}
		x.wantSteps(other.ID, want...)
		if !c.kept {
			want = nil
		}
		x.wantSteps(it.ID, want...)
	}
}

// cancel cancels an item.
func (x *fixture) cancel(it workqueue.Item) {
	x.Helper()
	if err := Do(x.ctx, x.Store, workqueue.Cancel, it.ID, ""); err != nil {
		x.Fatal(err)
	}
}

// repeatFrom repeats an item from a step on.
func (x *fixture) repeatFrom(it workqueue.Item, step string) error {
	_, err := x.Store.ChangeItem(x.ctx, it.ID, workqueue.Change{Action: workqueue.Repeat, FromStep: step})
	return err
}

// What came before the step is kept: a step that has ended, a block of which a part has ended, or the step
// that failed, of which nothing is recorded.
func stepsFrom(x *fixture) {
	w := x.Worker(WorkerOpts{})
	for from, kept := range map[string][]string{
		"load":        nil,
		"post":        {"load=1", "postal=2"},
		"post / sign": {"load=1", "postal=2", "post / check=3"},
		"fetch":       {"load=1", "postal=2", "post / check=3", "post / sign=4"},
	} {
		it, other := x.Item(ItemOpts{State: workqueue.Blocked, Worker: w}), x.stepping(w)
		x.saveSteps(it, "load=1", "postal=2", "post / check=3", "post / sign=4")
		x.finish(w, hasSteps(failure(it, workqueue.Cancelled)), hasSteps(failure(other, workqueue.Cancelled)))
		if _, err := x.Store.ChangeItem(x.ctx, it.ID, workqueue.Change{Action: workqueue.Repeat, FromStep: from, DryRun: true}); err != nil {
			x.Errorf("from %s: the dry run returned %v", from, err)
		}
		if err := x.repeatFrom(it, from); err != nil {
			x.Fatalf("from %s: %v", from, err)
		}
		x.wantState(workqueue.Ready, it.ID)
		x.wantSteps(it.ID, kept...)
		x.wantSteps(other.ID, "load=1", "post / sign=2")
	}
}

func stepsFromUnknown(x *fixture) {
	w := x.Worker(WorkerOpts{})
	it, bare, done := x.stepping(w), x.Item(ItemOpts{State: workqueue.Blocked, Worker: w}), x.stepping(w)
	runs := x.stepping(w)
	x.finish(w, hasSteps(failure(it, workqueue.Cancelled)), failure(bare, workqueue.Cancelled))
	x.finish(w, hasSteps(success(done)))
	refused := func(it workqueue.Item, step, want string) {
		x.Helper()
		for _, dry := range []bool{true, false} {
			_, err := x.Store.ChangeItem(x.ctx, it.ID, workqueue.Change{Action: workqueue.Repeat, FromStep: step, DryRun: dry})
			bad, ok := errors.AsType[*workqueue.BadUpdateError](err)
			if !ok || bad.ItemID != it.ID || !strings.Contains(err.Error(), want) {
				x.Errorf("item %d from %q: got %v, want %q", it.ID, step, err, want)
			}
		}
	}
	refused(it, "lod", `got the step "lod", want one that has ended or failed: load, post / sign, fetch`)
	refused(it, "sign", `got the step "sign"`)
	refused(bare, "fetch", "nothing is recorded of its steps")
	refused(done, "load", "nothing is recorded of its steps")
	x.wantState(workqueue.Cancelled, it.ID, bare.ID)
	x.wantSteps(it.ID, "load=1", "post / sign=2")
	x.wantTransition(x.repeatFrom(runs, "load"), runs.ID, "repeat", workqueue.Blocked)
	for _, c := range []workqueue.Change{{Action: workqueue.RunNow, FromStep: "load"}, {Action: workqueue.Clone, FromStep: "load"}} {
		if _, err := x.Store.ChangeItem(x.ctx, it.ID, c); err == nil {
			x.Errorf("%s from a step was accepted", c.Action)
		}
	}
	if _, err := x.Store.ChangeItems(x.ctx, workqueue.ItemFilter{States: []workqueue.State{workqueue.Cancelled}}, workqueue.Change{Action: workqueue.Repeat, FromStep: "load"}); err == nil {
		x.Error("a repeat of many items from a step was accepted")
	}
}
