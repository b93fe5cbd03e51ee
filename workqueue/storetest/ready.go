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
		{"what is assigned to the worker goes first", readyAssigned},
		{"what no claim would bring", readyForNothing},
		{"what is news", readyNews},
		{"what others hold", readyElsewhere},
		{"when the next item becomes due", readyNext},
	}
}

// wantReady checks what there is to do for a worker. What waits was made just now, as a
// rule, and so is due news as well: readyNews distinguishes the two.
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
	mine, other := x.Worker(WorkerOpts{}), x.Worker(WorkerOpts{})
	x.Item(ItemOpts{State: workqueue.Assigned, Worker: mine, Priority: 700})
	x.Item(ItemOpts{State: workqueue.Ready, Priority: 900})
	x.wantReady(workqueue.ItemsAssigned, mine.ID, workqueue.EveryPriority, "assigned and waiting")
	x.wantReady(workqueue.ItemsWait, mine.ID, workqueue.Band{Min: 701, Max: 1000}, "assigned below the band")
	x.wantReady(workqueue.ItemsWait, other.ID, workqueue.EveryPriority, "assigned to another")
	x.wantReady(workqueue.NothingReady, other.ID, workqueue.Band{Min: 1, Max: 899}, "what waits is above the band")
}

// exactly checks the readiness without wantReady's allowance.
func (x *fixture) exactly(want workqueue.Readiness, worker int64, of string) {
	x.Helper()
	if got, _, err := x.Store.Ready(x.ctx, worker, workqueue.EveryPriority); err != nil || got != want {
		x.Errorf("%s: Ready = %d, %v, want %d", of, got, err, want)
	}
}

// An item that was just made or has just become due is news, whatever else waits; one
// that waits for longer is not.
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
	x.exactly(workqueue.ItemsWait, w.ID, "due for long")
	x.exec(1, `UPDATE "BotWorkQueueItems" SET "AvailableAt" = %s WHERE "Id" = %d`, farAway, made.ID)
	x.exec(1, `UPDATE "BotWorkQueueItems" SET "DeletedAt" = %s WHERE "Id" = %d`, longAgo, old.ID)
	x.exactly(workqueue.NothingReady, w.ID, "due in years, and deleted")
}

// What other workers were given some seconds ago and have not started, an idle worker
// may have.
func readyElsewhere(x *fixture) {
	mine, other := x.Worker(WorkerOpts{}), x.Worker(WorkerOpts{})
	it := x.Item(ItemOpts{State: workqueue.Assigned, Worker: other})
	x.exactly(workqueue.ItemsAssigned, other.ID, "assigned to it")
	x.exec(1, `UPDATE "BotWorkQueueItems" SET "AssignedAt" = %s WHERE "Id" = %d`, farAway, it.ID)
	x.exactly(workqueue.NothingReady, mine.ID, "assigned just now")
	x.exec(1, `UPDATE "BotWorkQueueItems" SET "AssignedAt" = %s WHERE "Id" = %d`, longAgo, it.ID)
	x.exactly(workqueue.ItemsElsewhere, mine.ID, "assigned to another one long ago")
	x.wantReady(workqueue.NothingReady, mine.ID, workqueue.Band{Min: it.Priority + 1, Max: it.Priority + 2}, "of another band")
	x.exactly(workqueue.ItemsAssigned, other.ID, "for the other one")
}

// Of whatever band, and only within the coming minute.
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
		x.Errorf("beside an item that is due and one that is in an hour, the next is due in %v, want none", got)
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

func readyForNothing(x *fixture) {
	w := x.Worker(WorkerOpts{})
	for _, state := range []workqueue.State{workqueue.Blocked, workqueue.Processed, workqueue.Cancelled} {
		x.Item(ItemOpts{State: state, Worker: w})
	}
	x.wantReady(workqueue.NothingReady, w.ID, workqueue.EveryPriority, "nothing that waits or is assigned")
	for _, change := range []string{`"DeadlineAt" = ` + longAgo, `"ExpiresAt" = ` + longAgo} {
		it := x.Item(ItemOpts{State: workqueue.Assigned, Worker: w})
		x.exec(1, `UPDATE "BotWorkQueueItems" SET %s WHERE "Id" = %d`, change, it.ID)
		x.wantReady(workqueue.NothingReady, w.ID, workqueue.EveryPriority, change)
	}
}

func listenTests() []test {
	return []test{
		{"what this process makes ready", listenHere},
		{"not what is due later, nor what was there", listenNot},
	}
}

// heard keeps the notices of a listener.
type heard struct {
	mu      sync.Mutex
	notices []workqueue.Notice
}

func (h *heard) tell(n workqueue.Notice) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.notices = append(h.notices, n)
}

// has reports whether a notice from this process was received that covers the priority.
func (h *heard) has(priority int) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.ContainsFunc(h.notices, func(n workqueue.Notice) bool {
		return !n.Others && len(n.Workers) == 0 && n.Band.Contains(priority)
	})
}

// listen listens until the test ends. It returns when the listener hears.
func (x *fixture) listen() *heard {
	x.Helper()
	h := &heard{}
	ctx, cancel := context.WithCancel(x.ctx)
	ended := make(chan error, 1)
	go func() { ended <- x.Store.Listen(ctx, h.tell, func(error) {}) }()
	x.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			x.Errorf("Listen = %v when its context ended, want nil", err)
		}
	})
	const probe = 123_456
	for end := time.Now().Add(20 * time.Second); !h.has(probe); {
		if time.Now().After(end) {
			x.Fatal("a listener heard nothing of what was enqueued for 20 seconds")
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
		x.Errorf("heard %v of an item of priority 77 that was enqueued", h.notices)
	}
	h.notices = nil
	if _, err := x.Store.ChangeItem(x.ctx, id, workqueue.Change{Action: workqueue.Clone}); err != nil || !h.has(77) {
		x.Errorf("heard %v of an item of priority 77 that was cloned (%v)", h.notices, err)
	}
	if _, err := x.Store.PauseQueue(x.ctx, "default"); err != nil {
		x.Fatal(err)
	}
	h.notices = nil
	if _, err := x.Store.ResumeQueue(x.ctx, "default"); err != nil || !h.has(77) {
		x.Errorf("heard %v of a queue that was resumed (%v)", h.notices, err)
	}
}

func listenNot(x *fixture) {
	h := x.listen()
	h.notices = nil
	x.enqueueOne(workqueue.NewItem{Priority: 77, In: time.Hour})
	x.enqueueOne(workqueue.NewItem{Priority: 77, At: time.Now().Add(time.Hour)})
	if h.has(77) {
		x.Errorf("heard %v of items that are due in an hour", h.notices)
	}
}
