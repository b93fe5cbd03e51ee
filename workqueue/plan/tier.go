package plan

// tier orders workers for round-robin and best-worker, before any other criterion: no
// worker gets a second item while another eligible one has a free slot and got none.
type tier int8

const (
	empty  tier = iota // it holds nothing
	holds              // it holds items, and this plan has given it none
	served             // this plan has given it an item
	tiers
)

// tier only grows while a plan is made.
func (n *node) tier() tier {
	switch {
	case n.assigned > 0:
		return served
	case n.used > 0:
		return holds
	default:
		return empty
	}
}

// hasFree reports whether this many slots are free for items of the current priority.
func (n *node) hasFree(cost int) bool { return n.used+cost <= n.Slots-n.kept }

// sortTier moves a worker to the set of its tier, or out of all of them if it gets no
// more items in a mode that fills slots. Only classes that take turns need the sets.
func (p *Planner) sortTier(n *node) {
	if len(p.turns) == 0 {
		return
	}
	in := p.open.Has(n.index) && (p.o.Unbounded || n.hasFree(1))
	for t := range p.tiers {
		if in && n.tier() == tier(t) {
			p.tiers[t].Add(n.index)
		} else {
			p.tiers[t].Remove(n.index)
		}
	}
}
