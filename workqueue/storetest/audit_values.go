package storetest

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"botwork/workqueue"
	"botwork/workqueue/report"
)

// auditValuesOf checks the values of each change that an update makes.
func auditValuesOf(x *fixture) {
	x.define("ann", []string{"mail"}, workqueue.Queue{Name: "mail", PriorityOffset: 5})
	it := x.Item(ItemOpts{Priority: 600, Payload: `{"n":1}`})
	w := x.Worker(WorkerOpts{})
	assigned := x.Item(ItemOpts{State: workqueue.Assigned, Worker: w})
	for _, c := range []struct {
		name          string
		id            int64
		update        workqueue.ItemUpdate
		before, after map[string]any
	}{
		{"priority", it.ID, workqueue.ItemUpdate{Priority: new(700)}, map[string]any{"priority": 600}, map[string]any{"priority": 700}},
		{"queue", it.ID, workqueue.ItemUpdate{Queue: "mail"},
			map[string]any{"queueName": "default", "priority": 700}, map[string]any{"queueName": "mail", "priority": 705}},
		{"payload", it.ID, workqueue.ItemUpdate{Payload: new(workqueue.JSONText(`{"n": "<2>"}`))},
			map[string]any{"payload": map[string]any{"n": 1}}, map[string]any{"payload": map[string]any{"n": "<2>"}}},
		{"tags", it.ID, workqueue.ItemUpdate{AddTags: []string{"b", "a"}}, map[string]any{"tags": nil}, map[string]any{"tags": []string{"a", "b"}}},
		{"time", it.ID, workqueue.ItemUpdate{In: new(time.Hour)}, map[string]any{"availableAt": "*"}, map[string]any{"availableAt": "*"}},
		{"time to finish by", it.ID, workqueue.ItemUpdate{FinishIn: new(time.Hour * 2)}, map[string]any{"finishBy": nil, "deadlineAt": nil}, map[string]any{"finishBy": "*", "deadlineAt": "*"}},
		{"an assigned item that moves", assigned.ID, workqueue.ItemUpdate{LimitKey: new("k")},
			map[string]any{"state": 5, "workerId": w.ID, "limitKey": nil}, map[string]any{"state": 0, "workerId": nil, "limitKey": "k"}},
		{"nothing that differs", it.ID, workqueue.ItemUpdate{Priority: new(700)}, map[string]any{}, map[string]any{}},
	} {
		before := x.lastAudit()
		if err := x.update(c.id, c.update); err != nil {
			x.Fatalf("%s: %v", c.name, err)
		}
		e := x.oneAudit(before)
		items := x.auditItems(e.ID)
		if e.Action != "items.update" || len(items) != 1 {
			x.Fatalf("%s: %s with %d items", c.name, asJSON(e), len(items))
		}
		x.wantValues(c.name+" before", items[0].Before, c.before)
		x.wantValues(c.name+" after", items[0].After, c.after)
	}
	for _, c := range []struct {
		action        workqueue.Action
		state         workqueue.State
		before, after map[string]any
	}{
		{workqueue.Cancel, workqueue.Pending, map[string]any{"state": 4, "errorKind": nil}, map[string]any{"state": 3, "errorKind": "cancelled"}},
		{workqueue.Repeat, workqueue.Cancelled, map[string]any{"state": 3, "errorKind": "permanent", "retryCount": 1, "workerId": "*", "availableAt": "*"},
			map[string]any{"state": 0, "errorKind": nil, "retryCount": 0, "workerId": nil, "availableAt": "*"}},
	} {
		id := x.Item(ItemOpts{State: c.state}).ID
		before := x.lastAudit()
		if err := Do(x.ctx, x.Store, c.action, id, ""); err != nil {
			x.Fatal(err)
		}
		it := x.auditItems(x.oneAudit(before).ID)[0]
		x.wantValues(string(c.action)+" before", it.Before, c.before)
		x.wantValues(string(c.action)+" after", it.After, c.after)
	}
	id := x.Item(ItemOpts{}).ID
	before := x.lastAudit()
	clone, err := x.Store.ChangeItem(x.ctx, id, workqueue.Change{Action: workqueue.Clone})
	if err != nil {
		x.Fatal(err)
	}
	copied := x.auditItems(x.oneAudit(before).ID)[0]
	if copied.ItemID != id {
		x.Errorf("a clone is recorded for item %d, want its original, %d", copied.ItemID, id)
	}
	x.wantValues("after clone", copied.After, map[string]any{"clone": clone})
}

func auditLong(x *fixture) {
	long := workqueue.JSONText(`"` + strings.Repeat("secret ", 1000) + `"`)
	id := x.Item(ItemOpts{Payload: `1`}).ID
	before := x.lastAudit()
	if err := x.update(id, workqueue.ItemUpdate{Payload: &long}); err != nil {
		x.Fatal(err)
	}
	it := x.auditItems(x.oneAudit(before).ID)[0]
	x.wantValues("before", it.Before, map[string]any{"payload": 1})
	x.wantValues("after", it.After, map[string]any{"payload": map[string]any{
		"bytes": len(long), "sha256": fmt.Sprintf("%x", sha256.Sum256([]byte(long))),
	}})
}

func auditDeleted(x *fixture) {
	x.define("ann", []string{"kept"}, workqueue.Queue{Name: "kept", QueueLife: workqueue.QueueLife{Deletion: workqueue.DeletionLogical}})
	gone, hidden := x.Item(ItemOpts{Priority: 611}), x.Item(ItemOpts{Queue: "kept"})
	before := x.lastAudit()
	for _, it := range []workqueue.Item{gone, hidden} {
		if err := Do(x.ctx, x.Store, workqueue.Delete, it.ID, ""); err != nil {
			x.Fatal(err)
		}
	}
	entries := x.auditSince(before)
	if len(entries) != 2 {
		x.Fatalf("two deletions wrote %s", asJSON(entries))
	}
	it := x.auditItems(entries[0].ID)[0]
	x.wantValues("removed, before", it.Before, map[string]any{
		"state": 0, "queueName": "default", "priority": 611, "integrationConfig": Pipeline, "createdBy": "storetest", "createdAt": "*", "availableAt": "*",
		"retryCount": 0, "releaseCount": 0,
	})
	x.wantValues("removed, after", it.After, map[string]any{})
	it = x.auditItems(entries[1].ID)[0]
	x.wantValues("hidden, before", it.Before, map[string]any{"state": 0, "deletedAt": nil, "finishedAt": nil})
	x.wantValues("hidden, after", it.After, map[string]any{"state": 3, "deletedAt": "*", "finishedAt": "*"})
}

// A failed item leaves its failure when it is deleted, however its queue deletes.
func auditDeletedFailure(x *fixture) {
	x.define("ann", []string{"kept"}, workqueue.Queue{Name: "kept", QueueLife: workqueue.QueueLife{Deletion: workqueue.DeletionLogical}})
	failure := func(id int64) (f report.DeletedFailure) {
		x.Helper()
		before := x.lastAudit()
		if err := Do(x.ctx, x.Store, workqueue.Delete, id, ""); err != nil {
			x.Fatal(err)
		}
		var values map[string]json.RawMessage
		if err := json.Unmarshal([]byte(x.auditItems(x.auditSince(before)[0].ID)[0].Before), &values); err != nil {
			x.Fatal(err)
		}
		if text, ok := values[workqueue.AuditFailure]; ok {
			if err := json.Unmarshal(text, &f); err != nil {
				x.Fatal(err)
			}
		}
		return f
	}
	for _, queue := range []string{workqueue.DefaultQueue, "kept"} {
		it := x.Item(ItemOpts{Queue: queue, State: workqueue.Cancelled})
		want := report.DeletedFailure{Queue: queue, Pipeline: Pipeline, Kind: *it.ErrorKind, Message: *it.Error, At: it.FinishedAt.UTC()}
		if got := failure(it.ID); asJSON(got) != asJSON(want) {
			x.Errorf("the deleted item of the queue %s leaves %+v, want %+v", queue, got, want)
		}
		done := x.Item(ItemOpts{Queue: queue, State: workqueue.Processed})
		if got := failure(done.ID); got != (report.DeletedFailure{}) {
			x.Errorf("an item that succeeded leaves %+v", got)
		}
	}
}

func auditFilters(x *fixture) {
	base := x.lastAudit()
	bob := workqueue.WithActor(x.ctx, workqueue.Actor{Name: "bob", Via: workqueue.ViaRobot})
	ids := x.Items(2, ItemOpts{})
	must := func(err error) {
		x.Helper()
		if err != nil {
			x.Fatal(err)
		}
	}
	must(Do(x.asAuditor(), x.Store, workqueue.Cancel, ids[0], ""))
	must(Do(bob, x.Store, workqueue.Delete, ids[1], ""))
	_, err := x.Store.PauseQueue(bob, "default")
	must(err)
	all := x.auditSince(base)
	if len(all) != 3 {
		x.Fatalf("three changes wrote %s", asJSON(all))
	}
	x.exec(1, `UPDATE "BotAuditLog" SET "At" = '2026-01-31 13:45:00.000' WHERE "Id" = %d`, all[1].ID)
	at := time.Date(2026, 1, 31, 13, 45, 0, 0, time.UTC)
	for name, c := range map[string]struct {
		f    workqueue.AuditFilter
		want []int // of all
	}{
		"everything":  {workqueue.AuditFilter{}, []int{2, 1, 0}},
		"an id":       {workqueue.AuditFilter{ID: all[1].ID}, []int{1}},
		"an actor":    {workqueue.AuditFilter{Actor: "bob"}, []int{2, 1}},
		"an action":   {workqueue.AuditFilter{Action: "items.delete"}, []int{1}},
		"a noun":      {workqueue.AuditFilter{Action: "items"}, []int{1, 0}},
		"no action":   {workqueue.AuditFilter{Action: "queue"}, nil},
		"a kind":      {workqueue.AuditFilter{TargetKind: workqueue.TargetQueue}, []int{2}},
		"a target":    {workqueue.AuditFilter{TargetKind: workqueue.TargetQueue, Target: "default"}, []int{2}},
		"no target":   {workqueue.AuditFilter{TargetKind: workqueue.TargetQueue, Target: "other"}, nil},
		"an item":     {workqueue.AuditFilter{ItemID: ids[1]}, []int{1}},
		"since":       {workqueue.AuditFilter{Since: at.Add(time.Millisecond)}, []int{2, 0}},
		"since, just": {workqueue.AuditFilter{Since: at, Until: at.Add(time.Millisecond)}, []int{1}},
		"until":       {workqueue.AuditFilter{Until: at}, nil},
		"a page":      {workqueue.AuditFilter{BeforeID: all[2].ID, Limit: 1}, []int{1}},
		"both":        {workqueue.AuditFilter{Actor: "bob", Action: "items", ItemID: ids[1], Limit: 5}, []int{1}},
	} {
		var got, want []int64
		for _, e := range x.audit(c.f) {
			if e.ID > base {
				got = append(got, e.ID)
			}
		}
		for _, i := range c.want {
			want = append(want, all[i].ID)
		}
		x.wantIDs(name, got, want)
	}
}

func auditOfItem(x *fixture) {
	id := x.Items(5, ItemOpts{})[2]
	if _, err := x.Store.ChangeItems(x.asAuditor(), workqueue.ItemFilter{}, workqueue.Change{Action: workqueue.Cancel}); err != nil {
		x.Fatal(err)
	}
	if err := Do(x.asAuditor(), x.Store, workqueue.Repeat, id, ""); err != nil {
		x.Fatal(err)
	}
	entries := x.audit(workqueue.AuditFilter{ItemID: id})
	if len(entries) != 2 || entries[0].Action != "items.repeat" || entries[1].Action != "items.cancel" || entries[1].Changed != 5 {
		x.Fatalf("the item has the entries %s", asJSON(entries))
	}
	x.wantValues("cancelled", entries[1].After, map[string]any{"state": 3, "errorKind": "cancelled"})
	x.wantValues("repeated, before", entries[0].Before, map[string]any{"state": 3, "errorKind": "cancelled", "availableAt": "*"})
}
