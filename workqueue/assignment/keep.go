package assignment

// keepFor keeps the free slots of the worker that will first have enough of them for an
// item that takes several, and finds them nowhere now: else less urgent items, which follow,
// would take each slot that comes free, and the item might never start. The next plan sees
// again where that is.
func (p *Planner) keepFor(c *class, it *Item) {
	if c.keepsNone || p.o.Unbounded || !p.o.FreeSlots {
		return
	}
	var first *node
	free := false
	for i := nextIn(c.eligible, c.eligible, 0); i >= 0; i = nextIn(c.eligible, c.eligible, i+1) {
		n := p.nodes[i]
		if cost, _, _ := n.cost(c.channel); cost > n.Slots-n.kept || n.laneAt(c.channel) > 0 {
			continue // it could not run, or waits for its channel: that holds up nobody
		}
		free = free || p.open.Has(i)
		if first == nil || n.startOf(c) < first.startOf(c) {
			first = n
		}
	}
	if first == nil || !free {
		c.keepsNone = true
		return
	}
	if cost, _, _ := first.cost(c.channel); cost == 1 {
		c.keepsNone = true // it takes the next slot there before all that follow
		return
	}
	first.run(c.channel, max(it.Estimate, 1))
	p.update(first)
}
