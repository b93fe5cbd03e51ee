package storetest

import (
	"strings"
	"sync"
	"testing"
	"time"

	"botwork/workqueue"
)

func claimTests() []test {
	return []test{
		{"the fields of a claimed item", claimFields},
		{"in order of priority and id, up to the limit", claimOrder},
		{"expedited items first, regardless of priority", claimExpedited},
		{"bands include both ends", claimBands},
		{"up to the allowed amount of waiting work and bytes", claimBounds},
		{"no items of full channels", claimFullChannels},
		{"large texts up to the limit of the queue", claimLarge},
		{"the fence grows with every claim", claimFence},
		{"another worker claims nothing", claimNothing},
		{"concurrent claimers get each item once", claimContention},
	}
}

func claimFields(x *fixture) {
	w := x.Worker(WorkerOpts{})
	before := x.Item(ItemOpts{State: workqueue.Assigned, Worker: w, Payload: `{"a": 1}`, Policy: `{"limit": 2}`})
	got := x.claim(w, 10)
	if len(got) != 1 {
		x.Fatalf("claimed %v, want item %d", idsOf(got), before.ID)
	}
	x.wantClean("StartedAt", got[0].StartedAt)
	x.wantClean("LeaseExpiresAt", got[0].LeaseExpiresAt)
	want := before
	want.State, want.Fence, want.StartedAt, want.FirstStartedAt = workqueue.Blocked, before.Fence+1, got[0].StartedAt, got[0].StartedAt
	want.Lifecycle, want.Version = workqueue.LifeActive, before.Version+1
	ends := got[0].StartedAt.Add(leaseTime)
	want.LeaseExpiresAt = &ends
	if asJSON(got[0]) != asJSON(want) {
		x.Errorf("the claimed item is\n     %s\nwant %s", asJSON(got[0]), asJSON(want))
	}
	x.wantSame(got[0]) // Claim returns what the database has
}

func claimOrder(x *fixture) {
	w := x.Worker(WorkerOpts{})
	low := x.Items(2, ItemOpts{State: workqueue.Assigned, Worker: w, Priority: 10})
	high := x.Items(3, ItemOpts{State: workqueue.Assigned, Worker: w, Priority: 30})
	middle := x.Items(1, ItemOpts{State: workqueue.Assigned, Worker: w, Priority: 20})
	x.wantIDs("claim of none", idsOf(x.claim(w, 0)), []int64{})
	x.wantIDs("the first claim", idsOf(x.claim(w, 2)), high[:2])
	x.wantIDs("the second claim", idsOf(x.claim(w, 3)), []int64{high[2], middle[0], low[0]})
	x.wantIDs("the third claim", idsOf(x.claim(w, 3)), low[1:])
	x.wantIDs("the last claim", idsOf(x.claim(w, 3)), []int64{})
}

// Items that begin at once are claimed regardless of their estimates. Of the others, only
// as many are claimed as can start soon and fit into memory.
func claimBounds(x *fixture) {
	w := x.Worker(WorkerOpts{})
	assign := func(estimate time.Duration, payload workqueue.JSONText) int64 {
		id := x.Item(ItemOpts{Payload: payload}).ID
		x.write(workqueue.Assignment{ItemID: id, WorkerID: w.ID, RunOrder: id, Estimate: estimate})
		return id
	}
	claim := func(p workqueue.ClaimParams) []int64 {
		p.WorkerID, p.InstanceID, p.Band, p.Lease = w.ID, w.InstanceID, workqueue.EveryPriority, leaseTime
		items, err := x.Store.Claim(x.Context(), p)
		if err != nil {
			x.Fatal(err)
		}
		return idsOf(items)
	}
	var ids []int64
	for range 3 {
		ids = append(ids, assign(time.Second, "1"))
	}
	ids = append(ids, assign(0, "1"), assign(time.Second, "1"))
	x.wantIDs("a claim of items that begin at once", claim(workqueue.ClaimParams{Max: 5, Begin: 2, Work: time.Millisecond}), ids[:2])
	x.wantIDs("a claim of at most a second of waiting work", claim(workqueue.ClaimParams{Max: 5, Work: time.Second}), ids[2:5])

	large := workqueue.JSONText(`"` + strings.Repeat("x", 1000) + `"`)
	ids = []int64{assign(0, large), assign(0, large), assign(0, large), assign(0, "1")}
	x.wantIDs("a claim of at most 1,500 waiting bytes", claim(workqueue.ClaimParams{Max: 5, Bytes: 1500}), ids[:2])
	x.wantIDs("a claim without limits", claim(workqueue.ClaimParams{Max: 5}), ids[2:])
}

func claimFullChannels(x *fixture) {
	w := x.Worker(WorkerOpts{})
	var ids []int64
	for _, channel := range []string{"voice", "chat", "", "it's \"mail\""} {
		id := x.Item(ItemOpts{}).ID
		x.write(workqueue.Assignment{ItemID: id, WorkerID: w.ID, RunOrder: id, Channel: channel})
		ids = append(ids, id)
	}
	claim := func(full ...string) []int64 {
		items, err := x.Store.Claim(x.Context(), workqueue.ClaimParams{
			WorkerID: w.ID, InstanceID: w.InstanceID, Band: workqueue.EveryPriority, Max: 10, Lease: leaseTime, FullChannels: full,
		})
		if err != nil {
			x.Fatal(err)
		}
		return idsOf(items)
	}
	x.wantIDs("without voice and mail", claim("voice", "it's \"mail\""), ids[1:3])
	x.wantIDs("without voice and chat", claim("voice", "chat"), ids[3:])
	x.wantIDs("all", claim(), ids[:1])
}

func claimBands(x *fixture) {
	w := x.Worker(WorkerOpts{})
	ids := map[int]int64{}
	for _, p := range []int{499, 500, 1000, 1001} {
		ids[p] = x.Item(ItemOpts{State: workqueue.Assigned, Worker: w, Priority: p}).ID
	}
	for _, c := range []struct {
		band workqueue.Band
		want []int64
	}{
		{workqueue.Band{Min: 1000, Max: 999}, []int64{}},
		{highBand, []int64{ids[1001]}},
		{mediumBand, []int64{ids[1000], ids[500]}},
		{lowBand, []int64{ids[499]}},
	} {
		p := claimParams(w, 10)
		p.Band = c.band
		items, err := x.Store.Claim(x.ctx, p)
		if err != nil {
			x.Error(err)
		}
		x.wantIDs("claim of "+c.band.String(), idsOf(items), c.want)
	}
}

func claimFence(x *fixture) {
	w := x.Worker(WorkerOpts{})
	it := x.Item(ItemOpts{})
	for fence := int64(1); fence <= 3; fence++ {
		x.Assign(w, it.ID)
		got := x.claim(w, 1)
		if len(got) != 1 || got[0].Fence != fence {
			x.Fatalf("claimed %s, want fence %d", asJSON(got), fence)
		}
		x.finish(w, workqueue.Finish{ItemID: it.ID, Fence: fence, State: workqueue.Ready})
	}
}

func claimNothing(x *fixture) {
	holder := x.Worker(WorkerOpts{})
	it := x.Item(ItemOpts{State: workqueue.Assigned, Worker: holder})
	other := x.Worker(WorkerOpts{})
	earlier := holder
	earlier.InstanceID = "the instance before"
	x.wantIDs("claim by another worker", idsOf(x.claim(other, 10)), []int64{})
	x.wantIDs("claim by an earlier instance", idsOf(x.claim(earlier, 10)), []int64{})
	x.wantIDs("claim by an unknown worker", idsOf(x.claim(workqueue.Worker{ID: 4711, InstanceID: "x"}, 10)), []int64{})
	x.wantSame(it)
	if err := x.Store.DrainWorker(x.ctx, holder.Name, ""); err != nil {
		x.Fatal(err)
	}
	x.wantIDs("claim by a draining worker", idsOf(x.claim(holder, 10)), []int64{})
	x.exec(1, `UPDATE "BotWorkers" SET "State" = 'stopped' WHERE "Id" = %d`, holder.ID)
	x.wantIDs("claim by a stopped worker", idsOf(x.claim(holder, 10)), []int64{})
	x.wantSame(it)
}

func claimContention(x *fixture) {
	const claimers, each = 8, 400
	w := x.Worker(WorkerOpts{})
	x.Items(claimers*each, ItemOpts{State: workqueue.Assigned, Worker: w})
	stores := []Store{x.Store, x.Another(x.T), x.Another(x.T), x.Another(x.T)}
	var mu sync.Mutex
	seen := map[int64]int{}
	var wg sync.WaitGroup
	for n := range claimers {
		wg.Go(func() {
			for {
				items, err := stores[n%len(stores)].Claim(x.ctx, claimParams(w, 23))
				if err != nil {
					x.Error(err)
					return
				}
				mu.Lock()
				for _, it := range items {
					seen[it.ID]++
					if it.Fence != 1 || it.State != workqueue.Blocked {
						x.Errorf("item %d was claimed with fence %d in state %s", it.ID, it.Fence, it.State)
					}
				}
				mu.Unlock()
				if len(items) == 0 {
					return
				}
			}
		})
	}
	wg.Wait()
	checkOnce(x.T, seen, claimers*each)
	// A claim may return nothing while other claimers lock the remaining items. When
	// all claimers have ended, no item may remain.
	x.wantIDs("a last claim", idsOf(x.claim(w, 10)), []int64{})
}

// checkOnce checks that n items were seen, each of them once.
func checkOnce(t *testing.T, seen map[int64]int, n int) {
	t.Helper()
	if len(seen) != n {
		t.Errorf("%d different items were seen, want %d", len(seen), n)
	}
	for id, times := range seen {
		if times != 1 {
			t.Errorf("item %d was seen %d times", id, times)
		}
	}
}
