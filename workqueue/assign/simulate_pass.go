package assign

import (
	"context"
)

// pass makes the passes of a pipeline, and reports whether one has assigned something. If nothing
// has happened since they found nothing, they find nothing again, except for what time alone
// changes.
func (m *Simulation) pass(ctx context.Context, p int) (assigned bool) {
	st := &m.pipelines[p]
	if st.seen == m.changes && !st.ticked {
		return false
	}
	for _, k := range m.s.lists[p] {
		if m.counts[k] == 0 && m.assigned[k] == 0 {
			continue // nothing to assign or to take back
		}
		if m.follows(p, k) {
			assigned = m.rule(p, k) || assigned
			continue
		}
		m.exact++
		params := m.s.passes[k].params
		m.defaultEstimate = params.DefaultEstimate
		result, err := AssignPass(ctx, &simStore{m}, params)
		if err != nil {
			m.err = err
			return false
		}
		if result.Pace > 0 {
			st.paced = m.now + int64(result.Pace)
		}
		if result.Assigned+result.Moved > 0 {
			assigned = true
			m.changes++
		}
	}
	if !assigned {
		st.seen = m.changes
	}
	return assigned
}

// follows reports whether a pass follows the rule of free slots: since that gives the same, or
// because many others have been made.
func (m *Simulation) follows(p, k int) bool {
	if m.ByPasses {
		return false
	}
	if m.exact >= m.Exact {
		return true
	}
	pass := &m.s.passes[k]
	if !m.s.plain || !pass.params.FreeSlots || m.assigned[k] > 0 || m.holdsAbove(pass.params.Band.Min) {
		return false
	}
	if !pass.balanced && m.free.Count() > 1 {
		return false
	}
	if m.s.Pipelines[p].Wake {
		return true
	}
	for word := range m.free {
		if m.free[word]&^m.pipelines[p].on[word] != 0 {
			return false // a pass may give items to workers on which the pipeline is not running
		}
	}
	return true
}

// holdsAbove reports whether an item of a priority or above is assigned and has not started: a pass
// leaves a slot for it.
func (m *Simulation) holdsAbove(priority int) bool {
	if m.assignedN == 0 {
		return false
	}
	for w := range m.workers {
		if m.given.Has(w) && int(m.s.hot[m.workers[w].assigned[0]].priority) >= priority {
			return true
		}
	}
	return false
}
