package storetest

import (
	"fmt"
	"sync"
	"time"

	"botwork/workqueue"
)

func endsTests() []test {
	return []test{
		{"completed items are kept for their retention", endsRetention},
		{"dropped items are deleted or hidden", endsDropped},
		{"a retry as a copy", endsCopy},
		{"a copy takes over the unique keys", endsCopyKeys},
		{"an item that was copied can run again only when its key is free", endsCopyBack},
		{"a lost end changes nothing", endsLost},
		{"percentage, analytics and an output while it runs", endsReported},
		{"items named twice in a batch", endsTwice},
		{"lost leases", endsLostLeases},
		{"an archive keeps exactly its limit", endsArchive},
		{"an archive keeps exactly its limit under contention", endsArchiveContended},
	}
}

// running makes an item that the worker runs.
func (x *fixture) running(w workqueue.Worker, queue string) workqueue.Item {
	x.Helper()
	return x.Item(ItemOpts{State: workqueue.Blocked, Worker: w, Queue: queue})
}

func endsRetention(x *fixture) {
	w := x.Worker(WorkerOpts{})
	for _, retain := range []time.Duration{time.Hour, 36 * time.Hour} {
		end := success(x.running(w, ""))
		end.Retain = &retain
		x.wantIDs("lost", x.finish(w, end), nil)
		got := x.show(end.ItemID)
		if got.RetainUntil == nil || !got.RetainUntil.Equal(got.FinishedAt.Add(retain)) {
			x.Errorf("kept until %s, want %s after %s", deref(got.RetainUntil), retain, deref(got.FinishedAt))
		}
	}
	dropped := success(x.running(w, ""))
	dropped.Retain = new(time.Duration)
	kept := success(x.running(w, ""))
	failedOnce := failure(x.running(w, ""), workqueue.Ready)
	x.finish(w, failedOnce)
	x.wantIDs("lost", x.finish(w, dropped, kept), nil)
	x.wantGone(dropped.ItemID)
	if got := x.show(kept.ItemID); got.RetainUntil != nil {
		x.Errorf("an item without a retention is kept until %s", got.RetainUntil)
	}
}

func endsDropped(x *fixture) {
	w := x.Worker(WorkerOpts{})
	drop := func(how workqueue.Deletion) workqueue.Finish {
		it := x.running(w, "")
		return workqueue.Finish{
			ItemID: it.ID, Fence: it.Fence, State: workqueue.Cancelled, Error: "the order was withdrawn", Delete: how,
			Attempt: &workqueue.AttemptNote{Number: 1, Outcome: "failed"},
		}
	}
	physical, logical := drop(workqueue.DeletionPhysical), drop(workqueue.DeletionLogical)
	x.wantIDs("lost", x.finish(w, physical, logical), nil)
	x.wantGone(physical.ItemID)
	got := x.show(logical.ItemID)
	if got.Lifecycle != workqueue.LifeDeleted || deref(got.DeletedReason) != "the order was withdrawn" {
		x.Errorf("the hidden item is %s, want it deleted with its reason", asJSON(got))
	}
	x.wantClean("DeletedAt", got.DeletedAt)
}

// asCopy is the end of a failed run that is retried under a new id.
func asCopy(it workqueue.Item, failures int) workqueue.Finish {
	return workqueue.Finish{
		Pipeline: it.IntegrationConfig, Priority: it.Priority, DueAt: it.AvailableAt,
		ItemID: it.ID, Fence: it.Fence, QueueName: it.QueueName, State: workqueue.Cancelled, Copy: true, RetryCount: failures, Delay: time.Hour,
		Error: "no such host", ErrorKind: workqueue.KindError, Attempt: &workqueue.AttemptNote{Number: failures, Outcome: "failed"},
	}
}

func endsCopy(x *fixture) {
	w := x.Worker(WorkerOpts{})
	made := x.put(workqueue.NewItem{
		Payload: `{"n":1}`, Tags: []string{"b", "a"}, Metadata: map[string]string{"k": "v"}, LimitKey: "ann", Priority: 700,
		Retain: new(time.Hour), TaskName: "nightly", CreatedBy: "ann", Estimate: time.Second, ResilienceConfig: `{"limit":5}`,
	})
	x.Assign(w, made.ID)
	first := x.claim(w, 1)[0]
	x.wantIDs("lost", x.finish(w, asCopy(first, 1)), nil)
	x.wantState(workqueue.Cancelled, first.ID)
	copies := x.list(workqueue.ItemFilter{Lifecycles: []workqueue.Lifecycle{workqueue.LifeRetry}})
	if len(copies) != 1 {
		x.Fatalf("the copies are %v, want one", copies)
	}
	got := x.show(copies[0])
	want := first
	want.ID, want.State, want.Lifecycle, want.RetryCount, want.RootID = got.ID, workqueue.Ready, workqueue.LifeRetry, 1, &first.ID
	want.Fence, want.WorkerID, want.LeaseExpiresAt, want.AssignedAt, want.StartedAt = 0, nil, nil, nil, nil
	want.AvailableAt, want.CreatedAt = got.AvailableAt, got.CreatedAt
	if asJSON(got) != asJSON(want) {
		x.Errorf("the copy is\n     %s\nwant %s", asJSON(got), asJSON(want))
	}
	if !got.AvailableAt.Equal(got.CreatedAt.Add(time.Hour)) {
		x.Errorf("the copy is due at %s, want an hour after %s", got.AvailableAt, got.CreatedAt)
	}
	// A copy of a copy has the first item as its root.
	if err := Do(x.ctx, x.Store, workqueue.RunNow, got.ID, ""); err != nil {
		x.Fatal(err)
	}
	x.Assign(w, got.ID)
	x.finish(w, asCopy(x.claim(w, 1)[0], 2))
	second := x.show(x.list(workqueue.ItemFilter{Lifecycles: []workqueue.Lifecycle{workqueue.LifeRetry}})[0])
	if deref(second.RootID) != fmt.Sprint(first.ID) || second.RetryCount != 2 {
		x.Errorf("the second copy is %s, want root %d and 2 failures", asJSON(second), first.ID)
	}
}

func endsCopyKeys(x *fixture) {
	x.keyQueues()
	w := x.Worker(WorkerOpts{})
	it := key("keyed", "A")
	it.Payload, it.UniqueFor = `{"n":1}`, workqueue.UniqueWhileUnfinished
	first := x.wantNew("first", it)
	x.Assign(w, first)
	x.finish(w, asCopy(x.claim(w, 1)[0], 1))
	copied := x.list(workqueue.ItemFilter{Lifecycles: []workqueue.Lifecycle{workqueue.LifeRetry}})[0]
	x.wantExisting("the copy has the key", key("keyed", "A"), copied)
	byContent := it
	byContent.NaturalKey = ""
	x.wantExisting("the copy has the content", byContent, copied)
}

// If a user could run or repeat the failed item while its copy exists, two items would
// have the same key.
func endsCopyBack(x *fixture) {
	x.keyQueues()
	w := x.Worker(WorkerOpts{})
	first := x.wantNew("first", key("keyed", "A"))
	x.Assign(w, first)
	x.finish(w, asCopy(x.claim(w, 1)[0], 1))
	copied := x.list(workqueue.ItemFilter{Lifecycles: []workqueue.Lifecycle{workqueue.LifeRetry}})[0]
	failed := x.show(first)
	archived := workqueue.ItemFilter{Lifecycles: []workqueue.Lifecycle{workqueue.LifeArchived}}
	for _, a := range []workqueue.Action{workqueue.RunNow, workqueue.Repeat} {
		x.wantDuplicate(Do(x.ctx, x.Store, a, first, ""), copied)
		result, err := x.Store.ChangeItems(x.ctx, archived, workqueue.Change{Action: a})
		if err != nil || result.Changed != 0 || result.KeysTaken != 1 {
			x.Errorf("%s of all archived items = %+v, %v, want one with a key in use", a, result, err)
		}
		x.wantSame(failed)
	}
	for _, a := range []workqueue.Action{workqueue.RunNow, workqueue.Repeat} {
		if err := Do(x.ctx, x.Store, workqueue.Delete, copied, ""); err != nil {
			x.Fatal(err)
		}
		if err := Do(x.ctx, x.Store, a, first, ""); err != nil {
			x.Fatalf("%s with a free key: %v", a, err)
		}
		x.wantState(workqueue.Ready, first)
		x.wantExisting("the item has its key again", key("keyed", "A"), first)
		x.Assign(w, first)
		x.finish(w, asCopy(x.claim(w, 1)[0], 1))
		copied = x.list(workqueue.ItemFilter{Lifecycles: []workqueue.Lifecycle{workqueue.LifeRetry}})[0]
	}
}

func endsLost(x *fixture) {
	w := x.Worker(WorkerOpts{})
	var ends []workqueue.Finish
	for range 3 {
		it := x.running(w, "")
		x.expire(it.ID)
		ends = append(ends, asCopy(it, 1))
	}
	ends[1] = workqueue.Finish{ItemID: ends[1].ItemID, Fence: ends[1].Fence, State: workqueue.Processed, Retain: new(time.Duration)}
	ends[2] = workqueue.Finish{ItemID: ends[2].ItemID, Fence: ends[2].Fence, State: workqueue.Cancelled, Delete: workqueue.DeletionPhysical}
	x.wantRescue(workqueue.RescueResult{Rescued: 3})
	if lost := x.finish(w, ends...); len(lost) != 3 {
		x.Errorf("lost %v, want all three", lost)
	}
	x.wantState(workqueue.Ready, ends[0].ItemID, ends[1].ItemID, ends[2].ItemID)
	if n := len(x.list(workqueue.ItemFilter{})); n != 3 {
		x.Errorf("%d items exist, want the same 3", n)
	}
}

func endsReported(x *fixture) {
	w := x.Worker(WorkerOpts{})
	it := x.running(w, "")
	note := workqueue.ProgressNote{
		ItemRef: workqueue.ItemRef{ItemID: it.ID, Fence: it.Fence}, Progress: "1 of 4", Percent: new(25), Output: `{"rows":1}`,
	}
	if lost, err := x.Store.Progress(x.ctx, w.ID, w.InstanceID, []workqueue.ProgressNote{note}); err != nil || len(lost) > 0 {
		x.Fatalf("Progress lost %v, %v", lost, err)
	}
	got := x.show(it.ID)
	if deref(got.ProgressPercent) != "25" || got.Output != `{"rows":1}` || deref(got.Progress) != "1 of 4" {
		x.Errorf("the running item is %s", asJSON(got))
	}
	end := success(it)
	end.Percent, end.Analytics = new(100), `{"pages":7}`
	x.finish(w, end)
	got = x.show(it.ID)
	if deref(got.ProgressPercent) != "100" || got.Output != `{"done":true}` || got.Analytics != `{"pages":7}` {
		x.Errorf("the finished item is %s", asJSON(got))
	}
}

func endsLostLeases(x *fixture) {
	w := x.Worker(WorkerOpts{})
	refs := func(items ...workqueue.Item) (refs []workqueue.ItemRef) {
		for _, it := range items {
			refs = append(refs, workqueue.ItemRef{ItemID: it.ID, Fence: it.Fence})
		}
		return refs
	}
	held, cancelled, done := x.running(w, ""), x.running(w, ""), x.running(w, "")
	other := x.running(x.Worker(WorkerOpts{}), "")
	if err := Do(x.ctx, x.Store, workqueue.Cancel, cancelled.ID, ""); err != nil {
		x.Fatal(err)
	}
	x.finish(w, success(done))
	before := x.show(held.ID)
	stale := held
	stale.Fence--
	for _, c := range []struct {
		what string
		held []workqueue.ItemRef
		want []int64
	}{
		{"none", nil, nil},
		{"a held item", refs(held), nil},
		{"held and lost items", refs(held, cancelled, done, other), []int64{cancelled.ID, done.ID, other.ID}},
		{"an old fence", refs(stale), []int64{held.ID}},
	} {
		lost, err := x.Store.Lost(x.ctx, w.ID, w.InstanceID, c.held)
		if err != nil {
			x.Fatal(err)
		}
		x.wantIDs(c.what, lost, c.want)
	}
	if lost, err := x.Store.Lost(x.ctx, w.ID, "another instance", refs(held)); err != nil || len(lost) != 1 {
		x.Errorf("Lost of another instance = %v, %v; want one item", lost, err)
	}
	x.wantSame(before)
}

// archiveOf makes a queue with a limit of archived items.
func (x *fixture) archiveOf(name string, limit int) {
	x.Helper()
	x.define("test", []string{name}, workqueue.Queue{Name: name, QueueLife: workqueue.QueueLife{ArchiveLimit: &limit}})
}

func endsArchive(x *fixture) {
	const limit = 20
	x.archiveOf("small", limit)
	w := x.Worker(WorkerOpts{})
	var all []int64
	for range 3 {
		ids := x.Items(15, ItemOpts{Queue: "small", State: workqueue.Assigned, Worker: w})
		var ends []workqueue.Finish
		for _, it := range x.claim(w, 15) {
			ends = append(ends, workqueue.Finish{ItemID: it.ID, Fence: it.Fence, QueueName: "small", State: workqueue.Cancelled, Error: "no"})
		}
		x.finish(w, ends...)
		all = append(all, ids...)
		newest := all[max(0, len(all)-limit):]
		got := x.list(workqueue.ItemFilter{QueueName: "small", Limit: 1000})
		if len(got) != len(newest) || got[len(got)-1] != newest[0] {
			x.Errorf("after %d archived items %d exist, the oldest is %d; want the newest %d from %d on", len(all), len(got), got[len(got)-1], len(newest), newest[0])
		}
	}
	// Archiving by a user respects the limit as well.
	ids := x.Items(5, ItemOpts{Queue: "small"})
	for _, id := range ids {
		if err := Do(x.ctx, x.Store, workqueue.Archive, id, ""); err != nil {
			x.Fatal(err)
		}
	}
	if got := x.list(workqueue.ItemFilter{QueueName: "small", Limit: 1000}); len(got) != limit || got[0] != ids[4] {
		x.Errorf("%d items exist, want %d including the latest", len(got), limit)
	}
}

func endsArchiveContended(x *fixture) {
	const limit, workers, each = 50, 4, 60
	x.archiveOf("small", limit)
	var wg sync.WaitGroup
	for n := range workers {
		w := x.Worker(WorkerOpts{})
		x.Items(each, ItemOpts{Queue: "small", State: workqueue.Assigned, Worker: w})
		store := x.Store
		if n%2 == 1 {
			store = x.Another(x.T)
		}
		wg.Go(func() {
			for range each / 10 {
				items, err := store.Claim(x.ctx, claimParams(w, 10))
				if err != nil {
					x.Error(err)
					return
				}
				var ends []workqueue.Finish
				for _, it := range items {
					ends = append(ends, workqueue.Finish{ItemID: it.ID, Fence: it.Fence, QueueName: "small", State: workqueue.Cancelled, Error: "no"})
				}
				if _, err := store.Finish(x.ctx, w.ID, w.InstanceID, ends); err != nil {
					x.Error(err)
					return
				}
			}
		})
	}
	wg.Wait()
	if got := x.list(workqueue.ItemFilter{QueueName: "small", Limit: 1000}); len(got) != limit {
		x.Errorf("%d archived items are kept, want %d", len(got), limit)
	}
}

// A runner that retries after a timeout may name a claim twice in a batch.
func endsTwice(x *fixture) {
	w := x.Worker(WorkerOpts{})
	it, other := x.running(w, ""), x.running(w, "")
	ref := workqueue.ItemRef{ItemID: it.ID, Fence: it.Fence}
	notes := []workqueue.ProgressNote{
		{ItemRef: ref, Step: "read", Progress: "half"},
		{ItemRef: workqueue.ItemRef{ItemID: other.ID, Fence: other.Fence}, Progress: "started"},
		{ItemRef: ref, Progress: "most"},
	}
	if lost, err := x.Store.Progress(x.ctx, w.ID, w.InstanceID, notes); err != nil || len(lost) > 0 {
		x.Fatalf("Progress = %v, %v, want nothing lost", lost, err)
	}
	if got := x.show(it.ID); deref(got.Step) != "read" || deref(got.Progress) != "most" {
		x.Errorf("the step is %q and the progress %q, want the last reported values: read and most", deref(got.Step), deref(got.Progress))
	}

	end := failure(it, workqueue.Ready)
	again := end
	again.Error = "another error"
	x.wantIDs("lost", x.finish(w, end, success(other), again), nil)
	if got := x.show(it.ID); got.State != workqueue.Ready || got.RetryCount != 1 || deref(got.Error) != end.Error {
		x.Errorf("the item is %s, RetryCount %d, error %q; want Ready, 1 and the error of the first end", got.State, got.RetryCount, deref(got.Error))
	}
	attempts, err := x.Store.Attempts(x.ctx, it.ID)
	if err != nil || len(attempts) != 1 {
		x.Errorf("Attempts = %v, %v; want one", attempts, err)
	}
	if got := x.show(other.ID); got.State != workqueue.Processed {
		x.Errorf("the other item is %s, want Processed", got.State)
	}
}
