package plan

import "math"

// stage is the progress of a plan.
type stage int8

const (
	nothing   stage = iota // no item has been given
	expedited              // only expedited items have been given
	rest
)

// Expediting reports whether expedited items still go before all others: it is false once
// another item has been given.
func (p *Planner) Expediting() bool { return p.stage != rest }

// advanceExpedited announces that the next items are expedited and have this
// priority. They go before all waiting items, so that only running items are ahead of
// them. They use no reserved slots unless they are high.
func (p *Planner) advanceExpedited(priority int) {
	p.stage = expedited
	if priority >= p.last {
		return
	}
	p.lower(priority)
	for ; p.counted < len(p.held) && p.held[p.counted].Priority >= priority; p.counted++ {
		if h := &p.held[p.counted]; h.Running {
			n := p.byID[h.Worker]
			n.count(h.Channel, h.Count, h.Estimate, p.o.Horizon)
			p.update(n)
		}
	}
}

// startRest begins with the items that are not expedited. They start at the highest
// priority again, for which more workers may have room.
func (p *Planner) startRest() {
	if p.stage == expedited {
		p.settle()
		for _, h := range p.held[:p.counted] {
			if h.Running {
				p.byID[h.Worker].uncount(h.Channel, h.Count, h.Estimate, p.o.Horizon)
			}
		}
		p.last, p.counted = math.MaxInt, 0
		for _, n := range p.nodes {
			n.kept = 0
			if !p.open.Has(n.index) {
				p.open.Add(n.index)
				p.opens++
			}
			p.update(n)
		}
		for _, c := range p.classes {
			c.exhausted, c.heap = false, nil
		}
	}
	p.stage = rest
}
