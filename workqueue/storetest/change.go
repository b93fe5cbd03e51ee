package storetest

import (
	"errors"
	"regexp"
	"slices"
	"strings"
	"time"

	"botwork/workqueue"
)

func changeTests() []test {
	return []test{
		{"every action in every state", changeEvery},
		{"the actions allowed in each state", changeTable},
		{"an item that does not exist", changeMissing},
		{"a row deleted by hand is not changed", changeDeleted},
		{"no worker claims a cancelled item", changeCancelledNotClaimed},
		{"a cancelled run can no longer write", changeCancelledRun},
		{"a repeated item runs again", changeRepeatedRuns},
		{"a repeated item keeps nothing of its first run", changeRepeatedAsNew},
		{"a repeated item has no robot", changeRepeatedRobot},
		{"a logically deleted item is hidden and can be restored", changeHidden},
		{"a clone with a key of its own", cloneWithNewKey},
		{"a clone that is refused", cloneRefused},
		{"all items of a filter, page by page", changePages},
		{"a page skips items that may not be changed", changePassesOver},
		{"a page reports all its changes when a key is taken", changeKeyTaken},
		{"a dry run changes nothing", changeDry},
		{"a dry run of a filter counts what would be changed", changeDryPages},
	}
}

// lifeOf is the table of the design: the state that an item has after an action, by the
// action and the previous state. A state that is missing is refused.
var lifeOf = map[workqueue.Action]map[workqueue.State]workqueue.State{
	workqueue.RunNow: {
		workqueue.Ready: workqueue.Ready, workqueue.Pending: workqueue.Pending,
		workqueue.Processed: workqueue.Ready, workqueue.Cancelled: workqueue.Ready,
	},
	workqueue.Cancel: {
		workqueue.Ready: workqueue.Cancelled, workqueue.Pending: workqueue.Cancelled,
		workqueue.Assigned: workqueue.Cancelled, workqueue.Blocked: workqueue.Cancelled,
	},
	workqueue.Archive: {
		workqueue.Ready: workqueue.Cancelled, workqueue.Pending: workqueue.Cancelled,
		workqueue.Assigned: workqueue.Cancelled, workqueue.Processed: workqueue.Cancelled,
	},
	workqueue.Repeat: {workqueue.Processed: workqueue.Ready, workqueue.Cancelled: workqueue.Ready},
	workqueue.Clone: {
		workqueue.Ready: workqueue.Ready, workqueue.Pending: workqueue.Pending, workqueue.Assigned: workqueue.Assigned,
		workqueue.Blocked: workqueue.Blocked, workqueue.Processed: workqueue.Processed, workqueue.Cancelled: workqueue.Cancelled,
	},
	workqueue.Delete: {
		workqueue.Ready: gone, workqueue.Pending: gone, workqueue.Assigned: gone,
		workqueue.Processed: gone, workqueue.Cancelled: gone,
	},
}

// gone means that there is no row.
const gone workqueue.State = -1

func changeTable(x *fixture) {
	for _, a := range workqueue.Actions() {
		var states []workqueue.State
		for state := range lifeOf[a] {
			states = append(states, state)
		}
		slices.Sort(states)
		from := slices.Clone(a.From())
		slices.Sort(from)
		if !slices.Equal(states, from) {
			x.Errorf("%s is allowed in %v, want %v", a, from, states)
		}
	}
}

// changeEvery applies every action to an item of every state. A refused action changes
// nothing, and its error has the reason.
func changeEvery(x *fixture) {
	for _, a := range workqueue.Actions() {
		for _, state := range workqueue.States() {
			before := x.Item(ItemOpts{State: state, In: later(state)})
			clone, err := x.Store.ChangeItem(x.ctx, before.ID, workqueue.Change{Action: a, Reason: "the reason", By: "ann"})
			want, may := lifeOf[a][state]
			switch {
			case !may:
				x.wantTransition(err, before.ID, string(a), state)
				if hint := err.Error(); !strings.Contains(hint, "; ") {
					x.Errorf("%s of an item that is %s: error %q has no reason", a, state, hint)
				}
				x.wantSame(before)
			case err != nil:
				x.Errorf("%s of an item that is %s: %v", a, state, err)
			case want == gone:
				x.wantGone(before.ID)
			default:
				x.wantChanged(a, before, want, clone)
			}
		}
	}
}

// later returns a delay for waiting items, so that RunNow has an effect.
func later(state workqueue.State) time.Duration {
	if state == workqueue.Ready || state == workqueue.Pending {
		return time.Hour
	}
	return 0
}

// wantChanged checks each field of a changed item.
func (x *fixture) wantChanged(a workqueue.Action, before workqueue.Item, state workqueue.State, clone int64) {
	x.Helper()
	got, want := x.show(before.ID), before
	want.State = state
	if a != workqueue.Clone {
		want.Version++
	}
	switch a {
	case workqueue.RunNow:
		want.AvailableAt, want.Lifecycle = got.AvailableAt, workqueue.LifePending
		want.WorkerID, want.AssignedAt, want.FinishedAt = nil, nil, nil
	case workqueue.Cancel, workqueue.Archive:
		want.Lifecycle, want.LeaseExpiresAt, want.FinishedAt = workqueue.LifeArchived, nil, got.FinishedAt
		want.Error, want.ErrorKind = new("the reason"), new(workqueue.KindCancelled)
		x.wantClean("FinishedAt", got.FinishedAt)
		if before.State == workqueue.Blocked {
			x.wantEnding(got.LogTail, deref(before.LogTail), `item cancelled by="unknown (go)" reason="the reason"`)
			want.LogTail = got.LogTail
		}
	case workqueue.Repeat:
		want.AvailableAt, want.Lifecycle, want.IdempotencyKey = got.AvailableAt, workqueue.LifePending, got.IdempotencyKey
		want.RetryCount, want.ReleaseCount, want.WorkerID, want.Output, want.Error, want.ErrorKind = 0, 0, nil, "", nil, nil
		want.LeaseExpiresAt, want.AssignedAt, want.StartedAt, want.FinishedAt, want.FirstStartedAt = nil, nil, nil, nil, nil
	case workqueue.Clone:
		x.wantClone(before, clone)
	}
	if asJSON(got) != asJSON(want) || got.Version != want.Version {
		x.Errorf("%s of an item that is %s made\n     %s\nwant %s", a, before.State, asJSON(got), asJSON(want))
	}
	failed := 0 // by creating the item
	if before.State == workqueue.Cancelled {
		failed = 1
	}
	if a == workqueue.Cancel && before.State == workqueue.Blocked {
		failed = 1
	}
	if n := len(x.attempts(before.ID)); n != failed {
		x.Errorf("%s of an item that is %s: %d attempts, want %d", a, before.State, n, failed)
	}
}

// wantEnding checks that a log is the earlier one and a line that says who has ended its run.
func (x *fixture) wantEnding(log *string, before, line string) {
	x.Helper()
	if before == "NULL" {
		before = ""
	}
	if !regexp.MustCompile(`^` + regexp.QuoteMeta(before) + `\S+Z INF ` + regexp.QuoteMeta(line) + `\n$`).MatchString(deref(log)) {
		x.Errorf("the log is %q, want %q and a line with the time and %q", deref(log), before, line)
	}
}

// wantClone checks that an item is a new copy of another one.
func (x *fixture) wantClone(of workqueue.Item, id int64) {
	x.Helper()
	got := x.show(id)
	want := workqueue.Item{
		ID: id, QueueName: of.QueueName, State: workqueue.Pending, Lifecycle: workqueue.LifePending, Priority: of.Priority,
		IntegrationConfig: of.IntegrationConfig, Payload: of.Payload, CreatedBy: new("ann"),
		AvailableAt: got.AvailableAt, CreatedAt: got.CreatedAt, IdempotencyKey: got.IdempotencyKey, Version: 1,
	}
	if id <= of.ID || asJSON(got) != asJSON(want) || got.Version != want.Version {
		x.Errorf("the clone is\n     %s\nwant %s", asJSON(got), asJSON(want))
	}
}

func (x *fixture) wantGone(id int64) {
	x.Helper()
	if _, err := x.Store.Item(x.ctx, id); !errors.Is(err, workqueue.ErrNotFound) {
		x.Errorf("Item of the deleted item %d: error %v, want ErrNotFound", id, err)
	}
	if n := len(x.attempts(id)); n != 0 {
		x.Errorf("the deleted item has %d attempts, want none", n)
	}
}

func changeMissing(x *fixture) {
	for _, a := range workqueue.Actions() {
		if err := Do(x.ctx, x.Store, a, 4711, "why"); !errors.Is(err, workqueue.ErrNotFound) || !strings.Contains(err.Error(), "4711") {
			x.Errorf("%s of an item that does not exist: %v, want ErrNotFound with the id", a, err)
		}
	}
}

func changeDeleted(x *fixture) {
	for _, a := range workqueue.Actions() {
		if a.AllowsDeleted() {
			continue
		}
		for _, state := range a.From() {
			if state == workqueue.Blocked {
				continue
			}
			it := x.Item(ItemOpts{State: state})
			x.exec(1, `UPDATE "BotWorkQueueItems" SET "DeletedAt" = %s WHERE "Id" = %d`, longAgo, it.ID)
			before := x.show(it.ID)
			err := Do(x.ctx, x.Store, a, it.ID, "why")
			x.wantTransition(err, it.ID, string(a), state)
			if !strings.Contains(err.Error(), "deleted") {
				x.Errorf("%s: error %q does not mention the deletion", a, err)
			}
			x.wantSame(before)
		}
	}
}

func changeCancelledNotClaimed(x *fixture) {
	w := x.Worker(WorkerOpts{})
	it := x.Item(ItemOpts{State: workqueue.Assigned, Worker: w})
	if err := Do(x.ctx, x.Store, workqueue.Cancel, it.ID, "why"); err != nil {
		x.Fatal(err)
	}
	if got := x.claim(w, 10); len(got) != 0 {
		x.Errorf("the worker claimed %v, want nothing", idsOf(got))
	}
	x.wantIDs("due items", x.due(workqueue.EveryPriority, 10), nil)
}

// Everything that the run of a cancelled item writes afterwards is ignored, and the
// worker is notified.
func changeCancelledRun(x *fixture) {
	w := x.Worker(WorkerOpts{})
	it := x.Item(ItemOpts{State: workqueue.Blocked, Worker: w})
	x.progress(w, workqueue.ProgressNote{ItemRef: ref(it), LogTail: "read 7 rows\n"})
	ann := workqueue.WithActor(x.ctx, workqueue.Actor{Name: "ann", Via: workqueue.ViaAPI, Host: "10.0.0.7"})
	if err := Do(ann, x.Store, workqueue.Cancel, it.ID, "no longer needed"); err != nil {
		x.Fatal(err)
	}
	cancelled := x.show(it.ID)
	const line = `item cancelled by="ann (api)" host=10.0.0.7 reason="no longer needed"`
	x.wantEnding(cancelled.LogTail, "read 7 rows\n", line)
	x.wantEnding(x.attempts(it.ID)[0].LogTail, "read 7 rows\n", line)
	ref := workqueue.ItemRef{ItemID: it.ID, Fence: it.Fence}
	beat, err := x.Store.Beat(x.ctx, workqueue.BeatParams{
		WorkerID: w.ID, InstanceID: w.InstanceID, Lease: leaseTime, Held: []workqueue.ItemRef{ref},
	})
	if err != nil {
		x.Fatal(err)
	}
	x.wantIDs("lost in Beat", beat.Lost, []int64{it.ID})
	lost, err := x.Store.Progress(x.ctx, w.ID, w.InstanceID, []workqueue.ProgressNote{{ItemRef: ref, Progress: "halfway"}})
	if err != nil {
		x.Fatal(err)
	}
	x.wantIDs("lost in Progress", lost, []int64{it.ID})
	x.wantIDs("lost in Finish", x.finish(w, success(it)), []int64{it.ID})
	x.wantSame(cancelled)
	x.wantRescue(workqueue.RescueResult{})
	x.wantIDs("due items", x.due(workqueue.EveryPriority, 10), nil)
	attempts := x.attempts(it.ID)
	if len(attempts) != 1 || attempts[0].Outcome != "failed" || deref(attempts[0].ErrorKind) != "cancelled" ||
		deref(attempts[0].Error) != "no longer needed" || deref(attempts[0].WorkerName) != w.Name {
		x.Errorf("attempts = %s, want the cancelled run", asJSON(attempts))
	}
}

// The fence continues to grow, so that a late Finish of the first run has no effect on
// the second.
func changeRepeatedRuns(x *fixture) {
	w := x.Worker(WorkerOpts{})
	it := x.Item(ItemOpts{State: workqueue.Cancelled, Worker: w})
	if err := Do(x.ctx, x.Store, workqueue.Repeat, it.ID, ""); err != nil {
		x.Fatal(err)
	}
	x.Assign(w, it.ID)
	claimed := x.claim(w, 1)
	if len(claimed) != 1 || claimed[0].Fence != it.Fence+1 || claimed[0].Attempt() != 1 {
		x.Fatalf("claimed %s, want the item with fence %d at its first attempt", asJSON(claimed), it.Fence+1)
	}
	x.wantIDs("lost", x.finish(w, workqueue.Finish{ItemID: it.ID, Fence: it.Fence, State: workqueue.Processed}), []int64{it.ID})
	x.wantState(workqueue.Blocked, it.ID)
}

// cloneWithNewKey clones an item of a queue with unique keys.
func cloneWithNewKey(x *fixture) {
	q := workqueue.Queue{Name: "unique"}
	q.KeyScope = workqueue.KeyScopeQueue
	x.define("test", []string{"unique"}, q)
	ids := x.enqueueForms(workqueue.NewItem{QueueName: "unique", IntegrationConfig: Pipeline, NaturalKey: "a"}, workqueue.NewItem{QueueName: "unique", IntegrationConfig: Pipeline, NaturalKey: "b"})
	clone := func(key string) (int64, error) {
		return x.Store.ChangeItem(x.ctx, ids[0], workqueue.Change{Action: workqueue.Clone, NewKey: key})
	}
	var duplicate *workqueue.DuplicateError
	if _, err := clone("b"); !errors.As(err, &duplicate) || duplicate.ItemID != ids[1] {
		x.Errorf("a key in use: %v, want a *DuplicateError of item %d", err, ids[1])
	}
	id, err := clone("c")
	if err != nil {
		x.Fatal(err)
	}
	if got := x.show(id); deref(got.NaturalKey) != "c" || deref(x.show(ids[0]).NaturalKey) != "a" || got.State != workqueue.Pending {
		x.Errorf("the clone is %s, want the key c", asJSON(got))
	}
	if _, err := clone("c"); !errors.As(err, &duplicate) || duplicate.ItemID != id {
		x.Errorf("the clone's key again: %v, want a *DuplicateError of item %d", err, id)
	}
	if _, err := clone(string(make([]byte, 500))); err == nil {
		x.Error("a long key: no error")
	}
	if _, err := x.Store.ChangeItem(x.ctx, ids[0], workqueue.Change{Action: workqueue.Cancel, NewKey: "d"}); err == nil {
		x.Error("a new key for a cancel: no error")
	}
	if _, err := x.Store.ChangeItems(x.ctx, workqueue.ItemFilter{}, workqueue.Change{Action: workqueue.Clone, NewKey: "d"}); err == nil {
		x.Error("one new key for many items: no error")
	}
}

// cloneRefused clones no item that has changed, has left the queue of the filter, or has a whole
// pipeline where that is refused.
func cloneRefused(x *fixture) {
	x.define("test", []string{"a", "b"}, workqueue.Queue{Name: "a"}, workqueue.Queue{Name: "b"})
	ids := x.enqueueForms(
		workqueue.NewItem{QueueName: "a", IntegrationConfig: Pipeline},
		workqueue.NewItem{QueueName: "a", IntegrationConfig: "{steps: [{handler: Log, with: {message: x}}]}"},
	)
	c := workqueue.Change{Action: workqueue.Clone, IfVersion: x.show(ids[0]).Version, RefuseInline: true}
	if _, err := x.Store.ChangeItem(x.ctx, ids[1], c); !errors.Is(err, workqueue.ErrInlinePipeline) {
		x.Errorf("a whole pipeline: %v, want ErrInlinePipeline", err)
	}
	c.IfVersion, c.DryRun = 0, true
	for _, want := range []int64{0, ids[1] + 1} { // a dry run, then a real one
		got, err := x.Store.ChangeItems(x.ctx, workqueue.ItemFilter{QueueName: "a"}, c)
		if err != nil || got.Changed != 1 || len(got.Refusals) != 1 || got.Refusals[0].ItemID != ids[1] || want != 0 && !slices.Equal(got.Clones, []int64{want}) {
			x.Errorf("dry run %v: %+v, %v, want one clone, and item %d refused", c.DryRun, got, err, ids[1])
		}
		c.DryRun = false
	}
	if _, err := x.Store.ChangeItem(x.ctx, ids[0], workqueue.Change{Action: workqueue.Update, Update: &workqueue.ItemUpdate{Queue: "b"}}); err != nil {
		x.Fatal(err)
	}
	var version *workqueue.VersionError
	if _, err := x.Store.ChangeItem(x.ctx, ids[0], workqueue.Change{Action: workqueue.Clone, IfVersion: 1}); !errors.As(err, &version) {
		x.Errorf("an item that has moved: %v, want a *VersionError", err)
	}
}
