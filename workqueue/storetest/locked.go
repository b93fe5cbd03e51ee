package storetest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"botwork/workqueue"
)

// A person holds rows of items in an open transaction. What the person does not hold goes on at
// once, and what the person holds is neither lost nor written.
func lockedTests() []test {
	return []test{
		{"a pass assigns the other items", lockedPass},
		{"a pass with a claim takes the other items", lockedTake},
		{"an assigned item is left to its worker", lockedClaim},
		{"the other leases are renewed", lockedBeat},
		{"a worker whose own row is held renews its leases", lockedWorker},
		{"the other results are written", lockedFinish},
		{"the other starts are recorded", lockedBegin},
		{"the other progress is recorded", lockedProgress},
		{"the other items are rescued and expire", lockedSweep},
		{"a leader that is held keeps its lease", lockedJoin},
		{"a robot keeps its item", lockedRobot},
		{"a worker stops", lockedRelease},
		{"who holds a row", lockedBy},
	}
}

// hold makes a person change or look at rows and not commit. It skips the test on an engine where
// that holds the whole database. The statements of the test get a bound: what waits fails.
func (x *fixture) hold(ids ...int64) (release func()) {
	x.Helper()
	if x.Hold == nil {
		x.Skip("an open transaction holds the whole database")
	}
	release = x.Hold(x.T, fmt.Sprintf(`UPDATE "BotWorkQueueItems" SET "Progress" = 'by hand' WHERE "Id" IN (%s)`, join(ids)))
	ctx, cancel := context.WithTimeout(x.ctx, 20*time.Second)
	x.ctx = ctx
	x.Cleanup(func() {
		cancel()
		release()
	})
	return release
}

func join(ids []int64) string {
	return strings.Trim(strings.ReplaceAll(fmt.Sprint(ids), " ", ", "), "[]")
}

// wantLocked checks that the error names exactly these items.
func (x *fixture) wantLocked(err error, ids ...int64) {
	x.Helper()
	locked, ok := errors.AsType[*workqueue.LockedError](err)
	if !ok {
		x.Fatalf("error %v, want a *LockedError for %v", err, ids)
	}
	got := slices.Sorted(slices.Values(locked.Items))
	x.wantIDs("locked", got, ids)
}

func lockedPass(x *fixture) {
	w := x.Worker(WorkerOpts{})
	ids := x.Items(4, ItemOpts{})
	release := x.hold(ids[0], ids[2])
	x.wantIDs("due", x.due(workqueue.EveryPriority, 10), []int64{ids[1], ids[3]})
	batch := make([]workqueue.Assignment, len(ids))
	for i, id := range ids {
		batch[i] = workqueue.Assignment{ItemID: id, WorkerID: w.ID}
	}
	n := 0
	x.pass(func(ctx context.Context, tx workqueue.AssignTx) (err error) {
		n, err = tx.Write(ctx, batch)
		return err
	})
	if n != 2 {
		x.Errorf("a plan from before the person came assigned %d items, want the 2 others", n)
	}
	release()
	x.wantState(workqueue.Assigned, ids[1], ids[3])
	x.wantIDs("due", x.due(workqueue.EveryPriority, 10), []int64{ids[0], ids[2]})
}

func lockedTake(x *fixture) {
	w := x.Worker(WorkerOpts{})
	ids := x.Items(2, ItemOpts{})
	x.hold(ids[0])
	var items []workqueue.Item
	x.pass(func(ctx context.Context, tx workqueue.AssignTx) (err error) {
		items, err = tx.AssignAndClaim(ctx, []workqueue.Assignment{{ItemID: ids[0], WorkerID: w.ID}, {ItemID: ids[1], WorkerID: w.ID}},
			workqueue.PassClaim{WorkerID: w.ID, InstanceID: w.InstanceID, Max: 2, Lease: leaseTime, Band: workqueue.EveryPriority})
		return err
	})
	x.wantIDs("claimed", idsOf(items), ids[1:])
}

func lockedClaim(x *fixture) {
	w := x.Worker(WorkerOpts{})
	ids := x.Items(2, ItemOpts{State: workqueue.Assigned, Worker: w})
	release := x.hold(ids[0])
	x.wantIDs("claimed", idsOf(x.claim(w, 2)), ids[1:])
	release()
	x.wantIDs("claimed", idsOf(x.claim(w, 2)), ids[:1])
}

// runMany makes n items that a worker runs.
func (x *fixture) runMany(w workqueue.Worker, n int) []workqueue.Item {
	x.Helper()
	x.Items(n, ItemOpts{State: workqueue.Assigned, Worker: w})
	return x.claim(w, n)
}

func lockedBeat(x *fixture) {
	w := x.Worker(WorkerOpts{})
	items := x.runMany(w, 3)
	gone := x.Item(ItemOpts{State: workqueue.Processed, Worker: w, Priority: 1})
	x.exec(3, `UPDATE "BotWorkQueueItems" SET "LeaseExpiresAt" = %s WHERE "State" = 1`, longAgo)
	release := x.hold(items[1].ID)
	got := x.mustBeat(w, ref(items[0]), ref(items[1]), ref(items[2]), ref(gone))
	x.wantIDs("lost", got.Lost, []int64{gone.ID})
	x.wantIDs("locked", got.Locked, []int64{items[1].ID})
	for i, it := range items {
		if renewed := x.show(it.ID).LeaseExpiresAt.Year() > 2001; renewed == (i == 1) {
			x.Errorf("the lease of item %d was renewed: %t", i, renewed)
		}
	}
	release()
	if got := x.mustBeat(w, ref(items[1])); len(got.Lost)+len(got.Locked) > 0 {
		x.Errorf("Beat = %+v, want the lease renewed", got)
	}
}

func lockedWorker(x *fixture) {
	w := x.Worker(WorkerOpts{})
	it := x.runMany(w, 1)[0]
	replaced := x.Worker(WorkerOpts{})
	x.exec(1, `UPDATE "BotWorkQueueItems" SET "LeaseExpiresAt" = %s`, longAgo)
	if x.Hold == nil {
		x.Skip("an open transaction holds the whole database")
	}
	release := x.Hold(x.T, `UPDATE "BotWorkers" SET "Host" = 'by hand'`)
	x.Cleanup(release)
	if got := x.mustBeat(w, ref(it)); len(got.Lost)+len(got.Locked) > 0 || got.State != workqueue.WorkerActive && got.State != "" {
		x.Errorf("Beat = %+v, want the lease renewed", got)
	}
	if got := x.show(it.ID); got.LeaseExpiresAt.Year() == 2001 {
		x.Error("the lease of the item was not renewed")
	}
	replaced.InstanceID = "the instance before"
	if _, err := x.beat(replaced); !errors.Is(err, workqueue.ErrWorkerReplaced) {
		x.Errorf("a heartbeat of a replaced worker: %v, want ErrWorkerReplaced", err)
	}
	release()
	if got := x.mustBeat(w, ref(it)); got.State != workqueue.WorkerActive {
		x.Errorf("Beat = %+v, want active", got)
	}
}

func lockedFinish(x *fixture) {
	w := x.Worker(WorkerOpts{})
	items := x.runMany(w, 4)
	gone := x.Item(ItemOpts{State: workqueue.Processed, Worker: w, Priority: 1})
	for _, ends := range []struct {
		of   []workqueue.Item
		ends []workqueue.Finish
		lost []int64
	}{
		{items[:2], []workqueue.Finish{success(items[0]), success(items[1])}, nil}, // plain ends
		{items[2:], []workqueue.Finish{failure(items[2], workqueue.Ready), success(items[3]), success(gone)}, []int64{gone.ID}},
	} {
		release := x.hold(ends.of[0].ID)
		lost, err := x.Store.Finish(x.ctx, w.ID, w.InstanceID, ends.ends)
		x.wantLocked(err, ends.of[0].ID)
		x.wantIDs("lost", lost, ends.lost)
		x.wantState(workqueue.Processed, ends.of[1].ID)
		x.wantState(workqueue.Blocked, ends.of[0].ID)
		release()
		x.wantIDs("lost", x.finish(w, ends.ends[0]), nil)
	}
	x.wantState(workqueue.Processed, items[0].ID)
	x.wantState(workqueue.Ready, items[2].ID)
}

func lockedBegin(x *fixture) {
	w := x.Worker(WorkerOpts{})
	items := x.runMany(w, 2)
	x.hold(items[0].ID)
	refused, err := x.Store.Begin(x.ctx, workqueue.BeginParams{WorkerID: w.ID, InstanceID: w.InstanceID, Items: []workqueue.ItemRef{ref(items[0]), ref(items[1])}})
	if err != nil {
		x.Fatal(err)
	}
	x.wantIDs("refused", refused, []int64{items[0].ID})
}

func lockedProgress(x *fixture) {
	w := x.Worker(WorkerOpts{})
	items := x.runMany(w, 2)
	x.hold(items[0].ID)
	lost, err := x.Store.Progress(x.ctx, w.ID, w.InstanceID, []workqueue.ProgressNote{
		{ItemRef: ref(items[0]), Progress: "half"}, {ItemRef: ref(items[1]), Progress: "half"},
	})
	x.wantLocked(err, items[0].ID)
	x.wantIDs("lost", lost, nil)
	if got := x.show(items[1].ID).Progress; deref(got) != "half" {
		x.Errorf("progress %q, want it recorded", deref(got))
	}
}

func lockedSweep(x *fixture) {
	w := x.Worker(WorkerOpts{})
	items := x.runMany(w, 2)
	late := x.Items(2, ItemOpts{Deadline: time.Now().Add(time.Hour)})
	x.exec(2, `UPDATE "BotWorkQueueItems" SET "LeaseExpiresAt" = %s WHERE "State" = 1`, longAgo)
	x.exec(2, `UPDATE "BotWorkQueueItems" SET "DeadlineAt" = %s WHERE "Id" IN (%s)`, longAgo, join(late))
	release := x.hold(items[0].ID, late[0])
	sweep := func() (rescued, expired int) {
		x.pass(func(ctx context.Context, tx workqueue.AssignTx) error {
			r, err := tx.Rescue(ctx, time.Hour)
			if err != nil {
				return err
			}
			rescued = r.Rescued
			expired, err = tx.Expire(ctx)
			return err
		})
		return rescued, expired
	}
	if rescued, expired := sweep(); rescued != 1 || expired != 1 {
		x.Errorf("rescued %d and expired %d items, want one each", rescued, expired)
	}
	x.wantState(workqueue.Ready, items[1].ID)
	x.wantState(workqueue.Cancelled, late[1])
	release()
	if rescued, expired := sweep(); rescued != 1 || expired != 1 {
		x.Errorf("rescued %d and expired %d items after the release, want one each", rescued, expired)
	}
}

func lockedJoin(x *fixture) {
	w := x.Worker(WorkerOpts{})
	leader := x.runMany(w, 1)[0]
	release := x.hold(leader.ID)
	p := workqueue.JoinParams{WorkerID: w.ID, InstanceID: w.InstanceID, Leader: ref(leader), Lease: leaseTime, Max: 2}
	_, err := x.Store.Join(x.ctx, p)
	x.wantLocked(err, leader.ID)
	release()
	if _, err := x.Store.Join(x.ctx, p); err != nil {
		x.Error(err)
	}
}

func lockedRobot(x *fixture) {
	x.robots(nil)
	it, h := x.takeNew(form(1))
	release := x.hold(it.ID)
	for _, call := range []struct {
		name string
		do   func() error
	}{
		{"extend", func() error { _, err := x.Store.ExtendCheckout(x.ctx, h, leaseTime); return err }},
		{"progress", func() error { return x.Store.RobotProgress(x.ctx, h, workqueue.RobotNote{Text: "half"}) }},
		{"finish", func() error { _, err := x.Store.FinishCheckout(x.ctx, h, workqueue.RobotEnd{}); return err }},
		{"release", func() error { return x.Store.ReleaseCheckout(x.ctx, h, "") }},
		{"taking it away", func() error { return x.Store.ReleaseFromRobot(x.ctx, it.ID, "") }},
	} {
		if err := call.do(); !errors.As(err, new(*workqueue.LockedError)) {
			x.Errorf("%s: error %v, want a *LockedError", call.name, err)
		}
	}
	release()
	if _, err := x.Store.FinishCheckout(x.ctx, h, workqueue.RobotEnd{}); err != nil {
		x.Error(err)
	}
}

func lockedRelease(x *fixture) {
	w := x.Worker(WorkerOpts{})
	ids := x.Items(2, ItemOpts{State: workqueue.Assigned, Worker: w})
	x.hold(ids[0])
	n, err := x.Store.ReleaseAssigned(x.ctx, w.ID, w.InstanceID)
	if err != nil || n != 1 {
		x.Errorf("released %d items, %v, want the one that no session holds", n, err)
	}
}

func lockedBy(x *fixture) {
	ids := x.Items(2, ItemOpts{})
	release := x.hold(ids[0])
	list, err := x.Store.RowHolders(x.ctx, ids...)
	if err != nil || len(list) != 1 {
		x.Fatalf("held by %s, %v, want one session", asJSON(list), err)
	}
	h := list[0]
	if h.ItemID != ids[0] || h.Session == 0 || h.Login == "" || h.Open < 0 || !strings.HasPrefix(h.Statement, `UPDATE "BotWorkQueueItems" SET "Progress" = '…' WHERE`) || !strings.Contains(h.End, fmt.Sprint(h.Session)) {
		x.Errorf("held by %s (%+v)", h, h)
	}
	open, err := x.Store.OpenSessions(x.ctx)
	if err != nil || len(open) != 1 || open[0].Session != h.Session || open[0].Transaction == "" || open[0].Statement != h.Statement {
		x.Errorf("open sessions %s, %v, want the same one", asJSON(open), err)
	}
	release()
	if open, err := x.Store.OpenSessions(x.ctx); err != nil || len(open) != 0 {
		x.Errorf("open sessions %s, %v, want none", asJSON(open), err)
	}
	if list, err := x.Store.RowHolders(x.ctx, ids...); err != nil || len(list) != 0 {
		x.Errorf("held by %s, %v, want no session", asJSON(list), err)
	}
}
