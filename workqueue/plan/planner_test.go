package plan_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"botwork/workqueue/matching"
	"botwork/workqueue/plan"
)

const minute = 60_000

// give plans the items and returns the worker of each, 0 if it was not assigned.
func give(t *testing.T, p *plan.Planner, items []plan.Item) []int64 {
	t.Helper()
	got := make([]int64, len(items))
	at := map[int64]int{}
	for i := range items {
		at[items[i].ID] = i
	}
	for i := range items {
		p.Assign(&items[i])
	}
	placements, _ := p.Plan()
	for _, pl := range placements {
		got[at[pl.Item]] = pl.Worker
	}
	return got
}

func some(n, class int, estimates ...int64) []plan.Item {
	items := make([]plan.Item, n)
	for i := range items {
		items[i] = plan.Item{ID: int64(i + 1), Class: class, Estimate: estimates[i%len(estimates)]}
	}
	return items
}

func workers(slots ...int) []plan.Worker {
	list := make([]plan.Worker, len(slots))
	for i, n := range slots {
		list[i] = plan.Worker{ID: int64(i + 1), Slots: n}
	}
	return list
}

func roomy() plan.Options {
	return plan.Options{Now: 1_000_000_000_000, Horizon: math.MaxInt32, MaxPerWorker: math.MaxInt32}
}

func TestLeastLoaded(t *testing.T) {
	for _, c := range []struct {
		name      string
		workers   []plan.Worker
		held      []plan.Held
		estimates []int64
		want      []int64
	}{
		{"least summed duration", workers(1, 1), nil, []int64{10, 4, 3, 5, 1}, []int64{1, 2, 2, 2, 1}},
		{"held items count", workers(1, 1), []plan.Held{{Worker: 1, Running: true, Count: 2, Estimate: 20}}, []int64{10, 9, 5}, []int64{2, 2, 2}},
		{"a free slot goes before a smaller sum", workers(2, 2), []plan.Held{{Worker: 1, Running: true, Count: 1, Estimate: 100}}, []int64{1, 1, 1}, []int64{2, 2, 1}},
		{"sums count by slot", workers(1, 4), nil, []int64{8, 8, 8, 8, 8, 8}, []int64{1, 2, 2, 2, 2, 1}},
		{"no slots, no items", workers(0, 1), nil, []int64{1, 1}, []int64{2, 2}},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := plan.New(c.workers, c.held, nil, roomy())
			class := p.Class(plan.Class{})
			if diff := cmp.Diff(c.want, give(t, p, some(len(c.estimates), class, c.estimates...))); diff != "" {
				t.Errorf("who got the items (-want +got):\n%s", diff)
			}
		})
	}
}

// TestLongestIdle uses the published example: A 3/5 for 5 minutes, B 3/4 for 3, C 3/5 for
// 7, D 0/3 for 2. Six items at once go to the workers to which they go one by one.
func TestLongestIdle(t *testing.T) {
	o := roomy()
	list := []plan.Worker{
		{ID: 1, Slots: 5, AvailableSince: o.Now - 5*minute},
		{ID: 2, Slots: 4, AvailableSince: o.Now - 3*minute},
		{ID: 3, Slots: 5, AvailableSince: o.Now - 7*minute},
		{ID: 4, Slots: 3, AvailableSince: o.Now - 2*minute},
	}
	held := func() []plan.Held {
		var held []plan.Held
		for id := range int64(3) {
			held = append(held, plan.Held{Worker: id + 1, Running: true, Count: 3, Estimate: 3})
		}
		return held
	}
	want := []int64{4, 4, 3, 1, 4, 2}
	p := plan.New(list, held(), nil, o)
	if diff := cmp.Diff(want, give(t, p, some(6, p.Class(plan.Class{Mode: matching.LongestIdle}), 1))); diff != "" {
		t.Errorf("at once (-want +got):\n%s", diff)
	}
	var oneByOne []int64
	holds, since := held(), slices.Clone(list)
	for range want {
		o.Now++
		p := plan.New(since, holds, nil, o)
		worker := give(t, p, some(1, p.Class(plan.Class{Mode: matching.LongestIdle}), 1))[0]
		oneByOne = append(oneByOne, worker)
		holds = append(holds, plan.Held{Worker: worker, Running: true, Count: 1, Estimate: 1})
		since[worker-1].AvailableSince = o.Now
	}
	if diff := cmp.Diff(want, oneByOne); diff != "" {
		t.Errorf("one by one (-want +got):\n%s", diff)
	}
}

func TestRoundRobin(t *testing.T) {
	o := roomy()
	o.Last = map[string]int64{"": 2}
	p := plan.New(workers(4, 4, 4, 4), nil, nil, o)
	none := plan.NewSet(4)
	none.Add(0)
	none.Add(2)
	all := p.Class(plan.Class{Mode: matching.RoundRobin})
	some13 := p.Class(plan.Class{Mode: matching.RoundRobin, Eligible: none})
	other := p.Class(plan.Class{Mode: matching.RoundRobin, Scope: "queue erp"})
	items := some(8, all, 5)
	items[2].Class, items[3].Class, items[6].Class = some13, some13, other
	for i := range items {
		p.Assign(&items[i])
	}
	placements, turns := p.Plan()
	var got []int64
	for _, pl := range placements {
		got = append(got, pl.Worker)
	}
	// After worker 2: 3 and 4. Then among 1 and 3 after 4: 1, 3. Then 2, which has no
	// items yet, and 3. Another scope starts with 1; then 4.
	if diff := cmp.Diff([]int64{3, 4, 1, 3, 2, 3, 1, 4}, got); diff != "" {
		t.Errorf("turns (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(map[string]int64{"": 4, "queue erp": 1}, turns); diff != "" {
		t.Errorf("remembered (-want +got):\n%s", diff)
	}
}

// TestBestWorker uses the published example of custom scores: 200, 200 and 1. Of the two
// workers with 200, the longer idle one goes first.
func TestBestWorker(t *testing.T) {
	o := roomy()
	list := workers(2, 2, 2)
	list[0].AvailableSince, list[1].AvailableSince, list[2].AvailableSince = o.Now-1000, o.Now-2000, o.Now-9000
	p := plan.New(list, nil, nil, o)
	c := p.Class(plan.Class{Mode: matching.BestWorker, Scores: []float64{200, 200, 1}})
	if diff := cmp.Diff([]int64{2, 1, 3, 2, 1, 3, 0}, give(t, p, some(7, c, 1))); diff != "" {
		t.Errorf("who got the items (-want +got):\n%s", diff)
	}
	o.MaxPerWorker = 1
	p = plan.New(list, nil, nil, o)
	c = p.Class(plan.Class{Mode: matching.BestWorker, Scores: []float64{200, 200, 1}})
	if diff := cmp.Diff([]int64{2, 1, 3, 0}, give(t, p, some(4, c, 1))); diff != "" {
		t.Errorf("the worst gets the remaining items (-want +got):\n%s", diff)
	}
}

// TestCapacity uses the published examples of capacity. The horizon allows only items
// that can start now.
func TestCapacity(t *testing.T) {
	type channels = map[string]plan.Channel
	for _, c := range []struct {
		name  string
		slots int
		takes channels
		items string // v voice, c chat, e email, . no channel
		got   string // y or n for each
	}{
		{"one voice", 100, channels{"v": {Cost: 100}, "c": {Cost: 20}}, "vcv", "ynn"},
		{"five chats, then no voice", 100, channels{"v": {Cost: 100}, "c": {Cost: 20}}, "cccccvc", "yyyyynn"},
		{"one voice, two chats, two mails", 100, channels{"v": {Cost: 60}, "c": {Cost: 10, Max: 2}, "e": {Cost: 10, Max: 2}}, "vcccee.", "yyynyyn"},
		{"voice always fits", 100, channels{"v": {Cost: 60}, "c": {Cost: 10, Max: 2}, "e": {Cost: 10, Max: 2}}, "cccceeeev", "yynnyynny"},
		{"one voice or two chats", 2, channels{"v": {Cost: 2}, "c": {Cost: 1}}, "vc", "yn"},
		{"two chats", 2, channels{"v": {Cost: 2}, "c": {Cost: 1}}, "ccv", "yyn"},
		{"a channel that can never fit", 10, channels{"v": {Cost: 11}}, "v.", "ny"},
		{"a channel that the worker does not list", 10, channels{"v": {Cost: 1}}, "cv", "ny"},
		{"a worker without channels runs all at cost 1", 2, nil, "vc.", "yyn"},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := roomy()
			o.Horizon = 1
			p := plan.New([]plan.Worker{{ID: 1, Slots: c.slots, Channels: c.takes}}, nil, nil, o)
			classes := map[string]int{".": p.Class(plan.Class{})}
			for _, name := range []string{"v", "c", "e"} {
				classes[name] = p.Class(plan.Class{Channel: name})
			}
			items := some(len(c.items), 0, 5*minute)
			for i, sign := range c.items {
				items[i].Class = classes[string(sign)]
			}
			got := ""
			for _, worker := range give(t, p, items) {
				got += map[int64]string{0: "n", 1: "y"}[worker]
			}
			if got != c.got {
				t.Errorf("%s: %s, want %s", c.items, got, c.got)
			}
		})
	}
}

// TestIdle checks that only a worker that held nothing before the pass gets items: neither an
// assigned item nor a running one, of whatever priority, nor one that the pass could move.
func TestIdle(t *testing.T) {
	o := roomy()
	o.Idle = true
	held := []plan.Held{
		{Worker: 1, Priority: -700, Count: 1, Estimate: 1},
		{Worker: 2, Priority: 1200, Running: true, Count: 1, Estimate: 1},
	}
	movable := []plan.Held{{Worker: 3, Priority: 100, Count: 1, Estimate: 1}}
	p := plan.New(workers(2, 2, 2, 1), held, movable, o)
	c := p.Class(plan.Class{})
	items := some(3, c, 100)
	for i, priority := range []int{2000, 1000, -5} {
		items[i].Priority, items[i].Expedite = priority, i == 0
	}
	if diff := cmp.Diff([]int64{4, 4, 4}, give(t, p, items)); diff != "" {
		t.Errorf("who got the items (-want +got):\n%s", diff)
	}
	o.Asks = 2
	p = plan.New(workers(2, 2), held, nil, o)
	if diff := cmp.Diff([]int64{2}, give(t, p, some(1, p.Class(plan.Class{}), 1))); diff != "" {
		t.Errorf("who got the item that worker 2 asked for (-want +got):\n%s", diff)
	}
}

// TestUrgentItemsCountItemsAhead: assigned medium items wait behind an urgent item and do
// not count for it; running items do.
func TestUrgentItemsCountItemsAhead(t *testing.T) {
	held := []plan.Held{
		{Worker: 1, Priority: 700, Count: 60, Estimate: 60 * minute},
		{Worker: 2, Priority: 700, Running: true, Count: 1, Estimate: 2 * minute},
	}
	o := roomy()
	o.Horizon = 5 * minute
	p := plan.New(workers(1, 1), held, nil, o)
	c := p.Class(plan.Class{})
	items := some(3, c, minute)
	items[0].Priority, items[1].Priority, items[2].Priority = 2000, 700, 700
	if diff := cmp.Diff([]int64{1, 2, 2}, give(t, p, items)); diff != "" {
		t.Errorf("who got the items (-want +got):\n%s", diff)
	}
}

// TestLongItemDoesNotBlockOtherSlots checks that a long item uses one slot and not the
// shares of the others.
func TestLongItemDoesNotBlockOtherSlots(t *testing.T) {
	o := roomy()
	o.Horizon = 5 * minute
	p := plan.New(workers(4), []plan.Held{{Worker: 1, Running: true, Count: 1, Estimate: 60 * 24 * 365 * 1000 * minute}}, nil, o)
	got := 0
	for _, worker := range give(t, p, some(40, p.Class(plan.Class{}), minute)) {
		if worker == 1 {
			got++
		}
	}
	if got != 15 {
		t.Errorf("%d items of a minute, want 15: five for each of three slots", got)
	}
}

func TestReassignedItems(t *testing.T) {
	o := roomy()
	o.Margin = 10_000
	items := some(6, 0, minute)
	for i := range items {
		items[i].Holder = 1
	}
	p := plan.New(workers(1, 1), nil, nil, o)
	p.Class(plan.Class{})
	if diff := cmp.Diff([]int64{0, 2, 0, 2, 0, 2}, give(t, p, items)); diff != "" {
		t.Errorf("moved (-want +got):\n%s", diff)
	}
	o.Margin = 5 * minute
	p = plan.New(workers(1, 1), nil, nil, o)
	p.Class(plan.Class{})
	if diff := cmp.Diff([]int64{0, 0, 0, 0, 0, 0}, give(t, p, items)); diff != "" {
		t.Errorf("moved for less than the margin (-want +got):\n%s", diff)
	}
	// Its worker no longer exists, or its selectors have changed: it is assigned to any
	// other worker.
	p = plan.New(workers(0, 1)[1:], nil, nil, o)
	p.Class(plan.Class{})
	if got := give(t, p, items[:1]); got[0] != 2 {
		t.Errorf("moved from a missing worker to %d, want 2", got[0])
	}
}

func TestSort(t *testing.T) {
	p := plan.New(workers(1), nil, nil, roomy())
	least := p.Class(plan.Class{})
	other := p.Class(plan.Class{Mode: matching.RoundRobin})
	items := []plan.Item{
		{ID: 9, Priority: 1, Expedite: true},
		{ID: 1, Priority: 1, Due: 700, Estimate: 5},
		{ID: 2, Priority: 1, Due: 800, Estimate: 6},
		{ID: 3, Priority: 1, Due: 100, Estimate: 1},
		{ID: 4, Priority: 1, Deadline: 99},
		{ID: 5, Priority: 1, Deadline: 98, Class: other},
		{ID: 6, Priority: 2, Due: 999, Estimate: 1},
		{ID: 7, Priority: 1, Due: 700, Estimate: 9, Class: other},
		{ID: 8, Priority: 1, Due: 701, Estimate: 9, Class: least},
	}
	p.Sort(items, 600)
	var got []int64
	for _, it := range items {
		got = append(got, it.ID)
	}
	if diff := cmp.Diff([]int64{9, 6, 5, 4, 3, 8, 2, 1, 7}, got); diff != "" {
		t.Errorf("order (-want +got):\n%s", diff)
	}
	// Later pages have only items of this priority, because more urgent items were
	// already assigned.
	for i := range items {
		p.Assign(&items[i])
	}
	p.Sort(items, 600)
	if items[0].ID != 6 || items[1].ID != 9 {
		t.Errorf("in a later page %d and %d are first, want 6 and 9", items[0].ID, items[1].ID)
	}
}

// TestRunOrder checks that items on one slot are in order of their ids, regardless of
// which was placed first. RunOrder puts expedited items and deadlines first and can be
// compared between passes.
func TestRunOrder(t *testing.T) {
	o := roomy()
	p := plan.New(workers(1), nil, nil, o)
	c := p.Class(plan.Class{})
	items := []plan.Item{
		{ID: 1, Estimate: 10, Class: c}, {ID: 2, Estimate: 30, Class: c}, {ID: 3, Estimate: 20, Class: c},
		{ID: 4, Estimate: 20, Class: c, Deadline: o.Now + 7}, {ID: 5, Estimate: 20, Class: c, Deadline: o.Now + 6}, {ID: 6, Estimate: 20, Class: c, Expedite: true},
	}
	p.Sort(items, minute)
	for i := range items {
		if !p.Assign(&items[i]) {
			t.Fatalf("item %d was not assigned", items[i].ID)
		}
	}
	placements, _ := p.Plan()
	slices.SortFunc(placements, func(a, b plan.Placement) int {
		if a.RunOrder < b.RunOrder {
			return -1
		}
		return 1
	})
	var got []string
	for _, pl := range placements {
		got = append(got, fmt.Sprintf("%d at %d", pl.Item, pl.Start-o.Now))
	}
	want := []string{"6 at 0", "5 at 20", "4 at 40", "1 at 60", "2 at 70", "3 at 100"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("order (-want +got):\n%s", diff)
	}
}

// TestReservedSlots checks that reserved slots are only used for high items.
func TestReservedSlots(t *testing.T) {
	o := roomy()
	o.Horizon, o.High = 1, 1000 // only items that can start now
	list := []plan.Worker{{ID: 1, Slots: 4, Reserved: 2, Channels: map[string]plan.Channel{"v": {Cost: 2}, "w": {Cost: 3}}}}
	p := plan.New(list, []plan.Held{{Worker: 1, Priority: 700, Running: true, Count: 1, Estimate: 9}}, nil, o)
	plain, voice, wide := p.Class(plan.Class{}), p.Class(plan.Class{Channel: "v"}), p.Class(plan.Class{Channel: "w"})
	items := some(6, plain, minute)
	for i, priority := range []int{1001, 1000, 1000, 500, 500, 500} {
		items[i].Priority = priority
	}
	items[1].Class, items[2].Class = voice, wide
	// The high item uses one of the three free slots. Then two are free, and both are
	// reserved.
	if diff := cmp.Diff([]int64{1, 0, 0, 0, 0, 0}, give(t, p, items)); diff != "" {
		t.Errorf("who got the items (-want +got):\n%s", diff)
	}
	p = plan.New(list, nil, nil, o)
	p.Class(plan.Class{})
	p.Class(plan.Class{Channel: "v"})
	p.Class(plan.Class{Channel: "w"})
	items = some(4, plain, minute)
	items[0].Class, items[1].Class = wide, voice
	if diff := cmp.Diff([]int64{0, 1, 0, 0}, give(t, p, items)); diff != "" {
		t.Errorf("who got the items (-want +got):\n%s", diff)
	}
}
