package storetest

import (
	"math/rand/v2"
	"slices"
	"time"

	"botwork/workqueue"
	"botwork/workqueue/assign"
)

func rateTests() []test {
	return []test{
		{"starts in a period, to the millisecond", rateWindow},
		{"an assigned item uses the rate until it starts", rateWaits},
		{"an item released before its start does not use the rate", rateReleased},
		{"a deleted item counts as started", rateDeleted},
		{"a start counts from the beginning of the run", rateBegin},
		{"a released claim does not use the rate", rateReturned},
		{"the start before a repeat counts", rateRepeated},
		{"a retry is a start", rateRetry},
		{"the log is kept short", rateLog},
		{"adding and removing a rate", rateSwitched},
		{"a worker that can start immediately is preferred", rateIdle},
		{"checkouts of robots, to the millisecond", rateRobots},
		{"in any period of time", rateAny},
	}
}

// timed is a fixture with its own clock, which its Store uses as the database's clock.
type timed struct {
	*fixture
	now time.Time
}

func newTimed(x *fixture) *timed {
	c := &timed{now: time.Date(2026, 1, 31, 13, 45, 0, 0, time.UTC)}
	store := x.At(x.T, func() time.Time { return c.now })
	f := *x
	f.Store, f.Factory = store, NewFactory(x.T, store)
	c.fixture = &f
	return c
}

func rateWindow(y *fixture) {
	x := newTimed(y)
	x.makeQueue("erp", `"RateLimit", "RatePeriodMs"`, "2, 60000")
	w := x.Worker(WorkerOpts{})
	ids := x.Items(6, ItemOpts{Queue: "erp"})
	x.wantAssigned(ids[:2]...)
	x.claim(w, 1)
	x.now = x.now.Add(10 * time.Second)
	x.claim(w, 1)
	x.now = x.now.Add(50*time.Second - time.Millisecond)
	x.wantAssigned() // the first item started 59.999 s ago
	x.now = x.now.Add(time.Millisecond)
	x.wantAssigned(ids[2])
	x.claim(w, 1)
	x.now = x.now.Add(10*time.Second - time.Millisecond)
	x.wantAssigned()
	x.now = x.now.Add(time.Millisecond)
	x.wantAssigned(ids[3])
}

func rateWaits(y *fixture) {
	x := newTimed(y)
	x.makeQueue("erp", `"RateLimit", "RatePeriodMs"`, "2, 60000")
	w := x.Worker(WorkerOpts{})
	ids := x.Items(4, ItemOpts{Queue: "erp"})
	x.wantAssigned(ids[:2]...)
	x.now = x.now.Add(10 * time.Minute)
	x.wantAssigned(ids[:2]...) // they may start at any moment
	x.claim(w, 2)
	x.wantAssigned()
	x.now = x.now.Add(time.Minute)
	x.wantAssigned(ids[2:]...)
}

func rateReleased(y *fixture) {
	x := newTimed(y)
	x.makeQueue("erp", `"RateLimit", "RatePeriodMs"`, "2, 60000")
	w := x.Worker(WorkerOpts{})
	ids := x.Items(4, ItemOpts{Queue: "erp"})
	x.wantAssigned(ids[:2]...)
	if n, err := x.Store.ReleaseAssigned(x.ctx, w.ID, w.InstanceID); n != 2 || err != nil {
		x.Fatalf("ReleaseAssigned = %d, %v, want 2", n, err)
	}
	if err := Do(x.ctx, x.Store, workqueue.Cancel, ids[0], "not needed"); err != nil {
		x.Fatal(err)
	}
	x.wantAssigned(ids[1:3]...)
}

func rateDeleted(y *fixture) {
	x := newTimed(y)
	x.makeQueue("erp", `"RateLimit", "RatePeriodMs"`, "1, 60000")
	w := x.Worker(WorkerOpts{})
	ids := x.Items(2, ItemOpts{Queue: "erp"})
	x.wantAssigned(ids[0])
	x.finish(w, success(x.claim(w, 1)[0]))
	if err := Do(x.ctx, x.Store, workqueue.Delete, ids[0], ""); err != nil {
		x.Fatal(err)
	}
	x.now = x.now.Add(20 * time.Second)
	x.wantAssigned() // this pass finds that the item was deleted; the start of its run is unknown
	x.now = x.now.Add(time.Minute - time.Millisecond)
	x.wantAssigned()
	x.now = x.now.Add(time.Millisecond)
	x.wantAssigned(ids[1])
}

func rateRetry(y *fixture) {
	x := newTimed(y)
	x.makeQueue("erp", `"RateLimit", "RatePeriodMs"`, "2, 60000")
	w := x.Worker(WorkerOpts{})
	id := x.Item(ItemOpts{Queue: "erp"}).ID
	for range 2 {
		x.wantAssigned(id)
		end := failure(x.claim(w, 1)[0], workqueue.Ready)
		end.Delay = 0
		x.finish(w, end)
	}
	x.wantAssigned()
	x.now = x.now.Add(time.Minute)
	x.wantAssigned(id)
}

func rateLog(y *fixture) {
	x := newTimed(y)
	x.makeQueue("erp", `"RateLimit", "RatePeriodMs", "KeyRateLimit", "KeyRatePeriodMs"`, "3, 1000, 3, 5000")
	x.makeQueue("crm", `"RateLimit", "RatePeriodMs"`, "3, 1000")
	w := x.Worker(WorkerOpts{})
	x.Items(90, ItemOpts{Queue: "erp"})
	x.Items(9, ItemOpts{Queue: "crm"})
	logged := func() int64 { return x.Exec(x.T, `UPDATE "BotQueueStarts" SET "Fence" = "Fence"`) }
	for range 20 {
		x.assign()
		for _, it := range x.claim(w, 100) {
			x.finish(w, success(it))
		}
		x.now = x.now.Add(time.Second)
		if n := logged(); n > 3*5+3+6 {
			x.Fatalf("the log has %d rows, want only those of five seconds", n)
		}
	}
	x.exec(1, `UPDATE "BotQueues" SET "KeyRateLimit" = NULL, "KeyRatePeriodMs" = NULL WHERE "Name" = 'erp'`)
	x.assign()
	if n := logged(); n > 6 {
		x.Errorf("the log has %d rows after the longer period was removed, want at most 6", n)
	}
}

func rateSwitched(y *fixture) {
	x := newTimed(y)
	x.makeQueue("erp", `"ConcurrencyLimit"`, "5")
	w := x.Worker(WorkerOpts{})
	ids := x.Items(9, ItemOpts{Queue: "erp"})
	x.wantAssigned(ids[:5]...)
	x.claim(w, 2)
	// Three have not started yet: the new rate allows one more.
	x.exec(1, `UPDATE "BotQueues" SET "ConcurrencyLimit" = NULL, "RateLimit" = 4, "RatePeriodMs" = 1000 WHERE "Name" = 'erp'`)
	x.wantAssigned(ids[2:6]...)
	x.exec(1, `UPDATE "BotQueues" SET "RateLimit" = NULL, "RatePeriodMs" = NULL WHERE "Name" = 'erp'`)
	x.wantAssigned(ids[2:]...)
}

func rateIdle(y *fixture) {
	x := newTimed(y)
	x.makeQueue("erp", `"RateLimit", "RatePeriodMs"`, "3, 1000")
	busy := x.Worker(WorkerOpts{Capacity: 1})
	low := x.Items(1, ItemOpts{Priority: 1, Estimate: time.Millisecond})
	x.Assign(busy, low...)
	x.claim(busy, 1)
	idle := x.Worker(WorkerOpts{Capacity: 2})
	erp := x.Items(3, ItemOpts{Queue: "erp", Estimate: time.Minute})
	x.assignBy(x.Store, assign.AssignParams{Band: mediumBand})
	for i, want := range []workqueue.Worker{idle, idle, busy} { // a worker without a free slot gets items too
		if got := x.show(erp[i]); got.WorkerID == nil || *got.WorkerID != want.ID {
			x.Errorf("item %d is assigned to worker %s, want %d", i, deref(got.WorkerID), want.ID)
		}
	}
}

func rateRobots(y *fixture) {
	x := newTimed(y)
	x.limitForms(workqueue.QueueLimits{
		Rate:    workqueue.Rate{Limit: 3, Per: workqueue.Duration(time.Minute)},
		KeyRate: workqueue.Rate{Limit: 1, Per: workqueue.Duration(10 * time.Second)},
	})
	ids := x.enqueueForms(slices.Concat(of("a", 2), of("b", 1), of("", 2))...)
	first := x.take(2)
	x.wantIDs("taken", idsOf(first.Items), []int64{ids[0], ids[2]})
	if _, err := x.Store.FinishCheckout(x.ctx, holdOf(ann, first, first.Items[0]), workqueue.RobotEnd{}); err != nil {
		x.Fatal(err)
	}
	x.now = x.now.Add(10*time.Second - time.Millisecond)
	x.wantIDs("taken while the keys are full", idsOf(x.take(9).Items), []int64{ids[3]})
	x.now = x.now.Add(time.Millisecond)
	x.wantIDs("taken while the queue is full", idsOf(x.take(9).Items), []int64{})
	x.now = x.now.Add(50*time.Second - time.Millisecond)
	x.wantIDs("taken a millisecond too early", idsOf(x.take(9).Items), []int64{})
	x.now = x.now.Add(time.Millisecond)
	x.wantIDs("taken when the first two are a minute old", idsOf(x.take(9).Items), []int64{ids[1], ids[4]})
}

// Regardless of the order of passes, claims, ends and releases, in each interval as long
// as the period no more items start than the limits of the queue and of each key allow.
func rateAny(y *fixture) {
	x := newTimed(y)
	const limit, period, keyLimit, keyPeriod = 4, time.Minute, 2, 20 * time.Second
	x.makeQueue("erp", `"RateLimit", "RatePeriodMs", "KeyRateLimit", "KeyRatePeriodMs"`, "4, 60000, 2, 20000")
	workers := []workqueue.Worker{x.Worker(WorkerOpts{}), x.Worker(WorkerOpts{Capacity: 1})}
	seed := uint64(time.Now().UnixNano())
	x.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	starts := map[string][]time.Time{}
	running := map[int64][]workqueue.Item{}
	started := x.now
	for range 250 {
		if random.IntN(4) == 0 {
			x.Items(2, ItemOpts{Queue: "erp", LimitKey: []string{"", "a", "b"}[random.IntN(3)], Priority: random.IntN(3)})
		}
		w := workers[random.IntN(2)]
		switch random.IntN(8) {
		case 0, 1, 2:
			x.assign()
		case 3, 4:
			for _, it := range x.claim(w, 1+random.IntN(3)) {
				if !it.StartedAt.Equal(x.now) {
					x.Fatalf("item %d started at %s, want %s", it.ID, it.StartedAt, x.now)
				}
				starts["the queue"] = append(starts["the queue"], x.now)
				if it.LimitKey != nil {
					starts[*it.LimitKey] = append(starts[*it.LimitKey], x.now)
				}
				running[w.ID] = append(running[w.ID], it)
			}
		case 5, 6:
			for _, it := range running[w.ID] {
				end := failure(it, workqueue.Ready)
				end.Delay = 0
				if random.IntN(3) > 0 {
					end = success(it)
				}
				x.wantIDs("lost", x.finish(w, end), nil)
				if end.State == workqueue.Processed && random.IntN(2) == 0 {
					if err := Do(x.ctx, x.Store, workqueue.Delete, it.ID, ""); err != nil {
						x.Fatal(err)
					}
				}
			}
			running[w.ID] = nil
		case 7:
			if _, err := x.Store.ReleaseAssigned(x.ctx, w.ID, w.InstanceID); err != nil {
				x.Fatal(err)
			}
		}
		x.now = x.now.Add([]time.Duration{0, time.Millisecond, time.Second, 4 * time.Second, 15 * time.Second}[random.IntN(5)])
	}
	check := func(what string, times []time.Time, limit int, period time.Duration) {
		for i := limit; i < len(times); i++ {
			if first := times[i-limit]; times[i].Sub(first) < period {
				x.Errorf("%s: %d items started within %s, from %s on; want at most %d in %s", what, limit+1, times[i].Sub(first), first, limit, period)
			}
		}
	}
	for what, times := range starts {
		if !slices.IsSortedFunc(times, time.Time.Compare) {
			x.Fatalf("%s: the starts are out of order", what)
		}
		if what == "the queue" {
			check(what, times, limit, period)
		} else {
			check("key "+what, times, keyLimit, keyPeriod)
		}
	}
	// Most of the possible starts must have been used.
	if got, want := len(starts["the queue"]), limit*int(x.now.Sub(started)/period); got < want/3 {
		x.Errorf("%d of %d possible items started, want at least a third", got, want)
	}
}

func rateBegin(y *fixture) {
	x := newTimed(y)
	x.makeQueue("erp", `"RateLimit", "RatePeriodMs"`, "2, 60000")
	w := x.Worker(WorkerOpts{})
	ids := x.Items(6, ItemOpts{Queue: "erp"})
	x.wantAssigned(ids[:2]...)
	claimed := x.claim(w, 2)
	x.wantAssigned() // a pass in between does not record a start before the run begins
	x.now = x.now.Add(10 * time.Second)
	x.wantIDs("refused", x.begin(w, ref(claimed[0])), nil)
	end := success(claimed[1])
	end.Took = time.Second
	x.now = x.now.Add(20 * time.Second)
	x.wantIDs("lost", x.finish(w, end), nil) // it began 29 s after its claim
	x.now = x.now.Add(40*time.Second - time.Millisecond)
	x.wantAssigned()
	x.now = x.now.Add(time.Millisecond)
	x.wantAssigned(ids[2]) // a minute after the first began
	x.now = x.now.Add(19*time.Second - time.Millisecond)
	x.wantAssigned(ids[2])
	x.now = x.now.Add(time.Millisecond)
	x.wantAssigned(ids[2:4]...)
}

func rateReturned(y *fixture) {
	x := newTimed(y)
	x.makeQueue("erp", `"RateLimit", "RatePeriodMs"`, "2, 60000")
	w := x.Worker(WorkerOpts{})
	ids := x.Items(4, ItemOpts{Queue: "erp"})
	x.wantAssigned(ids[:2]...)
	for _, it := range x.claim(w, 2) {
		x.wantIDs("lost", x.finish(w, workqueue.Finish{ItemID: it.ID, Fence: it.Fence, State: workqueue.Ready}), nil)
	}
	x.wantAssigned(ids[:2]...)
}

func rateRepeated(y *fixture) {
	x := newTimed(y)
	x.makeQueue("erp", `"RateLimit", "RatePeriodMs"`, "1, 60000")
	w := x.Worker(WorkerOpts{})
	id := x.Item(ItemOpts{Queue: "erp"}).ID
	x.wantAssigned(id)
	x.wantIDs("lost", x.finish(w, success(x.claim(w, 1)[0])), nil)
	if err := Do(x.ctx, x.Store, workqueue.Repeat, id, ""); err != nil {
		x.Fatal(err)
	}
	x.wantAssigned()
	x.now = x.now.Add(time.Minute)
	x.wantAssigned(id)
}
