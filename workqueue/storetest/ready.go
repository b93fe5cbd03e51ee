package storetest

import (
	"context"
	"slices"
	"sync"
	"time"

	"botwork/workqueue"
)

func readyTests() []test {
	return []test{
		{"items assigned to the worker come first", readyAssigned},
		{"items that no claim returns", readyNothing},
		{"new items", readyNews},
		{"items of other workers", readyElsewhere},
		{"the time until the next item becomes due", readyNext},
	}
}

// wantReady checks the readiness for a worker. It also accepts ItemsDue instead of waiting or
// assigned items, because tests usually make them just before: readyNews distinguishes the two.
func (x *fixture) wantReady(want workqueue.Readiness, worker int64, band workqueue.Band, of string) {
	x.Helper()
	got, _, err := x.Store.Ready(x.ctx, worker, band)
	if (want == workqueue.ItemsWait || want == workqueue.ItemsAssigned) && got == workqueue.ItemsDue {
		return
	}
	if err != nil || got != want {
		x.Errorf("%s: Ready(%d, %v) = %d, %v, want %d", of, worker, band, got, err, want)
	}
}

func readyAssigned(x *fixture) {
	own, other := x.Worker(WorkerOpts{}), x.Worker(WorkerOpts{})
	x.Item(ItemOpts{State: workqueue.Assigned, Worker: own, Priority: 700})
	x.Item(ItemOpts{State: workqueue.Ready, Priority: 900})
	x.wantReady(workqueue.ItemsAssigned, own.ID, workqueue.EveryPriority, "assigned and waiting")
	x.wantReady(workqueue.ItemsWait, own.ID, workqueue.Band{Min: 701, Max: 1000}, "assigned below the band")
	x.wantReady(workqueue.ItemsWait, other.ID, workqueue.EveryPriority, "assigned to another worker")
	x.wantReady(workqueue.NothingReady, other.ID, workqueue.Band{Min: 1, Max: 899}, "the waiting item is above the band")
}

// exactly checks the readiness without also accepting ItemsDue.
func (x *fixture) exactly(want workqueue.Readiness, worker int64, of string) {
	x.Helper()
	if got, _, err := x.Store.Ready(x.ctx, worker, workqueue.EveryPriority); err != nil || got != want {
		x.Errorf("%s: Ready = %d, %v, want %d", of, got, err, want)
	}
}

// A new item, or one that has just become due, is reported as due, regardless of other
// waiting items. An item that has waited longer is not.
func readyNews(x *fixture) {
	w := x.Worker(WorkerOpts{})
	old := x.Item(ItemOpts{State: workqueue.Ready})
	x.exactly(workqueue.ItemsDue, w.ID, "just made")
	x.exec(1, `UPDATE "BotWorkQueueItems" SET "CreatedAt" = %s, "AvailableAt" = %s WHERE "Id" = %d`, longAgo, longAgo, old.ID)
	x.exactly(workqueue.ItemsWait, w.ID, "made long ago")
	made := x.Item(ItemOpts{State: workqueue.Ready})
	x.exactly(workqueue.ItemsDue, w.ID, "one of two just made")
	x.exec(1, `UPDATE "BotWorkQueueItems" SET "CreatedAt" = %s, "Scheduled" = '1' WHERE "Id" = %d`, longAgo, made.ID)
	x.exactly(workqueue.ItemsDue, w.ID, "one of two has just become due")
	x.exec(1, `UPDATE "BotWorkQueueItems" SET "AvailableAt" = %s WHERE "Id" = %d`, longAgo, made.ID)
	x.exactly(workqueue.ItemsWait, w.ID, "due for a long time")
	x.exec(1, `UPDATE "BotWorkQueueItems" SET "AvailableAt" = %s WHERE "Id" = %d`, farAway, made.ID)
	x.exec(1, `UPDATE "BotWorkQueueItems" SET "DeletedAt" = %s WHERE "Id" = %d`, longAgo, old.ID)
	x.exactly(workqueue.NothingReady, w.ID, "due in years, and deleted")
}

// An idle worker may get items that other workers got some seconds ago and have not
// started.
func readyElsewhere(x *fixture) {
	idle, other := x.Worker(WorkerOpts{}), x.Worker(WorkerOpts{})
	it := x.Item(ItemOpts{State: workqueue.Assigned, Worker: other})
	x.exactly(workqueue.ItemsAssigned, other.ID, "assigned to this worker")
	x.exec(1, `UPDATE "BotWorkQueueItems" SET "AssignedAt" = %s WHERE "Id" = %d`, farAway, it.ID)
	x.exactly(workqueue.NothingReady, idle.ID, "assigned just now")
	x.exec(1, `UPDATE "BotWorkQueueItems" SET "AssignedAt" = %s WHERE "Id" = %d`, longAgo, it.ID)
	x.exactly(workqueue.ItemsElsewhere, idle.ID, "assigned to another worker long ago")
	x.wantReady(workqueue.NothingReady, idle.ID, workqueue.Band{Min: it.Priority + 1, Max: it.Priority + 2}, "of another band")
	x.exactly(workqueue.ItemsAssigned, other.ID, "for the other worker")
}

// The next item of any band counts, but only within the next minute.
func readyNext(x *fixture) {
	w := x.Worker(WorkerOpts{})
	next := func() time.Duration {
		_, next, err := x.Store.Ready(x.ctx, w.ID, workqueue.Band{Min: 900, Max: 1000})
		if err != nil {
			x.Fatal(err)
		}
		return next
	}
	x.enqueueOne(workqueue.NewItem{})
	x.enqueueOne(workqueue.NewItem{In: time.Hour})
	if got := next(); got != 0 {
		x.Errorf("with one item due now and one due in an hour, the next is due in %v, want 0", got)
	}
	x.enqueueOne(workqueue.NewItem{In: 50 * time.Second})
	if got := next(); got <= 0 || got > 50*time.Second {
		x.Errorf("the next is due in %v, want 50s", got)
	}
	x.enqueueOne(workqueue.NewItem{In: 30 * time.Second})
	if got := next(); got <= 0 || got > 30*time.Second {
		x.Errorf("the next of two is due in %v, want 30s", got)
	}
}

func readyNothing(x *fixture) {
	w := x.Worker(WorkerOpts{})
	for _, state := range []workqueue.State{workqueue.Blocked, workqueue.Processed, workqueue.Cancelled} {
		x.Item(ItemOpts{State: state, Worker: w})
	}
	x.wantReady(workqueue.NothingReady, w.ID, workqueue.EveryPriority, "no waiting or assigned items")
	for _, change := range []string{`"DeadlineAt" = ` + longAgo, `"ExpiresAt" = ` + longAgo} {
		it := x.Item(ItemOpts{State: workqueue.Assigned, Worker: w})
		x.exec(1, `UPDATE "BotWorkQueueItems" SET %s WHERE "Id" = %d`, change, it.ID)
		x.wantReady(workqueue.NothingReady, w.ID, workqueue.EveryPriority, change)
	}
}

func listenTests() []test {
	return []test{
		{"notices of items that this process makes ready", listenHere},
		{"no notices of items that are due later", listenNot},
		{"notices of items that are due soon", listenSoon},
	}
}

// notices collects the notices of a listener.
type notices struct {
	mu  sync.Mutex
	all []workqueue.Notice
}

func (h *notices) add(n workqueue.Notice) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.all = append(h.all, n)
}

// has reports whether there is a notice from this process that covers the priority.
func (h *notices) has(priority int) bool { return h.is(priority, false) }

func (h *notices) is(priority int, soon bool) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.ContainsFunc(h.all, func(n workqueue.Notice) bool {
		return n.Soon == soon && !n.Others && len(n.Ended) == 0 && len(n.Workers) == 0 && n.Band.Contains(priority)
	})
}

func (h *notices) reset() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.all = nil
}

// ended reports whether there is a notice that items of the queue have ended.
func (h *notices) ended(queue string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.ContainsFunc(h.all, func(n workqueue.Notice) bool { return slices.Contains(n.Ended, queue) })
}

// listen listens until the test ends. It returns when notices arrive.
func (x *fixture) listen() *notices {
	x.Helper()
	h := &notices{}
	ctx, cancel := context.WithCancel(x.ctx)
	ended := make(chan error, 1)
	go func() { ended <- x.Store.Listen(ctx, h.add, func(error) {}) }()
	x.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			x.Errorf("Listen = %v after its context was cancelled, want nil", err)
		}
	})
	const probe = 123_456
	for end := time.Now().Add(20 * time.Second); !h.has(probe); {
		if time.Now().After(end) {
			x.Fatal("the listener got no notice of enqueued items for 20 seconds")
		}
		x.enqueueOne(workqueue.NewItem{Priority: probe})
	}
	return h
}

func (x *fixture) enqueueOne(it workqueue.NewItem) int64 {
	x.Helper()
	it.State, it.IntegrationConfig = workqueue.Ready, "Work"
	enqueued, err := x.Store.Enqueue(x.ctx, []workqueue.NewItem{it})
	if err != nil {
		x.Fatal(err)
	}
	return enqueued[0].ID
}

func listenHere(x *fixture) {
	h := x.listen()
	id := x.enqueueOne(workqueue.NewItem{Priority: 77})
	if !h.has(77) {
		x.Errorf("notices = %v, want one of the enqueued item of priority 77", h.all)
	}
	h.all = nil
	if _, err := x.Store.ChangeItem(x.ctx, id, workqueue.Change{Action: workqueue.Clone}); err != nil || !h.has(77) {
		x.Errorf("notices = %v, want one of the cloned item of priority 77 (%v)", h.all, err)
	}
	if _, err := x.Store.PauseQueue(x.ctx, "default"); err != nil {
		x.Fatal(err)
	}
	h.all = nil
	if _, err := x.Store.ResumeQueue(x.ctx, "default"); err != nil || !h.has(77) {
		x.Errorf("notices = %v, want one of the resumed queue (%v)", h.all, err)
	}
}

func listenNot(x *fixture) {
	h := x.listen()
	h.all = nil
	x.enqueueOne(workqueue.NewItem{Priority: 77, In: time.Hour})
	x.enqueueOne(workqueue.NewItem{Priority: 77, At: time.Now().Add(time.Hour)})
	if h.has(77) || h.is(77, true) {
		x.Errorf("notices = %v, want none of items that are due in an hour", h.all)
	}
}

func listenSoon(x *fixture) {
	h := x.listen()
	for name, it := range map[string]workqueue.NewItem{
		"in half a second":      {In: 500 * time.Millisecond},
		"at a time close by":    {At: time.Now().Add(300 * time.Millisecond)},
		"at a time in the past": {At: time.Now().Add(-time.Hour)},
	} {
		h.reset()
		it.Priority = 77
		if x.enqueueOne(it); !h.is(77, true) {
			x.Errorf("%s: notices = %v, want one of an item that is due soon", name, h.all)
		}
	}
	w := x.Worker(WorkerOpts{})
	failed := &workqueue.AttemptNote{Number: 1, Outcome: "failed"}
	for name, c := range map[string]struct {
		finish workqueue.Finish
		soon   bool
	}{
		"tried again soon":  {workqueue.Finish{State: workqueue.Ready, Delay: time.Second, Attempt: failed}, true},
		"tried again later": {workqueue.Finish{State: workqueue.Ready, Delay: 2 * time.Second, Attempt: failed}, false},
		"given back":        {workqueue.Finish{State: workqueue.Ready}, false}, // others get a notice
		"done":              {workqueue.Finish{State: workqueue.Processed}, false},
	} {
		it := x.Item(ItemOpts{State: workqueue.Blocked, Worker: w})
		c.finish.ItemID, c.finish.Fence = it.ID, it.Fence
		h.reset()
		if lost, err := x.Store.Finish(x.ctx, w.ID, w.InstanceID, []workqueue.Finish{c.finish}); err != nil || len(lost) > 0 || h.is(0, true) != c.soon {
			x.Errorf("%s: notices = %v (%v, %v), want one of an item that is due soon: %t", name, h.all, lost, err, c.soon)
		}
	}
}
