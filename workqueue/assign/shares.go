package assign

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"

	"botwork/workqueue"
	"botwork/workqueue/plan"
)

// shares decides which queue gives the next item where items of several queues with a share compete
// for slots. For each item that gets a slot, every competing queue is credited its share, and the queue
// that gives the item pays what all were credited; turn says which one gives it. So while the same queues
// compete, each is always less than one item away from its part, however many slots a pass finds free.
// Credits are kept from pass to pass, one for each kind (high, medium, low) of priorities and queue.
//
// The queues compete at the place of their most urgent item that can run. Items without a share keep the places
// that their priorities give them, and so do expedited items. Places are given away only within a
// kind, and within a queue the items keep their order.
type shares struct {
	of      map[string]int   // the share of each queue that has one
	credits map[string]int64 // by scope, as last written
	changed map[string]int64 // by scope
	met     map[string]bool  // the scopes that have competed in this plan
}

func newShares(of map[string]int, credits map[string]int64) *shares {
	return &shares{of: of, credits: credits, changed: map[string]int64{}, met: map[string]bool{}}
}

// compete reports whether any queues can compete.
func (s *shares) compete() bool { return len(s.of) > 1 }

// explain says what the queue's share is, as the end of a sentence.
func (s *shares) explain(queue string) string {
	share := s.of[queue]
	if share == 0 || !s.compete() {
		return ""
	}
	total := 0
	for _, n := range s.of {
		total += n
	}
	return fmt.Sprintf("; its queue has a share of %d, all queues with a share have %d together", share, total)
}

// kindOf names the kind of a priority.
func kindOf(priority int) string {
	switch {
	case priority > workqueue.HighPriority:
		return "high"
	case priority >= workqueue.MediumPriority:
		return "medium"
	default:
		return "low"
	}
}

// bandOf returns the priorities of a kind within a band.
func bandOf(kind string, b workqueue.Band) workqueue.Band {
	switch kind {
	case "high":
		b.Min = max(b.Min, workqueue.HighPriority+1)
	case "medium":
		b.Min, b.Max = max(b.Min, workqueue.MediumPriority), min(b.Max, workqueue.HighPriority)
	default:
		b.Max = min(b.Max, workqueue.MediumPriority-1)
	}
	return b
}

// scopeOf is the name under which a credit is kept.
func scopeOf(kind, queue string) string { return "share " + kind + " " + queue }

func (s *shares) credit(scope string) int64 {
	if c, ok := s.changed[scope]; ok {
		return c
	}
	return s.credits[scope]
}

// contender is a queue with the items that it can give, by their positions in the list.
type contender struct {
	scope string
	share int64
	items []int
}

// trial is a list of items of which a pass tries to assign as many as there are slots for.
type trial struct {
	items []plan.Item

	// queue returns the queue of an item if that has a share, else "".
	queue func(*plan.Item) string

	// further items compete, but do not open a place: more urgent items of other queues may not be
	// in the list.
	further map[int64]bool

	// could returns whether the item would get a slot now, as the most urgent one of those that are
	// left.
	could func(it *plan.Item) bool

	// try returns whether the item got a slot, at the place of an item with this priority.
	try func(it *plan.Item, place int) bool
}

func (t *trial) competes(it *plan.Item) bool {
	return !it.Expedite && it.Holder == 0 && t.queue(it) != ""
}

// each tries the items in their order, but at the place of the most urgent one of those that
// compete, the one whose turn it is.
func (s *shares) each(t *trial) {
	for i := 0; i < len(t.items); {
		if !t.competes(&t.items[i]) {
			t.try(&t.items[i], t.items[i].Priority)
			i++
			continue
		}
		// Items are sorted by priority; only expedited ones may come before.
		end, kind := i+1, kindOf(t.items[i].Priority)
		for end < len(t.items) && kindOf(t.items[end].Priority) == kind {
			end++
		}
		s.kind(t, kind, i, end)
		i = end
	}
}

// kind tries the items of a kind, which are those from first up to end.
func (s *shares) kind(t *trial, kind string, first, end int) {
	competing := s.contenders(t, kind, first, end)
	for other := first; ; {
		place := t.place(competing)
		for other < end && t.competes(&t.items[other]) {
			other++
		}
		switch {
		case other < end && (place < 0 || other < place):
			t.try(&t.items[other], t.items[other].Priority)
			other++
		case place >= 0 && !t.could(&t.items[place]):
			t.drop(competing, place)
		case place >= 0:
			s.next(t, competing, t.items[place].Priority)
		default:
			return
		}
	}
}

// place returns the position of the most urgent item that competes and is not a further one; -1
// if there is none.
func (t *trial) place(competing []*contender) int {
	place := -1
	for _, c := range competing {
		if len(c.items) > 0 && !t.further[t.items[c.items[0]].ID] && (place < 0 || c.items[0] < place) {
			place = c.items[0]
		}
	}
	return place
}

// drop removes an item that gets no slot. It opens no place: a less urgent item of another queue
// would go before items without a share that are more urgent.
func (t *trial) drop(competing []*contender, item int) {
	for _, c := range competing {
		if len(c.items) > 0 && c.items[0] == item {
			t.try(&t.items[item], t.items[item].Priority)
			c.items = c.items[1:]
			return
		}
	}
}

// contenders returns the competing queues with their items of a kind, by name.
func (s *shares) contenders(t *trial, kind string, first, end int) []*contender {
	byQueue := map[string]*contender{}
	for i := first; i < end; i++ {
		if !t.competes(&t.items[i]) {
			continue
		}
		name := t.queue(&t.items[i])
		c := byQueue[name]
		if c == nil {
			c = &contender{scope: scopeOf(kind, name), share: int64(s.of[name])}
			byQueue[name], s.met[c.scope] = c, true
		}
		c.items = append(c.items, i)
	}
	// A queue without items does not compete. What it was due before is forgotten, so that it cannot
	// starve others later.
	for name := range s.of {
		if scope := scopeOf(kind, name); !s.met[scope] && s.credit(scope) != 0 {
			s.changed[scope] = 0
		}
	}
	return slices.SortedFunc(maps.Values(byQueue), func(a, b *contender) int { return cmp.Compare(a.scope, b.scope) })
}

// next gives one place away. An item that gets no slot costs its queue nothing.
func (s *shares) next(t *trial, competing []*contender, place int) {
	for {
		var total int64
		for _, c := range competing {
			if len(c.items) > 0 {
				total += c.share
			}
		}
		first := s.turn(competing, total)
		if first == nil {
			return
		}
		got := t.try(&t.items[first.items[0]], place)
		if got {
			s.pay(competing, first, total)
		}
		first.items = first.items[1:]
		if got {
			return
		}
	}
}

// turn returns the queue that gives the next item; nil: none has any. An item of a queue may go when the
// queue's part of all items has begun to include it, which is when its credit with its share is above zero, and it
// must go before the part includes the item after it. Of the queues that may give an item it is the one that must
// do so first. An order in which all are in time exists: S. Baruah, N. Cohen, C. Plaxton and D. Varvel, Proportionate
// progress, 1996; and with one item at a time, the earliest deadline first finds it. The queue with the most credit
// first does not: now and then it leaves a queue a whole item behind. If no queue may give an item, because others came
// and went, one of all does.
func (s *shares) turn(competing []*contender, total int64) *contender {
	var first *contender
	var may bool
	for _, c := range competing {
		if len(c.items) == 0 {
			continue
		}
		credit := s.credit(c.scope)
		begun := credit+c.share > 0
		switch {
		case first == nil || begun && !may:
		case may && !begun:
			continue
		// The queue must give an item within (total - credit) / share items, the first one within this.
		case (total-credit)*first.share >= (total-s.credit(first.scope))*c.share:
			continue
		}
		first, may = c, begun
	}
	return first
}

// pay credits the competing queues and charges the one that gave an item. Credits stay within what
// all are credited at a time, whichever queues come and go.
func (s *shares) pay(all []*contender, gave *contender, total int64) {
	if total == gave.share {
		return // it has no competitor
	}
	for _, c := range all {
		if len(c.items) == 0 {
			continue
		}
		credit := s.credit(c.scope) + c.share
		if c == gave {
			credit -= total
		}
		s.changed[c.scope] = min(max(credit, -total), total)
	}
}

// assign assigns items in the order of their places; see shares. further are the ids of items that
// were read beyond the others. It calls tried for each item with whether it got a slot.
func (pl *passPlanner) assign(items []plan.Item, further map[int64]bool, tried func(it *plan.Item, ok bool)) {
	pl.assignIf(items, further, func(*plan.Item) bool { return true }, tried)
}

// assignIf is assign for the items that may be assigned when their turn comes.
func (pl *passPlanner) assignIf(items []plan.Item, further map[int64]bool, may func(it *plan.Item) bool, tried func(it *plan.Item, ok bool)) {
	try := func(it *plan.Item, place int) bool {
		ok := may(it) && pl.AssignAt(it, place)
		tried(it, ok)
		return ok
	}
	if !pl.shares.compete() {
		for i := range items {
			try(&items[i], items[i].Priority)
		}
		return
	}
	pl.shares.each(&trial{
		items: items, queue: func(it *plan.Item) string { return pl.classes.sharing[it.Class] }, further: further, try: try,
		could: func(it *plan.Item) bool {
			pl.Advance(it.Priority)
			return may(it) && !pl.Exhausted(it.Class)
		},
	})
}

// beyond returns items of queues with a share that the due items, which are not all, do not
// contain, although they compete for slots with some that these contain. Of each queue it reads at
// least as many as could get a slot now.
func (pl *passPlanner) beyond(ctx context.Context, view workqueue.AssignView, full workqueue.Full, due []workqueue.DueItem) ([]workqueue.DueItem, error) {
	if !pl.shares.compete() {
		return nil, nil
	}
	have := map[int64]bool{}
	count := map[string]map[string]int{} // by kind and queue
	for i := range due {
		it := &due[i]
		have[it.ID] = true
		if pl.shares.of[it.QueueName] == 0 {
			continue
		}
		kind := kindOf(it.Priority)
		if count[kind] == nil {
			count[kind] = map[string]int{}
		}
		count[kind][it.QueueName]++
	}
	slots := pl.FreeSlots()
	limit := max(2*slots, leastWindow)
	var further []workqueue.DueItem
	for _, kind := range slices.Sorted(maps.Keys(count)) { // in the same order each time
		for _, queue := range slices.Sorted(maps.Keys(pl.shares.of)) {
			if count[kind][queue] >= slots || slices.Contains(full.Queues, queue) {
				continue
			}
			list, err := view.DueOfQueue(ctx, queue, bandOf(kind, pl.p.Band), full, limit)
			if err != nil {
				return nil, err
			}
			for _, it := range pl.withoutByHand(list) {
				if !have[it.ID] {
					further = append(further, it)
				}
			}
		}
	}
	return further, nil
}
