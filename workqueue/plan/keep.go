package plan

// keepFor reserves the free slots of the worker that will be the first to have enough
// of them for an item that needs several and finds them nowhere now. Otherwise the
// less urgent items that follow would use each slot that becomes free, and the item
// might never start. The next plan chooses the worker again.
func (p *Planner) keepFor(c *class, it *Item) {
	if c.kept >= len(p.nodes) || p.o.Unbounded || !p.o.FreeSlots {
		return
	}
	if nextIn(c.eligible, p.open, 0) < 0 {
		c.kept = len(p.nodes) // there is no slot to keep
		return
	}
	var first *node
	for i := nextIn(c.eligible, c.eligible, 0); i >= 0; i = nextIn(c.eligible, c.eligible, i+1) {
		n := p.nodes[i]
		if cost, _, _ := n.cost(c.channel); cost > n.Slots-n.kept || n.laneAt(c.channel) > 0 {
			continue // it can never run here, or waits for its channel, so it must not delay others
		}
		if first == nil || n.startOf(c) < first.startOf(c) {
			first = n
		}
	}
	if first == nil {
		c.kept = len(p.nodes)
		return
	}
	if cost, _, _ := first.cost(c.channel); cost == 1 {
		c.kept = len(p.nodes) // it gets the next slot there before all items that follow
		return
	}
	c.kept++
	first.run(c.channel, max(it.Estimate, 1))
	p.update(first)
}
