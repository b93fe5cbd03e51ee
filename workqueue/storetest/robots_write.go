package storetest

import (
	"errors"
	"time"

	"botwork/workqueue"
)

func robotWriteTests() []test {
	return []test{
		{"items that a robot enqueues", robotEnqueues},
		{"enqueued with a checkout", robotTakesNew},
		{"refused checkouts at enqueue", robotTakesNot},
		{"changes", robotChanges},
		{"refused changes", robotChangesNot},
		{"changes of an item that the robot holds", robotChangesHeld},
		{"a person takes an item away from its robot", releaseFromRobot},
		{"deleted by key", robotDeletes},
		{"only the robot's own items", robotDeletesOwn},
	}
}

// addAs enqueues items as a robot.
func (x *fixture) addAs(robot string, take *workqueue.CheckoutOnEnqueue, items ...workqueue.NewItem) workqueue.RobotEnqueued {
	x.Helper()
	made, err := x.Store.RobotEnqueue(x.ctx, robot, workqueue.BatchPart{}, items, take)
	if err != nil {
		x.Fatal(err)
	}
	return made
}

// keyed returns an item of the queue forms with a natural key.
func keyed(key string) workqueue.NewItem {
	it := form(1)
	it.NaturalKey = key
	return it
}

func robotEnqueues(x *fixture) {
	x.robots(func(q *workqueue.Queue) {
		q.KeyScope, q.PriorityOffset, q.PayloadSchema = workqueue.KeyScopeQueue, 100, `{"type":"object"}`
	})
	made := x.addAs(ann, nil, keyed("a"), keyed("a"), form(3))
	if len(made.Items) != 3 || made.Items[0].Existing || !made.Items[1].Existing || made.Items[1].ID != made.Items[0].ID || len(made.Checkout.Items) != 0 {
		x.Fatalf("made %s", asJSON(made))
	}
	if it := x.show(made.Items[2].ID); deref(it.CreatedBy) != ann || it.Priority != 103 || it.State != workqueue.Pending {
		x.Errorf("made %s, want it by %s with priority 103", asJSON(it), ann)
	}
	if again := x.addAs("bob", nil, keyed("a")); !again.Items[0].Existing || again.Items[0].ID != made.Items[0].ID {
		x.Errorf("with the same key: %s", asJSON(again))
	}
	wrong := form(1)
	wrong.Payload = `[]`
	before := x.countForms()
	for name, items := range map[string][]workqueue.NewItem{
		"a payload that does not match the schema": {form(1), wrong}, "an unknown queue": {form(1), {QueueName: "nowhere"}},
	} {
		if _, err := x.Store.RobotEnqueue(x.ctx, ann, workqueue.BatchPart{}, items, nil); err == nil {
			x.Errorf("%s: no error", name)
		}
	}
	if _, err := x.Store.RobotEnqueue(x.ctx, "", workqueue.BatchPart{}, []workqueue.NewItem{form(1)}, nil); err == nil {
		x.Error("a robot without a name: no error")
	}
	if n := x.countForms(); n != before {
		x.Errorf("the refused calls created %d items", n-before)
	}
	// Robots can also enqueue items for workers.
	id := x.addAs(ann, nil, workqueue.NewItem{IntegrationConfig: Pipeline}).Items[0].ID
	x.wantState(workqueue.Ready, id)
}

// countForms returns the number of items in the queue forms.
func (x *fixture) countForms() int {
	x.Helper()
	items, err := x.Store.Items(x.ctx, workqueue.ItemFilter{QueueName: forms, Limit: 1000})
	if err != nil {
		x.Fatal(err)
	}
	return len(items)
}

func robotTakesNew(x *fixture) {
	x.robots(func(q *workqueue.Queue) { q.KeyScope = workqueue.KeyScopeQueue })
	existing := x.enqueueForms(keyed("there"))[0]
	made := x.addAs(ann, &workqueue.CheckoutOnEnqueue{Lease: 2 * time.Hour}, form(1), keyed("there"), form(9))
	x.wantIDs("taken", idsOf(made.Checkout.Items), []int64{made.Items[2].ID, made.Items[0].ID})
	if !made.Items[1].Existing || made.Items[1].ID != existing {
		x.Errorf("made %s, want the second one to be the existing item", asJSON(made.Items))
	}
	x.wantState(workqueue.Pending, existing)
	for _, it := range made.Checkout.Items {
		if it.Fence != 1 || deref(it.Robot) != ann || deref(it.CreatedBy) != ann || !it.LeaseExpiresAt.Equal(it.StartedAt.Add(2*time.Hour)) {
			x.Errorf("taken: %s", asJSON(it))
		}
		x.wantSame(it)
		x.end(holdOf(ann, made.Checkout, it), workqueue.RobotEnd{}, workqueue.RobotEnded{State: workqueue.Processed})
	}
	if only := x.addAs(ann, &workqueue.CheckoutOnEnqueue{}, keyed("there")); len(only.Checkout.Items) != 0 || only.Checkout.LockKey != "" {
		x.Errorf("took an existing item: %s", asJSON(only))
	}
}

func robotTakesNot(x *fixture) {
	x.robots(nil)
	later, at := form(1), form(1)
	later.In, at.At = time.Hour, time.Now().Add(time.Hour)
	for name, items := range map[string][]workqueue.NewItem{
		"for later": {form(1), later}, "for a time": {at}, "for workers": {form(1), {IntegrationConfig: Pipeline}},
		"too many": make([]workqueue.NewItem, workqueue.MaxCheckout+1),
	} {
		if _, err := x.Store.RobotEnqueue(x.ctx, ann, workqueue.BatchPart{}, items, &workqueue.CheckoutOnEnqueue{}); err == nil {
			x.Errorf("%s: no error", name)
		}
	}
	if _, err := x.Store.RobotEnqueue(x.ctx, ann, workqueue.BatchPart{}, []workqueue.NewItem{form(1)}, &workqueue.CheckoutOnEnqueue{Lease: -1}); err == nil {
		x.Error("a negative lease: no error")
	}
	if n := x.countForms(); n != 0 {
		x.Errorf("the refused calls created %d items", n)
	}
	if _, err := x.Store.PauseQueue(x.ctx, forms); err != nil {
		x.Fatal(err)
	}
	made := x.addAs(ann, &workqueue.CheckoutOnEnqueue{}, form(1))
	if len(made.Checkout.Items) != 0 || made.Checkout.LockKey != "" {
		x.Errorf("took %s from a paused queue, want no items", asJSON(made))
	}
	x.wantState(workqueue.Pending, made.Items[0].ID)
}

func robotChanges(x *fixture) {
	x.robots(func(q *workqueue.Queue) { q.PriorityOffset, q.KeyScope = 10, workqueue.KeyScopeQueue })
	it := keyed("a")
	it.Metadata, it.Tags = map[string]string{"x": "1", "y": "2"}, []string{"old"}
	id := x.enqueueForms(it)[0]
	change := func(c workqueue.RobotChange) workqueue.Item {
		x.Helper()
		if err := x.Store.RobotChange(x.ctx, ann, id, c); err != nil {
			x.Fatal(err)
		}
		return x.show(id)
	}
	if got := change(workqueue.RobotChange{Metadata: &map[string]string{"z": "3"}}); got.Metadata != `{"z":"3"}` || got.Tags != `["old"]` || got.Priority != 11 {
		x.Errorf("metadata set: %s", asJSON(got))
	}
	five, key, none := 5, "b", ""
	got := change(workqueue.RobotChange{Tags: &[]string{"new", "big", "new"}, Priority: &five, NaturalKey: &key})
	if got.Tags != `["big","new"]` || got.Priority != 15 || deref(got.NaturalKey) != "b" || got.Metadata != `{"z":"3"}` {
		x.Errorf("the other fields set: %s", asJSON(got))
	}
	// The key "a" is free, the key "b" is in use.
	if made := x.addAs(ann, nil, keyed("a"), keyed("b")); made.Items[0].Existing || !made.Items[1].Existing {
		x.Errorf("made %s, want a new item only for the key a", asJSON(made.Items))
	}
	got = change(workqueue.RobotChange{Metadata: &map[string]string{}, Tags: &[]string{}, NaturalKey: &none})
	if got.Metadata != "" || got.Tags != "" || got.NaturalKey != nil {
		x.Errorf("all fields cleared: %s", asJSON(got))
	}
	if made := x.addAs(ann, nil, keyed("b")); made.Items[0].Existing {
		x.Error("the cleared key is not free")
	}
}

func robotChangesNot(x *fixture) {
	x.robots(func(q *workqueue.Queue) { q.KeyScope = workqueue.KeyScopeQueue })
	priority, high, long, b := 3, 1<<40, string(make([]byte, 401)), "b"
	set := workqueue.RobotChange{Priority: &priority}
	id := x.enqueueForms(keyed("a"))[0]
	other := x.enqueueForms(keyed("b"))[0]
	before := x.show(id)
	err := x.Store.RobotChange(x.ctx, ann, id, workqueue.RobotChange{NaturalKey: &b, Priority: &priority})
	if taken, ok := errors.AsType[*workqueue.DuplicateError](err); !ok || taken.ItemID != other {
		x.Errorf("a key in use: %v, want a *DuplicateError of item %d", err, other)
	}
	for name, c := range map[string]workqueue.RobotChange{
		"nothing": {}, "a priority of more than 32 bits": {Priority: &high}, "a long key": {NaturalKey: &long},
		"an empty tag": {Tags: &[]string{""}}, "metadata without a key": {Metadata: &map[string]string{"": "x"}},
	} {
		if err := x.Store.RobotChange(x.ctx, ann, id, c); err == nil {
			x.Errorf("%s: no error", name)
		}
	}
	if err := x.Store.RobotChange(x.ctx, "", id, set); err == nil {
		x.Error("a robot without a name: no error")
	}
	x.wantSame(before)
	if err := x.Store.RobotChange(x.ctx, ann, 4711, set); !errors.Is(err, workqueue.ErrNotFound) {
		x.Errorf("an item that does not exist: %v", err)
	}
	taken, h := x.takeID(id)
	x.wantTransition(x.Store.RobotChange(x.ctx, ann, id, set), id, "change", workqueue.Blocked)
	x.wantSame(taken)
	x.end(h, workqueue.RobotEnd{}, workqueue.RobotEnded{State: workqueue.Processed})
	x.wantTransition(x.Store.RobotChange(x.ctx, ann, id, set), id, "change", workqueue.Processed)
	assigned := x.workersItem(ItemOpts{State: workqueue.Assigned})
	x.wantTransition(x.Store.RobotChange(x.ctx, ann, assigned.ID, set), assigned.ID, "change", workqueue.Assigned)
	x.exec(1, `UPDATE "BotWorkQueueItems" SET "DeletedAt" = %s WHERE "Id" = %d`, longAgo, other)
	if err := x.Store.RobotChange(x.ctx, ann, other, set); !errors.Is(err, workqueue.ErrNotFound) {
		x.Errorf("a deleted item: %v", err)
	}
}

func robotDeletes(x *fixture) {
	x.robots(nil)
	remove := func(key string) (int, error) { return x.Store.RobotDelete(x.ctx, ann, forms, key, "not needed") }
	ids := x.enqueueForms(keyed("a"), keyed("a"), keyed("b"))
	elsewhere := x.Item(ItemOpts{}).ID
	x.exec(1, `UPDATE "BotWorkQueueItems" SET "NaturalKey" = 'a' WHERE "Id" = %d`, elsewhere)
	held, _ := x.takeID(ids[1])
	if n, err := remove("a"); n != 1 || err != nil {
		x.Errorf("deleted %d, %v; want 1, the item that no robot has checked out", n, err)
	}
	if _, err := x.Store.Item(x.ctx, ids[0]); !errors.Is(err, workqueue.ErrNotFound) {
		x.Errorf("item %d: %v, want ErrNotFound", ids[0], err)
	}
	_, err := remove("a")
	x.wantTransition(err, held.ID, "delete", workqueue.Blocked)
	x.wantSame(held)
	x.wantState(workqueue.Ready, elsewhere)
	x.wantState(workqueue.Pending, ids[2])
	if _, err := remove("c"); !errors.Is(err, workqueue.ErrNotFound) {
		x.Errorf("an unknown key: %v, want ErrNotFound", err)
	}
	if _, err := remove(""); err == nil || errors.Is(err, workqueue.ErrNotFound) {
		x.Errorf("no key: %v, want an error that a key is required", err)
	}
	_, err = x.Store.RobotDelete(x.ctx, ann, "nowhere", "a", "")
	if unknown, ok := errors.AsType[*workqueue.UnknownQueueError](err); !ok || len(unknown.Known) == 0 {
		x.Errorf("unknown queue: %v", err)
	}

	x.robots(func(q *workqueue.Queue) { q.Deletion = workqueue.DeletionLogical })
	if n, err := remove("b"); n != 1 || err != nil {
		x.Errorf("deleted %d, %v", n, err)
	}
	if got := x.show(ids[2]); got.Lifecycle != workqueue.LifeDeleted || deref(got.DeletedReason) != "not needed" {
		x.Errorf("hidden: %s", asJSON(got))
	}
	if _, err := remove("b"); !errors.Is(err, workqueue.ErrNotFound) {
		x.Errorf("a hidden item: %v, want ErrNotFound", err)
	}
}

func robotDeletesOwn(x *fixture) {
	x.robots(func(q *workqueue.Queue) { q.RobotDeletesOnlyOwn = true })
	ofStoretest := x.enqueueForms(keyed("a"))[0]
	ofAnn := x.addAs(ann, nil, keyed("a")).Items[0].ID
	ofBob := x.addAs("bob", nil, keyed("a")).Items[0].ID
	if n, err := x.Store.RobotDelete(x.ctx, ann, forms, "a", ""); n != 1 || err != nil {
		x.Errorf("deleted %d, %v; want 1, the robot's own item", n, err)
	}
	if _, err := x.Store.Item(x.ctx, ofAnn); !errors.Is(err, workqueue.ErrNotFound) {
		x.Errorf("the robot's own item: %v, want ErrNotFound", err)
	}
	x.wantState(workqueue.Pending, ofStoretest, ofBob)
	_, err := x.Store.RobotDelete(x.ctx, ann, forms, "a", "")
	x.wantAccess("items of others", err, ann, workqueue.RightWrite)
	x.wantState(workqueue.Pending, ofStoretest, ofBob)
}

func robotChangesHeld(x *fixture) {
	x.robots(func(q *workqueue.Queue) { q.PriorityOffset, q.KeyScope = 10, workqueue.KeyScopeQueue })
	id := x.enqueueForms(keyed("a"))[0]
	x.enqueueForms(keyed("b"))
	_, h := x.takeID(id)
	priority, taken, free := 5, "b", "c"
	set := workqueue.RobotChange{Priority: &priority, Tags: &[]string{"page-2"}, Metadata: &map[string]string{"x": "1"}, NaturalKey: &free}
	before := x.show(id)
	other := h
	other.LockKey = "guessed"
	if err := x.Store.ChangeCheckout(x.ctx, other, set); !errors.Is(err, workqueue.ErrLeaseLost) {
		x.Errorf("another lock key: %v, want ErrLeaseLost", err)
	}
	if err := x.Store.ChangeCheckout(x.ctx, h, workqueue.RobotChange{}); err == nil {
		x.Error("nothing to change: no error")
	}
	var duplicate *workqueue.DuplicateError
	if err := x.Store.ChangeCheckout(x.ctx, h, workqueue.RobotChange{NaturalKey: &taken}); !errors.As(err, &duplicate) {
		x.Errorf("a key in use: %v, want a *DuplicateError", err)
	}
	x.wantSame(before)
	if err := x.Store.ChangeCheckout(x.ctx, h, set); err != nil {
		x.Fatal(err)
	}
	got := x.show(id)
	if got.Priority != 15 || got.Tags != `["page-2"]` || got.Metadata != `{"x":"1"}` || deref(got.NaturalKey) != "c" || got.State != workqueue.Blocked || got.Fence != before.Fence {
		x.Errorf("changed %s, want the new values and the same hold", asJSON(got))
	}
	x.end(h, workqueue.RobotEnd{}, workqueue.RobotEnded{State: workqueue.Processed})
	if err := x.Store.ChangeCheckout(x.ctx, h, set); !errors.Is(err, workqueue.ErrLeaseLost) {
		x.Errorf("after its end: %v, want ErrLeaseLost", err)
	}
}

func releaseFromRobot(x *fixture) {
	x.robots(nil)
	id := x.enqueueForms(form(7))[0]
	x.wantTransition(x.Store.ReleaseFromRobot(x.ctx, id, ""), id, "release", workqueue.Pending)
	_, h := x.takeID(id)
	ann := workqueue.WithActor(x.ctx, workqueue.Actor{Name: "ann", Via: workqueue.ViaAPI})
	if err := x.Store.ReleaseFromRobot(ann, id, "its machine is gone"); err != nil {
		x.Fatal(err)
	}
	got := x.show(id)
	attempts := x.attempts(id)
	x.wantEnding(attempts[0].LogTail, "", `item released by="ann (api)" reason="its machine is gone"`)
	if got.State != workqueue.Ready || got.CheckedOut() || got.RetryCount != 0 || len(attempts) != 1 || attempts[0].Outcome != "released" || deref(attempts[0].Error) != "its machine is gone" {
		x.Errorf("released: %s, attempts %s, want Ready, no failure, and an attempt with the reason", asJSON(got), asJSON(attempts))
	}
	if _, err := x.Store.FinishCheckout(x.ctx, h, workqueue.RobotEnd{}); !errors.Is(err, workqueue.ErrLeaseLost) {
		x.Errorf("the robot's later result: %v, want ErrLeaseLost", err)
	}
	if again, _ := x.takeID(id); again.Fence <= h.Fence {
		x.Errorf("the next robot has the fence %d, want more than %d", again.Fence, h.Fence)
	}
	running := x.workersItem(ItemOpts{State: workqueue.Blocked})
	x.wantTransition(x.Store.ReleaseFromRobot(x.ctx, running.ID, ""), running.ID, "release", workqueue.Blocked)
	if err := x.Store.ReleaseFromRobot(x.ctx, 4711, ""); !errors.Is(err, workqueue.ErrNotFound) {
		x.Errorf("an item that does not exist: %v, want ErrNotFound", err)
	}
}
