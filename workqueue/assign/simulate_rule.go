package assign

import (
	"math/bits"
	"time"

	"botwork/workqueue"
)

// window are the items of a group from which a pass selects: the first that wait, in the order of
// DueItems. A pass gives the longest of them first, and so reads no more than leastWindow for one
// free slot.
type window struct {
	heap itemHeap // in the order of the planner; some may not wait any more
	next int32    // the first item of the group after the window
}

// first returns the item of a group that a pass gives first; -1 if none waits.
func (m *Simulation) first(g int32) int32 {
	w, items := &m.windows[g], m.s.groups[g].items
	for {
		for len(w.heap) < leastWindow && int(w.next) < len(items) {
			i := items[w.next]
			w.next++
			if m.state[i] == simWaiting && !m.inWindow.has(i) {
				m.inWindow.add(i)
				w.heap.push(heapItem{m.order[i], i})
			}
		}
		if len(w.heap) == 0 {
			return -1
		}
		top := w.heap[0]
		current := top.order == m.order[top.item] // else the item has failed since, and was added again
		if current && m.state[top.item] == simWaiting {
			return top.item
		}
		if current {
			m.inWindow.remove(top.item)
		}
		w.heap.pop()
	}
}

// dropFirst removes the first item of a group from its window.
func (m *Simulation) dropFirst(g int32) {
	w := &m.windows[g]
	m.inWindow.remove(w.heap[0].item)
	w.heap.pop()
}

// parkFirst sets the first item of a group aside until its key has room.
func (m *Simulation) parkFirst(g, key int32) {
	top := m.windows[g].heap[0]
	m.dropFirst(g)
	m.inWindow.add(top.item) // it is neither in the window nor to be added to it
	m.parked[key].push(top)
}

// unparkLater makes the next pass look at the parked items of a key again.
func (m *Simulation) unparkLater(key int32) {
	if len(m.parked[key]) > 0 {
		m.unpark = append(m.unpark, key)
	}
}

// unparkNow puts the first parked item of each key that may have room into the windows.
func (m *Simulation) unparkNow() {
	for _, key := range m.unpark {
		m.unparkOne(key)
	}
	m.unpark = m.unpark[:0]
}

func (m *Simulation) unparkOne(key int32) {
	for len(m.parked[key]) > 0 {
		top := m.parked[key][0]
		m.parked[key].pop()
		if top.order != m.order[top.item] {
			continue // it has failed since, and was added again
		}
		m.inWindow.remove(top.item)
		if m.state[top.item] == simWaiting {
			m.inWindow.add(top.item)
			m.windows[m.s.hot[top.item].group].heap.push(heapItem{m.order[top.item], top.item})
			return
		}
	}
}

// rule makes pass k as the planner does if every mode fills only free slots: each free slot gets
// the most urgent item that may run there; of several workers, the one with the least work for each
// slot gets an item first. It starts the items at once, since a slot is free for each of them.
//
// It gives exactly what AssignPass gives if no item waits for another reason than slots and limits
// (Situation.plain), and at most leastWindow items wait. Of more, it lets the longest of
// leastWindow items of each group go first, and a pass the longest of all that it reads.
func (m *Simulation) rule(p, k int) (assigned bool) {
	m.epoch++
	m.defaultEstimate = m.s.passes[k].params.DefaultEstimate
	m.unparkNow()
	clear(m.blocked)
	pace := time.Duration(0)
	for !m.halted {
		best, order := int32(-1), never
		for _, g := range m.s.passes[k].groups {
			i, wait := m.firstAllowed(g)
			if wait > 0 && (pace == 0 || wait < pace) {
				pace = wait
			}
			if i >= 0 && (best < 0 || m.order[i] < order || m.order[i] == order && i < best) && m.candidates(p, g, i) {
				best, order = i, m.order[i]
			}
		}
		if best < 0 {
			break
		}
		g := m.s.hot[best].group
		m.candidates(p, g, best)
		w := m.choose(g, best)
		if w < 0 {
			continue // its worker keeps its slots for it
		}
		m.dropFirst(g)
		if m.s.groups[g].turns {
			m.turns[m.s.groups[g].turn] = m.s.Workers[w].WorkerID
		}
		m.leave(best)
		m.waited.add(best)
		m.eachLimit(best, (*limitUse).assign)
		m.state[best] = simAssigned
		m.workers[w].since = m.now
		m.run(best, w)
		assigned = true
		if key := m.s.hot[best].key; key >= 0 {
			m.unparkOne(key)
		}
	}
	if pace > 0 {
		m.pipelines[p].paced = m.now + int64(pace)
	}
	return assigned
}

// firstAllowed returns the first item of a group whose limits have room; -1 if there is none. pace
// is how soon to try again if only a rate forbids it.
func (m *Simulation) firstAllowed(g int32) (i int32, pace time.Duration) {
	for {
		i := m.first(g)
		if i < 0 {
			return -1, pace
		}
		if q := m.s.groups[g].queue; q >= 0 {
			if full, wait := m.queueUses[q].full(m.now); full {
				return -1, max(wait, pace)
			}
		}
		key := m.s.hot[i].key
		if key < 0 {
			return i, pace
		}
		full, wait := m.keyUses[key].full(m.now)
		if !full {
			return i, pace
		}
		if wait > 0 && (pace == 0 || wait < pace) {
			pace = wait
		}
		m.parkFirst(g, key)
	}
}

// candidates sets candidate to the workers that may get an item now; false if there are none.
func (m *Simulation) candidates(p int, g, i int32) bool {
	free := m.open
	if m.s.hot[i].priority > workqueue.HighPriority {
		free = m.free
	}
	wake, on, eligible := m.s.Pipelines[p].Wake, m.pipelines[p].on, m.s.groups[g].eligible
	some := uint64(0)
	for word := range free {
		found := free[word] & eligible[word] &^ m.blocked[word]
		if !wake {
			found &= on[word]
		}
		m.candidate[word] = found
		some |= found
	}
	return some != 0
}

// choose returns which of the candidates gets an item: the one with the least work for each slot,
// of equals the first. -1: none has enough free slots; the one with the most gets no other item.
func (m *Simulation) choose(g, i int32) int {
	best, most := -1, -1
	for word, set := range m.candidate {
		for ; set != 0; set &= set - 1 {
			w := word<<6 + bits.TrailingZeros64(set)
			if m.s.groups[g].costs && !m.fits(i, w) {
				if most < 0 || m.workers[w].free > m.workers[most].free {
					most = w
				}
				continue
			}
			if best < 0 || m.loadPerSlot(w) < m.loadPerSlot(best) {
				best = w
			}
		}
	}
	switch {
	case best >= 0:
		if m.workers[best].epoch == m.epoch {
			m.workers[best].load += max(m.s.hot[i].guess, 1)
		}
	case most >= 0:
		m.blocked.Add(most)
	}
	return best
}

// fits reports whether a worker has enough slots for an item, and its channel room.
func (m *Simulation) fits(i int32, w int) bool {
	slots, most := m.cost(i, w)
	kept := 0
	if m.s.hot[i].priority <= workqueue.HighPriority {
		kept = m.workers[w].kept
	}
	return slots <= m.workers[w].free-kept && (most == 0 || m.runsOf(w, m.channel(i)) < most)
}

// loadPerSlot returns the estimated work that runs on a worker, for each of its slots, in milliseconds,
// with what the pass has given it. Less urgent items that are assigned to it do not count.
func (m *Simulation) loadPerSlot(w int) int64 {
	state := &m.workers[w]
	if state.epoch != m.epoch {
		state.epoch = m.epoch
		state.load = 0
		for _, h := range m.held(w, m.defaultEstimate, func(int32) bool { return false }) {
			state.load += max(h.Estimate.Milliseconds()/int64(h.Count), 1) * int64(h.Count)
		}
	}
	return state.load / int64(max(m.s.Workers[w].Capacity, 1))
}
