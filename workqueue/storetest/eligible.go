package storetest

import (
	"context"
	"fmt"
	"slices"
	"time"

	"botwork/workqueue"
)

func eligibleTests() []test {
	return []test{
		{"no statement starts an item that is not eligible", eligibleEach},
		{"each statement starts a row inserted by hand", eligibleByHand},
		{"an item that snoozed between plan and write does not start", eligibleAfterSnooze},
		{"items that are not eligible are not reported", eligibleNotReported},
		{"four runners whose items fail or snooze for an hour", eligibleRace},
	}
}

// obstacle prevents an item from being assigned or started: a change by hand to the row
// of the item, of its queue, or of the worker that would get it.
type obstacle struct{ table, set, clear string }

const (
	itemRow   = "BotWorkQueueItems"
	queueRow  = "BotQueues"
	workerRow = "BotWorkers"
)

// These obstacles prevent every starter from starting the item.
var (
	withholding = []obstacle{
		{itemRow, `"AvailableAt" = ` + farAway, `"AvailableAt" = ` + longAgo},
		{itemRow, `"DeletedAt" = ` + longAgo, `"DeletedAt" = NULL`},
		{queueRow, `"Paused" = '1'`, `"Paused" = '0'`},
	}
	expiring = []obstacle{
		{itemRow, `"DeadlineAt" = ` + longAgo, `"DeadlineAt" = NULL`},
		{itemRow, `"DeadlineAt" = ` + longAgo, `"DeadlineAt" = ` + farAway},
		{itemRow, `"ExpiresAt" = ` + longAgo, `"ExpiresAt" = NULL`},
		{itemRow, `"ExpiresAt" = ` + longAgo, `"ExpiresAt" = ` + farAway},
	}
)

var (
	forRobots  = obstacle{queueRow, `"Consumer" = 'robots'`, `"Consumer" = 'workers'`}
	forWorkers = obstacle{queueRow, `"Consumer" = 'workers'`, `"Consumer" = 'robots'`}
	draining   = obstacle{workerRow, `"State" = 'draining'`, `"State" = 'active'`}
	stopped    = obstacle{workerRow, `"State" = 'stopped'`, `"State" = 'active'`}
	dead       = obstacle{workerRow, `"LeaseExpiresAt" = ` + longAgo, `"LeaseExpiresAt" = NULL`}
	replaced   = obstacle{workerRow, `"InstanceId" = 'the next one'`, `"InstanceId" = 'this one'`}
)

// starter is a statement that assigns an item to a worker or starts it. start returns
// how many items it moved.
type starter struct {
	name  string
	from  place
	also  []obstacle
	start func(x *fixture, w workqueue.Worker, it workqueue.Item) int
}

// place is where a starter finds the item.
type place int

const (
	waiting   place = iota // for workers
	forRobot               // waiting for robots
	assigned               // to the worker
	fromOther              // assigned to another worker
)

var starters = []starter{
	{"assign", waiting, []obstacle{forRobots, draining, stopped, dead}, func(x *fixture, w workqueue.Worker, it workqueue.Item) int {
		return x.write(workqueue.Assignment{ItemID: it.ID, WorkerID: w.ID})
	}},
	{"reassign", fromOther, []obstacle{forRobots, draining, stopped, dead}, func(x *fixture, w workqueue.Worker, it workqueue.Item) int {
		return x.write(workqueue.Assignment{ItemID: it.ID, WorkerID: w.ID, From: *it.WorkerID})
	}},
	{"take", waiting, []obstacle{forRobots, draining, stopped, replaced}, func(x *fixture, w workqueue.Worker, it workqueue.Item) int {
		return len(x.takeItems(w, workqueue.Assignment{ItemID: it.ID, WorkerID: w.ID}))
	}},
	{"take in a pass of its own", waiting, []obstacle{forRobots, draining, stopped, replaced}, func(x *fixture, w workqueue.Worker, it workqueue.Item) int {
		claimed, _ := x.takePass(w, x.passes(), it.ID)
		return len(claimed)
	}},
	{"claim", assigned, []obstacle{forRobots, draining, stopped, replaced}, func(x *fixture, w workqueue.Worker, _ workqueue.Item) int {
		return len(x.claim(w, 10))
	}},
	{"checkout", forRobot, []obstacle{forWorkers}, func(x *fixture, _ workqueue.Worker, it workqueue.Item) int {
		c, err := x.Store.Checkout(x.ctx, workqueue.CheckoutParams{Robot: ann, Max: 10, Filter: workqueue.CheckoutFilter{IDs: []int64{it.ID}}})
		if err != nil {
			return 0 // a queue for workers refuses
		}
		return len(c.Items)
	}},
}

// write assigns items and returns how many it assigned.
func (x *fixture) write(list ...workqueue.Assignment) (n int) {
	x.Helper()
	x.pass(func(ctx context.Context, tx workqueue.AssignTx) (err error) {
		n, err = tx.Write(ctx, list)
		return err
	})
	return n
}

// prepare makes a worker with a known instance id, and puts the item where the starter
// finds it. Call it before the queue is made one for robots.
func (x *fixture) prepare(s *starter, id int64) (workqueue.Worker, workqueue.Item) {
	x.Helper()
	w := x.Worker(WorkerOpts{})
	x.exec(1, `UPDATE "BotWorkers" SET "InstanceId" = 'this one' WHERE "Id" = %d`, w.ID)
	w.InstanceID = "this one"
	switch s.from {
	case assigned:
		x.Assign(w, id)
	case fromOther:
		x.Assign(x.Worker(WorkerOpts{}), id)
	case forRobot:
		x.exec(1, `UPDATE "BotQueues" SET "Consumer" = 'robots' WHERE "Name" = 'default'`)
	}
	return w, x.show(id)
}

// change sets or clears an obstacle.
func (x *fixture) change(o obstacle, columns string, w workqueue.Worker, it workqueue.Item) {
	x.Helper()
	where := map[string]string{
		itemRow: fmt.Sprintf(`"Id" = %d`, it.ID), queueRow: `"Name" = 'default'`, workerRow: fmt.Sprintf(`"Id" = %d`, w.ID),
	}[o.table]
	x.exec(1, `UPDATE "%s" SET %s WHERE %s`, o.table, columns, where)
}

// A plan may be older than a failure, a snooze, a pause or an edit. If an obstacle exists
// when the statement runs, the item stays unchanged; without the obstacle, the same
// statement starts it.
func eligibleEach(x *fixture) {
	for i := range starters {
		s := &starters[i]
		for _, o := range slices.Concat(withholding, expiring, s.also) {
			w, it := x.prepare(s, x.Item(ItemOpts{}).ID)
			x.change(o, o.set, w, it)
			before := x.show(it.ID)
			if n := s.start(x, w, it); n != 0 {
				x.Errorf("%s of an item with %s: %d items, want none", s.name, o.set, n)
			}
			x.wantSame(before)
			x.change(o, o.clear, w, it)
			if n := s.start(x, w, it); n != 1 {
				x.Errorf("%s of an item with %s: %d items, want one", s.name, o.clear, n)
			}
			x.exec(1, `UPDATE "BotQueues" SET "Consumer" = 'workers' WHERE "Name" = 'default'`)
		}
	}
}

// A row inserted by hand has defaults in all other columns; a worker's row inserted by
// hand has no lease.
func eligibleByHand(x *fixture) {
	for i := range starters {
		s := &starters[i]
		x.exec(1, `INSERT INTO "BotWorkQueueItems" ("IntegrationConfig") VALUES ('%s')`, s.name)
		list, err := x.Store.Items(x.ctx, workqueue.ItemFilter{Limit: 1})
		if err != nil || len(list) != 1 {
			x.Fatalf("Items = %s, %v", asJSON(list), err)
		}
		w, it := x.prepare(s, list[0].ID)
		x.exec(1, `UPDATE "BotWorkers" SET "LeaseExpiresAt" = NULL WHERE "Id" = %d`, w.ID)
		if n := s.start(x, w, it); n != 1 {
			x.Errorf("%s of a row inserted by hand: %d items, want one", s.name, n)
		}
		x.exec(1, `UPDATE "BotQueues" SET "Consumer" = 'workers' WHERE "Name" = 'default'`)
	}
}

// A worker can take items without counting as a pass, so another worker may write an
// older plan after that. An item that ran and snoozed in between is waiting again, but
// the old plan must not start it.
func eligibleAfterSnooze(x *fixture) {
	quick, slow := x.Worker(WorkerOpts{}), x.Worker(WorkerOpts{})
	for i := range starters {
		s := &starters[i]
		if s.from != waiting {
			continue
		}
		it := x.Item(ItemOpts{})
		x.wantIDs("planned", x.due(workqueue.EveryPriority, 10), []int64{it.ID})
		ran := x.takeItems(quick, workqueue.Assignment{ItemID: it.ID, WorkerID: quick.ID})
		if len(ran) != 1 {
			x.Fatalf("the quick worker took %s", asJSON(ran))
		}
		x.finish(quick, workqueue.Finish{ItemID: it.ID, Fence: ran[0].Fence, State: workqueue.Ready, Delay: time.Hour})
		before := x.show(it.ID)
		if n := s.start(x, slow, it); n != 0 {
			x.Errorf("%s of an item that has snoozed since: %d items, want none", s.name, n)
		}
		x.wantSame(before)
	}
}

// If the store reported items that no claim returns, a worker would search for them
// repeatedly, and a pass would plan to move them.
func eligibleNotReported(x *fixture) {
	claim := &starters[4]
	for _, o := range slices.Concat(withholding, expiring, []obstacle{forRobots}) {
		w, it := x.prepare(claim, x.Item(ItemOpts{}).ID)
		x.wantReady(workqueue.ItemsAssigned, w.ID, workqueue.EveryPriority, "assigned")
		x.wantStranded(w, it.Priority)
		x.change(o, o.set, w, it)
		x.wantReady(workqueue.NothingReady, w.ID, workqueue.EveryPriority, o.set)
		x.wantStranded(w)
		x.pass(func(ctx context.Context, tx workqueue.AssignTx) error {
			items, err := tx.AssignedItems(ctx, workqueue.EveryPriority, 10)
			if len(items) != 0 {
				x.Errorf("with %s a pass may move the assigned items %v, want none", o.set, items)
			}
			return err
		})
		x.change(o, o.clear, w, it)
		x.wantReady(workqueue.ItemsAssigned, w.ID, workqueue.EveryPriority, o.clear)
		if got := x.claim(w, 10); len(got) != 1 {
			x.Errorf("with %s claimed %v, want item %d", o.clear, idsOf(got), it.ID)
		}
	}
	for _, o := range []obstacle{draining, stopped} {
		w, it := x.prepare(claim, x.Item(ItemOpts{}).ID)
		x.change(o, o.set, w, it)
		x.wantReady(workqueue.NothingReady, w.ID, workqueue.EveryPriority, o.set)
		x.exec(1, `DELETE FROM "BotWorkQueueItems" WHERE "Id" = %d`, it.ID)
	}
}
