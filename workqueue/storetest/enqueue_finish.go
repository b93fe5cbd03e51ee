package storetest

import (
	"context"
	"errors"
	"strings"
	"time"

	"botwork/workqueue"
)

func enqueueFinishTests() []test {
	return []test{
		{"a time to finish by", enqueueFinishBy},
		{"a deadline that has passed is refused", enqueueRefusesPast},
		{"the own policy in short", enqueueShortPolicy},
		{"repeat, run and clone drop a time to finish by that has passed", finishByAgain},
		{"an updated deadline is not later than the time to finish by", finishByUpdate},
		{"an update sets the time to finish by", finishByUpdated},
		{"an item expires at its time to finish by", finishByExpires},
		{"a copy of a failed item keeps the time to finish by", finishByCopy},
	}
}

// wantEnds checks the deadline and the time to finish by of an item; zero means none.
func (x *fixture) wantEnds(what string, id int64, deadline, finish time.Time) {
	x.Helper()
	at := func(t *time.Time) time.Time {
		if t == nil {
			return time.Time{}
		}
		return *t
	}
	it := x.show(id)
	if got := at(it.DeadlineAt); !got.Equal(deadline) {
		x.Errorf("%s: DeadlineAt = %s, want %s", what, got, deadline)
	}
	if got := at(it.FinishBy); !got.Equal(finish) {
		x.Errorf("%s: FinishBy = %s, want %s", what, got, finish)
	}
}

// The deadline is never later than the time to finish by, however both are given.
func enqueueFinishBy(y *fixture) {
	x := newTimed(y)
	hour := func(n int) time.Time { return x.now.Add(time.Duration(n) * time.Hour) }
	none := time.Time{}
	for _, c := range []struct {
		name             string
		item             workqueue.NewItem
		deadline, finish time.Time
	}{
		{"a time", workqueue.NewItem{FinishBy: hour(2)}, hour(2), hour(2)},
		{"an offset", workqueue.NewItem{FinishIn: 2 * time.Hour}, hour(2), hour(2)},
		{"an earlier deadline", workqueue.NewItem{FinishBy: hour(2), Deadline: hour(1)}, hour(1), hour(2)},
		{"a later deadline", workqueue.NewItem{FinishBy: hour(2), Deadline: hour(3)}, hour(2), hour(2)},
		{"a later deadline, as offsets", workqueue.NewItem{FinishIn: 2 * time.Hour, DeadlineIn: 3 * time.Hour}, hour(2), hour(2)},
		{"an offset before the deadline's time", workqueue.NewItem{FinishIn: 2 * time.Hour, Deadline: hour(3)}, hour(2), hour(2)},
		{"an offset after the deadline's time", workqueue.NewItem{FinishIn: 2 * time.Hour, Deadline: hour(1)}, hour(1), hour(2)},
		{"a time before the deadline's offset", workqueue.NewItem{FinishBy: hour(2), DeadlineIn: 3 * time.Hour}, hour(2), hour(2)},
		{"a time after the deadline's offset", workqueue.NewItem{FinishBy: hour(2), DeadlineIn: time.Hour}, hour(1), hour(2)},
		{"none", workqueue.NewItem{}, none, none},
	} {
		x.wantEnds(c.name, x.wantNew(c.name, c.item), c.deadline, c.finish)
	}
	// In one statement, rows with and without these times.
	made, err := x.Store.Enqueue(x.ctx, []workqueue.NewItem{
		{IntegrationConfig: Pipeline, FinishBy: hour(2)}, {IntegrationConfig: Pipeline}, {IntegrationConfig: Pipeline, DeadlineIn: time.Hour},
	})
	if err != nil {
		x.Fatal(err)
	}
	x.wantEnds("the first of three", made[0].ID, hour(2), hour(2))
	x.wantEnds("the second of three", made[1].ID, none, none)
	x.wantEnds("the third of three", made[2].ID, hour(1), none)

	// A claim returns it.
	w := x.Worker(WorkerOpts{})
	x.Assign(w, made[0].ID)
	if got := x.claim(w, 1)[0]; got.FinishBy == nil || !got.FinishBy.Equal(hour(2)) {
		x.Errorf("the claimed item has FinishBy %v, want %s", got.FinishBy, hour(2))
	}
}

func enqueueRefusesPast(y *fixture) {
	x := newTimed(y)
	ahead, past := x.now.Add(time.Hour), x.now.Add(-time.Second)
	x.wantNew("a deadline now", workqueue.NewItem{Deadline: x.now})
	before := len(x.list(workqueue.ItemFilter{Limit: 1000}))
	for _, c := range []struct {
		name string
		item workqueue.NewItem
		want []string
	}{
		{"a deadline", workqueue.NewItem{Deadline: past}, []string{"deadline: got " + past.UTC().Format("2006-01-02T15:04:05"), "passed", "clock shows", "hint"}},
		{"a deadline and a start in the past", workqueue.NewItem{At: past.Add(-time.Hour), Deadline: past}, []string{"deadline", "passed"}},
		{"a time to finish by", workqueue.NewItem{FinishBy: past}, []string{"finish by", "passed"}},
		{"a time to finish by before a good deadline", workqueue.NewItem{FinishBy: past, Deadline: ahead}, []string{"finish by", "passed"}},
		{"with a key", workqueue.NewItem{Deadline: past, UniqueFor: workqueue.UniqueWhileUnfinished}, []string{"deadline", "passed"}},
		{"a deadline before the end of the wait", workqueue.NewItem{In: 2 * time.Hour, Deadline: ahead}, []string{"deadline", "never start"}},
		{"a deadline from now before the start", workqueue.NewItem{At: ahead, DeadlineIn: time.Minute}, []string{"deadline", "never start"}},
		{"a time to finish by before the end of the wait", workqueue.NewItem{In: 2 * time.Hour, FinishBy: ahead}, []string{"finish by", "never finish"}},
	} {
		c.item.IntegrationConfig = Pipeline
		good := workqueue.NewItem{IntegrationConfig: Pipeline, Payload: `1`, Deadline: ahead}
		for _, call := range []struct {
			items []workqueue.NewItem
			index int
		}{{[]workqueue.NewItem{c.item}, 0}, {[]workqueue.NewItem{good, c.item, good}, 1}} {
			for what, enqueue := range map[string]func() error{
				"Enqueue": func() error { _, err := x.Store.Enqueue(x.ctx, call.items); return err },
				"EnqueueBatch": func() error {
					_, err := x.Store.EnqueueBatch(x.ctx, workqueue.BatchPart{Key: workqueue.NewBatchKey(), Part: 1}, call.items)
					return err
				},
			} {
				err := enqueue()
				if bad, ok := errors.AsType[*workqueue.BadItemError](err); !ok || bad.Index != call.index || bad.Of != len(call.items) {
					x.Errorf("%s: %s of %d = %v, want a *BadItemError for item %d", c.name, what, len(call.items), err, call.index)
					continue
				}
				for _, part := range c.want {
					if !strings.Contains(err.Error(), part) {
						x.Errorf("%s: %q does not contain %q", c.name, err, part)
					}
				}
			}
		}
	}
	if after := len(x.list(workqueue.ItemFilter{Limit: 1000})); after != before {
		x.Errorf("refused calls made %d items", after-before)
	}
}

func enqueueShortPolicy(x *fixture) {
	id := x.wantNew("short", workqueue.NewItem{Attempts: 5, Timeout: 2 * time.Minute, Backoff: 10 * time.Second})
	policy, err := workqueue.ParseResilience(x.show(id).ResilienceConfig)
	if err != nil || policy.Limit != 5 || policy.Timeout != workqueue.Duration(2*time.Minute) || policy.Delay != workqueue.Duration(10*time.Second) || policy.Factor != 0 {
		x.Errorf("the item's policy is %+v, %v; want 5 attempts, a timeout of 2m, a delay of 10s and nothing else", policy, err)
	}
	if got := x.show(x.wantNew("none", workqueue.NewItem{})).ResilienceConfig; got != "" {
		x.Errorf("an item without a policy has %s", got)
	}
	for name, c := range map[string]struct {
		item  workqueue.NewItem
		field string
	}{
		"both":            {workqueue.NewItem{Attempts: 5, ResilienceConfig: `{"timeout": "1m"}`}, "attempts"},
		"no attempts":     {workqueue.NewItem{Attempts: -1}, "attempts"},
		"a past timeout":  {workqueue.NewItem{Timeout: -time.Second}, "timeout"},
		"a past wait":     {workqueue.NewItem{Backoff: -time.Second}, "backoff"},
		"an unknown key":  {workqueue.NewItem{ResilienceConfig: `{"attempts": 5}`}, "resilience"},
		"not JSON at all": {workqueue.NewItem{ResilienceConfig: `{`}, "resilience"},
	} {
		c.item.IntegrationConfig = Pipeline
		_, err := x.Store.Enqueue(x.ctx, []workqueue.NewItem{c.item})
		if fault, ok := errors.AsType[*workqueue.ItemFault](err); !ok || fault.Field != c.field {
			x.Errorf("%s: error %v, want an *ItemFault of %s", name, err, c.field)
		}
	}
}

func finishByAgain(y *fixture) {
	x := newTimed(y)
	none := time.Time{}
	early, late := x.now.Add(time.Hour), x.now.Add(3*time.Hour)
	gone := x.wantNew("over", workqueue.NewItem{FinishBy: early})
	left := x.wantNew("started too late", workqueue.NewItem{Deadline: early, FinishBy: late})
	running := x.wantNew("runs now", workqueue.NewItem{Deadline: early, FinishBy: late})
	for _, id := range []int64{gone, left, running} {
		if err := Do(x.ctx, x.Store, workqueue.Cancel, id, "not needed"); err != nil {
			x.Fatal(err)
		}
	}
	x.now = x.now.Add(2 * time.Hour)
	for _, id := range []int64{gone, left} {
		if err := Do(x.ctx, x.Store, workqueue.Repeat, id, ""); err != nil {
			x.Fatal(err)
		}
	}
	x.wantEnds("repeated after its time to finish by", gone, none, none)
	x.wantEnds("repeated after its deadline", left, late, late)
	if err := Do(x.ctx, x.Store, workqueue.RunNow, running, ""); err != nil {
		x.Fatal(err)
	}
	x.wantEnds("run after its deadline", running, late, late)
	clone, err := x.Store.ChangeItem(x.ctx, left, workqueue.Change{Action: workqueue.Clone})
	if err != nil {
		x.Fatal(err)
	}
	x.wantEnds("cloned", clone, late, late)
	x.now = x.now.Add(2 * time.Hour)
	if clone, err = x.Store.ChangeItem(x.ctx, left, workqueue.Change{Action: workqueue.Clone}); err != nil {
		x.Fatal(err)
	}
	x.wantEnds("cloned after its time to finish by", clone, none, none)
}

func finishByUpdate(y *fixture) {
	x := newTimed(y)
	early, late := x.now.Add(time.Hour), x.now.Add(3*time.Hour)
	id := x.wantNew("waits", workqueue.NewItem{Deadline: early, FinishBy: late})
	for _, c := range []struct {
		name   string
		update workqueue.ItemUpdate
		want   time.Time
	}{
		{"a later deadline", workqueue.ItemUpdate{Deadline: new(late.Add(time.Hour))}, late},
		{"an earlier deadline", workqueue.ItemUpdate{Deadline: new(early)}, early},
		{"a later offset", workqueue.ItemUpdate{DeadlineIn: new(5 * time.Hour)}, late},
		{"an earlier offset", workqueue.ItemUpdate{DeadlineIn: new(2 * time.Hour)}, x.now.Add(2 * time.Hour)},
		{"no deadline", workqueue.ItemUpdate{Deadline: new(time.Time{})}, late},
		{"another value", workqueue.ItemUpdate{Priority: new(5)}, late},
	} {
		if _, err := x.Store.ChangeItem(x.ctx, id, workqueue.Change{Action: workqueue.Update, Update: &c.update}); err != nil {
			x.Fatalf("%s: %v", c.name, err)
		}
		x.wantEnds(c.name, id, c.want, late)
	}
}

// An update sets the time to finish by, and the deadline follows unless it is earlier.
func finishByUpdated(y *fixture) {
	x := newTimed(y)
	hour := func(n int) time.Time { return x.now.Add(time.Duration(n) * time.Hour) }
	none := time.Time{}
	ids := map[string]int64{}
	for name, item := range map[string]workqueue.NewItem{
		"none": {}, "deadline": {Deadline: hour(2)}, "finish": {FinishBy: hour(2)}, "both": {Deadline: hour(1), FinishBy: hour(2)},
	} {
		ids[name] = x.wantNew(name, item)
	}
	for _, c := range []struct {
		name             string
		item             string
		update           workqueue.ItemUpdate
		deadline, finish time.Time
	}{
		{"the first one", "none", workqueue.ItemUpdate{FinishBy: new(hour(4))}, hour(4), hour(4)},
		{"an offset", "none", workqueue.ItemUpdate{FinishIn: new(3 * time.Hour)}, hour(3), hour(3)},
		{"with a deadline", "none", workqueue.ItemUpdate{FinishIn: new(3 * time.Hour), DeadlineIn: new(time.Hour)}, hour(1), hour(3)},
		{"with a later deadline", "none", workqueue.ItemUpdate{FinishIn: new(3 * time.Hour), Deadline: new(hour(5))}, hour(3), hour(3)},
		{"without one", "none", workqueue.ItemUpdate{FinishBy: new(none)}, none, none},
		{"after the deadline", "deadline", workqueue.ItemUpdate{FinishBy: new(hour(3))}, hour(2), hour(3)},
		{"before the deadline", "deadline", workqueue.ItemUpdate{FinishBy: new(hour(1))}, hour(1), hour(1)},
		{"later", "finish", workqueue.ItemUpdate{FinishBy: new(hour(3))}, hour(3), hour(3)},
		{"earlier", "finish", workqueue.ItemUpdate{FinishBy: new(hour(1))}, hour(1), hour(1)},
		{"removed", "finish", workqueue.ItemUpdate{FinishBy: new(none)}, none, none},
		{"later than both", "both", workqueue.ItemUpdate{FinishBy: new(hour(3))}, hour(1), hour(3)},
		{"removed without the deadline", "both", workqueue.ItemUpdate{FinishBy: new(none)}, hour(1), none},
		{"with the due time", "both", workqueue.ItemUpdate{FinishBy: new(hour(9)), Deadline: new(none), In: new(8 * time.Hour)}, hour(9), hour(9)},
	} {
		before := x.show(ids[c.item])
		after := x.mustUpdate(ids[c.item], c.update)
		x.wantEnds(c.name, ids[c.item], c.deadline, c.finish)
		if after.Version != before.Version+1 {
			x.Errorf("%s: version %d after %d", c.name, after.Version, before.Version)
		}
	}
	id := ids["both"] // due in 8 hours, to finish by in 9
	for name, c := range map[string]struct {
		update      workqueue.ItemUpdate
		field, text string
	}{
		"in the past":          {workqueue.ItemUpdate{FinishBy: new(hour(-1))}, "finishBy", "has passed"},
		"before it is due":     {workqueue.ItemUpdate{FinishIn: new(time.Hour)}, "finishBy", "would never finish"},
		"due after it":         {workqueue.ItemUpdate{In: new(10 * time.Hour)}, "finishBy", "set a later finish by as well, or clear it"},
		"no deadline after it": {workqueue.ItemUpdate{In: new(10 * time.Hour), Deadline: new(none)}, "finishBy", "set a later finish by as well, or clear it"},
		"negative":             {workqueue.ItemUpdate{FinishIn: new(-time.Hour)}, "finishBy", "0s (none) or more"},
	} {
		for _, dry := range []bool{true, false} {
			_, err := x.Store.ChangeItem(x.ctx, id, workqueue.Change{Action: workqueue.Update, Update: &c.update, DryRun: dry})
			if err == nil {
				x.Errorf("%s: no error", name)
			}
			x.wantFault(err, c.field, c.text)
		}
	}
	x.wantEnds("after refused updates", id, hour(9), hour(9))

	w := x.Worker(WorkerOpts{})
	assigned := x.Item(ItemOpts{State: workqueue.Assigned, Worker: w})
	if got := x.mustUpdate(assigned.ID, workqueue.ItemUpdate{FinishIn: new(time.Hour)}); got.State != workqueue.Ready {
		x.Errorf("an assigned item is %s, want it to wait for the next assignment", got.State)
	}
	running := x.Item(ItemOpts{State: workqueue.Blocked})
	x.wantTransition(x.update(running.ID, workqueue.ItemUpdate{FinishIn: new(time.Hour)}), running.ID, "update", workqueue.Blocked)

	x.mustUpdate(ids["none"], workqueue.ItemUpdate{FinishIn: new(time.Hour)})
	x.now = x.now.Add(time.Hour + time.Millisecond)
	x.pass(func(ctx context.Context, tx workqueue.AssignTx) error {
		_, err := tx.Expire(ctx)
		return err
	})
	if it := x.show(ids["none"]); it.Status() != workqueue.StatusExpired || !strings.Contains(deref(it.Error), "did not finish") {
		x.Errorf("the item is %s with the error %s, want Expired because it did not finish", it.Status(), deref(it.Error))
	}
}

func finishByExpires(y *fixture) {
	x := newTimed(y)
	id := x.wantNew("waits", workqueue.NewItem{FinishIn: time.Hour})
	x.now = x.now.Add(time.Hour + time.Millisecond)
	x.wantExpired(1)
	it := x.show(id)
	if it.Status() != workqueue.StatusExpired || !strings.Contains(deref(it.Error), "did not finish") {
		x.Errorf("the item is %s with the error %s, want Expired because it did not finish", it.Status(), deref(it.Error))
	}
}

func finishByCopy(y *fixture) {
	x := newTimed(y)
	x.define("test", []string{"copies"}, workqueue.Queue{Name: "copies", RetryAs: workqueue.RetryCopy})
	late := x.now.Add(time.Hour)
	id := x.wantNew("fails", workqueue.NewItem{QueueName: "copies", FinishBy: late})
	w := x.Worker(WorkerOpts{})
	x.Assign(w, id)
	claimed := x.claim(w, 1)
	x.finish(w, workqueue.Finish{
		ItemID: id, Fence: claimed[0].Fence, QueueName: "copies", State: workqueue.Cancelled, RetryCount: 1, Copy: true,
		Error: "no such host", ErrorKind: workqueue.KindError, Attempt: &workqueue.AttemptNote{Number: 1, Outcome: "failed"},
	})
	newest := x.list(workqueue.ItemFilter{Limit: 1})[0]
	if newest == id {
		x.Fatal("the failed item has no copy")
	}
	x.wantEnds("the copy", newest, late, late)
}
