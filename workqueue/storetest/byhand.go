package storetest

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"time"

	"botwork/workqueue"
	"botwork/workqueue/assign"
)

func byHandTests() []test {
	return []test{
		{"policies apply at the next pass, once", byHandPolicies},
		{"of two rows with one unique key the older runs", byHandDuplicates},
		{"a payload that the queue refuses", byHandSchema},
		{"rows of the program are not judged", byHandProgram},
		{"a pass assigns no row that was not judged", byHandPass},
		{"a robot gets the row after its policies were applied", byHandRobots},
	}
}

// insertByHand inserts a row by hand and returns its id.
func (x *fixture) insertByHand(queue, columns, values string) int64 {
	x.Helper()
	x.exec(1, `INSERT INTO "BotWorkQueueItems" ("QueueName", "IntegrationConfig"`+columns+`) VALUES ('%s', 'x'`+values+`)`, queue)
	items, err := x.Store.Items(x.ctx, workqueue.ItemFilter{Limit: 1}) // the newest first
	if err != nil || len(items) != 1 {
		x.Fatalf("Items = %s, %v", asJSON(items), err)
	}
	return items[0].ID
}

func (x *fixture) wantApplied(want workqueue.AppliedPolicies) {
	x.Helper()
	needs := false
	err := x.Store.Assign(x.ctx, func(ctx context.Context, tx workqueue.AssignTx) (err error) {
		if needs, err = tx.NeedsSweep(ctx, time.Hour); err != nil {
			return err
		}
		got, err := tx.ApplyPolicies(ctx)
		if got != want {
			x.Errorf("ApplyPolicies = %+v, want %+v", got, want)
		}
		return err
	})
	if err != nil {
		x.Fatal(err)
	}
	if needs != (want != workqueue.AppliedPolicies{}) {
		x.Errorf("NeedsSweep = %t", needs)
	}
}

func byHandPolicies(x *fixture) {
	q := workqueue.Queue{Name: "erp", PriorityOffset: 50}
	q.TTL = workqueue.Duration(40 * 24 * time.Hour)
	x.define("test", []string{"erp"}, q)
	id := x.insertByHand("erp", `, "Priority"`, `, 700`)
	scheduled := x.insertByHand("erp", `, "Priority", "AvailableAt"`, `, 10, `+x.agoSQL(-time.Hour))
	plain := x.insertByHand("default", "", "")
	x.wantApplied(workqueue.AppliedPolicies{Applied: 3})
	x.wantApplied(workqueue.AppliedPolicies{})
	got := x.show(id)
	if got.Priority != 750 || got.ExpiresAt == nil || got.ExpiresAt.Sub(got.CreatedAt) != 40*24*time.Hour || got.State != workqueue.Pending {
		x.Errorf("the item is %s, want the offset and the time to live of its queue", asJSON(got))
	}
	if got := x.show(scheduled); got.Priority != 60 {
		x.Errorf("the item that is not due has the priority %d, want 60", got.Priority)
	}
	if got := x.show(plain); got.Priority != 1000 || got.ExpiresAt != nil {
		x.Errorf("the item is %s, want it as it was inserted", asJSON(got))
	}
}

func byHandDuplicates(x *fixture) {
	q := workqueue.Queue{Name: "erp"}
	q.KeyScope = workqueue.KeyScopeQueue
	x.define("test", []string{"erp"}, q)
	held := x.enqueueForms(workqueue.NewItem{QueueName: "erp", IntegrationConfig: "x", NaturalKey: "k1"})[0]
	taken := x.insertByHand("erp", `, "NaturalKey"`, `, 'k1'`)
	older := x.insertByHand("erp", `, "NaturalKey"`, `, 'k2'`)
	younger := x.insertByHand("erp", `, "NaturalKey"`, `, 'k2'`)
	elsewhere := x.insertByHand("default", `, "NaturalKey"`, `, 'k2'`)
	x.wantApplied(workqueue.AppliedPolicies{Applied: 2, Refused: 2})
	for _, id := range []int64{held, older, elsewhere} {
		if got := x.show(id); got.State == workqueue.Cancelled {
			x.Errorf("item %d is %s, want it to wait", id, asJSON(got))
		}
	}
	for id, holder := range map[int64]int64{taken: held, younger: older} {
		got := x.show(id)
		if got.State != workqueue.Cancelled || got.FinishedAt == nil || *got.ErrorKind != workqueue.KindCancelled || !strings.Contains(*got.Error, "item "+strconv.FormatInt(holder, 10)+" has the natural key") {
			x.Errorf("item %d is %s, want it cancelled because of item %d", id, asJSON(got), holder)
		}
	}
	// From now on the key is in use.
	results, err := x.Store.Enqueue(x.ctx, []workqueue.NewItem{{QueueName: "erp", IntegrationConfig: "x", NaturalKey: "k2"}})
	if err != nil || !results[0].Existing || results[0].ID != older {
		x.Errorf("Enqueue = %+v, %v, want the existing item %d", results, err, older)
	}
	_, err = x.Store.ChangeItem(x.ctx, younger, workqueue.Change{Action: workqueue.Repeat})
	if _, ok := errors.AsType[*workqueue.DuplicateError](err); !ok {
		x.Errorf("repeat of the younger: %v, want a *DuplicateError", err)
	}
}

func byHandSchema(x *fixture) {
	q := workqueue.Queue{Name: "erp"}
	q.PayloadSchema = `{"type": "object", "required": ["amount"]}`
	x.define("test", []string{"erp"}, q)
	good := x.insertByHand("erp", `, "Payload"`, `, '{"amount": 1}'`)
	bad := x.insertByHand("erp", `, "Payload"`, `, '{"total": 1}'`)
	x.wantApplied(workqueue.AppliedPolicies{Applied: 1, Refused: 1})
	if got := x.show(good); got.State != workqueue.Pending {
		x.Errorf("the item is %s, want it to wait", asJSON(got))
	}
	if got := x.show(bad); got.State != workqueue.Cancelled || *got.ErrorKind != workqueue.KindBusiness || !strings.Contains(*got.Error, "amount") {
		x.Errorf("the item is %s, want it cancelled because of the schema", asJSON(got))
	}
}

func byHandProgram(x *fixture) {
	q := workqueue.Queue{Name: "erp", PriorityOffset: 5, RetryAs: workqueue.RetryCopy, Resilience: `{"limit": 2}`}
	x.define("test", []string{"erp"}, q)
	id := x.enqueueForms(workqueue.NewItem{QueueName: "erp", IntegrationConfig: "x", Priority: 10})[0]
	clone, err := x.Store.ChangeItem(x.ctx, id, workqueue.Change{Action: workqueue.Clone})
	if err != nil {
		x.Fatal(err)
	}
	x.wantApplied(workqueue.AppliedPolicies{})
	for _, id := range []int64{id, clone} {
		if got := x.show(id); got.Priority != 15 {
			x.Errorf("item %d has the priority %d, want 15", id, got.Priority)
		}
	}
	// A row that was set back by hand after a run keeps its priority.
	w := x.Worker(WorkerOpts{})
	x.Assign(w, id)
	got := x.claim(w, 1)
	x.wantIDs("lost", x.finish(w, success(got[0])), nil)
	x.exec(1, `UPDATE "BotWorkQueueItems" SET "State" = 0 WHERE "Id" = %d`, id)
	x.wantApplied(workqueue.AppliedPolicies{})
}

func byHandPass(x *fixture) {
	q := workqueue.Queue{Name: "erp", PriorityOffset: 500}
	q.KeyScope = workqueue.KeyScopeQueue
	x.define("test", []string{"erp"}, q)
	w := x.Worker(WorkerOpts{Capacity: 10})
	first := x.insertByHand("erp", `, "Priority", "NaturalKey"`, `, 300, 'k'`)
	second := x.insertByHand("erp", `, "Priority", "NaturalKey"`, `, 300, 'k'`)
	other := x.insertByHand("erp", `, "Priority"`, `, 100`)
	x.pass(func(ctx context.Context, tx workqueue.AssignTx) error {
		due, err := tx.DueItems(ctx, workqueue.EveryPriority, workqueue.Full{}, 10)
		if len(due) != 3 || !due[0].ByHand || !due[1].ByHand || !due[2].ByHand {
			x.Errorf("due = %+v, want three rows by hand", due)
		}
		return err
	})
	p := assign.AssignParams{Band: workqueue.Band{Min: 0, Max: 1000}, Brief: true, Workers: assign.AvailableWorkers}
	result, err := assign.AssignPass(x.ctx, x.Store, p)
	if err != nil || result.Assigned != 2 || result.Refused != 1 {
		x.Errorf("pass = %+v, %v, want two assigned and one refused", result, err)
	}
	for _, id := range []int64{first, other} {
		if got := x.show(id); got.State != workqueue.Assigned || got.WorkerID == nil || *got.WorkerID != w.ID {
			x.Errorf("item %d is %s, want it assigned", id, asJSON(got))
		}
	}
	x.wantState(workqueue.Cancelled, second)
}

// byHandRobots has a queue for robots and no worker: the checkouts apply its policies.
func byHandRobots(x *fixture) {
	q := workqueue.Queue{Name: "erp", Consumer: workqueue.ConsumerRobots, PriorityOffset: 50}
	q.KeyScope = workqueue.KeyScopeQueue
	x.define("test", []string{"erp"}, q)
	older := x.insertByHand("erp", `, "NaturalKey", "Priority"`, `, 'k', 700`)
	younger := x.insertByHand("erp", `, "NaturalKey", "Priority"`, `, 'k', 900`)
	// A checkout looks for such rows once a second.
	for late := time.Now().Add(time.Minute); ; time.Sleep(50 * time.Millisecond) {
		taken, err := x.Store.Checkout(x.ctx, workqueue.CheckoutParams{Robot: "ann", Queue: "erp", Max: 5})
		if err != nil {
			x.Fatal(err)
		}
		if len(taken.Items) == 1 && taken.Items[0].ID == older && taken.Items[0].Priority == 750 {
			break
		}
		if len(taken.Items) > 0 || time.Now().After(late) {
			x.Fatalf("took %s, want item %d with the offset of its queue", asJSON(taken.Items), older)
		}
	}
	if got := x.show(younger); got.State != workqueue.Cancelled {
		x.Errorf("item %d is %s, want it cancelled: its key is in use", younger, asJSON(got))
	}
}
