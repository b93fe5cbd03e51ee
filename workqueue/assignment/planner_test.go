package assignment_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"botwork/workqueue/assignment"
	"botwork/workqueue/matching"
)

const minute = 60_000

// plan gives the items to the workers and tells who got each, 0 for nobody.
func plan(t *testing.T, p *assignment.Planner, items []assignment.Item) []int64 {
	t.Helper()
	got := make([]int64, len(items))
	at := map[int64]int{}
	for i := range items {
		at[items[i].ID] = i
	}
	for i := range items {
		p.Give(&items[i])
	}
	placements, _ := p.Plan()
	for _, pl := range placements {
		got[at[pl.Item]] = pl.Worker
	}
	return got
}

func some(n, class int, estimates ...int64) []assignment.Item {
	items := make([]assignment.Item, n)
	for i := range items {
		items[i] = assignment.Item{ID: int64(i + 1), Class: class, Estimate: estimates[i%len(estimates)]}
	}
	return items
}

func workers(slots ...int) []assignment.Worker {
	list := make([]assignment.Worker, len(slots))
	for i, n := range slots {
		list[i] = assignment.Worker{ID: int64(i + 1), Slots: n}
	}
	return list
}

func roomy() assignment.Options {
	return assignment.Options{Now: 1_000_000_000_000, Horizon: math.MaxInt32, MaxPerWorker: math.MaxInt32}
}

func TestLeastLoaded(t *testing.T) {
	for _, c := range []struct {
		name      string
		workers   []assignment.Worker
		held      []assignment.Held
		estimates []int64
		want      []int64
	}{
		{"each to the least summed duration", workers(1, 1), nil, []int64{10, 4, 3, 5, 1}, []int64{1, 2, 2, 2, 1}},
		{"what is held counts", workers(1, 1), []assignment.Held{{Worker: 1, Running: true, Count: 2, Estimate: 20}}, []int64{10, 9, 5}, []int64{2, 2, 2}},
		{"a free slot goes before a smaller sum", workers(2, 2), []assignment.Held{{Worker: 1, Running: true, Count: 1, Estimate: 100}}, []int64{1, 1, 1}, []int64{2, 2, 1}},
		{"sums count by slot", workers(1, 4), nil, []int64{8, 8, 8, 8, 8, 8}, []int64{1, 2, 2, 2, 2, 1}},
		{"no slots, nothing", workers(0, 1), nil, []int64{1, 1}, []int64{2, 2}},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := assignment.New(c.workers, c.held, nil, roomy())
			class := p.Class(assignment.Class{})
			if diff := cmp.Diff(c.want, plan(t, p, some(len(c.estimates), class, c.estimates...))); diff != "" {
				t.Errorf("who got the items (-want +got):\n%s", diff)
			}
		})
	}
}

// The published example: A 3/5 for 5 minutes, B 3/4 for 3, C 3/5 for 7, D 0/3 for 2.
func TestLongestIdle(t *testing.T) {
	o := roomy()
	o.MaxPerWorker = 4 // each takes one more
	list := []assignment.Worker{
		{ID: 1, Slots: 5, AvailableSince: o.Now - 5*minute},
		{ID: 2, Slots: 4, AvailableSince: o.Now - 3*minute},
		{ID: 3, Slots: 5, AvailableSince: o.Now - 7*minute},
		{ID: 4, Slots: 3, AvailableSince: o.Now - 2*minute},
	}
	var held []assignment.Held
	for id := range int64(3) {
		held = append(held, assignment.Held{Worker: id + 1, Running: true, Count: 3, Estimate: 3})
	}
	var order []int64
	for len(list) > 0 { // the next best without those that came before
		p := assignment.New(list, held, nil, o)
		got := plan(t, p, some(1, p.Class(assignment.Class{Mode: matching.LongestIdle}), 1))
		order = append(order, got[0])
		list = slices.DeleteFunc(list, func(w assignment.Worker) bool { return w.ID == got[0] })
	}
	if diff := cmp.Diff([]int64{4, 3, 1, 2}, order); diff != "" {
		t.Errorf("order (-want +got):\n%s", diff)
	}
	p := assignment.New(workers(2, 2), nil, nil, o)
	if diff := cmp.Diff([]int64{1, 2, 1, 2}, plan(t, p, some(4, p.Class(assignment.Class{Mode: matching.LongestIdle}), 1))); diff != "" {
		t.Errorf("who is given an item waits longest for the next (-want +got):\n%s", diff)
	}
}

func TestRoundRobin(t *testing.T) {
	o := roomy()
	o.Last = map[string]int64{"": 2}
	p := assignment.New(workers(4, 4, 4, 4), nil, nil, o)
	none := assignment.NewSet(4)
	none.Add(0)
	none.Add(2)
	all := p.Class(assignment.Class{Mode: matching.RoundRobin})
	some13 := p.Class(assignment.Class{Mode: matching.RoundRobin, Eligible: none})
	other := p.Class(assignment.Class{Mode: matching.RoundRobin, Scope: "queue erp"})
	items := some(8, all, 5)
	items[2].Class, items[3].Class, items[6].Class = some13, some13, other
	for i := range items {
		p.Give(&items[i])
	}
	placements, turns := p.Plan()
	var got []int64
	for _, pl := range placements {
		got = append(got, pl.Worker)
	}
	// After worker 2: 3, 4, then among 1 and 3 after 4: 1, 3, then 2, which has nothing yet, and 3; another scope begins
	// with 1; then 4.
	if diff := cmp.Diff([]int64{3, 4, 1, 3, 2, 3, 1, 4}, got); diff != "" {
		t.Errorf("turns (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(map[string]int64{"": 4, "queue erp": 1}, turns); diff != "" {
		t.Errorf("remembered (-want +got):\n%s", diff)
	}
}

// The published example of custom scores: 200, 200 and 1; of the two 200s the longer idle goes first.
func TestBestWorker(t *testing.T) {
	o := roomy()
	list := workers(2, 2, 2)
	list[0].AvailableSince, list[1].AvailableSince, list[2].AvailableSince = o.Now-1000, o.Now-2000, o.Now-9000
	p := assignment.New(list, nil, nil, o)
	c := p.Class(assignment.Class{Mode: matching.BestWorker, Scores: []float64{200, 200, 1}})
	if diff := cmp.Diff([]int64{2, 1, 3, 2, 1, 3, 0}, plan(t, p, some(7, c, 1))); diff != "" {
		t.Errorf("who got the items (-want +got):\n%s", diff)
	}
	o.MaxPerWorker = 1
	p = assignment.New(list, nil, nil, o)
	c = p.Class(assignment.Class{Mode: matching.BestWorker, Scores: []float64{200, 200, 1}})
	if diff := cmp.Diff([]int64{2, 1, 3, 0}, plan(t, p, some(4, c, 1))); diff != "" {
		t.Errorf("the worst gets what is left (-want +got):\n%s", diff)
	}
}

// The published examples of capacity, with a horizon that gives only what can start at once.
func TestCapacity(t *testing.T) {
	type channels = map[string]assignment.Channel
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
		{"a worker without channels takes all at 1", 2, nil, "vc.", "yyn"},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := roomy()
			o.Horizon = 1
			p := assignment.New([]assignment.Worker{{ID: 1, Slots: c.slots, Channels: c.takes}}, nil, nil, o)
			classes := map[string]int{".": p.Class(assignment.Class{})}
			for _, name := range []string{"v", "c", "e"} {
				classes[name] = p.Class(assignment.Class{Channel: name})
			}
			items := some(len(c.items), 0, 5*minute)
			for i, sign := range c.items {
				items[i].Class = classes[string(sign)]
			}
			got := ""
			for _, worker := range plan(t, p, items) {
				got += map[int64]string{0: "n", 1: "y"}[worker]
			}
			if got != c.got {
				t.Errorf("%s: %s, want %s", c.items, got, c.got)
			}
		})
	}
}

// A worker that holds medium work gets high items, and none of its own band.
func TestLevels(t *testing.T) {
	o := roomy()
	o.Levels = []int{1001, 500}
	held := []assignment.Held{
		{Worker: 1, Priority: 700, Count: 1, Estimate: 1},
		{Worker: 2, Priority: 1200, Running: true, Count: 1, Estimate: 1},
		{Worker: 3, Priority: 100, Running: true, Count: 1, Estimate: 1},
	}
	p := assignment.New(workers(1, 1, 1), held, nil, o)
	c := p.Class(assignment.Class{})
	items := some(6, c, 100)
	for i, priority := range []int{2000, 1001, 1000, 500, 499, -5} {
		items[i].Priority = priority
	}
	// 1 is first by its id, then 3, which has a low item to end, in turn; below 1001 only 3 is idle, below 500 nobody.
	if diff := cmp.Diff([]int64{1, 3, 3, 3, 0, 0}, plan(t, p, items)); diff != "" {
		t.Errorf("who got the items (-want +got):\n%s", diff)
	}
}

// Medium work that is assigned stands behind an urgent item and does not count for it; what runs does.
func TestUrgentWorkSeesWhatIsAheadOfIt(t *testing.T) {
	held := []assignment.Held{
		{Worker: 1, Priority: 700, Count: 60, Estimate: 60 * minute},
		{Worker: 2, Priority: 700, Running: true, Count: 1, Estimate: 2 * minute},
	}
	o := roomy()
	o.Horizon = 5 * minute
	p := assignment.New(workers(1, 1), held, nil, o)
	c := p.Class(assignment.Class{})
	items := some(3, c, minute)
	items[0].Priority, items[1].Priority, items[2].Priority = 2000, 700, 700
	if diff := cmp.Diff([]int64{1, 2, 2}, plan(t, p, items)); diff != "" {
		t.Errorf("who got the items (-want +got):\n%s", diff)
	}
}

// A long item takes up one slot, not the others' work.
func TestALongItemLeavesTheOtherSlotsOpen(t *testing.T) {
	o := roomy()
	o.Horizon = 5 * minute
	p := assignment.New(workers(4), []assignment.Held{{Worker: 1, Running: true, Count: 1, Estimate: 60 * 24 * 365 * 1000 * minute}}, nil, o)
	got := 0
	for _, worker := range plan(t, p, some(40, p.Class(assignment.Class{}), minute)) {
		if worker == 1 {
			got++
		}
	}
	if got != 15 {
		t.Errorf("%d items of a minute, want 15: five for each of three slots", got)
	}
}

func TestTakenBack(t *testing.T) {
	o := roomy()
	o.Margin = 10_000
	items := some(6, 0, minute)
	for i := range items {
		items[i].Holder = 1
	}
	p := assignment.New(workers(1, 1), nil, nil, o)
	p.Class(assignment.Class{})
	if diff := cmp.Diff([]int64{0, 2, 0, 2, 0, 2}, plan(t, p, items)); diff != "" {
		t.Errorf("moved (-want +got):\n%s", diff)
	}
	o.Margin = 5 * minute
	p = assignment.New(workers(1, 1), nil, nil, o)
	p.Class(assignment.Class{})
	if diff := cmp.Diff([]int64{0, 0, 0, 0, 0, 0}, plan(t, p, items)); diff != "" {
		t.Errorf("moved for less than the margin (-want +got):\n%s", diff)
	}
	// Its worker is gone, or its selectors changed: it goes wherever it can.
	p = assignment.New(workers(0, 1)[1:], nil, nil, o)
	p.Class(assignment.Class{})
	if got := plan(t, p, items[:1]); got[0] != 2 {
		t.Errorf("moved from nobody to %d, want 2", got[0])
	}
}

func TestSort(t *testing.T) {
	p := assignment.New(workers(1), nil, nil, roomy())
	least := p.Class(assignment.Class{})
	other := p.Class(assignment.Class{Mode: matching.RoundRobin})
	items := []assignment.Item{
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
	// What comes in a later page is one of its priority: more urgent items have been given.
	for i := range items {
		p.Give(&items[i])
	}
	p.Sort(items, 600)
	if items[0].ID != 6 || items[1].ID != 9 {
		t.Errorf("in a later page %d and %d are first, want 6 and 9", items[0].ID, items[1].ID)
	}
}

// On one slot the order is that of the ids, whatever was placed first; RunOrder puts
// expedited items and deadlines first, and can be compared between passes.
func TestRunOrder(t *testing.T) {
	o := roomy()
	p := assignment.New(workers(1), nil, nil, o)
	c := p.Class(assignment.Class{})
	items := []assignment.Item{
		{ID: 1, Estimate: 10, Class: c}, {ID: 2, Estimate: 30, Class: c}, {ID: 3, Estimate: 20, Class: c},
		{ID: 4, Estimate: 20, Class: c, Deadline: o.Now + 7}, {ID: 5, Estimate: 20, Class: c, Deadline: o.Now + 6}, {ID: 6, Estimate: 20, Class: c, Expedite: true},
	}
	p.Sort(items, minute)
	for i := range items {
		if !p.Give(&items[i]) {
			t.Fatalf("item %d found no place", items[i].ID)
		}
	}
	placements, _ := p.Plan()
	slices.SortFunc(placements, func(a, b assignment.Placement) int {
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

// Reserved slots are for high items; the others plan without them.
func TestReservedSlots(t *testing.T) {
	o := roomy()
	o.Horizon, o.High = 1, 1000 // what can start at once
	list := []assignment.Worker{{ID: 1, Slots: 4, Reserved: 2, Channels: map[string]assignment.Channel{"v": {Cost: 2}, "w": {Cost: 3}}}}
	p := assignment.New(list, []assignment.Held{{Worker: 1, Priority: 700, Running: true, Count: 1, Estimate: 9}}, nil, o)
	plain, voice, wide := p.Class(assignment.Class{}), p.Class(assignment.Class{Channel: "v"}), p.Class(assignment.Class{Channel: "w"})
	items := some(6, plain, minute)
	for i, priority := range []int{1001, 1000, 1000, 500, 500, 500} {
		items[i].Priority = priority
	}
	items[1].Class, items[2].Class = voice, wide
	// The high item takes one of the three free slots; then two are free, and both are kept.
	if diff := cmp.Diff([]int64{1, 0, 0, 0, 0, 0}, plan(t, p, items)); diff != "" {
		t.Errorf("who got the items (-want +got):\n%s", diff)
	}
	p = assignment.New(list, nil, nil, o)
	p.Class(assignment.Class{})
	p.Class(assignment.Class{Channel: "v"})
	p.Class(assignment.Class{Channel: "w"})
	items = some(4, plain, minute)
	items[0].Class, items[1].Class = wide, voice
	if diff := cmp.Diff([]int64{0, 1, 0, 0}, plan(t, p, items)); diff != "" {
		t.Errorf("who got the items (-want +got):\n%s", diff)
	}
}
