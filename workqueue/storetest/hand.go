package storetest

import (
	"context"
	"strings"
	"time"

	"botwork/workqueue"
)

func handTests() []test {
	return []test{
		{"a row with only a pipeline's name", handInsert},
		{"assigned without a worker", handAssigned},
		{"running without a lease", handRunning},
		{"a payload that is not JSON", handPayload},
		{"set to Ready with values of its last run", handRequeue},
		{"a waiting row with a worker", handWaiting},
		{"many rows with one INSERT", handMany},
	}
}

// only returns the single item of the database.
func (x *fixture) only() workqueue.Item {
	x.Helper()
	items, err := x.Store.Items(x.ctx, workqueue.ItemFilter{})
	if err != nil || len(items) != 1 {
		x.Fatalf("Items = %s, %v, want one item", asJSON(items), err)
	}
	return items[0]
}

// runOnce assigns, claims and finishes an item.
func (x *fixture) runOnce(id int64) {
	x.Helper()
	w := x.Worker(WorkerOpts{})
	x.wantIDs("due items", x.due(workqueue.EveryPriority, 10), []int64{id})
	x.Assign(w, id)
	got := x.claim(w, 10)
	x.wantIDs("claimed", idsOf(got), []int64{id})
	x.wantIDs("lost", x.finish(w, success(got[0])), nil)
	x.wantState(workqueue.Processed, id)
}

func handInsert(x *fixture) {
	x.exec(1, `INSERT INTO "BotWorkQueueItems" ("IntegrationConfig") VALUES ('Invoice')`)
	got := x.only()
	want := workqueue.Item{
		ID: got.ID, QueueName: "default", State: workqueue.Pending, Lifecycle: workqueue.LifePending, Priority: 1000, IntegrationConfig: "Invoice",
		AvailableAt: got.AvailableAt, CreatedAt: got.CreatedAt, IdempotencyKey: got.IdempotencyKey,
	}
	if asJSON(got) != asJSON(want) {
		x.Errorf("the row is\n     %s\nwant %s", asJSON(got), asJSON(want))
	}
	later := x.Item(ItemOpts{In: time.Hour}) // its CreatedAt is a later time
	if got.AvailableAt.After(later.CreatedAt) || got.CreatedAt.After(later.CreatedAt) {
		x.Errorf("created at %s and due at %s, want both by now, %s", got.CreatedAt, got.AvailableAt, later.CreatedAt)
	}
	x.runOnce(got.ID)
}

func handAssigned(x *fixture) {
	x.exec(1, `INSERT INTO "BotWorkQueueItems" ("IntegrationConfig", "State") VALUES ('Invoice', 5)`)
	it := x.only()
	x.wantRescue(workqueue.RescueResult{Released: 1})
	x.runOnce(it.ID)
}

func handRunning(x *fixture) {
	x.exec(1, `INSERT INTO "BotWorkQueueItems" ("IntegrationConfig", "State") VALUES ('Invoice', 1)`)
	it := x.only()
	x.wantRescue(workqueue.RescueResult{Rescued: 1})
	attempts := x.attempts(it.ID)
	if len(attempts) != 1 || attempts[0].WorkerID != nil || attempts[0].WorkerName != nil || attempts[0].StartedAt != nil {
		x.Errorf("attempts = %s, want one without a worker", asJSON(attempts))
	}
	x.runOnce(it.ID)
}

func handPayload(x *fixture) {
	x.exec(1, `INSERT INTO "BotWorkQueueItems" ("IntegrationConfig", "Payload", "ResilienceConfig", "Tags") VALUES ('Invoice', '{"open', 'three times', '')`)
	it := x.only()
	if it.Payload != `{"open` || !strings.Contains(asJSON(it), `"payload":"{\"open"`) {
		x.Errorf("the item is %s, want its payload unchanged, as a JSON string", asJSON(it))
	}
	x.runOnce(it.ID)
}

func handRequeue(x *fixture) {
	it := x.Item(ItemOpts{State: workqueue.Cancelled})
	x.exec(1, `UPDATE "BotWorkQueueItems" SET "State" = 0 WHERE "Id" = %d`, it.ID)
	x.runOnce(it.ID)
	if got := x.show(it.ID); got.Error != nil || got.ErrorKind != nil {
		x.Errorf("the error %q of the last run was not cleared", deref(got.Error))
	}
}

func handWaiting(x *fixture) {
	other := x.Worker(WorkerOpts{})
	it := x.Item(ItemOpts{})
	x.exec(1, `UPDATE "BotWorkQueueItems" SET "WorkerId" = %d, "LeaseExpiresAt" = %s, "AssignedAt" = %s WHERE "Id" = %d`,
		other.ID, longAgo, longAgo, it.ID)
	x.wantRescue(workqueue.RescueResult{})
	if got := x.claim(other, 10); len(got) != 0 {
		x.Errorf("a worker claimed %v, which were not assigned", idsOf(got))
	}
	x.runOnce(it.ID)
}

func handMany(x *fixture) {
	x.exec(1, `INSERT INTO "BotWorkQueueItems" ("IntegrationConfig", "Priority") VALUES ('Invoice', 2000)`)
	for n := int64(1); n < 1<<10; n *= 2 {
		x.exec(n, `INSERT INTO "BotWorkQueueItems" ("IntegrationConfig", "Priority") SELECT "IntegrationConfig", "Priority" - %d FROM "BotWorkQueueItems"`, n)
	}
	x.pass(func(ctx context.Context, tx workqueue.AssignTx) error {
		due, err := tx.DueItems(ctx, workqueue.EveryPriority, workqueue.Full{}, 2000)
		if len(due) != 1<<10 || due[0].Priority != 2000 || due[len(due)-1].Priority != 2000-1023 {
			x.Errorf("%d items are due, want 1024 from priority 2000 down", len(due))
		}
		return err
	})
}
