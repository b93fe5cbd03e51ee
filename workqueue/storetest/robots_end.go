package storetest

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"botwork/workqueue"
)

func robotEndTests() []test {
	return []test{
		{"a success", robotSucceeds},
		{"a success is kept for the queue's retention", robotRetention},
		{"failures follow the queue's policy", robotFails},
		{"a retry as a copy", robotCopies},
		{"data that does not match the schema", robotSchemas},
		{"an invalid end", robotBadEnds},
		{"released", robotReleases},
		{"postponed", robotPostpones},
		{"an end that is reported twice", robotRepeatsEnd},
		{"an end that may have been reported before", robotEndUnknown},
		{"notices of ends", robotEndNotices},
		{"an end that is reported twice at the same time", robotRepeatsEndAtOnce},
		{"deleted with the deletion mode of the queue", robotDeletesHeld},
		{"an item with an expired lease is released", robotRescued},
		{"too many expired leases", robotPoisons},
		{"cancelled by a user", robotCancelled},
		{"items of robots are not load of workers", robotNoLoad},
		{"statistics count the ends by robots", robotStatistics},
	}
}

// end finishes an item as a robot, and checks the result.
func (x *fixture) end(h workqueue.Hold, end workqueue.RobotEnd, want workqueue.RobotEnded) {
	x.Helper()
	got, err := x.Store.FinishCheckout(x.ctx, h, end)
	if err != nil {
		x.Fatal(err)
	}
	if got != want {
		x.Errorf("end %s results in %s, want %s", asJSON(end), asJSON(got), asJSON(want))
	}
}

func robotSucceeds(x *fixture) {
	x.robots(nil)
	it, h := x.takeOne()
	x.end(h, workqueue.RobotEnd{Output: `{"pages":3}`, Analytics: `{"clicks":9}`}, workqueue.RobotEnded{State: workqueue.Processed})
	got := x.show(it.ID)
	if got.State != workqueue.Processed || got.Output != `{"pages":3}` || got.Analytics != `{"clicks":9}` || got.LeaseExpiresAt != nil ||
		got.RetryCount != 0 || got.FinishedAt == nil || got.Fence != it.Fence {
		x.Errorf("finished: %s", asJSON(got))
	}
	// The item keeps its robot and its start.
	if deref(got.Robot) != ann || !got.StartedAt.Equal(*it.StartedAt) || len(x.attempts(it.ID)) != 0 {
		x.Errorf("finished: %s, with %d attempts; want robot %s, start %s and no attempts", asJSON(got), len(x.attempts(it.ID)), ann, it.StartedAt)
	}
}

func robotRetention(x *fixture) {
	hour, none := workqueue.Duration(time.Hour), workqueue.Duration(0)
	x.robots(func(q *workqueue.Queue) { q.Retain = &hour })
	it, h := x.takeOne()
	x.end(h, workqueue.RobotEnd{}, workqueue.RobotEnded{State: workqueue.Processed})
	if got := x.show(it.ID); got.RetainUntil == nil || !got.RetainUntil.Equal(got.FinishedAt.Add(time.Hour)) {
		x.Errorf("kept until %s, want an hour", deref(got.RetainUntil))
	}
	x.robots(func(q *workqueue.Queue) { q.Retain = &none })
	it, h = x.takeOne()
	x.end(h, workqueue.RobotEnd{}, workqueue.RobotEnded{State: workqueue.Processed})
	if _, err := x.Store.Item(x.ctx, it.ID); !errors.Is(err, workqueue.ErrNotFound) {
		x.Errorf("item %d exists, %v; want it deleted", it.ID, err)
	}
}

func robotFails(x *fixture) {
	x.robots(func(q *workqueue.Queue) {
		q.Resilience = `{"limit":3,"delay":"10s","factor":2,"jitter":0,"retryOn":["error"]}`
	})
	broken := workqueue.RobotEnd{Kind: workqueue.KindError, Error: "no window", Analytics: `{"tries":1}`}
	it, h := x.takeOne()
	x.end(h, broken, workqueue.RobotEnded{State: workqueue.Ready, RetryIn: workqueue.Duration(10 * time.Second)})
	got := x.show(it.ID)
	if got.State != workqueue.Ready || got.RetryCount != 1 || got.LeaseExpiresAt != nil || got.Lifecycle != workqueue.LifeRetry ||
		deref(got.Error) != "no window" || deref(got.ErrorKind) != "error" || got.Analytics != `{"tries":1}` {
		x.Errorf("failed: %s", asJSON(got))
	}
	x.wantRobotAttempt(it.ID, 1, "failed", "no window")
	if c := x.take(1); len(c.Items) > 0 {
		x.Errorf("taken before the end of its backoff: %s", asJSON(c.Items))
	}
	x.dueNow(it.ID)
	_, h = x.takeID(it.ID)
	x.end(h, broken, workqueue.RobotEnded{State: workqueue.Ready, RetryIn: workqueue.Duration(20 * time.Second)})
	x.dueNow(it.ID)
	last, h := x.takeID(it.ID)
	if last.Fence != 3 || last.RetryCount != 2 {
		x.Errorf("the third attempt has fence %d and %d failures", last.Fence, last.RetryCount)
	}
	x.end(h, broken, workqueue.RobotEnded{State: workqueue.Cancelled})
	x.wantRobotAttempt(it.ID, 3, "failed", "no window")
	x.wantState(workqueue.Cancelled, it.ID)

	// An error in the data is not retried, unless the policy of the queue allows it.
	business := workqueue.RobotEnd{Kind: workqueue.KindBusiness, Error: "no such customer"}
	it, h = x.takeOne()
	x.end(h, business, workqueue.RobotEnded{State: workqueue.Cancelled})
	if got := x.show(it.ID); deref(got.ErrorKind) != "business" || got.RetryCount != 1 {
		x.Errorf("a business error: %s", asJSON(got))
	}
	x.robots(func(q *workqueue.Queue) { q.Resilience = `{"delay":"1s","jitter":0,"retryOn":["business"]}` })
	_, h = x.takeOne()
	x.end(h, business, workqueue.RobotEnded{State: workqueue.Ready, RetryIn: workqueue.Duration(time.Second)})
	_, h = x.takeOne()
	x.end(h, broken, workqueue.RobotEnded{State: workqueue.Cancelled})
	// An item's policy overrides the queue's.
	withPolicy := form(1)
	withPolicy.ResilienceConfig = `{"retryOn":["error"],"delay":"2s"}`
	_, h = x.takeNew(withPolicy)
	x.end(h, broken, workqueue.RobotEnded{State: workqueue.Ready, RetryIn: workqueue.Duration(2 * time.Second)})
}

func robotCopies(x *fixture) {
	x.robots(func(q *workqueue.Queue) {
		q.RetryAs, q.Resilience, q.KeyScope = workqueue.RetryCopy, `{"limit":2,"delay":"5s","jitter":0}`, workqueue.KeyScopeQueue
	})
	keyed := form(1)
	keyed.NaturalKey, keyed.Metadata = "4711", map[string]string{"a": "b"}
	it, h := x.takeNew(keyed)
	broken := workqueue.RobotEnd{Kind: workqueue.KindError, Error: "no window"}
	x.end(h, broken, workqueue.RobotEnded{State: workqueue.Cancelled, Copied: true, RetryIn: workqueue.Duration(5 * time.Second)})
	items, err := x.Store.Items(x.ctx, workqueue.ItemFilter{QueueName: forms, States: []workqueue.State{workqueue.Ready}})
	if err != nil || len(items) != 1 {
		x.Fatalf("%d items are waiting, %v; want the copy", len(items), err)
	}
	again := items[0]
	if again.RetryCount != 1 || deref(again.RootID) != deref(&it.ID) || deref(again.NaturalKey) != "4711" || again.Payload != it.Payload ||
		again.Robot != nil || again.Metadata != it.Metadata {
		x.Errorf("the copy is %s", asJSON(again))
	}
	x.wantState(workqueue.Cancelled, it.ID)
	x.dueNow(again.ID)
	c := x.takeAs(workqueue.CheckoutParams{Robot: ann, Queue: forms, Filter: workqueue.CheckoutFilter{Tries: []workqueue.Tries{workqueue.TriesFailedOnce}}})
	x.wantIDs("taken with the filter for items that failed once", idsOf(c.Items), []int64{again.ID})
	x.end(holdOf(ann, c, c.Items[0]), broken, workqueue.RobotEnded{State: workqueue.Cancelled})
}

func robotSchemas(x *fixture) {
	x.robots(func(q *workqueue.Queue) {
		q.OutputSchema, q.AnalyticsSchema = `{"type":"object","required":["pages"]}`, `{"type":["object","null"],"properties":{"n":{"type":"number"}}}`
	})
	it, h := x.takeOne()
	for _, end := range []workqueue.RobotEnd{
		{}, {Output: `{"page":1}`}, {Output: `{"pages"`}, {Output: `{"pages":1}`, Analytics: `{"n":"many"}`},
		{Kind: workqueue.KindError, Error: "x", Analytics: `{"n":"many"}`},
	} {
		_, err := x.Store.FinishCheckout(x.ctx, h, end)
		if refused, ok := errors.AsType[*workqueue.SchemaError](err); !ok || refused.Queue != forms || len(refused.Problems) == 0 {
			x.Errorf("end %s: error %v, want a *SchemaError", asJSON(end), err)
		}
		x.wantSame(it)
	}
	_, err := x.Store.FinishCheckout(x.ctx, h, workqueue.RobotEnd{Output: `{}`, Analytics: `{"n":""}`})
	if err == nil || !strings.Contains(err.Error(), "pages") || !strings.Contains(err.Error(), "analytics.n") {
		x.Errorf("error %v, want all faults", err)
	}
	x.end(h, workqueue.RobotEnd{Output: `{"pages":1}`, Analytics: `{"n":2}`}, workqueue.RobotEnded{State: workqueue.Processed})
}

func robotBadEnds(x *fixture) {
	x.robots(nil)
	it, h := x.takeOne()
	for _, end := range []workqueue.RobotEnd{
		{Error: "only an error"}, {Kind: workqueue.KindError}, {Kind: workqueue.KindBusiness}, {Kind: workqueue.KindPoison, Error: "x"},
		{Kind: "strange", Error: "x"}, {Kind: workqueue.KindError, Error: "x", Output: `{}`},
	} {
		if _, err := x.Store.FinishCheckout(x.ctx, h, end); err == nil {
			x.Errorf("end %s: no error", asJSON(end))
		}
	}
	x.wantSame(it)
}

func robotReleases(x *fixture) {
	x.robots(nil)
	it, h := x.takeOne()
	if err := x.Store.ReleaseCheckout(x.ctx, h, "the screen is locked"); err != nil {
		x.Fatal(err)
	}
	got := x.show(it.ID)
	if got.State != workqueue.Ready || got.RetryCount != 0 || got.ReleaseCount != 0 || got.LeaseExpiresAt != nil || got.Lifecycle != workqueue.LifePending {
		x.Errorf("released: %s", asJSON(got))
	}
	x.wantRobotAttempt(it.ID, 1, "released", "the screen is locked")
	again, _ := x.takeID(it.ID)
	if again.Fence != it.Fence+1 || again.Payload != it.Payload {
		x.Errorf("taken again: %s", asJSON(again))
	}
}

func robotPostpones(x *fixture) {
	x.robots(nil)
	it, h := x.takeOne()
	got, err := x.Store.PostponeCheckout(x.ctx, h, workqueue.Postponement{In: time.Hour, Reason: "the portal is closed"})
	if want := (workqueue.RobotEnded{State: workqueue.Ready, RetryIn: workqueue.Duration(time.Hour)}); err != nil || got != want {
		x.Fatalf("postponed: %s, %v, want %s", asJSON(got), err, asJSON(want))
	}
	later := x.show(it.ID)
	if wait := later.AvailableAt.Sub(*it.StartedAt); later.State != workqueue.Ready || later.RetryCount != 0 || later.LeaseExpiresAt != nil || wait < time.Hour || wait > time.Hour+time.Minute {
		x.Errorf("postponed for %v: %s", wait, asJSON(later))
	}
	x.wantRobotAttempt(it.ID, 1, "snoozed", "")
	if reason := deref(x.attempts(it.ID)[0].Reason); reason != "the portal is closed" {
		x.Errorf("the reason is %q", reason)
	}
	if c := x.take(1); len(c.Items) > 0 {
		x.Errorf("taken before its time: %s", asJSON(c.Items))
	}
	x.dueNow(it.ID)
	it, h = x.takeID(it.ID)
	if _, err = x.Store.PostponeCheckout(x.ctx, h, workqueue.Postponement{Until: it.StartedAt.Add(-time.Hour)}); err != nil {
		x.Fatal(err)
	}
	it, h = x.takeID(it.ID) // a time that has passed makes it due at once
	for _, p := range []workqueue.Postponement{{In: -time.Second}, {In: workqueue.MaxPostpone + time.Second}, {Until: it.StartedAt.Add(2 * workqueue.MaxPostpone)}} {
		if _, err := x.Store.PostponeCheckout(x.ctx, h, p); err == nil {
			x.Errorf("postpone %s: no error", asJSON(p))
		}
	}
	x.wantSame(it)
	if _, err = x.Store.PostponeCheckout(x.ctx, h, workqueue.Postponement{Until: it.StartedAt.Add(2 * time.Hour)}); err != nil {
		x.Fatal(err)
	}
	if got := x.show(it.ID); got.AvailableAt.Sub(*it.StartedAt).Round(time.Minute) != 2*time.Hour {
		x.Errorf("due at %s, want two hours after %s", got.AvailableAt, it.StartedAt)
	}
}

// robotRepeatsEnd repeats calls whose answers were lost. The item may have been taken again
// meanwhile.
func robotRepeatsEnd(x *fixture) {
	x.robots(func(q *workqueue.Queue) { q.Resilience = `{"limit":3,"delay":"1h","jitter":0.5,"retryOn":["error"]}` })
	for name, end := range map[string]workqueue.RobotEnd{
		"success": {Output: `{"pages":3}`}, "error": {Kind: workqueue.KindError, Error: "no window"}, "business error": {Kind: workqueue.KindBusiness, Error: "no such customer"},
	} {
		it, h := x.takeOne()
		first, err := x.Store.FinishCheckout(x.ctx, h, end)
		if err != nil {
			x.Fatal(err)
		}
		ended := x.show(it.ID)
		x.end(h, end, first)
		x.wantSame(ended)
		other := end
		if other.Kind = workqueue.KindError; end.Kind == workqueue.KindError {
			other.Kind = workqueue.KindBusiness
		}
		other.Output, other.Error = "", "something else"
		wrong := h
		wrong.Robot = "bob"
		for _, lost := range []error{lostEnd(x, h, other), lostEnd(x, wrong, end)} {
			if !errors.Is(lost, workqueue.ErrLeaseLost) {
				x.Errorf("%s: another end or another robot: error %v, want ErrLeaseLost", name, lost)
			}
		}
		x.wantSame(ended)
		if first.State != workqueue.Ready {
			continue
		}
		x.dueNow(it.ID)
		again, _ := x.takeID(it.ID)
		x.end(h, end, first)
		x.wantSame(again)
	}
	// The result outlives an item that is removed at once.
	x.robots(func(q *workqueue.Queue) { q.Retain = new(workqueue.Duration) })
	it, h := x.takeOne()
	x.end(h, workqueue.RobotEnd{}, workqueue.RobotEnded{State: workqueue.Processed})
	if _, err := x.Store.Item(x.ctx, it.ID); !errors.Is(err, workqueue.ErrNotFound) {
		x.Errorf("item %d: %v, want ErrNotFound", it.ID, err)
	}
	x.end(h, workqueue.RobotEnd{}, workqueue.RobotEnded{State: workqueue.Processed})
}

func (x *fixture) act(id int64, action workqueue.Action) {
	x.Helper()
	if _, err := x.Store.ChangeItem(x.ctx, id, workqueue.Change{Action: action}); err != nil {
		x.Fatal(err)
	}
}

// A success whose item is gone or runs again looks like an end that was never recorded.
// The error says so, except if an attempt shows that the checkout ended in another way.
func robotEndUnknown(x *fixture) {
	x.robots(nil)
	success := workqueue.RobotEnd{Output: `{"pages":3}`}
	check := func(when string, h workqueue.Hold, unknown bool) {
		x.Helper()
		err := lostEnd(x, h, success)
		if !errors.Is(err, workqueue.ErrLeaseLost) || errors.Is(err, workqueue.ErrEndUnknown) != unknown {
			x.Errorf("%s: got %v, want ErrEndUnknown: %v", when, err, unknown)
		}
	}
	it, h := x.takeOne()
	x.end(h, success, workqueue.RobotEnded{State: workqueue.Processed})
	x.act(it.ID, workqueue.Repeat)
	check("repeated", h, true)
	again, second := x.takeID(it.ID)
	check("taken again", h, true)
	x.wantSame(again)
	wrong := second
	wrong.LockKey = "another"
	check("with another lock key", wrong, false)
	if err := x.Store.ReleaseCheckout(x.ctx, second, ""); err != nil {
		x.Fatal(err)
	}
	check("released", second, false)
	_, third := x.takeID(it.ID)
	x.act(it.ID, workqueue.Cancel)
	check("cancelled", third, false)

	it, h = x.takeOne()
	x.end(h, success, workqueue.RobotEnded{State: workqueue.Processed})
	x.act(it.ID, workqueue.Delete)
	if _, err := x.Store.Item(x.ctx, it.ID); errors.Is(err, workqueue.ErrNotFound) {
		check("removed", h, true)
	} else {
		x.Error("the item was not removed")
	}
}

// The end of a checkout may free a limit of the queue, for which other robots wait.
func robotEndNotices(x *fixture) {
	x.robots(nil)
	listened := x.listen()
	for name, end := range map[string]func(workqueue.Hold) error{
		"success": func(h workqueue.Hold) error { return lostEnd(x, h, workqueue.RobotEnd{}) },
		"failure": func(h workqueue.Hold) error {
			return lostEnd(x, h, workqueue.RobotEnd{Kind: workqueue.KindError, Error: "no window"})
		},
		"release": func(h workqueue.Hold) error { return x.Store.ReleaseCheckout(x.ctx, h, "") },
		"postpone": func(h workqueue.Hold) error {
			_, err := x.Store.PostponeCheckout(x.ctx, h, workqueue.Postponement{In: time.Hour})
			return err
		},
		"delete":            func(h workqueue.Hold) error { return x.Store.DeleteCheckout(x.ctx, h, "") },
		"release by a user": func(h workqueue.Hold) error { return x.Store.ReleaseFromRobot(x.ctx, h.ItemID, "") },
	} {
		_, h := x.takeOne()
		listened.reset()
		if err := end(h); err != nil {
			x.Fatal(err)
		}
		if !listened.ended(forms) {
			x.Errorf("%s: no notice that an item of the queue has ended", name)
		}
		listened.reset()
		if err := end(h); err == nil && listened.ended(forms) {
			x.Errorf("%s: the repeat of the request sends a notice, too", name)
		}
	}
}

func lostEnd(x *fixture, h workqueue.Hold, end workqueue.RobotEnd) error {
	_, err := x.Store.FinishCheckout(x.ctx, h, end)
	return err
}

func robotRepeatsEndAtOnce(x *fixture) {
	x.robots(func(q *workqueue.Queue) { q.Resilience = `{"limit":3,"delay":"1h","jitter":0.5,"retryOn":["error"]}` })
	for _, end := range []workqueue.RobotEnd{{}, {Kind: workqueue.KindError, Error: "no window"}} {
		_, h := x.takeOne()
		results := make(chan error, 4)
		ends := make(chan workqueue.RobotEnded, cap(results))
		for range cap(results) {
			go func() {
				ended, err := x.Store.FinishCheckout(x.ctx, h, end)
				ends <- ended
				results <- err
			}()
		}
		first := <-ends
		for range cap(results) - 1 {
			if more := <-ends; more != first {
				x.Errorf("got %s and %s", asJSON(first), asJSON(more))
			}
		}
		for range cap(results) {
			if err := <-results; err != nil {
				x.Errorf("sent at the same time: %v", err)
			}
		}
	}
}

func robotDeletesHeld(x *fixture) {
	x.robots(func(q *workqueue.Queue) { q.RobotDeletesOnlyOwn = true }) // restricts only deletions by key
	it, h := x.takeOne()
	if err := x.Store.DeleteCheckout(x.ctx, h, "not needed"); err != nil {
		x.Fatal(err)
	}
	if _, err := x.Store.Item(x.ctx, it.ID); !errors.Is(err, workqueue.ErrNotFound) {
		x.Errorf("item %d: %v, want ErrNotFound", it.ID, err)
	}
	// A hidden item keeps its natural key only with DeletedKeysCount.
	for _, counts := range []bool{true, false} {
		x.robots(func(q *workqueue.Queue) {
			q.Deletion, q.KeyScope, q.DeletedKeysCount = workqueue.DeletionLogical, workqueue.KeyScopeQueue, counts
		})
		key := fmt.Sprint("counted: ", counts)
		hidden, h := x.takeNew(keyed(key))
		if err := x.Store.DeleteCheckout(x.ctx, h, "not needed"); err != nil {
			x.Fatal(err)
		}
		if again := x.addAs(ann, nil, keyed(key)).Items[0]; again.Existing != counts || counts && again.ID != hidden.ID {
			x.Errorf("after item %d, %s: made %s", hidden.ID, key, asJSON(again))
		}
	}
	it, h = x.takeOne()
	if err := x.Store.DeleteCheckout(x.ctx, h, "not needed"); err != nil {
		x.Fatal(err)
	}
	got := x.show(it.ID)
	if got.Lifecycle != workqueue.LifeDeleted || deref(got.DeletedReason) != "not needed" || got.State != workqueue.Cancelled || got.LeaseExpiresAt != nil {
		x.Errorf("hidden: %s", asJSON(got))
	}
}

func robotRescued(x *fixture) {
	x.robots(nil)
	it, h := x.takeOne()
	_, held := x.takeOne()
	if _, found, err := x.Store.AbandonedBand(x.ctx, 0); err != nil || found {
		x.Errorf("stranded before the leases expire: %t, %v", found, err)
	}
	x.endLease(it.ID)
	if band, found, err := x.Store.AbandonedBand(x.ctx, 0); err != nil || !found || band != (workqueue.Band{Min: 500, Max: 500}) {
		x.Errorf("stranded: %v, %t, %v; want the priority of item %d", band, found, err, it.ID)
	}
	result := x.rescueExpired()
	if result.Rescued != 1 || result.Released != 0 || result.Poisoned != 0 {
		x.Errorf("rescued %+v, want 1", result)
	}
	got := x.show(it.ID)
	if got.State != workqueue.Ready || got.ReleaseCount != 1 || got.RetryCount != 0 || got.LeaseExpiresAt != nil {
		x.Errorf("rescued: %s", asJSON(got))
	}
	x.wantRobotAttempt(it.ID, 1, "rescued", "the lease ran out: the robot neither finished nor extended it in time")
	bob := x.takeAs(workqueue.CheckoutParams{Robot: "bob", Queue: forms})
	x.wantIDs("taken by another robot", idsOf(bob.Items), []int64{it.ID})
	for _, c := range x.robotCalls() {
		if err := c.do(h); !errors.Is(err, workqueue.ErrLeaseLost) {
			x.Errorf("%s with the old key: %v, want ErrLeaseLost", c.name, err)
		}
	}
	x.wantSame(bob.Items[0])
	x.end(holdOf("bob", bob, bob.Items[0]), workqueue.RobotEnd{}, workqueue.RobotEnded{State: workqueue.Processed})
	x.end(held, workqueue.RobotEnd{}, workqueue.RobotEnded{State: workqueue.Processed})
}

// rescueExpired runs the rescue of a pass.
func (x *fixture) rescueExpired() (result workqueue.RescueResult) {
	x.Helper()
	x.pass(func(ctx context.Context, tx workqueue.AssignTx) (err error) {
		result, err = tx.Rescue(ctx, time.Hour)
		return err
	})
	return result
}

func robotPoisons(x *fixture) {
	x.robots(nil)
	x.maxReleases(2)
	id := x.enqueueForms(form(1))[0]
	for n := range 2 {
		x.takeID(id)
		x.endLease(id)
		if result := x.rescueExpired(); result.Rescued != 1 || result.Poisoned != n {
			x.Errorf("rescue %d: %+v", n+1, result)
		}
	}
	got := x.show(id)
	if got.State != workqueue.Cancelled || deref(got.ErrorKind) != "poison" || got.ReleaseCount != 2 || got.LeaseExpiresAt != nil {
		x.Errorf("poison: %s", asJSON(got))
	}
	x.wantRobotAttempt(id, 2, "rescued", "")
}

func robotCancelled(x *fixture) {
	x.robots(nil)
	it, h := x.takeOne()
	if err := Do(x.ctx, x.Store, workqueue.Cancel, it.ID, "not needed"); err != nil {
		x.Fatal(err)
	}
	x.wantState(workqueue.Cancelled, it.ID)
	x.wantRobotAttempt(it.ID, 1, "failed", "not needed")
	for _, c := range x.robotCalls() {
		if err := c.do(h); !errors.Is(err, workqueue.ErrLeaseLost) {
			x.Errorf("%s of a cancelled item: %v, want ErrLeaseLost", c.name, err)
		}
	}
	if err := Do(x.ctx, x.Store, workqueue.Repeat, it.ID, ""); err != nil {
		x.Fatal(err)
	}
	if again, _ := x.takeID(it.ID); again.Fence != it.Fence+1 {
		x.Errorf("repeated and taken under fence %d, want %d", again.Fence, it.Fence+1)
	}
	for _, c := range x.robotCalls() {
		if err := c.do(h); !errors.Is(err, workqueue.ErrLeaseLost) {
			x.Errorf("%s with the key of its first run: %v, want ErrLeaseLost", c.name, err)
		}
	}
}

func robotNoLoad(x *fixture) {
	x.robots(nil)
	w := x.Worker(WorkerOpts{})
	x.takeOne()
	var loads []workqueue.WorkerLoad
	x.pass(func(ctx context.Context, tx workqueue.AssignTx) (err error) {
		loads, err = workerLoads(ctx, tx, time.Hour, workqueue.EveryPriority, time.Second)
		return err
	})
	if len(loads) != 1 || loads[0].WorkerID != w.ID || loads[0].Held != nil {
		x.Errorf("loads = %s, want one worker without items", asJSON(loads))
	}
	if got, err := x.Store.Items(x.ctx, workqueue.ItemFilter{Worker: w.Name}); err != nil || len(got) != 0 {
		x.Errorf("items of the worker are %s, %v; want none", asJSON(got), err)
	}
	if got, err := x.Store.Items(x.ctx, workqueue.ItemFilter{Lifecycles: []workqueue.Lifecycle{workqueue.LifeActive}}); err != nil || len(got) != 1 {
		x.Errorf("active items are %s, %v; want the item of the robot", asJSON(got), err)
	}
}

func robotStatistics(x *fixture) {
	x.robots(func(q *workqueue.Queue) { q.Deletion = workqueue.DeletionLogical })
	done, h := x.takeNew(keyed("done"))
	x.end(h, workqueue.RobotEnd{}, workqueue.RobotEnded{State: workqueue.Processed})
	x.wantHappened(forms, 1, 0, 0, 0)
	_, h = x.takeOne()
	x.end(h, workqueue.RobotEnd{Kind: workqueue.KindBusiness, Error: "wrong"}, workqueue.RobotEnded{State: workqueue.Cancelled})
	x.wantHappened(forms, 1, 1, 1, 0)
	_, h = x.takeOne()
	if err := x.Store.DeleteCheckout(x.ctx, h, ""); err != nil {
		x.Fatal(err)
	}
	x.wantHappened(forms, 1, 1, 1, 1)
	x.enqueueForms(keyed("waits"))
	for _, key := range []string{"waits", "done"} {
		if n, err := x.Store.RobotDelete(x.ctx, ann, forms, key, ""); n != 1 || err != nil {
			x.Errorf("deleted %d of %s, %v", n, key, err)
		}
	}
	x.wantHappened(forms, 1, 1, 1, 3)
	x.robots(nil) // with physical deletion
	deleted, h := x.takeNew(keyed("deleted"))
	x.end(h, workqueue.RobotEnd{}, workqueue.RobotEnded{State: workqueue.Processed})
	if n, err := x.Store.RobotDelete(x.ctx, ann, forms, "deleted", ""); n != 1 || err != nil {
		x.Errorf("deleted %d of item %d, %v", n, deleted.ID, err)
	}
	x.wantHappened(forms, 2, 1, 1, 3)
	if _, err := x.Store.Item(x.ctx, done.ID); err != nil {
		x.Errorf("reading the hidden item: %v", err)
	}
}
