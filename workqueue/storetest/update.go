package storetest

import (
	"errors"
	"strconv"
	"strings"
	"sync"
	"time"

	"botwork/workqueue"
	"botwork/workqueue/matching"
)

func updateTests() []test {
	return []test{
		{"every value of a waiting item", updateEvery},
		{"what is not set stays", updateKeeps},
		{"a running item accepts tags, metadata and its next priority", updateRunning},
		{"an assigned item that moves waits for the next assignment", updateAssigned},
		{"finished and deleted items are refused", updateFinished},
		{"only if the version is the same", updateVersion},
		{"every change raises the version, leases and progress do not", updateRaises},
		{"the policies of the queue apply", updatePolicies},
		{"a move to another queue", updateMove},
		{"unique keys follow the queue and the payload", updateKeys},
		{"a new payload is compared with the item's pipeline", updateChecksPayload},
		{"a page skips items that cannot have the values", updatePages},
		{"two processes update one item", updateContend},
	}
}

func (x *fixture) update(id int64, u workqueue.ItemUpdate) error {
	_, err := x.Store.ChangeItem(x.ctx, id, workqueue.Change{Action: workqueue.Update, Update: &u})
	return err
}

// mustUpdate updates an item and returns it.
func (x *fixture) mustUpdate(id int64, u workqueue.ItemUpdate) workqueue.Item {
	x.Helper()
	if err := x.update(id, u); err != nil {
		x.Fatalf("update item %d: %v", id, err)
	}
	return x.show(id)
}

func (x *fixture) wantFault(err error, field, text string) {
	x.Helper()
	if f, ok := errors.AsType[*workqueue.ItemFault](err); !ok || f.Field != field || !strings.Contains(f.Err.Error(), text) {
		x.Errorf("error %v, want an *ItemFault of %s with %q", err, field, text)
	}
}

func updateEvery(x *fixture) {
	id := x.enqueueOne(workqueue.NewItem{Payload: `1`, Tags: []string{"old", "keep"}, Metadata: map[string]string{"a": "1", "b": "2"}})
	due, deadline := time.Now().Add(time.Hour).UTC().Truncate(time.Millisecond), time.Now().Add(2*time.Hour).UTC().Truncate(time.Millisecond)
	selectors, err := matching.ParseSelectors(`["region == eu"]`)
	if err != nil {
		x.Fatal(err)
	}
	labels, err := matching.ParseLabels(`{"region":"eu"}`)
	if err != nil {
		x.Fatal(err)
	}
	before := x.show(id)
	got := x.mustUpdate(id, workqueue.ItemUpdate{
		Priority: new(77), At: &due, Deadline: &deadline, Payload: new(workqueue.JSONText(`{"n":2}`)), Estimate: new(time.Minute),
		Resilience: new(workqueue.JSONText(`{"limit":9}`)), LimitKey: new("ann"), AddTags: []string{"new"}, RemoveTags: []string{"old"},
		Metadata: map[string]string{"b": "3", "c": "4"}, RemoveMetadata: []string{"a"}, Labels: labels, Selectors: &selectors,
	})
	want := before
	want.Version, want.Priority, want.AvailableAt, want.DeadlineAt = before.Version+1, 77, due, &deadline
	want.Payload, want.EstimatedDurationMs, want.ResilienceConfig, want.LimitKey = `{"n":2}`, new(int64(60_000)), `{"limit":9}`, new("ann")
	want.Tags, want.Metadata, want.Labels, want.Selectors = `["keep","new"]`, `{"b":"3","c":"4"}`, got.Labels, got.Selectors
	want.Lifecycle = workqueue.LifeScheduled
	if asJSON(got) != asJSON(want) || got.Version != want.Version {
		x.Errorf("the update made\n     %s\nwant %s", asJSON(got), asJSON(want))
	}
	if got.Labels == "" || got.Selectors == "" {
		x.Errorf("labels %q and selectors %q, want both to be set", got.Labels, got.Selectors)
	}
	got = x.mustUpdate(id, workqueue.ItemUpdate{
		In: new(time.Duration(0)), Deadline: &time.Time{}, Estimate: new(time.Duration(0)), Resilience: new(workqueue.JSONText("")),
		LimitKey: new(""), Payload: new(workqueue.JSONText("")), RemoveLabels: []string{"region"}, Selectors: &[]matching.Selector{},
		RemoveTags: []string{"keep", "new"}, RemoveMetadata: []string{"b", "c"}, Priority: &before.Priority,
	})
	want = before
	want.Version, want.Payload, want.Tags, want.Metadata, want.AvailableAt = before.Version+2, "", "", "", got.AvailableAt
	if asJSON(got) != asJSON(want) || got.Version != want.Version {
		x.Errorf("the update without values made\n     %s\nwant %s", asJSON(got), asJSON(want))
	}
	if got.AvailableAt.After(due.Add(-time.Minute)) {
		x.Errorf("the item is due at %v, want now", got.AvailableAt)
	}
}

func updateKeeps(x *fixture) {
	for _, state := range []workqueue.State{workqueue.Ready, workqueue.Pending, workqueue.Assigned} {
		before := x.Item(ItemOpts{State: state, Payload: `{"a":1}`, Policy: `{"limit":2}`, Estimate: time.Minute, LimitKey: "k"})
		got := x.mustUpdate(before.ID, workqueue.ItemUpdate{AddTags: []string{"t"}})
		before.Tags, before.Version = `["t"]`, before.Version+1
		if asJSON(got) != asJSON(before) || got.Version != before.Version {
			x.Errorf("a tag for an item that is %s made\n     %s\nwant %s", state, asJSON(got), asJSON(before))
		}
	}
}

func updateRunning(x *fixture) {
	it := x.Item(ItemOpts{State: workqueue.Blocked})
	got := x.mustUpdate(it.ID, workqueue.ItemUpdate{Priority: new(5), AddTags: []string{"t"}, Metadata: map[string]string{"k": "v"}})
	want := it
	want.Priority, want.Tags, want.Metadata, want.Version = 5, `["t"]`, `{"k":"v"}`, it.Version+1
	if asJSON(got) != asJSON(want) || got.Version != want.Version {
		x.Errorf("the update made\n     %s\nwant %s", asJSON(got), asJSON(want))
	}
	for what, u := range map[string]workqueue.ItemUpdate{
		"payload": {Payload: new(workqueue.JSONText(`1`))}, "due time": {In: new(time.Hour)}, "queue": {Queue: workqueue.DefaultQueue},
		"deadline": {DeadlineIn: new(time.Hour)}, "limit key": {LimitKey: new("k")},
	} {
		err := x.update(it.ID, u)
		x.wantTransition(err, it.ID, "update", workqueue.Blocked)
		if !strings.Contains(err.Error(), "only tags, metadata and the priority") {
			x.Errorf("%s of a running item: error %v does not say what can be changed", what, err)
		}
	}
}

func updateAssigned(x *fixture) {
	for what, u := range map[string]workqueue.ItemUpdate{
		"due time": {In: new(time.Hour)}, "limit key": {LimitKey: new("k")}, "selectors": {Selectors: &[]matching.Selector{}},
	} {
		it := x.Item(ItemOpts{State: workqueue.Assigned})
		got := x.mustUpdate(it.ID, u)
		if got.State != workqueue.Ready || got.WorkerID != nil || got.AssignedAt != nil {
			x.Errorf("%s: the item is %s, assigned to %v at %v, want it to wait", what, got.State, got.WorkerID, got.AssignedAt)
		}
	}
	w := x.Worker(WorkerOpts{})
	it := x.Item(ItemOpts{State: workqueue.Assigned, Worker: w})
	x.mustUpdate(it.ID, workqueue.ItemUpdate{Payload: new(workqueue.JSONText(`"new"`))})
	if got := x.claim(w, 1); len(got) != 1 || got[0].ID != it.ID || got[0].Payload != `"new"` {
		x.Errorf("the worker claimed %s, want the item with the new payload", asJSON(got))
	}
}

func updateFinished(x *fixture) {
	for _, state := range []workqueue.State{workqueue.Processed, workqueue.Cancelled} {
		it := x.Item(ItemOpts{State: state})
		x.wantTransition(x.update(it.ID, workqueue.ItemUpdate{Priority: new(1)}), it.ID, "update", state)
		x.wantSame(it)
	}
	if err := x.update(4711, workqueue.ItemUpdate{Priority: new(1)}); !errors.Is(err, workqueue.ErrNotFound) {
		x.Errorf("update of an unknown item: error %v, want ErrNotFound", err)
	}
	for what, u := range map[string]*workqueue.ItemUpdate{
		"nothing": {}, "a tag to add and remove": {AddTags: []string{"t"}, RemoveTags: []string{"t"}}, "a negative delay": {In: new(-time.Second)}, "no values": nil,
	} {
		it := x.Item(ItemOpts{})
		if _, err := x.Store.ChangeItem(x.ctx, it.ID, workqueue.Change{Action: workqueue.Update, Update: u}); err == nil {
			x.Errorf("update with %s: no error", what)
		}
		x.wantSame(it)
	}
}

func updateVersion(x *fixture) {
	it := x.Item(ItemOpts{})
	change := workqueue.Change{Action: workqueue.Update, Update: &workqueue.ItemUpdate{Priority: new(3)}, IfVersion: it.Version}
	if _, err := x.Store.ChangeItem(x.ctx, it.ID, change); err != nil {
		x.Fatal(err)
	}
	changed := x.show(it.ID)
	_, err := x.Store.ChangeItem(x.ctx, it.ID, change)
	if stale, ok := errors.AsType[*workqueue.VersionError](err); !ok || stale.Got != changed.Version || stale.Want != it.Version || stale.ItemID != it.ID {
		x.Errorf("update of an old version: error %v, want a *VersionError", err)
	}
	change.DryRun = true
	if _, err := x.Store.ChangeItem(x.ctx, it.ID, change); err == nil {
		x.Error("dry run of the update of an old version: no error")
	}
	cancel := workqueue.Change{Action: workqueue.Cancel, IfVersion: it.Version}
	if _, err := x.Store.ChangeItem(x.ctx, it.ID, cancel); err == nil {
		x.Error("cancel of an old version: no error")
	}
	x.wantSame(changed)
}

func updateRaises(x *fixture) {
	w := x.Worker(WorkerOpts{})
	id := x.Item(ItemOpts{}).ID
	version := x.show(id).Version
	want := func(what string, by int64) {
		x.Helper()
		got := x.show(id).Version
		if got != version+by {
			x.Errorf("%s: version %d, want %d", what, got, version+by)
		}
		version = got
	}
	it := x.claimOne(w, id)
	want("an assignment and a claim", 2)
	x.mustBeat(w, ref(it))
	want("a heartbeat", 0)
	x.progress(w, workqueue.ProgressNote{ItemRef: ref(it), Step: "s", Progress: "half"})
	want("progress", 0)
	x.finish(w, success(it))
	want("an end", 1)
}

func updatePolicies(x *fixture) {
	x.define("test", []string{"strict"}, workqueue.Queue{
		Name: "strict", PriorityOffset: 1000, QueueSchemas: workqueue.QueueSchemas{PayloadSchema: `{"type":"object","required":["n"]}`},
	})
	id := x.enqueueOne(workqueue.NewItem{QueueName: "strict", Priority: 1, Payload: `{"n":1}`})
	if got := x.mustUpdate(id, workqueue.ItemUpdate{Priority: new(2)}); got.Priority != 1002 {
		x.Errorf("priority %d, want 2 and the offset of the queue", got.Priority)
	}
	x.wantFault(x.update(id, workqueue.ItemUpdate{Payload: new(workqueue.JSONText(`{"m":1}`))}), "payload", "n")
	x.wantFault(x.update(id, workqueue.ItemUpdate{Deadline: new(time.Now().Add(-time.Hour))}), "deadline", "has passed")
	x.wantFault(x.update(id, workqueue.ItemUpdate{In: new(2 * time.Hour), DeadlineIn: new(time.Hour)}), "deadline", "would never start")
	x.mustUpdate(id, workqueue.ItemUpdate{In: new(time.Hour), DeadlineIn: new(2 * time.Hour)})
	x.wantFault(x.update(id, workqueue.ItemUpdate{DeadlineIn: new(time.Minute)}), "deadline", "would never start")
	x.wantFault(x.update(id, workqueue.ItemUpdate{In: new(3 * time.Hour)}), "deadline", "set a later deadline as well, or clear it")
	x.mustUpdate(id, workqueue.ItemUpdate{In: new(3 * time.Hour), Deadline: &time.Time{}})
	x.wantFault(x.update(id, workqueue.ItemUpdate{AddTags: []string{strings.Repeat("x", workqueue.MaxTag+1)}}), "tags", "characters")
	if got := x.show(id); got.Payload != `{"n":1}` {
		x.Errorf("a refused update left the payload %s", got.Payload)
	}
}

func updateMove(x *fixture) {
	x.define("test", []string{"objects", "raised", "sealed"},
		workqueue.Queue{Name: "raised", PriorityOffset: 100},
		workqueue.Queue{Name: "objects", QueueSchemas: workqueue.QueueSchemas{PayloadSchema: `{"type":"object"}`}},
		workqueue.Queue{Name: "sealed", Encrypted: true})
	id := x.enqueueOne(workqueue.NewItem{Priority: 7, Payload: `[1]`})
	if got := x.mustUpdate(id, workqueue.ItemUpdate{Queue: "raised"}); got.QueueName != "raised" || got.Priority != 107 {
		x.Errorf("the item is in %s with priority %d, want raised and 107", got.QueueName, got.Priority)
	}
	if got := x.mustUpdate(id, workqueue.ItemUpdate{Queue: workqueue.DefaultQueue}); got.Priority != 7 {
		x.Errorf("moved back, the item has priority %d, want 7", got.Priority)
	}
	x.wantFault(x.update(id, workqueue.ItemUpdate{Queue: "objects"}), "payload", "object")
	x.wantFault(x.update(id, workqueue.ItemUpdate{Queue: "sealed"}), "queue", "encrypted")
	unknown, ok := errors.AsType[*workqueue.UnknownQueueError](x.update(id, workqueue.ItemUpdate{Queue: "nowhere"}))
	if !ok || unknown.Queue != "nowhere" {
		x.Errorf("a move to an unknown queue: error %v, want an *UnknownQueueError", unknown)
	}
	if got := x.show(id); got.QueueName != workqueue.DefaultQueue {
		x.Errorf("a refused move left the item in %s", got.QueueName)
	}
}

func updateKeys(x *fixture) {
	x.keyQueues()
	taken := x.enqueueOne(key("keyed", "k"))
	id := x.enqueueOne(workqueue.NewItem{NaturalKey: "k"})
	x.wantDuplicate(x.update(id, workqueue.ItemUpdate{Queue: "keyed"}), taken)
	if err := Do(x.ctx, x.Store, workqueue.Delete, taken, ""); err != nil {
		x.Fatal(err)
	}
	x.mustUpdate(id, workqueue.ItemUpdate{Queue: "keyed"})
	x.wantExisting("with the key of the moved item", key("keyed", "k"), id)
	x.mustUpdate(id, workqueue.ItemUpdate{Queue: workqueue.DefaultQueue})
	x.wantNew("after the item was moved away", key("keyed", "k"))

	form := workqueue.NewItem{Payload: `{"n": 1}`, UniqueFor: workqueue.UniqueWhileUnfinished}
	unfinished := x.wantNew("unique while unfinished", form)
	x.mustUpdate(unfinished, workqueue.ItemUpdate{Payload: new(workqueue.JSONText(`{"n": 2}`))})
	again := x.wantNew("the former payload", form)
	form.Payload = `{"n": 2}`
	x.wantExisting("the new payload", form, unfinished)
	x.wantDuplicate(x.update(again, workqueue.ItemUpdate{Payload: new(workqueue.JSONText(`{"n": 2}`))}), unfinished)
}

func updateChecksPayload(x *fixture) {
	other, err := x.Store.Enqueue(x.ctx, []workqueue.NewItem{{IntegrationConfig: "other", Payload: `1`}})
	if err != nil {
		x.Fatal(err)
	}
	id := x.enqueueOne(workqueue.NewItem{Payload: `1`})
	u := workqueue.ItemUpdate{Payload: new(workqueue.JSONText(`2`)), CheckPayload: func(pipeline string, payload workqueue.JSONText) error {
		if pipeline == "other" && payload == `2` {
			return errors.New("no twos")
		}
		return nil
	}}
	change := workqueue.Change{Action: workqueue.Update, Update: &u}
	for _, dry := range []bool{true, false} {
		change.DryRun = dry
		_, err := x.Store.ChangeItem(x.ctx, other[0].ID, change)
		x.wantFault(err, "payload", "no twos")
		result, err := x.Store.ChangeItems(x.ctx, workqueue.ItemFilter{}, change)
		if err != nil || result.Changed != 1 || len(result.Refusals) != 1 || result.Refusals[0].ItemID != other[0].ID {
			x.Errorf("dry run %t: got %s, error %v, want 1 changed and item %d refused", dry, asJSON(result), err, other[0].ID)
		}
	}
	if got, refused := x.show(id).Payload, x.show(other[0].ID).Payload; got != `2` || refused != `1` {
		x.Errorf("payloads %s and %s, want 2 and, of the refused item, 1", got, refused)
	}
}

func updatePages(x *fixture) {
	x.define("test", []string{"objects"}, workqueue.Queue{Name: "objects", QueueSchemas: workqueue.QueueSchemas{PayloadSchema: `{"type":"object"}`}})
	var good []int64
	for i := range 6 {
		payload := workqueue.JSONText(`{"a":1}`)
		if i%3 == 0 {
			payload = `7`
		}
		id := x.enqueueOne(workqueue.NewItem{Payload: payload, Tags: []string{"batch"}})
		if i%3 != 0 {
			good = append(good, id)
		}
	}
	running := x.Item(ItemOpts{State: workqueue.Blocked})
	x.mustUpdate(running.ID, workqueue.ItemUpdate{AddTags: []string{"batch"}})
	change := workqueue.Change{Action: workqueue.Update, Update: &workqueue.ItemUpdate{Queue: "objects"}, DryRun: true}
	dry, err := x.Store.ChangeItems(x.ctx, workqueue.ItemFilter{TagsAny: []string{"batch"}}, change)
	if err != nil || dry.Changed != 4 || len(dry.Refusals) != 2 {
		x.Errorf("dry run: got %s, error %v, want 4 changed and 2 refused", asJSON(dry), err)
	}
	for _, bad := range dry.Refusals {
		_, err := x.Store.ChangeItem(x.ctx, bad.ItemID, change)
		x.wantFault(err, "payload", "object")
	}
	change.DryRun = false
	result, err := x.Store.ChangeItems(x.ctx, workqueue.ItemFilter{TagsAny: []string{"batch"}}, change)
	if err != nil || result.Changed != 4 || len(result.Refusals) != 2 {
		x.Errorf("got %s, error %v, want 4 changed and 2 refused with a reason", asJSON(result), err)
	}
	for _, bad := range result.Refusals {
		x.wantFault(bad, "payload", "object")
	}
	for _, id := range good {
		if got := x.show(id); got.QueueName != "objects" {
			x.Errorf("item %d is in %s", id, got.QueueName)
		}
	}
}

// updateContend lets two processes add tags to one item. None gets lost, although each writes all
// tags.
func updateContend(x *fixture) {
	id := x.Item(ItemOpts{}).ID
	const each = 15
	var processes sync.WaitGroup
	for p := range 2 {
		store := x.Another(x.T)
		processes.Go(func() {
			for i := range each {
				u := &workqueue.ItemUpdate{AddTags: []string{strconv.Itoa(p*each + i)}}
				if _, err := store.ChangeItem(x.ctx, id, workqueue.Change{Action: workqueue.Update, Update: u}); err != nil {
					x.Errorf("update: %v", err)
					return
				}
			}
		})
	}
	processes.Wait()
	if got := x.show(id); strings.Count(string(got.Tags), ",") != 2*each-1 || got.Version != 2*each+1 {
		x.Errorf("tags %s and version %d after %d updates", got.Tags, got.Version, 2*each)
	}
}
