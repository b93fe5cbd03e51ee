package plan

import (
	"cmp"
	"math"
	"slices"

	"botwork/workqueue/matching"
)

// Options bound a plan.
type Options struct {
	// Now is the database's clock, in milliseconds since 1970.
	Now int64

	// Horizon is how much estimated work each slot of a worker gets in advance,
	// in milliseconds, 1 or more: a worker has room until its share is used up. With
	// 1, it gets only items that can start at once.
	Horizon int64

	// FreeSlots makes every mode give items only to free slots, and nothing in
	// advance.
	FreeSlots bool

	// MaxPerWorker bounds the items that a worker holds.
	MaxPerWorker int

	// Idle excludes the workers that held an item before the pass, of any priority.
	Idle bool

	// Asks is a worker that gets items although it holds some: it asks because its
	// slots become free. The others get only items for their free slots; a later pass
	// assigns the items that this worker does not get now. 0: none asks.
	Asks int64

	// High is the priority above which items use the reserved slots.
	High int

	// Margin is how much sooner, in milliseconds, an item must start elsewhere to be
	// taken back from the worker that it is assigned to. With FreeSlots it is also
	// taken back if it has to wait there and can start at once elsewhere.
	Margin int64

	// Unbounded makes every mode plan beyond the free slots, to estimate when a
	// waiting item could start.
	Unbounded bool

	// Last is which worker got the last item in each scope of RoundRobin.
	Last map[string]int64
}

// Placement gives an item to a worker.
type Placement struct {
	Item   int64
	Worker int64
	From   int64 // the worker that it is taken back from; 0: none

	Priority int // the item's

	// Start is when the worker is expected to start it.
	Start int64

	// RunOrder is the item's position among those of its priority at its worker,
	// lowest first; below ExpeditedBefore it goes before all priorities. Positions of
	// different passes can be compared: expedited items go first, then items with a
	// deadline, the nearest first, then the others by their expected start.
	RunOrder int64

	Estimate int64
	Guessed  bool
	Channel  string
}

// farOff separates the ranges of RunOrder. All times in milliseconds are between -farOff
// and farOff for the next hundred thousand years.
const farOff = 1 << 52

// ExpeditedBefore is above the RunOrder of each expedited item, and of no other.
const ExpeditedBefore = -1_000_000_000_000_000_000

// keepPlaced bounds the items for which a planner keeps the memory from one plan to
// the next.
const keepPlaced = 10_000

// fillsSlots reports whether a worker gets items for its free slots only, in every mode.
func (o *Options) fillsSlots(n *node) bool {
	if o.Asks != 0 {
		return n.ID != o.Asks
	}
	return o.FreeSlots && !o.Unbounded
}

// Planner distributes items to workers. It must be used by only one goroutine.
type Planner struct {
	o       Options
	nodes   []*node
	byID    map[int64]*node
	open    Set
	opens   int
	tiers   [tiers]Set // the open workers with a free slot, by tier
	held    []Held     // by priority, descending
	counted int        // of held: in the workers' shares
	classes []*class
	turns   map[string]*turn
	ranking map[rankingOf]*ranking
	changed []int32 // indices of the changed workers since the plan began
	last    int     // the priority of the item given last
	given   int64   // how many items have been given to another worker than their Holder
	stage   stage

	placed []placed
	group  int // where the current run of equal priorities begins in placed
}

type placed struct {
	Placement
	node  int32
	slot  int32 // -1: it has its own position in the order
	began int64 // from now
}

// New returns a planner for the workers. held is what they hold: running items, and
// assigned ones that the plan does not move. Items that the plan may move are given
// as items with a Holder; movable is what their workers hold of them,
// and is used only for Options.Idle.
func New(workers []Worker, held, movable []Held, o Options) *Planner {
	p := &Planner{
		o: o, byID: make(map[int64]*node, len(workers)), open: NewSet(len(workers)),
		turns: map[string]*turn{}, ranking: map[rankingOf]*ranking{}, last: math.MaxInt,
	}
	workers = slices.SortedStableFunc(slices.Values(workers), func(a, b Worker) int { return cmp.Compare(a.ID, b.ID) })
	for t := range p.tiers {
		p.tiers[t] = NewSet(len(workers))
	}
	for i, w := range workers {
		n := newNode(w, i)
		p.nodes = append(p.nodes, n)
		p.byID[w.ID] = n
		p.open.Add(i)
		p.opens++
	}
	for _, h := range held {
		if n := p.byID[h.Worker]; n != nil {
			p.held = append(p.held, h)
			if h.Running {
				n.runMany(h.Channel, h.Count, h.Estimate)
			}
		}
	}
	slices.SortStableFunc(p.held, func(a, b Held) int { return cmp.Compare(b.Priority, a.Priority) })
	if o.Idle {
		for _, h := range slices.Concat(held, movable) {
			if n := p.byID[h.Worker]; n != nil && n.ID != o.Asks {
				n.barred = true
			}
		}
	}
	for _, n := range p.nodes {
		p.update(n)
	}
	return p
}

// Workers returns the workers in the order that Class.Eligible and Class.Scores use:
// by id.
func (p *Planner) Workers() []Worker {
	list := make([]Worker, len(p.nodes))
	for i, n := range p.nodes {
		list[i] = n.Worker
	}
	return list
}

// Class adds a class and returns its number, which items refer to.
func (p *Planner) Class(c Class) int {
	added := &class{mode: modeOf(c.Mode), channel: c.Channel, scope: c.Scope, scores: c.Scores, eligible: NewSet(len(p.nodes))}
	for i, n := range p.nodes {
		if (c.Eligible == nil || c.Eligible.Has(i)) && n.Serves(c.Queue) && n.CanRun(c.Channel) {
			added.eligible.Add(i)
		}
	}
	if c.Mode == matching.RoundRobin {
		t := p.turns[c.Scope]
		if t == nil {
			t = &turn{last: p.o.Last[c.Scope]}
			p.turns[c.Scope] = t
			for _, n := range p.nodes {
				p.sortTier(n)
			}
		}
		added.turn = t
	}
	if added.mode == leastLoaded || added.mode == longestIdle {
		of := rankingOf{added.mode, added.channel}
		if p.ranking[of] == nil {
			p.ranking[of] = &ranking{like: added}
		}
		added.ranking = p.ranking[of]
	}
	p.classes = append(p.classes, added)
	return len(p.classes) - 1
}

// ClassOf returns a class that was added, without its scores. Eligible are the workers that may
// get its items, whether they have room or not; it must not be changed.
func (p *Planner) ClassOf(class int) Class {
	c := p.classes[class]
	return Class{Mode: c.mode.name(), Channel: c.channel, Scope: c.scope, Eligible: c.eligible}
}

// Done reports whether no worker has room.
func (p *Planner) Done() bool { return p.opens == 0 }

// Open returns how many workers have room.
func (p *Planner) Open() int { return p.opens }

// FreeSlots returns how many slots of workers that have room are free for items of the current
// priority.
func (p *Planner) FreeSlots() (total int) {
	for i := nextIn(p.open, p.open, 0); i >= 0; i = nextIn(p.open, p.open, i+1) {
		n := p.nodes[i]
		total += max(n.Slots-n.kept-n.used, 0)
	}
	return total
}

// Room estimates for how many more items of a size, in milliseconds, there is room;
// it is never 0 while a worker has room.
func (p *Planner) Room(size int64) int {
	total := 0
	for i := nextIn(p.open, p.open, 0); i >= 0; i = nextIn(p.open, p.open, i+1) {
		n := p.nodes[i]
		most := (n.room(&p.o)-n.share)/min(max(size, 1), p.o.Horizon) + 1
		if p.o.fillsSlots(n) {
			most = min(most, int64(n.Slots-n.kept-n.used))
		}
		total += int(min(most, int64(p.o.MaxPerWorker-n.held)))
	}
	return total
}

// Advance announces that the next items have this priority or a lower one. Assign calls
// it itself.
func (p *Planner) Advance(priority int) {
	p.startRest()
	if priority >= p.last {
		return
	}
	p.lower(priority)
	for p.counted < len(p.held) && p.held[p.counted].Priority >= priority {
		h := &p.held[p.counted]
		p.counted++
		n := p.byID[h.Worker]
		if !h.Running {
			n.runMany(h.Channel, h.Count, h.Estimate)
		}
		n.count(h.Channel, h.Count, h.Estimate, p.o.Horizon)
		p.update(n)
	}
}

// lower sets the current priority: items that are not high leave the reserved slots
// free.
func (p *Planner) lower(priority int) {
	p.settle()
	if p.last > p.o.High && priority <= p.o.High {
		for _, n := range p.nodes {
			n.kept = n.Worker.kept()
			p.update(n)
		}
	}
	p.last = priority
}

// Assign places an item; false if no eligible worker has room. Items are given in the
// order of Sort: first the expedited ones, then the others. In both groups the
// priority must not be above that of the previous item. An expedited item that
// follows others is placed like an ordinary one of its priority.
func (p *Planner) Assign(it *Item) bool { return p.AssignAt(it, it.Priority) }

// AssignAt is Assign at the turn of an item of another priority, which that item gives away.
func (p *Planner) AssignAt(it *Item, priority int) bool {
	if it.Expedite && p.Expediting() {
		p.advanceExpedited(it.Priority)
	} else {
		p.Advance(priority)
	}
	c := p.classes[it.Class]
	n := c.pick(p)
	if holder := p.byID[it.Holder]; it.Holder != 0 && holder != nil && c.eligible.Has(holder.index) {
		if n == nil || holder.startOf(c) <= add(n.startOf(c), p.margin(n, c)) {
			p.place(c, holder, it)
			return true
		}
	}
	if n == nil {
		p.keepFor(c, it)
		return false
	}
	if c.turn != nil {
		c.turn.last, c.turn.moved = n.ID, true
	}
	p.place(c, n, it)
	return true
}

// margin returns how much sooner an item of the class must start at a worker to be
// moved there.
func (p *Planner) margin(n *node, c *class) int64 {
	if p.o.FreeSlots && n.startOf(c) == 0 {
		return 0
	}
	return p.o.Margin
}

func (p *Planner) place(c *class, n *node, it *Item) {
	estimate := max(it.Estimate, 1)
	start, no := n.run(c.channel, estimate)
	n.count(c.channel, 1, estimate, p.o.Horizon)
	if it.Holder != n.ID {
		p.given++
		n.assigned++
		n.since = max(n.since, p.o.Now+p.given)
	}
	p.update(n)
	one := placed{
		Placement: Placement{Item: it.ID, Worker: n.ID, Priority: it.Priority, From: it.Holder, Start: p.o.Now + start, Estimate: estimate, Guessed: it.Guessed, Channel: c.channel},
		node:      int32(n.index), slot: no, began: start,
	}
	switch {
	case it.Expedite:
		one.RunOrder, one.slot = ExpeditedBefore-farOff+one.Start, -1
	case it.Deadline != 0:
		one.RunOrder, one.slot = it.Deadline-farOff, -1
	default:
		one.RunOrder = one.Start
	}
	p.placed = append(p.placed, one)
}

// update records that a worker's items, or its room, have changed.
func (p *Planner) update(n *node) {
	if n.barred || n.full(&p.o) || p.o.fillsSlots(n) && !n.hasFree(1) {
		p.close(n)
	}
	p.changed = append(p.changed, int32(n.index))
	p.sortTier(n)
}

func (p *Planner) close(n *node) {
	if p.open.Has(n.index) {
		p.open.Remove(n.index)
		p.opens--
		p.changed = append(p.changed, int32(n.index))
		p.sortTier(n)
	}
}

// settle puts the items of one priority on the same slot into the order of their ids.
// This does not change when the slot has finished them all, and users do not expect
// the longest item first.
func (p *Planner) settle() {
	group := p.placed[p.group:]
	p.group = len(p.placed)
	if sorted(group) {
		return
	}
	at := make([]int32, 0, len(group))
	for i := range group {
		if group[i].slot >= 0 {
			at = append(at, int32(i))
		}
	}
	slices.SortFunc(at, func(a, b int32) int {
		x, y := &group[a], &group[b]
		return cmp.Or(cmp.Compare(x.node, y.node), cmp.Compare(x.slot, y.slot), cmp.Compare(x.Item, y.Item))
	})
	for len(at) > 0 {
		first := &group[at[0]]
		n, start := 0, first.began
		for n < len(at) && group[at[n]].node == first.node && group[at[n]].slot == first.slot {
			start = min(start, group[at[n]].began)
			n++
		}
		for _, i := range at[:n] {
			it := &group[i]
			it.Start, it.RunOrder = p.o.Now+start, p.o.Now+start
			start = add(start, it.Estimate)
		}
		at = at[n:]
	}
}

// sorted reports whether the items are already in the order of their ids.
func sorted(group []placed) bool {
	return slices.IsSortedFunc(group, func(a, b placed) int { return cmp.Compare(a.Item, b.Item) })
}

// Expect allocates memory for this many items: otherwise it would be copied
// repeatedly as it grows.
func (p *Planner) Expect(items int) {
	p.placed = slices.Grow(p.placed, items)
}

// Plan returns the placements since the last call, in the order in which they were
// made. Items that stay with their Holder are not included. Turns are the scopes of
// matching.RoundRobin whose turn has moved, with the worker that got the last item.
func (p *Planner) Plan() (plan []Placement, turns map[string]int64) {
	p.settle()
	plan = make([]Placement, 0, len(p.placed))
	for i := range p.placed {
		if pl := p.placed[i].Placement; pl.From != pl.Worker {
			plan = append(plan, pl)
		}
	}
	if p.placed, p.group = p.placed[:0], 0; cap(p.placed) > keepPlaced {
		p.placed = nil
	}
	turns = map[string]int64{}
	for scope, t := range p.turns {
		if t.moved {
			turns[scope], t.moved = t.last, false
		}
	}
	return plan, turns
}

// Exhausted reports whether no worker has room for items of the class.
func (p *Planner) Exhausted(class int) bool {
	return p.classes[class].pick(p) == nil
}

// HasFreeSlot reports whether a worker that has room and serves the queue has a free slot.
func (p *Planner) HasFreeSlot(queue string) bool {
	for i := nextIn(p.open, p.open, 0); i >= 0; i = nextIn(p.open, p.open, i+1) {
		if p.nodes[i].hasFree(1) && p.nodes[i].Serves(queue) {
			return true
		}
	}
	return false
}

// Idles reports whether a worker that has room has a slot to start an item in at
// once.
func (p *Planner) Idles() bool {
	for i := nextIn(p.open, p.open, 0); i >= 0; i = nextIn(p.open, p.open, i+1) {
		if p.nodes[i].freeAt(1+p.nodes[i].kept) == 0 {
			return true
		}
	}
	return false
}
