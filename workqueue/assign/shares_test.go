package assign

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"testing"

	"botwork/internal/testgroup"
	"botwork/workqueue"

	"pgregory.net/rapid"
)

// shareMemory is an assignment store in memory that keeps what passes remember, and whose queues
// have shares.
type shareMemory struct {
	limitMemory
	shares map[string]int
	turns  map[string]int64
	order  []int64 // the assigned items
}

func newShareMemory(shares map[string]int, slots ...int) *shareMemory {
	m := &shareMemory{shares: shares, turns: map[string]int64{}}
	m.given, m.busy = map[int64]int64{}, map[int64]bool{}
	for i, n := range slots {
		m.loads = append(m.loads, workqueue.WorkerLoad{WorkerID: int64(i + 1), Capacity: n})
	}
	return m
}

// add adds waiting items of a queue.
func (m *shareMemory) add(queue string, n int, item workqueue.DueItem) {
	for range n {
		item.ID, item.QueueName = int64(len(m.items)+1), queue
		m.items = append(m.items, item)
	}
	slices.SortStableFunc(m.items, workqueue.CompareDue)
}

func (m *shareMemory) ReadUnlocked(ctx context.Context, read func(context.Context, workqueue.AssignView) error) error {
	return read(ctx, m)
}

func (m *shareMemory) Assign(ctx context.Context, pass func(context.Context, workqueue.AssignTx) error) error {
	return pass(ctx, m)
}

func (m *shareMemory) ReadPass(context.Context, workqueue.PassQuery) (workqueue.PassInput, error) {
	queues := map[string]workqueue.JSONText{}
	for queue, share := range m.shares {
		queues[queue] = workqueue.JSONText(fmt.Sprintf(`{"share":%d}`, share))
	}
	return workqueue.PassInput{PassState: workqueue.PassState{Passes: m.passes, Turns: maps.Clone(m.turns)}, Loads: m.loads, Distributions: queues}, nil
}

func (m *shareMemory) RecordPass(_ context.Context, s workqueue.PassState) error {
	m.passes++
	maps.Copy(m.turns, s.Turns)
	return nil
}

func (m *shareMemory) DueOfQueue(ctx context.Context, queue string, band workqueue.Band, full workqueue.Full, limit int) ([]workqueue.DueItem, error) {
	due, err := m.DueItems(ctx, band, full, len(m.items))
	due = slices.DeleteFunc(due, func(it workqueue.DueItem) bool { return it.QueueName != queue })
	return due[:min(limit, len(due))], err
}

func (m *shareMemory) Write(ctx context.Context, assignments []workqueue.Assignment) (int, error) {
	for _, a := range assignments {
		m.order = append(m.order, a.ItemID)
	}
	return m.limitMemory.Write(ctx, assignments)
}

// pass makes a pass and returns how many items of each queue have been assigned so far.
func (m *shareMemory) pass(t interface{ Fatal(...any) }) map[string]int {
	if _, err := AssignPass(context.Background(), m, AssignParams{}); err != nil {
		t.Fatal(err)
	}
	counts := map[string]int{}
	of := map[int64]string{}
	for _, it := range m.items {
		of[it.ID] = it.QueueName
	}
	for _, id := range m.order {
		counts[of[id]]++
	}
	return counts
}

// While the same queues compete, each has got its part to within less than an item after each pass,
// whatever the priorities within the kind are and however many slots are free.
func TestSharesAreExact(t *testing.T) {
	testgroup.Check(t, 25, func(t *rapid.T) {
		shares, total := map[string]int{}, 0
		for i := range rapid.IntRange(2, 8).Draw(t, "queues") {
			share := rapid.OneOf(rapid.IntRange(1, 9), rapid.IntRange(1, 1000)).Draw(t, "share")
			shares[fmt.Sprint("q", i)] = share
			total += share
		}
		m := newShareMemory(shares)
		for queue := range maps.Keys(shares) {
			m.add(queue, 200, workqueue.DueItem{Priority: rapid.SampledFrom([]int{500, 700, 1000}).Draw(t, "priority")})
		}
		for range rapid.IntRange(1, 12).Draw(t, "passes") {
			m.loads = []workqueue.WorkerLoad{
				{WorkerID: 1, Capacity: rapid.IntRange(1, 8).Draw(t, "slots")}, {WorkerID: 2, Capacity: rapid.IntRange(1, 8).Draw(t, "slots")},
			}
			counts := m.pass(t)
			for queue, share := range shares {
				if part := float64(len(m.order)) * float64(share) / float64(total); math.Abs(float64(counts[queue])-part) >= 1 {
					t.Fatalf("with the shares %v, of %d items %d are of %s, want %.2f", shares, len(m.order), counts[queue], queue, part)
				}
			}
		}
	})
}

// Over thousands of items, too, no queue is ever an item away from its part.
func TestTurnsAreExact(t *testing.T) {
	testgroup.Check(t, 25, func(t *rapid.T) {
		given := rapid.SliceOfN(rapid.OneOf(rapid.Int64Range(1, 9), rapid.Int64Range(1, 1000)), 2, 12).Draw(t, "shares")
		total := int64(0)
		var competing []*contender
		for i, share := range given {
			competing = append(competing, &contender{scope: fmt.Sprint(i), share: share, items: []int{i}})
			total += share
		}
		s, counts := newShares(nil, nil), make([]int64, len(given))
		for n := int64(1); n <= 3000; n++ {
			gave := s.turn(competing, total)
			s.pay(competing, gave, total)
			counts[gave.items[0]]++
			for i, share := range given {
				if away := counts[i]*total - n*share; away <= -total || away >= total {
					t.Fatalf("of %d items %d are of the queue with the share %d of %d", n, counts[i], share, total)
				}
			}
		}
	})
}

// With the last of these shares, to take the queue with the most credit left one a whole item behind.
func TestTurns(t *testing.T) {
	for _, c := range []struct {
		shares []int64
		want   string
	}{
		{[]int64{1, 1}, "01010101"}, {[]int64{3, 1}, "00010001"}, {[]int64{2, 1, 1}, "01020102"}, {[]int64{6, 9, 1, 6, 1, 1}, "103101321031013410310135"},
	} {
		total := int64(0)
		var competing []*contender
		for i, share := range c.shares {
			competing = append(competing, &contender{scope: fmt.Sprint(i), share: share, items: []int{i}})
			total += share
		}
		s, got := newShares(nil, nil), ""
		for range len(c.want) {
			gave := s.turn(competing, total)
			s.pay(competing, gave, total)
			got += fmt.Sprint(gave.items[0])
		}
		if got != c.want {
			t.Errorf("with the shares %v the queues give items in the order %s, want %s", c.shares, got, c.want)
		}
	}
}

func ids(m *shareMemory) (queues []string) {
	of := map[int64]string{}
	for _, it := range m.items {
		of[it.ID] = it.QueueName
	}
	for _, id := range m.order {
		queues = append(queues, of[id])
	}
	return queues
}

// Items of other queues keep the places that their priorities give them, and shares count within a
// kind only.
func TestSharesKeepOtherPlaces(t *testing.T) {
	m := newShareMemory(map[string]int{"a": 1, "b": 1}, 1)
	m.add("a", 2, workqueue.DueItem{Priority: 900})
	m.add("b", 2, workqueue.DueItem{Priority: 600})
	m.add("b", 1, workqueue.DueItem{Priority: 400}) // low
	m.add("free", 1, workqueue.DueItem{Priority: 950})
	m.add("free", 1, workqueue.DueItem{Priority: 700})
	m.add("free", 1, workqueue.DueItem{Priority: 500})
	for range 8 {
		m.pass(t)
	}
	if got, want := fmt.Sprint(ids(m)), "[free a b a free b free b]"; got != want {
		t.Errorf("got the order %s, want %s", got, want)
	}
}

// A queue without items does not save up what it was due.
func TestSharesForgetIdleQueues(t *testing.T) {
	m := newShareMemory(map[string]int{"a": 1, "b": 1}, 1)
	m.add("a", 100, workqueue.DueItem{Priority: 600})
	m.add("b", 1, workqueue.DueItem{Priority: 600})
	for range 20 {
		m.pass(t)
	}
	m.add("b", 50, workqueue.DueItem{Priority: 600})
	for range 10 {
		m.pass(t)
	}
	last := ids(m)[20:]
	if n := len(slices.DeleteFunc(last, func(q string) bool { return q == "a" })); n != 5 {
		t.Errorf("of the last 10 items %d are of b, want 5", n)
	}
}

// What a queue owed beside one with a large share does not starve it when that queue is empty.
func TestSharesForgetDebtsToEmptyQueues(t *testing.T) {
	m := newShareMemory(map[string]int{"a": 1, "b": 1, "large": 1000}, 1)
	m.add("a", 40, workqueue.DueItem{Priority: 600})
	m.add("b", 40, workqueue.DueItem{Priority: 600})
	m.add("large", 510, workqueue.DueItem{Priority: 600})
	m.loads[0].Capacity = 510
	before := m.pass(t)
	if before["a"]+before["b"] == 0 {
		t.Fatalf("got %v, want one of a or b, which then owes almost 1,000 items", before)
	}
	m.items = slices.DeleteFunc(m.items, func(it workqueue.DueItem) bool { return it.QueueName == "large" })
	m.loads[0].Capacity = 20
	after := m.pass(t)
	a, b := after["a"]-before["a"], after["b"]-before["b"]
	if a+b != 20 || a < 8 || b < 8 {
		t.Errorf("of the next 20 items %d are of a and %d of b, want almost as many of each", a, b)
	}
}

// A queue whose items fill all that a pass reads hides no other one.
func TestSharesLookBeyondTheWindow(t *testing.T) {
	for _, limited := range []bool{false, true} {
		m := newShareMemory(map[string]int{"a": 3, "b": 1}, 4)
		item := workqueue.DueItem{Priority: 900}
		if limited { // a pass under the lock
			item.Queue = "a"
		}
		m.add("a", 20*leastWindow, item)
		m.add("b", 100, workqueue.DueItem{Priority: 500})
		if counts := m.pass(t); counts["a"] != 3 || counts["b"] != 1 {
			t.Errorf("limited %t: got %v, want 3 of a and 1 of b", limited, counts)
		}
	}
}

// Slots that a queue cannot use go to the others, and cost it nothing.
func TestSharesOfQueuesThatCannotRun(t *testing.T) {
	m := newShareMemory(map[string]int{"a": 5, "b": 1, "c": 1}, 4)
	m.add("a", 10, workqueue.DueItem{Priority: 900, Selectors: `["gpu"]`}) // no worker has it
	m.add("b", 10, workqueue.DueItem{Priority: 600})
	m.add("c", 10, workqueue.DueItem{Priority: 600})
	if counts := m.pass(t); counts["a"] != 0 || counts["b"] != 2 || counts["c"] != 2 {
		t.Errorf("got %v, want 2 of b and 2 of c", counts)
	}
	m = newShareMemory(map[string]int{"a": 1, "b": 1}, 4)
	m.uses = []workqueue.LimitUse{{Queue: "a", Limits: workqueue.QueueLimits{Concurrency: 1}, Keys: map[string]workqueue.Use{}}}
	m.add("a", 10, workqueue.DueItem{Priority: 900, Queue: "a"})
	m.add("b", 10, workqueue.DueItem{Priority: 600})
	if counts := m.pass(t); counts["a"] != 1 || counts["b"] != 3 {
		t.Errorf("with a limit of 1 got %v, want 1 of a and 3 of b", counts)
	}
}

// An item that cannot run opens no place: less urgent items of other queues would go before items
// without a share.
func TestSharesOpenNoPlaceForItemsThatCannotRun(t *testing.T) {
	for _, limited := range []bool{false, true} {
		m := newShareMemory(map[string]int{"a": 1, "b": 1}, 2)
		passes, want := 2, "[free free b b]"
		if limited { // to one item in each pass
			m.uses = []workqueue.LimitUse{{Queue: "a", Limits: workqueue.QueueLimits{Concurrency: 1}, Keys: map[string]workqueue.Use{}}}
			m.add("a", 5, workqueue.DueItem{Priority: 900, Queue: "a"})
			passes, want = 1, "[a free]"
		} else {
			m.add("a", 5, workqueue.DueItem{Priority: 900, Selectors: `["gpu"]`}) // no worker has it
		}
		m.add("free", 2, workqueue.DueItem{Priority: 700})
		m.add("b", 2, workqueue.DueItem{Priority: 600})
		for range passes {
			m.pass(t)
		}
		if got := fmt.Sprint(ids(m)); got != want {
			t.Errorf("limited %t: got the order %s, want %s", limited, got, want)
		}
	}
}

// While shares count, all items go to free slots only: in advance nobody knows whose turn it will be.
// An assigned item keeps its slot, although others of its kind have a higher priority.
func TestSharesFillFreeSlots(t *testing.T) {
	m := newShareMemory(map[string]int{"a": 1, "b": 1}, 3)
	m.loads[0].Held = []workqueue.HeldWork{{Priority: 550, Count: 1, Estimate: minute}}
	m.add("a", 50, workqueue.DueItem{Priority: 600})
	m.add("free", 50, workqueue.DueItem{Priority: 900})
	if m.pass(t); len(m.order) != 2 {
		t.Errorf("got %d items for 2 slots", len(m.order))
	}
}
