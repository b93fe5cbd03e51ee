package storetest

import (
	"fmt"
	"sync/atomic"
	"time"

	"botwork/workqueue"
	"botwork/workqueue/escalation"
)

func escalationTests() []test {
	return []test{
		{"a raise in steps, to its bound", escalateSteps},
		{"steps that are late are made together", escalateLate},
		{"what has not waited long enough, or may not be changed, stays", escalateOnlyWaiting},
		{"a paused queue", escalatePaused},
		{"a new due time begins again, a release does not", escalateAgain},
		{"assigned items are raised in place, and only raised", escalateAssigned},
		{"items of tasks stay in the care of their step", escalateTasks},
		{"moving the items beyond the first ones", escalateMove},
		{"items that cannot move stay", escalateRefused},
		{"removing selectors", escalateRelax},
		{"cancelling", escalateCancel},
		{"reporting items and conditions", escalateNotify},
		{"a condition is reported although a process died", escalateNotifyOnce},
		{"the items of a pipeline", escalatePipeline},
		{"the steps of a condition begin with it", escalateSince},
		{"the figures of conditions", escalateFigures},
		{"one turn for each period", escalateTurns},
		{"many items, in batches", escalateMany},
		{"what would be escalated", escalateWould},
		{"a pass over all rules", escalatePass},
		{"what rules do next, in why", escalateWhy},
	}
}

// escalationRule returns the rule of a queue or pipeline, from the keys of the file as JSON.
func (x *fixture) escalationRule(scope workqueue.EscalationScope, owner, text string) workqueue.Escalation {
	x.Helper()
	rules, err := escalation.Parse(`[` + text + `]`)
	if err != nil {
		x.Fatal(err)
	}
	return workqueue.Escalation{Scope: scope, Owner: owner, Rule: rules[0]}
}

// escalate gives the rule a turn, if it may have one, applies it and returns how many items it
// changed.
func (x *fixture) escalate(e workqueue.Escalation, holds bool) (n int, refused []*workqueue.BadUpdateError) {
	x.Helper()
	turn, ok, err := x.Store.EscalationTurn(x.ctx, e, holds)
	if err != nil {
		x.Fatal(err)
	}
	for more := ok; more; {
		r, err := x.Store.Escalate(x.ctx, turn)
		if err != nil {
			x.Fatal(err)
		}
		n, refused, more = n+r.Changed, append(refused, r.Refused...), r.More
	}
	return n, refused
}

func (x *fixture) wantEscalated(want int, e workqueue.Escalation) {
	x.Helper()
	if got, refused := x.escalate(e, true); got != want || len(refused) > 0 {
		x.Errorf("%s changed %d items and was refused %v, want %d changed", e.String(), got, refused, want)
	}
}

func (x *fixture) wantPriorities(ids []int64, want ...int) {
	x.Helper()
	for i, id := range ids {
		if got := x.show(id).Priority; got != want[i] {
			x.Errorf("item %d has the priority %d, want %d", id, got, want[i])
		}
	}
}

const raiseLate = `{"name":"late","after":"10m","raise":{"by":100,"to":1250,"every":"5m"}}`

func escalateSteps(y *fixture) {
	x := newTimed(y)
	rule := x.escalationRule(workqueue.EscalateQueue, "default", raiseLate)
	first := x.Item(ItemOpts{Priority: 1000}).ID
	begin := x.now
	for _, step := range []struct {
		at   time.Duration
		want int
	}{
		{10*time.Minute - time.Millisecond, 1000}, {11 * time.Minute, 1100}, {12 * time.Minute, 1100}, {14 * time.Minute, 1100},
		{15 * time.Minute, 1200}, {19*time.Minute + 59*time.Second, 1200}, {21 * time.Minute, 1250}, {25 * time.Minute, 1250}, {26 * time.Minute, 1250},
	} {
		x.now = begin.Add(step.at)
		x.escalate(rule, true)
		if got := x.show(first).Priority; got != step.want {
			x.Errorf("after %v the priority is %d, want %d", step.at, got, step.want)
		}
	}
	entries := x.auditSince(0)
	if len(entries) != 3 {
		x.Fatalf("the audit log has %s, want an entry for each of three passes that changed something", asJSON(entries))
	}
	last := entries[0]
	if last.ID < entries[2].ID {
		last = entries[2]
	}
	if last.Action != workqueue.AuditItemsEscalate || last.Actor != "queue default: late" || last.Via != workqueue.ViaRule || last.Changed != 1 ||
		last.Target != fmt.Sprint(first) || last.Reason != `escalated by rule "late" of the queue "default": waiting 10m` {
		x.Errorf("the entry is %s", asJSON(last))
	}
	items, err := x.Store.AuditItems(x.ctx, last.ID, 0, 10)
	if err != nil || len(items) != 1 || items[0].Before != `{"priority":1200}` || items[0].After != `{"priority":1250}` {
		x.Errorf("its items are %s, %v", asJSON(items), err)
	}
}

func escalateLate(y *fixture) {
	x := newTimed(y)
	rule := x.escalationRule(workqueue.EscalateQueue, "default", raiseLate)
	ids := x.Items(2, ItemOpts{Priority: 700})
	x.now = x.now.Add(21 * time.Minute) // steps 1, 2 and 3
	x.wantEscalated(2, rule)
	x.wantPriorities(ids, 1000, 1000)
	x.now = x.now.Add(3 * time.Minute)
	x.wantEscalated(0, rule)
	x.now = x.now.Add(time.Minute) // step 4 is due 25 minutes after the due time
	x.wantEscalated(2, rule)
	x.wantPriorities(ids, 1100, 1100)
}

func escalateOnlyWaiting(y *fixture) {
	x := newTimed(y)
	x.defineThese(workqueue.Queue{Name: "other"})
	w := x.Worker(WorkerOpts{})
	late := x.Item(ItemOpts{Deadline: x.now.Add(24 * time.Hour)}).ID
	same := []workqueue.Item{
		x.Item(ItemOpts{State: workqueue.Blocked, Worker: w, Priority: 901}), x.Item(ItemOpts{State: workqueue.Processed, Worker: w, Priority: 902}),
		x.Item(ItemOpts{State: workqueue.Cancelled, Worker: w, Priority: 903}), x.Item(ItemOpts{Queue: "other"}), x.Item(ItemOpts{In: 4 * time.Minute}),
		x.Item(ItemOpts{In: time.Hour}), x.Item(ItemOpts{Priority: 1250}), x.Item(ItemOpts{Priority: 1300}),
	}
	hidden := x.Item(ItemOpts{}).ID
	x.exec(1, `UPDATE "BotWorkQueueItems" SET "DeletedAt" = %s WHERE "Id" = %d`, longAgo, hidden)
	same = append(same, x.show(hidden))
	x.now = x.now.Add(13 * time.Minute)
	pending := x.Item(ItemOpts{State: workqueue.Pending}) // has not waited
	x.wantEscalated(1, x.escalationRule(workqueue.EscalateQueue, "default", raiseLate))
	x.wantPriorities([]int64{late}, 1100)
	for _, it := range append(same, pending) {
		x.wantUnchanged(it)
	}
}

// wantUnchanged checks that nothing has written an item. What is computed of it, such as its
// lifecycle, may be another by now.
func (x *fixture) wantUnchanged(it workqueue.Item) {
	x.Helper()
	if got := x.show(it.ID); got.Version != it.Version || got.State != it.State || got.Priority != it.Priority {
		x.Errorf("item %d has changed: version %d, %s, priority %d", it.ID, got.Version, got.State, got.Priority)
	}
}

func escalatePaused(y *fixture) {
	x := newTimed(y)
	rule := x.escalationRule(workqueue.EscalateQueue, "default", `{"name":"old","after":"10m","cancel":true}`)
	raise := x.escalationRule(workqueue.EscalateQueue, "default", raiseLate)
	it := x.Item(ItemOpts{})
	if _, err := x.Store.PauseQueue(x.ctx, "default"); err != nil {
		x.Fatal(err)
	}
	x.now = x.now.Add(11 * time.Minute)
	x.wantEscalated(0, rule)
	x.wantEscalated(0, raise)
	x.wantSame(it)
	if _, err := x.Store.ResumeQueue(x.ctx, "default"); err != nil {
		x.Fatal(err)
	}
	x.now = x.now.Add(time.Minute)
	x.wantEscalated(1, raise)
}

func escalateAgain(y *fixture) {
	x := newTimed(y)
	rule := x.escalationRule(workqueue.EscalateQueue, "default", `{"name":"late","after":"10m","raise":{"by":100}}`)
	w := x.Worker(WorkerOpts{})
	id := x.Item(ItemOpts{Priority: 500}).ID
	x.now = x.now.Add(10 * time.Minute)
	x.wantEscalated(1, rule)
	// A worker takes it and gives it back: it waits since its first due time.
	x.Assign(w, id)
	it := x.claim(w, 1)[0]
	x.finish(w, workqueue.Finish{ItemID: id, Fence: it.Fence, State: workqueue.Ready, Attempt: &workqueue.AttemptNote{Number: 1, Outcome: "released"}})
	x.now = x.now.Add(time.Minute)
	x.wantEscalated(0, rule)
	// It fails, and waits for its next attempt.
	x.Assign(w, id)
	it = x.claim(w, 1)[0]
	x.finish(w, workqueue.Finish{
		ItemID: id, Fence: it.Fence, State: workqueue.Ready, RetryCount: 1, Delay: time.Minute, Error: "x", ErrorKind: workqueue.KindError,
		Attempt: &workqueue.AttemptNote{Number: 1, Outcome: "failed"},
	})
	x.now = x.now.Add(10 * time.Minute)
	x.wantEscalated(0, rule) // due for nine minutes
	x.now = x.now.Add(time.Minute)
	x.wantEscalated(1, rule)
	x.wantPriorities([]int64{id}, 700)
}

func escalateAssigned(y *fixture) {
	x := newTimed(y)
	w := x.Worker(WorkerOpts{})
	it := x.Item(ItemOpts{State: workqueue.Assigned, Worker: w, Priority: 600})
	x.now = x.now.Add(10 * time.Minute)
	for _, text := range []string{
		`{"name":"a","after":"1m","cancel":true}`, `{"name":"b","after":"1m","notify":true}`, `{"name":"c","after":"1m","relax":["*"]}`, `{"name":"d","after":"1m","moveTo":"default"}`,
	} {
		x.wantEscalated(0, x.escalationRule(workqueue.EscalateQueue, "default", text))
	}
	x.wantSame(it)
	x.wantEscalated(1, x.escalationRule(workqueue.EscalateQueue, "default", raiseLate))
	got := x.show(it.ID)
	if got.State != workqueue.Assigned || deref(got.WorkerID) != fmt.Sprint(w.ID) || got.Priority != 700 {
		x.Errorf("the item is %s, want it assigned as before with the priority 700", asJSON(got))
	}
	x.wantIDs("claimed", idsOf(x.claim(w, 1)), []int64{it.ID})
}

func escalateTasks(y *fixture) {
	x := newTimed(y)
	ids := x.Items(2, ItemOpts{Priority: 600})
	x.exec(2, `UPDATE "BotWorkQueueItems" SET "TaskPriority" = 600`)
	x.exec(1, `UPDATE "BotWorkQueueItems" SET "Priority" = 650 WHERE "Id" = %d`, ids[1]) // by a person
	x.now = x.now.Add(10 * time.Minute)
	x.wantEscalated(2, x.escalationRule(workqueue.EscalateQueue, "default", raiseLate))
	n, err := x.Store.ReviseTaskItems(x.ctx, []workqueue.TaskRevision{
		{ItemID: ids[0], State: workqueue.Ready, Old: 700, New: 800}, {ItemID: ids[1], State: workqueue.Ready, Old: 750, New: 800},
	})
	if err != nil || n != 1 {
		x.Errorf("%d items were revised, %v, want the one whose priority no person has set", n, err)
	}
	x.wantPriorities(ids, 800, 750)
}

func escalateMove(y *fixture) {
	x := newTimed(y)
	x.defineThese(workqueue.Queue{Name: "full", PriorityOffset: 100}, workqueue.Queue{Name: "overflow", PriorityOffset: -50})
	var ids []int64
	for i := range 6 {
		ids = append(ids, x.Item(ItemOpts{Queue: "full", Priority: 500 + i%3*100}).ID) // 600, 700, 800, 600, 700, 800
	}
	later := x.Item(ItemOpts{Queue: "full", In: time.Hour, Priority: 2000})
	rule := x.escalationRule(workqueue.EscalateQueue, "full", `{"name":"overflow","when":"length > 4","moveTo":"overflow","keep":4}`)
	x.wantEscalated(2, rule)
	want := []string{"overflow", "full", "full", "overflow", "full", "full"}
	for i, id := range ids {
		if got := x.show(id).QueueName; got != want[i] {
			x.Errorf("item %d is in the queue %s, want %s", id, got, want[i])
		}
	}
	x.wantPriorities([]int64{ids[0]}, 450) // the distance to the offset of the queue stays
	x.wantSame(later)
	x.wantRecount()
	// What a person moves back stays.
	_, err := x.Store.ChangeItem(x.ctx, ids[0], workqueue.Change{Action: workqueue.Update, Update: &workqueue.ItemUpdate{Queue: "full"}})
	if err != nil {
		x.Fatal(err)
	}
	x.now = x.now.Add(time.Minute)
	x.wantEscalated(0, rule)
}

func escalateRefused(y *fixture) {
	x := newTimed(y)
	x.defineThese(
		workqueue.Queue{Name: "from", QueueKeys: workqueue.QueueKeys{KeyScope: workqueue.KeyScopeQueue}},
		workqueue.Queue{Name: "to", QueueKeys: workqueue.QueueKeys{KeyScope: workqueue.KeyScopeQueue}, QueueSchemas: workqueue.QueueSchemas{PayloadSchema: `{"type":"object"}`}})
	enqueue := func(queue, key string, payload workqueue.JSONText) int64 {
		done, err := x.Store.Enqueue(x.ctx, []workqueue.NewItem{{QueueName: queue, NaturalKey: key, Payload: payload, IntegrationConfig: Pipeline, Priority: 500, State: workqueue.Ready}})
		if err != nil {
			x.Fatal(err)
		}
		return done[0].ID
	}
	enqueue("to", "a", `{}`)
	taken, odd, good := enqueue("from", "a", `{}`), enqueue("from", "b", `7`), enqueue("from", "c", `{}`)
	x.now = x.now.Add(time.Hour)
	rule := x.escalationRule(workqueue.EscalateQueue, "from", `{"name":"away","after":"10m","moveTo":"to"}`)
	n, refused := x.escalate(rule, true)
	if n != 1 || len(refused) != 2 || refused[0].ItemID != odd || refused[1].ItemID != taken {
		x.Errorf("%d items moved, and %v were refused, want 1, and %d and %d", n, refused, odd, taken)
	}
	for id, want := range map[int64]string{taken: "from", odd: "from", good: "to"} {
		if got := x.show(id).QueueName; got != want {
			x.Errorf("item %d is in the queue %s, want %s", id, got, want)
		}
	}
	x.now = x.now.Add(time.Minute)
	if n, refused := x.escalate(rule, true); n != 0 || len(refused) > 0 {
		x.Errorf("again, %d items moved, and %v were refused, want none to be tried", n, refused)
	}
	if _, err := x.Store.EscalationStates(x.ctx, 0); err != nil {
		x.Error(err)
	}
}

func escalateRelax(y *fixture) {
	x := newTimed(y)
	id := x.withSelectors(`"gpu = true"`, `"ram >= 32"`, `"site = lisbon"`)
	none := x.Item(ItemOpts{})
	odd := x.Item(ItemOpts{})
	x.exec(1, `UPDATE "BotWorkQueueItems" SET "Selectors" = 'gpu' WHERE "Id" = %d`, odd.ID)
	odd = x.show(odd.ID)
	x.now = x.now.Add(10 * time.Minute)
	x.wantEscalated(1, x.escalationRule(workqueue.EscalateQueue, "default", `{"name":"some","after":"10m","relax":["gpu","site","other"]}`))
	if got := x.show(id); string(got.Selectors) != `[{"key":"ram","operator":"greaterThanOrEqual","value":32}]` {
		x.Errorf("the selectors are %s", got.Selectors)
	}
	all := x.escalationRule(workqueue.EscalateQueue, "default", `{"name":"all","after":"10m","relax":["*"]}`)
	x.wantEscalated(1, all)
	if got := x.show(id); got.Selectors != "" {
		x.Errorf("the selectors are %s, want none", got.Selectors)
	}
	x.wantExpedite(0, id)
	x.now = x.now.Add(time.Minute)
	x.wantEscalated(0, all)
	x.wantUnchanged(none)
	x.wantUnchanged(odd)
}

func escalateCancel(y *fixture) {
	x := newTimed(y)
	ids := x.Items(3, ItemOpts{})
	x.now = x.now.Add(time.Hour)
	young := x.Item(ItemOpts{})
	x.wantEscalated(3, x.escalationRule(workqueue.EscalateQueue, "default", `{"name":"old","after":"1h","cancel":true}`))
	for _, id := range ids {
		got := x.show(id)
		if got.State != workqueue.Cancelled || deref(got.ErrorKind) != "cancelled" || deref(got.Error) != `escalated by rule "old" of the queue "default": waiting 1h` {
			x.Errorf("the item is %s, want it cancelled by the rule", asJSON(got))
		}
	}
	x.wantSame(young)
	x.wantRecount()
}

func escalateNotify(y *fixture) {
	x := newTimed(y)
	it := x.Item(ItemOpts{})
	x.now = x.now.Add(10 * time.Minute)
	waits := x.escalationRule(workqueue.EscalateQueue, "default", `{"name":"watch","after":"10m","notify":true}`)
	long := x.escalationRule(workqueue.EscalateQueue, "default", `{"name":"long","when":"length > 0","notify":true}`)
	before := x.lastAudit()
	for range 3 { // each time it is true again, but the item waits on
		x.escalate(waits, true)
		x.escalate(long, true)
		x.now = x.now.Add(time.Minute)
	}
	x.wantSame(it)
	entries := x.auditSince(before)
	if len(entries) != 2 {
		x.Fatalf("the audit log has %s, want one entry for each rule", asJSON(entries))
	}
	for _, e := range entries {
		switch e.Actor {
		case "queue default: watch":
			if e.Changed != 1 || e.TargetKind != workqueue.TargetItem || fmt.Sprint(x.auditIDs(e.ID)) != fmt.Sprint([]int64{it.ID}) {
				x.Errorf("the entry of items is %s", asJSON(e))
			}
		default:
			if e.Changed != 0 || e.TargetKind != workqueue.TargetQueue || e.Target != "default" || e.Reason != `escalated by rule "long" of the queue "default": length > 0` {
				x.Errorf("the entry of the condition is %s", asJSON(e))
			}
		}
	}
	x.escalate(long, false)
	x.now = x.now.Add(time.Minute)
	x.escalate(long, true)
	if got := len(x.auditSince(before)); got != 3 {
		x.Errorf("after the condition became true again there are %d entries, want 3", got)
	}
}

// A process that had the turn at which the condition became true may die before it reports that, or
// the answer that it has may be lost.
func escalateNotifyOnce(y *fixture) {
	x := newTimed(y)
	x.Item(ItemOpts{})
	rule := x.escalationRule(workqueue.EscalateQueue, "default", `{"name":"long","when":"length > 0","notify":true}`)
	before := x.lastAudit()
	died, ok, err := x.Store.EscalationTurn(x.ctx, rule, true)
	if err != nil || !ok || !died.Began {
		x.Fatalf("the first turn is %s, %t, %v", asJSON(died), ok, err)
	}
	x.now = x.now.Add(time.Minute)
	next, ok, err := x.Store.EscalationTurn(x.ctx, rule, true)
	if err != nil || !ok || !next.Since.Equal(died.Since) {
		x.Fatalf("the second turn is %s, %t, %v", asJSON(next), ok, err)
	}
	for _, turn := range []workqueue.EscalationTurn{next, next, died} {
		if _, err := x.Store.Escalate(x.ctx, turn); err != nil {
			x.Fatal(err)
		}
		if got := len(x.auditSince(before)); got != 1 {
			x.Fatalf("the audit log has %d entries, want 1", got)
		}
	}
	x.now = x.now.Add(time.Minute)
	if later, ok, err := x.Store.EscalationTurn(x.ctx, rule, true); err != nil || !ok || later.Began {
		x.Errorf("the third turn is %s, %t, %v, want one at which the condition was reported before", asJSON(later), ok, err)
	}
}

func escalatePipeline(y *fixture) {
	x := newTimed(y)
	x.defineThese(workqueue.Queue{Name: "other"})
	letters := []int64{x.Item(ItemOpts{Pipeline: "letter", Priority: 500}).ID, x.Item(ItemOpts{Pipeline: "letter", Queue: "other", Priority: 500}).ID}
	others := []workqueue.Item{x.Item(ItemOpts{Pipeline: "letters"}), x.Item(ItemOpts{})}
	x.now = x.now.Add(10 * time.Minute)
	x.wantEscalated(2, x.escalationRule(workqueue.EscalatePipeline, "letter", raiseLate))
	x.wantPriorities(letters, 600, 600)
	for _, it := range others {
		x.wantSame(it)
	}
	x.wantEscalated(2, x.escalationRule(workqueue.EscalatePipeline, "letter", `{"name":"old","after":"10m","cancel":true}`))
	x.wantState(workqueue.Cancelled, letters...)
	// The queue of the same name is another owner.
	x.wantEscalated(0, x.escalationRule(workqueue.EscalateQueue, "letter", raiseLate))
}

func escalateSince(y *fixture) {
	x := newTimed(y)
	rule := x.escalationRule(workqueue.EscalateQueue, "default", `{"name":"busy","when":"length > 0","raise":{"by":10,"to":1200,"every":"5m"}}`)
	id := x.Item(ItemOpts{Priority: 1000}).ID
	x.now = x.now.Add(time.Hour)
	x.escalate(rule, false)
	x.wantPriorities([]int64{id}, 1000)
	x.now = x.now.Add(time.Minute)
	x.wantEscalated(1, rule) // one step, although the item waits for an hour
	x.wantPriorities([]int64{id}, 1010)
	x.now = x.now.Add(5*time.Minute - time.Millisecond)
	x.wantEscalated(0, rule)
	x.now = x.now.Add(time.Minute)
	x.wantEscalated(1, rule)
	x.wantPriorities([]int64{id}, 1020)
}

func escalateFigures(y *fixture) {
	x := newTimed(y)
	x.defineThese(workqueue.Queue{Name: "other"})
	w := x.Worker(WorkerOpts{})
	x.Item(ItemOpts{State: workqueue.Blocked, Worker: w, Priority: 901})
	x.Item(ItemOpts{State: workqueue.Assigned, Worker: w})
	x.Item(ItemOpts{Pipeline: "letter"})
	x.now = x.now.Add(time.Minute)
	x.Item(ItemOpts{})
	x.Item(ItemOpts{Deadline: x.now.Add(time.Hour)})
	x.Item(ItemOpts{In: time.Hour})
	x.Item(ItemOpts{Queue: "other", State: workqueue.Pending})
	x.now = x.now.Add(time.Minute)
	got, err := x.Store.EscalationFigures(x.ctx)
	if err != nil {
		x.Fatal(err)
	}
	want := workqueue.EscalationFigures{
		Queues: map[string]escalation.Figures{
			"default": {Length: 3, Oldest: 2 * time.Minute, Assigned: 1, Running: 1}, "other": {Length: 1, Oldest: time.Minute},
		},
		Pipelines: map[string]escalation.Figures{
			"letter": {Length: 1, Oldest: 2 * time.Minute}, Pipeline: {Length: 3, Oldest: time.Minute, Assigned: 1, Running: 1},
		},
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		x.Errorf("figures = %+v\nwant %+v", got, want)
	}
}

func escalateTurns(y *fixture) {
	x := newTimed(y)
	rule := x.escalationRule(workqueue.EscalateQueue, "default", `{"name":"late","after":"1m","raise":{"by":1}}`)
	var turns atomic.Int64
	for range 3 {
		x.now = x.now.Add(workqueue.EscalationPeriod)
		stores := []Store{x.Store, x.At(x.T, func() time.Time { return x.now })}
		x.each(8, func(i int) {
			_, ok, err := stores[i%2].EscalationTurn(x.ctx, rule, true)
			if err != nil {
				x.Error(err)
			}
			if ok {
				turns.Add(1)
			}
		})
	}
	if turns.Load() != 3 {
		x.Errorf("%d turns in three periods, want 3", turns.Load())
	}
	// A process that was frozen for a period applies an old turn together with another one.
	ids := x.Items(20, ItemOpts{Priority: 500})
	x.now = x.now.Add(time.Hour)
	old, _, err := x.Store.EscalationTurn(x.ctx, rule, true)
	if err != nil {
		x.Fatal(err)
	}
	x.now = x.now.Add(workqueue.EscalationPeriod)
	current, ok, err := x.Store.EscalationTurn(x.ctx, rule, true)
	if err != nil || !ok {
		x.Fatal(ok, err)
	}
	another := x.At(x.T, func() time.Time { return x.now })
	x.each(4, func(i int) {
		store, turn := x.Store, old
		if i%2 == 1 {
			store, turn = another, current
		}
		if _, err := store.Escalate(x.ctx, turn); err != nil {
			x.Error(err)
		}
	})
	for _, id := range ids {
		x.wantPriorities([]int64{id}, 501)
	}
	states, err := x.Store.EscalationStates(x.ctx, ids[0])
	if err != nil || len(states) != 1 || states[0].Items != 20 || states[0].Step != 1 || states[0].ActedAt == nil || states[0].ActiveSince != nil {
		x.Errorf("the states are %s, %v", asJSON(states), err)
	}
}

func escalateMany(y *fixture) {
	x := newTimed(y)
	ids := x.Items(workqueue.EscalationBatch+5, ItemOpts{Priority: 500})
	x.now = x.now.Add(time.Hour)
	x.wantEscalated(len(ids), x.escalationRule(workqueue.EscalateQueue, "default", `{"name":"late","after":"1m","raise":{"by":1}}`))
	x.wantPriorities([]int64{ids[0], ids[len(ids)-1]}, 501, 501)
	entries := x.auditSince(0)
	if len(entries) != 1 || entries[0].Changed != int64(len(ids)) || entries[0].Target != "" {
		x.Errorf("the audit log has %s, want one entry for both batches", asJSON(entries))
	}
}

func escalateWould(y *fixture) {
	x := newTimed(y)
	rule := x.escalationRule(workqueue.EscalateQueue, "default", `{"name":"late","after":"1m","raise":{"by":1}}`)
	before := x.Items(4, ItemOpts{Priority: 500})
	would := func(want int) {
		x.Helper()
		if got, err := x.Store.WouldEscalate(x.ctx, rule, time.Time{}, 3); err != nil || got != want {
			x.Errorf("the rule would act on %d items, %v, want %d", got, err, want)
		}
	}
	would(0)
	x.now = x.now.Add(time.Hour)
	would(3) // the limit
	x.wantPriorities(before, 500, 500, 500, 500)
	x.escalate(rule, true)
	would(0)
}

// each calls do n times at the same time.
func (x *fixture) each(n int, do func(i int)) {
	x.Helper()
	x.contend(n, func(_ Store, i int) bool {
		do(i)
		return true
	})
}
