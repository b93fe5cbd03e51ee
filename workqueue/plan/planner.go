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

	// Horizon is how much estimated work each slot of a worker is given in
	// advance, in milliseconds, 1 or more: a worker has room until its share is
	// used up. 1 gives what can start at once.
	Horizon int64

	// FreeSlots has every mode give items to free slots only, and nothing in advance.
	FreeSlots bool

	// MaxPerWorker bounds the items that a worker holds.
	MaxPerWorker int

	// Levels are the least priorities of the bands, descending: a worker that
	// held an item of an item's band or above before the pass does not get the
	// item. nil lets every worker take items that has room.
	Levels []int

	// Asks is a worker that gets items although it holds some: it asks because its
	// slots come free. The others get only what fills their free slots: what this
	// worker does not take now, a later pass gives. 0: none asks.
	Asks int64

	// High is the priority above which items take the slots that are reserved.
	High int

	// Margin is how much sooner, in milliseconds, an item must start elsewhere
	// to be taken back from the worker that it is assigned to. With FreeSlots it is
	// also taken back when it can start at once elsewhere, and has to wait there.
	Margin int64

	// Unbounded has every mode plan beyond the slots that are free, to estimate when an
	// item that waits could start.
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

	// RunOrder is the item's place among those of its priority at its worker, the
	// least first; below ExpeditedBefore it goes before all priorities. It can be
	// compared with those of other passes: an expedited item goes before one with a
	// deadline, the nearest deadline before one without, and those by when they are
	// expected to start.
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

// Planner spreads items over workers. It is for one goroutine.
type Planner struct {
	o       Options
	nodes   []*node
	byID    map[int64]*node
	open    Set
	opens   int
	tiers   [tiers]Set // the open workers with a free slot, by tier
	held    []Held     // by priority, descending
	counted int        // of held: in the workers' shares
	barred  int        // of held: their workers are not idle for the present level
	classes []*class
	turns   map[string]*turn
	ranking map[rankingOf]*ranking
	changed []int32 // which workers, by their places, since the plan began
	last    int     // the priority of the item given last
	given   int64   // how many items have been given to somebody new
	stage   stage

	placed []placed
	group  int // where the present run of equal priorities begins in placed
}

type placed struct {
	Placement
	node  int32
	slot  int32 // -1: of its own place in the order
	began int64 // from now
}

// New takes the workers, and what they hold: running items, and assigned ones that
// stay where they are. What the plan may move is given as items with a Holder;
// movable tells who holds it, by priority, for Options.Levels only.
func New(workers []Worker, held, movable []Held, o Options) *Planner {
	p := &Planner{
		o: o, byID: make(map[int64]*node, len(workers)), open: NewSet(len(workers)),
		turns: map[string]*turn{}, ranking: map[rankingOf]*ranking{}, last: math.MaxInt,
	}
	workers = slices.SortedFunc(slices.Values(workers), func(a, b Worker) int { return cmp.Compare(a.ID, b.ID) })
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
	for _, h := range movable {
		if p.byID[h.Worker] != nil {
			h.Count = 0
			p.held = append(p.held, h)
		}
	}
	slices.SortStableFunc(p.held, func(a, b Held) int { return cmp.Compare(b.Priority, a.Priority) })
	for _, n := range p.nodes {
		p.update(n)
	}
	return p
}

// Workers are the workers in the order by which Class.Eligible and Class.Scores
// name them: by id.
func (p *Planner) Workers() []Worker {
	list := make([]Worker, len(p.nodes))
	for i, n := range p.nodes {
		list[i] = n.Worker
	}
	return list
}

// Class makes a class known; items name it by the number that is returned.
func (p *Planner) Class(c Class) int {
	own := &class{mode: modeOf(c.Mode), channel: c.Channel, scope: c.Scope, scores: c.Scores, eligible: NewSet(len(p.nodes))}
	for i, n := range p.nodes {
		if (c.Eligible == nil || c.Eligible.Has(i)) && n.Serves(c.Queue) && n.Takes(c.Channel) {
			own.eligible.Add(i)
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
		own.turn = t
	}
	if own.mode == leastLoaded || own.mode == longestIdle {
		of := rankingOf{own.mode, own.channel}
		if p.ranking[of] == nil {
			p.ranking[of] = &ranking{like: own}
		}
		own.ranking = p.ranking[of]
	}
	p.classes = append(p.classes, own)
	return len(p.classes) - 1
}

// Done tells that no worker can take anything more.
func (p *Planner) Done() bool { return p.opens == 0 }

// Open is how many workers have room.
func (p *Planner) Open() int { return p.opens }

// Room estimates how many items of a size, in milliseconds, still find room; it is
// never 0 while a worker has some.
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

// Advance tells that items of this priority come next, and none above it. Give
// does it by itself.
func (p *Planner) Advance(priority int) {
	p.startRest()
	if priority >= p.last {
		return
	}
	p.lower(priority)
	for p.counted < len(p.held) && p.held[p.counted].Priority >= priority {
		h := &p.held[p.counted]
		p.counted++
		if h.Count == 0 {
			continue
		}
		n := p.byID[h.Worker]
		if !h.Running {
			n.runMany(h.Channel, h.Count, h.Estimate)
		}
		n.count(h.Channel, h.Count, h.Estimate, p.o.Horizon)
		p.update(n)
	}
	p.bar(priority)
}

// lower makes a priority the present one: items that are not high leave the reserved
// slots free.
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

// bar closes the workers that are not idle for items of a priority.
func (p *Planner) bar(priority int) {
	level := p.level(priority)
	for p.o.Levels != nil && p.barred < len(p.held) && p.held[p.barred].Priority >= level {
		if n := p.byID[p.held[p.barred].Worker]; n.ID != p.o.Asks {
			p.close(n)
		}
		p.barred++
	}
}

// level is the least priority of the band that a priority lies in.
func (p *Planner) level(priority int) int {
	for _, least := range p.o.Levels {
		if priority >= least {
			return least
		}
	}
	return math.MinInt
}

// Give finds a place for an item; false when no worker that may take it has room.
// Items are given in the order of Sort: first the expedited ones, then the others. Of
// both the priority must not be above that of the item before. An expedited item that
// comes after others is given as one of its priority.
func (p *Planner) Give(it *Item) bool {
	if it.Expedite && p.Expediting() {
		p.advanceExpedited(it.Priority)
	} else {
		p.Advance(it.Priority)
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

// margin is how much sooner an item of the class must start at a worker to be moved there.
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
		n.given++
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

// update takes in that what a worker holds, or may be given, has changed.
func (p *Planner) update(n *node) {
	if n.full(&p.o) || p.o.fillsSlots(n) && !n.hasFree(1) {
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

// settle puts the items of one priority that came to stand on the same slot into
// the order of their ids: it makes no difference to when the slot has done them
// all, and nobody expects the longest first.
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

// sorted tells that the items came in the order of their ids already.
func sorted(group []placed) bool {
	return slices.IsSortedFunc(group, func(a, b placed) int { return cmp.Compare(a.Item, b.Item) })
}

// Expect makes room for what is kept of so many items that are given: else that is
// copied again and again while it grows.
func (p *Planner) Expect(items int) {
	p.placed = slices.Grow(p.placed, items)
}

// Plan returns what has been placed since it was asked last, in the order in which
// it was given. Items that stay with their Holder are not among them. Turns are the
// scopes of matching.RoundRobin whose turn has moved, and to whom.
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

// Exhausted tells that no worker has room for items of the class any longer.
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

// Idles tells that a worker that has room has a slot to start an item in at once.
func (p *Planner) Idles() bool {
	for i := nextIn(p.open, p.open, 0); i >= 0; i = nextIn(p.open, p.open, i+1) {
		if p.nodes[i].freeAt(1+p.nodes[i].kept) == 0 {
			return true
		}
	}
	return false
}
