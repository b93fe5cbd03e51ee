package storetest

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/go-cmp/cmp"

	"botwork/workqueue"
)

func assignTests() []test {
	return []test{
		{"passes never overlap", assignLock},
		{"a failed pass writes nothing", assignRollsBack},
		{"a panicking pass releases the lock", assignPanics},
		{"waiting for the lock stops when the context is cancelled", assignContext},
		{"the fields of an assigned item", assignFields},
		{"only waiting items are assigned", assignSkips},
		{"hundreds of items in one write", assignMany},
		{"workers that may get items", assignWorkers},
		{"the items that a worker holds", assignLoads},
		{"the remaining time of running items", assignLeft},
		{"estimates whose sum overflows", assignOddEstimates},
	}
}

// Each pass assigns the first due item. Overlapping passes would assign the
// same one, and the counter would count more than one pass.
func assignLock(x *fixture) {
	const passes, stores = 24, 3
	x.Items(passes, ItemOpts{})
	w := x.Worker(WorkerOpts{})
	var inside, written atomic.Int32
	var wg sync.WaitGroup
	for s := range stores {
		store := x.Store
		if s > 0 {
			store = x.Another(x.T)
		}
		for range passes / stores {
			wg.Go(func() {
				err := store.Assign(x.ctx, func(ctx context.Context, tx workqueue.AssignTx) error {
					if n := inside.Add(1); n != 1 {
						x.Errorf("%d passes are running at the same time", n)
					}
					defer inside.Add(-1)
					due, err := tx.DueItems(ctx, workqueue.EveryPriority, workqueue.Full{}, 1)
					if err != nil || len(due) != 1 {
						return fmt.Errorf("%d due items, want 1 (error %w)", len(due), err)
					}
					n, err := tx.Write(ctx, []workqueue.Assignment{{ItemID: due[0].ID, WorkerID: w.ID}})
					written.Add(int32(n))
					return err
				})
				if err != nil {
					x.Error(err)
				}
			})
		}
	}
	wg.Wait()
	if n := written.Load(); n != passes {
		x.Errorf("%d items were assigned, want %d", n, passes)
	}
}

func assignRollsBack(x *fixture) {
	w := x.Worker(WorkerOpts{})
	it := x.Item(ItemOpts{})
	broken := errors.New("broken")
	err := x.Store.Assign(x.ctx, func(ctx context.Context, tx workqueue.AssignTx) error {
		if n, err := tx.Write(ctx, []workqueue.Assignment{{ItemID: it.ID, WorkerID: w.ID}}); n != 1 || err != nil {
			x.Errorf("Write = %d, %v, want 1", n, err)
		}
		return broken
	})
	if !errors.Is(err, broken) {
		x.Errorf("Assign: %v, want the error of the pass", err)
	}
	x.wantSame(it)
	x.wantIDs("due items of the next pass", x.due(workqueue.EveryPriority, 10), []int64{it.ID})
}

func assignPanics(x *fixture) {
	w := x.Worker(WorkerOpts{})
	it := x.Item(ItemOpts{})
	func() {
		defer func() {
			if got := recover(); got != "broken" {
				x.Errorf("recovered %v, want the panic of the pass", got)
			}
		}()
		_ = x.Store.Assign(x.ctx, func(ctx context.Context, tx workqueue.AssignTx) error {
			if _, err := tx.Write(ctx, []workqueue.Assignment{{ItemID: it.ID, WorkerID: w.ID}}); err != nil {
				return err
			}
			panic("broken")
		})
	}()
	x.wantSame(it)
	x.wantIDs("due items of the next pass", x.due(workqueue.EveryPriority, 10), []int64{it.ID})
}

func assignContext(x *fixture) {
	ctx, cancel := context.WithCancel(x.ctx)
	waiter := make(chan error, 1)
	x.pass(func(context.Context, workqueue.AssignTx) error {
		go func() {
			waiter <- x.Store.Assign(ctx, func(context.Context, workqueue.AssignTx) error { return errors.New("got the lock") })
		}()
		cancel()
		if err := <-waiter; !errors.Is(err, context.Canceled) {
			x.Errorf("Assign: %v, want context.Canceled", err)
		}
		return nil
	})
}

func assignFields(x *fixture) {
	w := x.Worker(WorkerOpts{})
	before := x.Item(ItemOpts{State: workqueue.Pending})
	x.Assign(w, before.ID)
	got := x.show(before.ID)
	x.wantClean("AssignedAt", got.AssignedAt)
	want := before
	want.State, want.WorkerID, want.AssignedAt = workqueue.Assigned, &w.ID, got.AssignedAt
	want.Lifecycle, want.Version = workqueue.LifeAssigned, before.Version+1
	if asJSON(got) != asJSON(want) {
		x.Errorf("the assigned item is\n     %s\nwant %s", asJSON(got), asJSON(want))
	}
}

func assignSkips(x *fixture) {
	w := x.Worker(WorkerOpts{})
	batch := []workqueue.Assignment{{ItemID: 4711, WorkerID: w.ID}}
	var unchanged []workqueue.Item
	for _, s := range []workqueue.State{workqueue.Blocked, workqueue.Processed, workqueue.Cancelled, workqueue.Assigned} {
		unchanged = append(unchanged, x.Item(ItemOpts{State: s}))
	}
	// A pass read it as waiting; then a user cancelled it.
	late := x.Item(ItemOpts{})
	if err := Do(x.ctx, x.Store, workqueue.Cancel, late.ID, "too late"); err != nil {
		x.Fatal(err)
	}
	unchanged = append(unchanged, x.show(late.ID))
	for _, it := range unchanged {
		batch = append(batch, workqueue.Assignment{ItemID: it.ID, WorkerID: w.ID})
	}
	waiting := x.Item(ItemOpts{})
	batch = append(batch, workqueue.Assignment{ItemID: waiting.ID, WorkerID: w.ID})
	x.pass(func(ctx context.Context, tx workqueue.AssignTx) error {
		if n, err := tx.Write(ctx, nil); n != 0 || err != nil {
			x.Errorf("Write of nothing = %d, %v, want 0", n, err)
		}
		n, err := tx.Write(ctx, batch)
		if n != 1 {
			x.Errorf("Write = %d, want only the waiting item", n)
		}
		return err
	})
	for _, it := range unchanged {
		x.wantSame(it)
	}
	x.wantState(workqueue.Assigned, waiting.ID)
}

func assignMany(x *fixture) {
	w := x.Worker(WorkerOpts{})
	x.Items(1500, ItemOpts{State: workqueue.Assigned, Worker: w})
	if n, err := x.Store.ReleaseAssigned(x.ctx, w.ID, w.InstanceID); n != 1500 || err != nil {
		x.Errorf("ReleaseAssigned = %d, %v, want 1500", n, err)
	}
}

// loads returns the workers as a pass reads them.
func (x *fixture) loads(seenWithin time.Duration, band workqueue.Band) []workqueue.WorkerLoad {
	x.Helper()
	var loads []workqueue.WorkerLoad
	x.pass(func(ctx context.Context, tx workqueue.AssignTx) (err error) {
		loads, err = workerLoads(ctx, tx, seenWithin, band, 10*time.Second)
		return err
	})
	return loads
}

func assignWorkers(x *fixture) {
	if got := x.loads(time.Hour, workqueue.EveryPriority); len(got) != 0 {
		x.Errorf("workers of an empty database = %v, want none", got)
	}
	first := x.Worker(WorkerOpts{Name: "zoe", Capacity: 7})
	for _, set := range []string{
		`"State" = 'draining'`, `"State" = 'stopped'`, `"LeaseExpiresAt" = ` + longAgo, `"LastSeenAt" = ` + longAgo,
	} {
		x.exec(1, `UPDATE "BotWorkers" SET %s WHERE "Id" = %d`, set, x.Worker(WorkerOpts{}).ID)
	}
	last := x.Worker(WorkerOpts{Name: "ann"})
	got := x.loads(15*time.Minute, workqueue.EveryPriority)
	if len(got) != 2 || got[0].WorkerID != first.ID || got[1].WorkerID != last.ID {
		x.Fatalf("workers = %+v, want %q and %q in order of their ids", got, first.Name, last.Name)
	}
	want := workqueue.WorkerLoad{WorkerID: first.ID, Name: "zoe", Capacity: 7, AvailableSince: first.StartedAt}
	if diff := cmp.Diff(want, got[0]); diff != "" {
		x.Errorf("the first worker (-want +got):\n%s", diff)
	}
	x.exec(1, `UPDATE "BotWorkers" SET "Labels" = '{"gpu":true}', "Channels" = '{"voice":{"cost":2}}', "Queues" = '["erp"]', "StuckSlots" = 1,
		"AvailableSince" = %s WHERE "Id" = %d`, longAgo, first.ID)
	got = x.loads(15*time.Minute, workqueue.EveryPriority)
	if l := got[0]; l.Labels != `{"gpu":true}` || l.Channels != `{"voice":{"cost":2}}` || l.Queues != `["erp"]` || l.Capacity != 6 || !l.AvailableSince.Before(first.StartedAt) {
		x.Errorf("the first worker is %+v, want the values of its row", l)
	}
}

// assignOddEstimates: estimates that were edited by hand may be too large to add up.
func assignOddEstimates(x *fixture) {
	w := x.Worker(WorkerOpts{})
	for _, estimate := range []string{"9223372036854775807", "9223372036854775807", "-9223372036854775807"} {
		it := x.Item(ItemOpts{State: workqueue.Assigned, Worker: w})
		x.exec(1, `UPDATE "BotWorkQueueItems" SET "EstimatedDurationMs" = %s WHERE "Id" = %d`, estimate, it.ID)
	}
	got := x.loads(time.Hour, workqueue.EveryPriority)
	if len(got) != 1 || heldBy(got[0]).Count != 3 || heldBy(got[0]).Estimate < 20*365*24*time.Hour {
		x.Errorf("loads = %+v, want one worker with 3 items of at least 20 years in total", got)
	}
	it := x.Item(ItemOpts{})
	x.exec(1, `UPDATE "BotWorkQueueItems" SET "EstimatedDurationMs" = 9223372036854775807 WHERE "Id" = %d`, it.ID)
	x.pass(func(ctx context.Context, tx workqueue.AssignTx) error {
		due, err := tx.DueItems(ctx, workqueue.EveryPriority, workqueue.Full{}, 10)
		if err == nil && (len(due) != 1 || due[0].Estimate < 20*365*24*time.Hour) {
			x.Errorf("due = %+v, want one item of at least 20 years", due)
		}
		return err
	})
}

func assignLoads(x *fixture) {
	busy, idle := x.Worker(WorkerOpts{}), x.Worker(WorkerOpts{})
	for _, p := range []int{499, 500, 1001} {
		x.Item(ItemOpts{State: workqueue.Blocked, Worker: busy, Priority: p, Estimate: 2 * time.Second})
		x.Item(ItemOpts{State: workqueue.Processed, Worker: busy, Priority: p})
		x.Item(ItemOpts{State: workqueue.Assigned, Worker: busy, Priority: p}) // its estimate is the default, 10 s
		x.Item(ItemOpts{Priority: p})
	}
	// No time of their estimates has passed.
	x.exec(3, `UPDATE "BotWorkQueueItems" SET "StartedAt" = %s WHERE "State" = 1`, x.agoSQL(-time.Hour))
	running := func(p int) workqueue.HeldWork {
		return workqueue.HeldWork{Priority: p, Running: true, Count: 1, Estimate: 2 * time.Second}
	}
	assigned := func(p int) workqueue.HeldWork {
		return workqueue.HeldWork{Priority: p, Count: 1, Estimate: 10 * time.Second}
	}
	all := []workqueue.HeldWork{running(1001), assigned(1001), running(500), assigned(500), running(499), assigned(499)}
	for _, c := range []struct {
		band workqueue.Band
		held []workqueue.HeldWork
	}{
		{highBand, []workqueue.HeldWork{running(1001), assigned(1001), running(500), running(499)}}, // running items occupy slots
		{mediumBand, []workqueue.HeldWork{running(1001), assigned(1001), running(500), assigned(500), running(499)}},
		{lowBand, all},
		{workqueue.Band{Min: 499, Max: 499}, all}, // items above the band count
		{workqueue.Band{Min: 1002, Max: 1002}, []workqueue.HeldWork{running(1001), running(500), running(499)}},
	} {
		got := x.loads(15*time.Minute, c.band)
		if len(got) != 2 || got[0].WorkerID != busy.ID || got[1].WorkerID != idle.ID || got[1].Held != nil {
			x.Fatalf("%s: loads = %+v, want those of %q and of %q, which holds nothing", c.band, got, busy.Name, idle.Name)
		}
		if diff := cmp.Diff(c.held, got[0].Held); diff != "" {
			x.Errorf("%s: held (-want +got):\n%s", c.band, diff)
		}
		if latest := x.worker(busy.Name).StartedAt; !got[0].AvailableSince.After(latest) && !got[0].AvailableSince.Equal(latest) {
			x.Errorf("%s: available since %s, want no earlier than %s", c.band, got[0].AvailableSince, latest)
		}
	}
}

// assignLeft: a running item counts with the rest of its estimate. When it has exceeded
// the estimate, it counts with the time that it has run so far.
func assignLeft(x *fixture) {
	w := x.Worker(WorkerOpts{})
	for i, c := range []struct {
		name     string
		estimate time.Duration // 0: the default, 10 s
		started  string
		want     time.Duration // give or take a minute
	}{
		{"halfway through its estimate", 2 * time.Hour, x.agoSQL(time.Hour), time.Hour},
		{"longer than estimated", time.Millisecond, x.agoSQL(time.Hour), time.Hour},
		{"longer than the default estimate", 0, x.agoSQL(3 * time.Hour), 3 * time.Hour},
		{"started in the future", 2 * time.Hour, x.agoSQL(-time.Hour), 2 * time.Hour},
		{"no start time", 2 * time.Hour, "NULL", 2 * time.Hour},
		{"started at an impossible time", time.Hour, `'1753-01-01'`, 10 * 365 * 24 * time.Hour},
	} {
		it := x.Item(ItemOpts{State: workqueue.Blocked, Worker: w, Priority: i + 1, Estimate: c.estimate})
		x.exec(1, `UPDATE "BotWorkQueueItems" SET "StartedAt" = %s WHERE "Id" = %d`, c.started, it.ID)
		got := x.loads(time.Hour, workqueue.EveryPriority)
		if len(got) != 1 || len(got[0].Held) != i+1 {
			x.Fatalf("%s: loads = %+v, want one worker with %d items", c.name, got, i+1)
		}
		if h := got[0].Held[0]; !h.Running || h.Count != 1 || (h.Estimate-c.want).Abs() > time.Minute {
			x.Errorf("%s: %+v, want a running item of about %s", c.name, h, c.want)
		}
	}
}

// agoSQL is the time d ago by the database's clock, as a literal.
func (x *fixture) agoSQL(d time.Duration) string {
	x.Helper()
	var now time.Time
	x.pass(func(ctx context.Context, tx workqueue.AssignTx) error {
		m, err := tx.PassState(ctx)
		now = m.Now
		return err
	})
	return "'" + now.Add(-d).Format("2006-01-02 15:04:05.000") + "'"
}

// heldBy adds up all items that a worker holds.
func heldBy(l workqueue.WorkerLoad) (all workqueue.HeldWork) {
	for _, h := range l.Held {
		all.Count += h.Count
		all.Estimate += h.Estimate
	}
	return all
}
