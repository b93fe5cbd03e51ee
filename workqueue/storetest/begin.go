package storetest

import (
	"time"

	"botwork/workqueue"
)

func beginTests() []test {
	return []test{
		{"begin sets the start time of the attempt", beginStarts},
		{"a later attempt does not change the first start", beginAgain},
		{"items that must not begin are refused and unchanged", beginRefused},
		{"a batch is refused in part", beginSome},
		{"begin may be called again for the same run", beginTwice},
		{"nothing to begin", beginNothing},
		{"a released claim has no start", beginReturned},
	}
}

// begin records that runs begin, and returns the ids of the refused items.
func (x *fixture) begin(w workqueue.Worker, refs ...workqueue.ItemRef) []int64 {
	x.Helper()
	refused, err := x.Store.Begin(x.ctx, workqueue.BeginParams{WorkerID: w.ID, InstanceID: w.InstanceID, Items: refs})
	if err != nil {
		x.Fatal(err)
	}
	return refused
}

// claimOne assigns an item to the worker and claims it for the worker.
func (x *fixture) claimOne(w workqueue.Worker, id int64) workqueue.Item {
	x.Helper()
	x.Assign(w, id)
	got := x.claim(w, 1)
	x.wantIDs("claimed", idsOf(got), []int64{id})
	return got[0]
}

// wantStarts checks the start times of an item.
func (x *fixture) wantStarts(id int64, first, latest *time.Time) {
	x.Helper()
	got := x.show(id)
	if deref(got.FirstStartedAt) != deref(first) || deref(got.StartedAt) != deref(latest) {
		x.Errorf("item %d started first at %s and last at %s, want %s and %s",
			id, deref(got.FirstStartedAt), deref(got.StartedAt), deref(first), deref(latest))
	}
}

func beginStarts(y *fixture) {
	x := newTimed(y)
	w := x.Worker(WorkerOpts{})
	it := x.claimOne(w, x.Item(ItemOpts{}).ID)
	x.now = x.now.Add(238 * time.Millisecond)
	x.wantIDs("refused", x.begin(w, ref(it)), nil)
	want := it
	want.StartedAt, want.FirstStartedAt = &x.now, &x.now
	x.wantSame(want)
}

func beginAgain(y *fixture) {
	x := newTimed(y)
	w := x.Worker(WorkerOpts{})
	first := x.now
	it := x.claimOne(w, x.Item(ItemOpts{}).ID)
	x.begin(w, ref(it))
	end := failure(it, workqueue.Ready)
	end.Delay = 0
	x.now = x.now.Add(time.Second)
	x.finish(w, end)
	it = x.claimOne(w, it.ID)
	x.now = x.now.Add(time.Second)
	x.wantIDs("refused", x.begin(w, ref(it)), nil)
	x.wantStarts(it.ID, &first, &x.now)
}

func beginRefused(y *fixture) {
	x := newTimed(y)
	for name, spoil := range map[string]func(x *timed, w *workqueue.Worker, it *workqueue.Item){
		"another fence":       func(_ *timed, _ *workqueue.Worker, it *workqueue.Item) { it.Fence-- },
		"a future fence":      func(_ *timed, _ *workqueue.Worker, it *workqueue.Item) { it.Fence++ },
		"another worker":      func(x *timed, w *workqueue.Worker, _ *workqueue.Item) { *w = x.Worker(WorkerOpts{}) },
		"a previous instance": func(_ *timed, w *workqueue.Worker, _ *workqueue.Item) { w.InstanceID = "gone" },
		"an expired lease": func(x *timed, _ *workqueue.Worker, _ *workqueue.Item) {
			x.now = x.now.Add(leaseTime + time.Millisecond)
		},
		"no lease": func(x *timed, _ *workqueue.Worker, it *workqueue.Item) {
			x.exec(1, `UPDATE "BotWorkQueueItems" SET "LeaseExpiresAt" = NULL WHERE "Id" = %d`, it.ID)
		},
		"a deadline in the past": func(x *timed, _ *workqueue.Worker, it *workqueue.Item) {
			x.exec(1, `UPDATE "BotWorkQueueItems" SET "DeadlineAt" = %s WHERE "Id" = %d`, longAgo, it.ID)
		},
		"an expired item": func(x *timed, _ *workqueue.Worker, it *workqueue.Item) {
			x.exec(1, `UPDATE "BotWorkQueueItems" SET "ExpiresAt" = %s WHERE "Id" = %d`, longAgo, it.ID)
		},
		"a deleted item": func(x *timed, _ *workqueue.Worker, it *workqueue.Item) {
			x.exec(1, `UPDATE "BotWorkQueueItems" SET "DeletedAt" = %s WHERE "Id" = %d`, longAgo, it.ID)
		},
		"a paused queue": func(x *timed, _ *workqueue.Worker, it *workqueue.Item) {
			x.exec(1, `UPDATE "BotQueues" SET "Paused" = '1' WHERE "Name" = '%s'`, it.QueueName)
		},
		"a cancelled item": func(x *timed, _ *workqueue.Worker, it *workqueue.Item) {
			if err := Do(x.ctx, x.Store, workqueue.Cancel, it.ID, "not needed"); err != nil {
				x.Fatal(err)
			}
		},
		"a rescued item": func(x *timed, _ *workqueue.Worker, it *workqueue.Item) {
			x.expireClaim(it.ID)
			x.rescue()
		},
	} {
		w := x.Worker(WorkerOpts{})
		it := x.claimOne(w, x.Item(ItemOpts{}).ID)
		as, named := w, it
		spoil(x, &as, &named)
		before := x.show(it.ID)
		if got := x.begin(as, ref(named)); len(got) != 1 || got[0] != it.ID {
			x.Errorf("%s: refused %v, want the item", name, got)
		}
		x.wantSame(before)
		x.exec(1, `UPDATE "BotQueues" SET "Paused" = '0' WHERE "Name" = '%s'`, it.QueueName)
	}
}

func beginSome(y *fixture) {
	x := newTimed(y)
	w := x.Worker(WorkerOpts{})
	late := x.Items(2, ItemOpts{Deadline: x.now.Add(time.Second)})
	x.Assign(w, append(x.Items(2, ItemOpts{}), late...)...)
	var refs []workqueue.ItemRef
	for _, it := range x.claim(w, 4) {
		refs = append(refs, ref(it))
	}
	x.now = x.now.Add(time.Second)
	x.wantIDs("refused at the deadline", x.begin(w, refs[0]), nil)
	x.now = x.now.Add(time.Millisecond)
	x.wantIDs("refused after the deadline", x.begin(w, refs...), late[1:])
}

func beginTwice(y *fixture) {
	x := newTimed(y)
	w := x.Worker(WorkerOpts{})
	it := x.claimOne(w, x.Item(ItemOpts{Deadline: x.now.Add(time.Second)}).ID)
	started := x.now
	x.begin(w, ref(it))
	x.now = x.now.Add(leaseTime + time.Second)
	x.exec(1, `UPDATE "BotQueues" SET "Paused" = '1' WHERE "Name" = 'default'`)
	x.wantIDs("refused although it is running", x.begin(w, ref(it)), nil)
	x.wantStarts(it.ID, &started, &started)
	if err := Do(x.ctx, x.Store, workqueue.Cancel, it.ID, "not needed"); err != nil {
		x.Fatal(err)
	}
	x.wantIDs("refused after it was cancelled", x.begin(w, ref(it)), []int64{it.ID})
}

func beginNothing(x *fixture) {
	x.wantIDs("refused", x.begin(x.Worker(WorkerOpts{})), nil)
}

func beginReturned(y *fixture) {
	x := newTimed(y)
	w := x.Worker(WorkerOpts{})
	it := x.claimOne(w, x.Item(ItemOpts{}).ID)
	x.wantIDs("lost", x.finish(w, workqueue.Finish{ItemID: it.ID, Fence: it.Fence, State: workqueue.Ready}), nil)
	x.wantStarts(it.ID, nil, nil)
	if n := len(x.attempts(it.ID)); n != 0 {
		x.Errorf("%d attempts, want none: the run had not started", n)
	}
	x.now = x.now.Add(time.Hour)
	if it = x.claimOne(w, it.ID); it.RecordBegin {
		x.Error("RecordBegin is true for an item that was released before, want false")
	}
	x.wantStarts(it.ID, &x.now, &x.now)
}
