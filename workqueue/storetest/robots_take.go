package storetest

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"botwork/workqueue"
	"botwork/workqueue/assign"
)

func checkoutTests() []test {
	return []test{
		{"the most urgent items, with a lease", checkoutFirst},
		{"a lease of the requested or the queue's length", checkoutLease},
		{"only items that may be taken", checkoutNotAll},
		{"filters", checkoutFilters},
		{"filters by failed attempts", checkoutTries},
		{"refused checkouts", checkoutRefused},
		{"peeking changes nothing", checkoutPeek},
		{"passes do not assign items of robots", checkoutNoPass},
		{"eight robots at the same time", checkoutContended},
	}
}

func checkoutFirst(x *fixture) {
	x.robots(nil)
	soon, later := form(500), form(500)
	soon.Deadline, later.Deadline = time.Now().Add(time.Hour), time.Now().Add(2*time.Hour)
	ready := form(500)
	ready.State = workqueue.Ready
	ids := x.enqueueForms(form(500), later, soon, form(1500), ready, form(499))
	c := x.take(5)
	x.wantIDs("taken", idsOf(c.Items), []int64{ids[3], ids[2], ids[1], ids[0], ids[4]})
	if len(c.LockKey) < 26 {
		x.Errorf("lock key %q, want 128 bits or more", c.LockKey)
	}
	for _, it := range c.Items {
		if it.State != workqueue.Blocked || it.Lifecycle != workqueue.LifeActive || it.Fence != 1 || it.WorkerID != nil || deref(it.Robot) != ann {
			x.Errorf("taken: %s, want it running with fence 1 for %s without a worker", asJSON(it), ann)
		}
		if it.Payload != `{"form":1}` || it.StartedAt == nil || it.FirstStartedAt == nil || !it.LeaseExpiresAt.Equal(it.StartedAt.Add(leaseTime)) {
			x.Errorf("taken: %s, want its payload and a lease of %s since it started", asJSON(it), leaseTime)
		}
		x.wantClean("LeaseExpiresAt", it.LeaseExpiresAt)
		x.wantSame(it)
	}
	// The database has only the hash of the lock key.
	x.exec(5, `UPDATE "BotWorkQueueItems" SET "Progress" = NULL WHERE "LockKey" = '%s' AND "State" = 1`, workqueue.LockKeyHash(c.LockKey))
	x.exec(0, `UPDATE "BotWorkQueueItems" SET "Progress" = NULL WHERE "LockKey" = '%s'`, c.LockKey)

	rest := x.take(5)
	x.wantIDs("taken after that", idsOf(rest.Items), []int64{ids[5]})
	if rest.LockKey == c.LockKey {
		x.Error("two checkouts have the same lock key")
	}
	if none := x.take(5); len(none.Items) != 0 || none.LockKey != "" {
		x.Errorf("took %s from an empty queue, want no items", asJSON(none))
	}
}

func checkoutLease(x *fixture) {
	lease := func(want, requested time.Duration) {
		x.Helper()
		x.enqueueForms(form(1))
		c := x.takeAs(workqueue.CheckoutParams{Robot: ann, Queue: forms, Lease: requested})
		if got := c.Items[0].LeaseExpiresAt.Sub(*c.Items[0].StartedAt); got != want {
			x.Errorf("requested %s: the lease is %s, want %s", requested, got, want)
		}
	}
	x.robots(nil)
	lease(workqueue.DefaultCheckout, 0)
	lease(1500*time.Millisecond, 1500*time.Millisecond)
	lease(workqueue.MaxCheckoutLease, workqueue.MaxCheckoutLease)
	x.robots(func(q *workqueue.Queue) { q.Checkout = workqueue.Duration(90 * time.Second) })
	lease(90*time.Second, 0)
	lease(time.Second, time.Second)
}

func checkoutNotAll(x *fixture) {
	x.robots(func(q *workqueue.Queue) { q.TTL = workqueue.Duration(time.Hour) })
	future := form(9)
	future.In = time.Hour
	item := func(columns string) int64 {
		id := x.enqueueForms(form(8))[0]
		x.exec(1, `UPDATE "BotWorkQueueItems" SET %s WHERE "Id" = %d`, columns, id)
		return id
	}
	x.enqueueForms(future)
	item(`"DeadlineAt" = ` + longAgo)
	item(`"ExpiresAt" = ` + longAgo)
	item(`"DeletedAt" = ` + longAgo)
	for _, state := range []workqueue.State{workqueue.Processed, workqueue.Cancelled} {
		item(fmt.Sprintf(`"State" = %d, "FinishedAt" = %s`, state, longAgo))
	}
	x.workersItem(ItemOpts{State: workqueue.Assigned})
	x.workersItem(ItemOpts{State: workqueue.Blocked})
	x.Item(ItemOpts{}) // of another queue
	dead := x.enqueueForms(form(7))[0]
	x.exec(1, `UPDATE "BotWorkQueueItems" SET "DeadlineAt" = %s WHERE "Id" = %d`, farAway, dead)
	x.wantIDs("taken", idsOf(x.take(100).Items), []int64{dead})
}

func checkoutFilters(x *fixture) {
	x.robots(nil)
	tagged := func(key string, metadata map[string]string, tags ...string) int64 {
		it := form(1)
		it.NaturalKey, it.Metadata, it.Tags = key, metadata, tags
		return x.enqueueForms(it)[0]
	}
	a := tagged("k-1", map[string]string{"land": "PT", "size": "L"}, "blue", "big")
	b := tagged("k-2", map[string]string{"land": "ES"}, "blue")
	c := tagged("k-1", map[string]string{"land": "PT%"}, "bl_e", `say "x"`)
	d := tagged("", nil)
	for _, f := range []struct {
		name   string
		filter workqueue.CheckoutFilter
		want   []int64
	}{
		{"none", workqueue.CheckoutFilter{}, []int64{a, b, c, d}},
		{"key", workqueue.CheckoutFilter{Key: "k-1"}, []int64{a, c}},
		{"an unknown key", workqueue.CheckoutFilter{Key: "k"}, nil},
		{"any tag", workqueue.CheckoutFilter{TagsAny: []string{"big", "bl_e"}}, []int64{a, c}},
		{"a tag with LIKE wildcards", workqueue.CheckoutFilter{TagsAny: []string{"bl_e", "%"}}, []int64{c}},
		{"a tag with quotes", workqueue.CheckoutFilter{TagsAny: []string{`say "x"`}}, []int64{c}},
		{"a part of a tag", workqueue.CheckoutFilter{TagsAny: []string{"blu"}}, nil},
		{"all tags", workqueue.CheckoutFilter{TagsAll: []string{"big", "blue"}}, []int64{a}},
		{"any and all", workqueue.CheckoutFilter{TagsAll: []string{"blue"}, TagsAny: []string{"big", "small"}}, []int64{a}},
		{"metadata", workqueue.CheckoutFilter{Metadata: map[string]string{"land": "PT"}}, []int64{a}},
		{"pairs of metadata", workqueue.CheckoutFilter{Metadata: map[string]string{"land": "PT", "size": "M"}}, nil},
		{"metadata with LIKE wildcards", workqueue.CheckoutFilter{Metadata: map[string]string{"land": "PT%"}}, []int64{c}},
		{"ids", workqueue.CheckoutFilter{IDs: []int64{d, b, 4711}}, []int64{b, d}},
		{"all together", workqueue.CheckoutFilter{
			Key: "k-1", TagsAny: []string{"blue"}, TagsAll: []string{"big"}, Metadata: map[string]string{"size": "L"},
			Tries: []workqueue.Tries{workqueue.TriesNew}, IDs: []int64{a, b, c, d},
		}, []int64{a}},
	} {
		p := workqueue.CheckoutParams{Robot: ann, Queue: forms, Max: 10, Filter: f.filter}
		seen, err := x.Store.PeekItems(x.ctx, p)
		if err != nil {
			x.Fatal(err)
		}
		x.wantIDs("peeked with the filter "+f.name, idsOf(seen), f.want)
		taken := x.takeAs(p)
		x.wantIDs("taken with the filter "+f.name, idsOf(taken.Items), f.want)
		for _, it := range taken.Items {
			if err := x.Store.ReleaseCheckout(x.ctx, holdOf(ann, taken, it), ""); err != nil {
				x.Fatal(err)
			}
		}
	}
}

func checkoutTries(x *fixture) {
	x.robots(nil)
	ids := x.enqueueForms(form(1), form(1), form(1), form(1))
	for failures, id := range ids {
		x.exec(1, `UPDATE "BotWorkQueueItems" SET "RetryCount" = %d WHERE "Id" = %d`, failures, id)
	}
	for _, c := range []struct {
		tries []workqueue.Tries
		want  []int64
	}{
		{nil, ids},
		{[]workqueue.Tries{workqueue.TriesAny}, ids},
		{[]workqueue.Tries{workqueue.TriesNew}, ids[:1]},
		{[]workqueue.Tries{workqueue.TriesFailedOnce}, ids[1:2]},
		{[]workqueue.Tries{workqueue.TriesFailedAgain}, ids[2:]},
		{[]workqueue.Tries{workqueue.TriesFailedAgain, workqueue.TriesNew}, []int64{ids[0], ids[2], ids[3]}},
	} {
		seen, err := x.Store.PeekItems(x.ctx, workqueue.CheckoutParams{
			Robot: ann, Queue: forms, Max: 10, Filter: workqueue.CheckoutFilter{Tries: c.tries},
		})
		if err != nil {
			x.Fatal(err)
		}
		x.wantIDs(fmt.Sprintf("items with %v", c.tries), idsOf(seen), c.want)
	}
}

func checkoutRefused(x *fixture) {
	x.robots(nil)
	id := x.enqueueForms(form(1))[0]
	both := func(p workqueue.CheckoutParams) []error {
		_, checkoutErr := x.Store.Checkout(x.ctx, p)
		_, peekErr := x.Store.PeekItems(x.ctx, p)
		return []error{checkoutErr, peekErr}
	}
	for name, p := range map[string]workqueue.CheckoutParams{
		"no name":                   {Queue: forms},
		"a long name":               {Robot: strings.Repeat("r", 201), Queue: forms},
		"less than one":             {Robot: ann, Queue: forms, Max: -1},
		"too many":                  {Robot: ann, Queue: forms, Max: workqueue.MaxCheckout + 1},
		"a negative lease":          {Robot: ann, Queue: forms, Lease: -time.Second},
		"a lease above the maximum": {Robot: ann, Queue: forms, Lease: workqueue.MaxCheckoutLease + 1},
		"unknown tries":             {Robot: ann, Queue: forms, Filter: workqueue.CheckoutFilter{Tries: []workqueue.Tries{"old"}}},
	} {
		for _, err := range both(p) {
			if err == nil {
				x.Errorf("%s: no error, want one", name)
			}
		}
	}
	for _, err := range both(workqueue.CheckoutParams{Robot: ann, Queue: workqueue.DefaultQueue}) {
		if refused, ok := errors.AsType[*workqueue.ConsumerError](err); !ok || refused.Queue != workqueue.DefaultQueue {
			x.Errorf("from a queue for workers: %v, want a *ConsumerError", err)
		}
	}
	for _, err := range both(workqueue.CheckoutParams{Robot: ann, Queue: "nowhere"}) {
		if unknown, ok := errors.AsType[*workqueue.UnknownQueueError](err); !ok || len(unknown.Known) != 2 {
			x.Errorf("from an unknown queue: %v, want an *UnknownQueueError with the known queues", err)
		}
	}
	if _, err := x.Store.PauseQueue(x.ctx, forms); err != nil {
		x.Fatal(err)
	}
	if c := x.take(1); len(c.Items) > 0 {
		x.Errorf("took %s from a paused queue, want no items", asJSON(c.Items))
	}
	if _, err := x.Store.ResumeQueue(x.ctx, forms); err != nil {
		x.Fatal(err)
	}
	x.wantIDs("taken after the queue was resumed", idsOf(x.take(1).Items), []int64{id})
}

func checkoutPeek(x *fixture) {
	x.robots(nil)
	soon := form(5)
	soon.Deadline = time.Now().Add(time.Hour)
	ids := x.enqueueForms(form(5), form(6), soon)
	for range 2 {
		seen, err := x.Store.PeekItems(x.ctx, workqueue.CheckoutParams{Robot: ann, Queue: forms, Max: 2})
		if err != nil {
			x.Fatal(err)
		}
		x.wantIDs("peeked", idsOf(seen), []int64{ids[1], ids[2]})
		for _, it := range seen {
			if it.State != workqueue.Pending || it.Fence != 0 || it.Lifecycle != workqueue.LifePending || it.Payload == "" {
				x.Errorf("peeked: %s, want a waiting item", asJSON(it))
			}
			x.wantSame(it)
		}
	}
	x.wantIDs("taken", idsOf(x.take(2).Items), []int64{ids[1], ids[2]})
}

func checkoutNoPass(x *fixture) {
	x.robots(nil)
	soon := form(5000)
	soon.Deadline = time.Now().Add(time.Hour)
	x.enqueueForms(form(5000), soon)
	other := x.Item(ItemOpts{Priority: 1}).ID
	x.wantIDs("due items", x.due(workqueue.EveryPriority, 100), []int64{other})
	w := x.Worker(WorkerOpts{})
	if _, err := assign.AssignPass(x.ctx, x.Store, assign.AssignParams{}); err != nil {
		x.Fatal(err)
	}
	x.wantIDs("claimed", idsOf(x.claim(w, 10)), []int64{other})
}

// Eight robots take items, a few at a time, until none are left: each item goes to one
// robot.
func checkoutContended(x *fixture) {
	const robots, items = 8, 200
	x.robots(nil)
	batch := make([]workqueue.NewItem, items)
	for i := range batch {
		batch[i] = form(i % 7)
		if i%3 == 0 {
			batch[i].Deadline = time.Now().Add(time.Hour)
		}
	}
	x.enqueueForms(batch...)
	var mu sync.Mutex
	owner := map[int64]string{}
	var wg sync.WaitGroup
	for n := range robots {
		store, robot := x.Another(x.T), fmt.Sprintf("robot-%d", n)
		wg.Go(func() {
			for range 50 * items { // enough, unless an item cannot be taken
				mu.Lock()
				left := items - len(owner)
				mu.Unlock()
				if left == 0 {
					return
				}
				c, err := store.Checkout(x.ctx, workqueue.CheckoutParams{Robot: robot, Queue: forms, Max: 1 + n%4, Lease: leaseTime})
				if err != nil {
					x.Errorf("%s: %v", robot, err)
					return
				}
				mu.Lock()
				for _, it := range c.Items {
					if other := owner[it.ID]; other != "" || it.Fence != 1 || deref(it.Robot) != robot {
						x.Errorf("%s took item %d under fence %d, which %q has taken", robot, it.ID, it.Fence, other)
					}
					owner[it.ID] = robot
				}
				mu.Unlock()
				for _, it := range c.Items {
					if _, err := store.FinishCheckout(x.ctx, holdOf(robot, c, it), workqueue.RobotEnd{}); err != nil {
						x.Errorf("%s: %v", robot, err)
					}
				}
			}
		})
	}
	wg.Wait()
	if len(owner) != items {
		x.Errorf("%d of %d items were taken", len(owner), items)
	}
	for id, robot := range owner {
		if it := x.show(id); it.State != workqueue.Processed || deref(it.Robot) != robot {
			x.Errorf("item %d is %s by %s, want it processed by %s", id, it.State, deref(it.Robot), robot)
		}
	}
}
