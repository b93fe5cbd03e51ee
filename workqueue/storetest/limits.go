package storetest

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/google/go-cmp/cmp"

	"botwork/workqueue"
	"botwork/workqueue/assign"
)

func limitTests() []test {
	return []test{
		{"no limits", limitNone},
		{"items at the same time", limitConcurrency},
		{"items of a key at the same time", limitKeys},
		{"limits of the queue and of the key together", limitBoth},
		{"items checked out by a robot count", limitCheckouts},
		{"a limit lowered while items run", limitLowered},
		{"the pass assigns the next item instead", limitOrder},
		{"a page of items of full queues hides no other item", limitPages},
		{"a page of items of full keys hides no other item", limitKeyPages},
		{"the use of limits", limitUses},
		{"full queues and keys are left out", limitDueExcluding},
		{"items of a queue for robots", limitRobots},
		{"four workers that assign, claim and finish at the same time", limitContend},
	}
}

// makeQueue makes a queue with values in these columns.
func (x *fixture) makeQueue(name, columns, values string) {
	x.Helper()
	x.exec(1, `INSERT INTO "BotQueues" ("Name", %s) VALUES ('%s', %s)`, columns, name, values)
}

// assign runs a complete pass over every priority, for workers with free slots.
func (x *fixture) assign() assign.AssignResult {
	x.Helper()
	return x.assignBy(x.Store, assign.AssignParams{})
}

func (x *fixture) assignBy(store Store, p assign.AssignParams) assign.AssignResult {
	x.Helper()
	p.Workers, p.SeenWithin = assign.AvailableWorkers, 24*time.Hour
	result, err := assign.AssignPass(x.ctx, store, p)
	if err != nil {
		x.Fatal(err)
	}
	return result
}

// wantAssigned runs a pass and checks which items are assigned after it.
func (x *fixture) wantAssigned(want ...int64) {
	x.Helper()
	x.assign()
	got, err := x.Store.Items(x.ctx, workqueue.ItemFilter{States: []workqueue.State{workqueue.Assigned}, Limit: 10_000})
	if err != nil {
		x.Fatal(err)
	}
	ids := idsOf(got)
	slices.Sort(ids)
	slices.Sort(want)
	x.wantIDs("assigned items", ids, want)
}

// limits returns the limits as a pass reads them.
func (x *fixture) limits() (uses []workqueue.LimitUse) {
	x.Helper()
	x.pass(func(ctx context.Context, tx workqueue.AssignTx) (err error) {
		uses, err = tx.Limits(ctx)
		return err
	})
	// Reading without the lock returns the same, when the log of starts is up to date.
	err := x.Store.ReadUnlocked(x.ctx, func(ctx context.Context, view workqueue.AssignView) error {
		read, err := view.LimitUses(ctx)
		if diff := cmp.Diff(uses, read); diff != "" {
			x.Errorf("LimitUses after Limits (-Limits +LimitUses):\n%s", diff)
		}
		return err
	})
	if err != nil {
		x.Fatal(err)
	}
	return uses
}

func limitNone(x *fixture) {
	x.Worker(WorkerOpts{})
	ids := x.Items(5, ItemOpts{LimitKey: "acme"})
	x.pass(func(ctx context.Context, tx workqueue.AssignTx) error {
		due, err := tx.DueItems(ctx, workqueue.EveryPriority, workqueue.Full{}, 10)
		for _, d := range due {
			if d.Queue != "" || d.LimitKey != "" {
				x.Errorf("due item %+v has a queue or a key, want none without limits", d)
			}
		}
		return err
	})
	if got := x.limits(); len(got) != 0 {
		x.Errorf("Limits = %+v, want none", got)
	}
	x.wantAssigned(ids...)
}

func limitConcurrency(x *fixture) {
	x.makeQueue("erp", `"ConcurrencyLimit"`, "3")
	w := x.Worker(WorkerOpts{})
	ids := x.Items(8, ItemOpts{Queue: "erp"})
	unlimited := x.Items(2, ItemOpts{Priority: 1})
	x.wantAssigned(append(unlimited, ids[:3]...)...)
	x.wantAssigned(append(unlimited, ids[:3]...)...)
	running := x.claim(w, 2)
	x.wantIDs("claimed", idsOf(running), ids[:2])
	x.wantAssigned(append(unlimited, ids[2])...)
	x.wantIDs("lost", x.finish(w, success(running[0]), failure(running[1], workqueue.Ready)), nil)
	x.wantAssigned(append(unlimited, ids[2:5]...)...)
	if n, err := x.Store.ReleaseAssigned(x.ctx, w.ID, w.InstanceID); n != 5 || err != nil {
		x.Fatalf("ReleaseAssigned = %d, %v, want 5", n, err)
	}
	x.wantAssigned(append(unlimited, ids[2:5]...)...)
}

func limitKeys(x *fixture) {
	x.makeQueue("erp", `"KeyConcurrencyLimit"`, "2")
	x.Worker(WorkerOpts{})
	a := x.Items(4, ItemOpts{Queue: "erp", LimitKey: "a"})
	b := x.Items(1, ItemOpts{Queue: "erp", LimitKey: "b"})
	upper := x.Items(3, ItemOpts{Queue: "erp", LimitKey: "A"})
	none := x.Items(5, ItemOpts{Queue: "erp"})
	elsewhere := x.Items(3, ItemOpts{LimitKey: "a"}) // a queue without limits
	x.wantAssigned(slices.Concat(a[:2], b, upper[:2], none, elsewhere)...)
}

func limitBoth(x *fixture) {
	x.makeQueue("erp", `"ConcurrencyLimit", "KeyConcurrencyLimit"`, "5, 2")
	w := x.Worker(WorkerOpts{})
	a := x.Items(4, ItemOpts{Queue: "erp", LimitKey: "a", Priority: 9})
	b := x.Items(2, ItemOpts{Queue: "erp", LimitKey: "b", Priority: 8})
	none := x.Items(4, ItemOpts{Queue: "erp", Priority: 7})
	x.wantAssigned(slices.Concat(a[:2], b, none[:1])...)
	running := x.claim(w, 1)
	x.wantIDs("lost", x.finish(w, success(running[0])), nil)
	x.wantAssigned(slices.Concat(a[1:3], b, none[:1])...)
}

func limitCheckouts(x *fixture) {
	x.makeQueue("erp", `"ConcurrencyLimit", "KeyConcurrencyLimit"`, "4, 1")
	x.Worker(WorkerOpts{})
	a := x.Items(2, ItemOpts{Queue: "erp", LimitKey: "a"})
	none := x.Items(6, ItemOpts{Queue: "erp"})
	for _, id := range []int64{a[0], none[0]} {
		x.exec(1, `UPDATE "BotWorkQueueItems" SET "State" = 1, "Fence" = 1, "Robot" = 'rob', "LeaseExpiresAt" = %s WHERE "Id" = %d`, farAway, id)
	}
	x.wantAssigned(none[1:3]...)
}

func limitLowered(x *fixture) {
	x.makeQueue("erp", `"ConcurrencyLimit"`, "5")
	w := x.Worker(WorkerOpts{})
	ids := x.Items(9, ItemOpts{Queue: "erp"})
	x.wantAssigned(ids[:5]...)
	running := x.claim(w, 4)
	x.exec(1, `UPDATE "BotQueues" SET "ConcurrencyLimit" = 2 WHERE "Name" = 'erp'`)
	x.wantAssigned(ids[4])
	x.wantIDs("lost", x.finish(w, success(running[0]), success(running[1]), success(running[2])), nil)
	x.wantAssigned(ids[4]) // one is running, one is assigned
	x.wantIDs("lost", x.finish(w, success(running[3])), nil)
	x.wantAssigned(ids[4:6]...)
	x.exec(1, `UPDATE "BotQueues" SET "ConcurrencyLimit" = NULL WHERE "Name" = 'erp'`)
	x.wantAssigned(ids[4:]...)
}

// The horizon has room for two items: an item that a limit excludes uses none of it.
func limitOrder(x *fixture) {
	x.makeQueue("erp", `"ConcurrencyLimit"`, "1")
	x.Worker(WorkerOpts{Capacity: 1})
	erp := x.Items(3, ItemOpts{Queue: "erp", Priority: 9})
	unlimited := x.Items(3, ItemOpts{Priority: 8})
	x.assignBy(x.Store, assign.AssignParams{MaxPerWorker: 3})
	x.wantState(workqueue.Assigned, erp[0], unlimited[0], unlimited[1])
	x.wantState(workqueue.Ready, erp[1], erp[2], unlimited[2])
}

func limitPages(x *fixture) {
	x.makeQueue("erp", `"ConcurrencyLimit"`, "1")
	x.makeQueue("crm", `"ConcurrencyLimit"`, "1")
	x.Worker(WorkerOpts{})
	x.exec(1, `INSERT INTO "BotWorkQueueItems" ("IntegrationConfig", "QueueName", "Priority") VALUES ('Work', 'erp', 2000)`)
	for n := int64(1); n < 1<<13; n *= 2 {
		x.exec(n, `INSERT INTO "BotWorkQueueItems" ("IntegrationConfig", "QueueName", "Priority") SELECT "IntegrationConfig", "QueueName", "Priority" FROM "BotWorkQueueItems"`)
	}
	crm := x.Items(200, ItemOpts{Queue: "crm", Priority: 1500, Deadline: time.Now().Add(time.Hour)})
	after := x.Items(3, ItemOpts{Priority: 7})
	p := assign.AssignParams{Horizon: 1000 * time.Hour}
	if got := x.assignBy(x.Store, p).Assigned; got != 2+len(after) {
		x.Errorf("the pass assigned %d items, want one of each full queue and the %d after them", got, len(after))
	}
	x.wantState(workqueue.Assigned, append(after, crm[0])...)
	more := x.Items(3, ItemOpts{Priority: 6})
	if got := x.assignBy(x.Store, p).Assigned; got != len(more) {
		x.Errorf("the pass with full queues assigned %d items, want %d", got, len(more))
	}
	// A worker with room for few items reads small pages.
	last := x.Items(1, ItemOpts{Priority: 5})
	x.Worker(WorkerOpts{Capacity: 1})
	if got := x.assignBy(x.Store, assign.AssignParams{Horizon: time.Minute}).Assigned; got != 1 {
		x.Errorf("the pass with small pages assigned %d items, want 1", got)
	}
	x.wantState(workqueue.Assigned, last...)
}

func limitKeyPages(x *fixture) {
	x.makeQueue("erp", `"KeyConcurrencyLimit"`, "1")
	x.Worker(WorkerOpts{Capacity: 1})
	var first []int64
	for n := range 10 {
		// Keys that JSON and SQL must quote work like any other key.
		ids := x.Items(40, ItemOpts{Queue: "erp", LimitKey: fmt.Sprintf(`O'Neill "%d" \ ü`, n), Priority: 100 - n})
		first = append(first, ids[0])
	}
	after := x.Items(4, ItemOpts{Queue: "erp", Priority: 7})
	x.assignBy(x.Store, assign.AssignParams{DefaultEstimate: time.Second, MaxPerWorker: 14})
	x.wantState(workqueue.Assigned, append(first, after...)...)
}

func limitUses(x *fixture) {
	x.makeQueue("erp", `"ConcurrencyLimit", "KeyConcurrencyLimit"`, "4, 1")
	x.makeQueue("crm", `"RateLimit", "RatePeriodMs", "KeyRateLimit", "KeyRatePeriodMs"`, "10, 60000, 2, 1500")
	w := x.Worker(WorkerOpts{})
	for _, queue := range []string{"erp", "crm"} {
		x.Assign(w, x.Items(2, ItemOpts{Queue: queue, LimitKey: "a"})...)
		x.Assign(w, x.Items(1, ItemOpts{Queue: queue})...)
	}
	x.claim(w, 4)
	got := x.limits()
	want := []workqueue.LimitUse{
		// Three items were claimed before a pass could record their starts.
		{
			Queue: "crm", Limits: workqueue.QueueLimits{
				Rate:    workqueue.Rate{Limit: 10, Per: workqueue.Duration(time.Minute)},
				KeyRate: workqueue.Rate{Limit: 2, Per: workqueue.Duration(1500 * time.Millisecond)},
			},
			Use: workqueue.Use{Started: 2}, Keys: map[string]workqueue.Use{"a": {Started: 1}},
		},
		{
			Queue: "erp", Limits: workqueue.QueueLimits{Concurrency: 4, KeyConcurrency: 1},
			Use: workqueue.Use{Held: 3}, Keys: map[string]workqueue.Use{"a": {Held: 2}},
		},
	}
	if asJSON(got) != asJSON(want) {
		x.Errorf("Limits = %s\nwant %s", asJSON(got), asJSON(want))
	}
}

func limitDueExcluding(x *fixture) {
	x.makeQueue("erp", `"ConcurrencyLimit"`, "4")
	x.makeQueue("crm", `"KeyConcurrencyLimit"`, "4")
	erp := x.Item(ItemOpts{Queue: "erp", LimitKey: "a"}).ID
	crm := x.Item(ItemOpts{Queue: "crm", LimitKey: "a", Deadline: time.Now().Add(time.Hour)}).ID
	keyless := x.Item(ItemOpts{Queue: "crm"}).ID
	other := x.Item(ItemOpts{LimitKey: "a"}).ID
	key := func(queue, key string) workqueue.LimitKey { return workqueue.LimitKey{Queue: queue, Key: key} }
	for _, c := range []struct {
		full  workqueue.Full
		limit int
		want  []int64
	}{
		{workqueue.Full{}, 10, []int64{crm, erp, keyless, other}},
		{workqueue.Full{}, 2, []int64{crm, erp}},
		{workqueue.Full{Queues: []string{"erp"}}, 10, []int64{crm, keyless, other}},
		{workqueue.Full{Queues: []string{"erp", "crm"}}, 10, []int64{other}},
		{workqueue.Full{Keys: []workqueue.LimitKey{key("crm", "a"), key("erp", "b")}}, 2, []int64{erp, keyless}},
		{workqueue.Full{Queues: []string{"erp"}, Keys: []workqueue.LimitKey{key("crm", "a")}}, 10, []int64{keyless, other}},
	} {
		x.pass(func(ctx context.Context, tx workqueue.AssignTx) error {
			due, err := tx.DueItems(ctx, workqueue.EveryPriority, c.full, c.limit)
			var got []int64
			for _, d := range due {
				got = append(got, d.ID)
				if want := map[int64]string{erp: "erp", crm: "crm", keyless: "crm"}[d.ID]; d.Queue != want {
					x.Errorf("item %d has the queue %q, want %q", d.ID, d.Queue, want)
				}
			}
			x.wantIDs(fmt.Sprintf("due items without %+v", c.full), got, c.want)
			return err
		})
	}
}

func limitRobots(x *fixture) {
	x.makeQueue("mail", `"Consumer"`, "'robots'")
	x.Worker(WorkerOpts{})
	x.Items(2, ItemOpts{Queue: "mail"})
	x.Item(ItemOpts{Queue: "mail", Deadline: time.Now().Add(time.Hour)})
	x.wantAssigned(x.Item(ItemOpts{}).ID)
}
