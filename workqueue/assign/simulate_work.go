package assign

import (
	"maps"
	"math/bits"
	"slices"
	"time"

	"botwork/workqueue"
)

// begin sets everything to the beginning of a history.
func (m *Simulation) begin(draws Draws, watch Watcher) {
	s := m.s
	m.draws, m.watch = draws, watch
	m.now, m.halted, m.changes, m.exact, m.err, m.epoch, m.assignedN, m.passes = 0, false, 0, 0, nil, 0, 0, s.marks.Passes
	copy(m.state, s.state)
	copy(m.waiting, s.waiting)
	copy(m.counts, s.counts)
	clear(m.assigned)
	clear(m.waited)
	clear(m.inWindow)
	clear(m.moved)
	clear(m.turns)
	maps.Copy(m.turns, s.marks.Turns)
	for _, i := range m.reordered {
		m.order[i] = s.order[i]
	}
	m.reordered, m.touched, m.unpark = m.reordered[:0], m.touched[:0], m.unpark[:0]
	m.ends, m.later = m.ends[:0], m.later[:0]
	for g := range m.windows {
		m.windows[g] = window{heap: m.windows[g].heap[:0]}
	}
	for k := range m.parked {
		m.parked[k] = m.parked[k][:0]
	}
	for i := range m.queueUses {
		m.queueUses[i].reset()
	}
	for i := range m.keyUses {
		m.keyUses[i].reset()
	}
	m.beginWorkers()
	m.beginItems()
	m.beginRuns()
}

func (m *Simulation) beginWorkers() {
	clear(m.free)
	clear(m.open)
	clear(m.given)
	for w := range m.workers {
		load := &m.s.Workers[w].WorkerLoad
		state := &m.workers[w]
		*state = simWorkerState{
			running: state.running[:0], assigned: state.assigned[:0], kept: max(min(load.Reserved, load.Capacity-1), 0),
			since: int64(load.AvailableSince.Sub(m.s.At)), epoch: -1,
		}
		m.addFree(w, load.Capacity)
	}
}

// beginItems gives the workers what they hold, and finds out when items become due.
func (m *Simulation) beginItems() {
	for i := range m.s.Items {
		it := &m.s.Items[i]
		i := int32(i)                                //nolint:gosec // a situation has fewer items
		m.failures[i] = uint8(min(it.Failures, 255)) //nolint:gosec // bounded
		switch m.state[i] {
		case simRunning:
			m.beginRunning(i)
		case simAssigned:
			if w := m.s.worker(it.Holder); w >= 0 {
				m.runOrder[i] = it.RunOrder
				m.hold(i, w)
			} else {
				m.wait(i) // its worker is gone, and the next pass assigns it again
			}
		case simWaiting:
			m.planStep(i)
		case simLater:
			at := int64(it.Due.Sub(m.s.At))
			if it.Drawn {
				due, exists := time.Duration(at), true
				if m.draws != nil {
					due, exists = m.draws.Due(int(i))
				}
				if !exists {
					m.state[i] = simAbsent
					continue
				}
				at = int64(due)
				m.reorder(i, at)
			}
			m.later = append(m.later, simEvent{at: at, item: i, worker: becomesDue})
		}
		if d := m.s.hot[i].deadline; d != never && m.state[i] != simRunning && m.state[i] != simEnded && m.state[i] != simAbsent {
			m.later = append(m.later, simEvent{at: d + 1, item: i, worker: expires})
		}
	}
	m.later.init()
	for w := range m.workers {
		m.sortAssigned(w)
	}
}

// beginRunning continues the run of an item. One whose worker is gone takes no slot.
func (m *Simulation) beginRunning(i int32) {
	it := &m.s.Items[i]
	w := m.s.worker(it.Holder)
	if w < 0 {
		m.state[i] = simEnded
		return
	}
	ran := max(m.s.At.Sub(it.Since), 0)
	left, fails := restOf(time.Duration(m.s.hot[i].takes), ran), false
	if m.draws != nil {
		left, fails = m.draws.Rest(int(i), ran)
	}
	m.runOn(i, w, int64(-ran), int64(max(left, time.Millisecond)), fails)
}

// restOf is what is left of a run. One that has exceeded its estimate is expected to take as long
// again.
func restOf(takes, ran time.Duration) time.Duration {
	if left := takes - ran; left > 0 {
		return left
	}
	return ran
}

// worker returns the index of a worker; -1 if there is none of this id.
func (s *Situation) worker(id int64) int {
	if id == 0 {
		return -1
	}
	return slices.IndexFunc(s.Workers, func(w SimWorker) bool { return w.WorkerID == id })
}

// beginRuns finds the workers on which a pipeline is running: those that run an item of it, or
// would if a slot were free.
func (m *Simulation) beginRuns() {
	for p := range m.pipelines {
		st := &m.pipelines[p]
		clear(st.on)
		clear(st.fresh)
		st.paced, st.ticked, st.seen, st.tick, st.quiet, st.since = never, false, -1, 0, 0, 0
		for w := range m.workers {
			of := func(i int32) bool { return m.s.hot[i].runs&(1<<p) != 0 }
			state := &m.workers[w]
			if slices.ContainsFunc(state.running, func(r simRun) bool { return of(r.item) }) || state.free <= 0 && slices.ContainsFunc(state.assigned, of) {
				st.on.Add(w)
			}
		}
	}
}

// addFree changes the number of free slots of a worker.
func (m *Simulation) addFree(w, slots int) {
	state := &m.workers[w]
	state.free += slots
	if state.free > 0 {
		m.free.Add(w)
	} else {
		m.free.Remove(w)
	}
	if state.free > state.kept {
		m.open.Add(w)
	} else {
		m.open.Remove(w)
	}
}

// cost returns how many slots an item needs on a worker, and how many of its channel run at a
// time; 0: as many as fit.
func (m *Simulation) cost(i int32, w int) (slots, most int) {
	if m.s.Workers[w].channels == nil {
		return 1, 0
	}
	c, ok := m.s.Workers[w].channels.For(m.channel(i))
	if !ok {
		return 1, 0
	}
	return c.Cost, c.Max
}

// channel returns the channel of an item: of one that was held when the situation was read, the
// one that it had then.
func (m *Simulation) channel(i int32) string {
	if g := m.s.hot[i].group; g >= 0 && m.s.Items[i].Holder == 0 {
		return m.s.groups[g].channel
	}
	return m.s.Items[i].Channel
}

// runOn makes a worker run an item since a time, for some more time.
func (m *Simulation) runOn(i int32, w int, since, left int64, fails bool) {
	slots, _ := m.cost(i, w)
	m.state[i] = simRunning
	state := &m.workers[w]
	late := left > m.s.hot[i].finish-m.now
	if late {
		left = max(m.s.hot[i].finish-m.now, 0)
	}
	state.running = append(state.running, simRun{item: i, started: since, slots: int32(slots), fails: fails, late: late}) //nolint:gosec // no more than a worker has
	m.addFree(w, -slots)
	m.ends.push(simEvent{at: m.now + left, item: i, worker: int32(w)}) //nolint:gosec // there are fewer workers
}

// run starts an item that the worker no longer has among its assigned ones.
func (m *Simulation) run(i int32, w int) {
	m.changes++
	takes, fails := time.Duration(m.s.hot[i].takes), false
	if m.draws != nil {
		takes, fails = m.draws.Run(int(i), int(m.failures[i]))
	}
	m.runOn(i, w, m.now, int64(max(takes, time.Millisecond)), fails)
	m.touched = append(m.touched, int32(w)) //nolint:gosec // there are fewer workers
	if m.waited.has(i) {
		m.eachLimit(i, func(l *limitUse) { l.start(m.now) })
	}
	if !m.watch.Started(int(i), w, time.Duration(m.now)) {
		m.halted = true
	}
}

// end ends the run of an item.
func (m *Simulation) end(i, w int32) {
	state := &m.workers[w]
	at := slices.IndexFunc(state.running, func(r simRun) bool { return r.item == i })
	run := state.running[at]
	last := len(state.running) - 1
	state.running[at] = state.running[last]
	state.running = state.running[:last]
	state.since = m.now
	m.addFree(int(w), int(run.slots))
	m.changes++
	m.touched = append(m.touched, w)
	m.endUse(i)
	m.waited.remove(i)
	if run.fails && !run.late {
		m.failures[i] = min(m.failures[i], 254) + 1
		if wait, again := m.draws.Retry(int(i), int(m.failures[i])); again {
			if m.now+int64(wait) <= m.s.hot[i].finish {
				m.again(i, w, m.now+int64(wait))
				return
			}
			run.late = true
		}
	}
	m.state[i] = simEnded
	if run.late {
		m.halted = !m.watch.Expired(int(i), time.Duration(m.now)) || m.halted
		return
	}
	if !m.watch.Ended(int(i), int(w), time.Duration(m.now), true) {
		m.halted = true
	}
}

// endUse makes room under the limits of an item.
func (m *Simulation) endUse(i int32) {
	m.eachLimit(i, func(l *limitUse) { l.held-- })
	if k := m.s.hot[i].key; k >= 0 {
		m.unparkLater(k)
	}
}

// again makes a failed item wait for its next attempt.
func (m *Simulation) again(i, w int32, due int64) {
	if !m.watch.Ended(int(i), int(w), time.Duration(m.now), false) {
		m.halted = true
	}
	m.state[i] = simLater
	m.later.push(simEvent{at: due, item: i, worker: becomesDue})
	if d := m.s.hot[i].deadline; d != never {
		m.later.push(simEvent{at: max(d, m.now) + 1, item: i, worker: expires})
	}
	m.reorder(i, due)
}

// reorder puts an item into its place in the order of the planner, which depends on when it
// becomes due.
func (m *Simulation) reorder(i int32, due int64) {
	m.moved[i] = due
	it, h := &m.s.Items[i].DueItem, &m.s.hot[i]
	if h.passes == 0 || !it.Deadline.IsZero() {
		return // it has no place, or one by its deadline
	}
	horizon := m.s.passes[bits.TrailingZeros64(h.passes)].params.Horizon
	key, first := m.s.sorted[m.s.order[i]>>(positionShift+1)], orderKey{}
	key.dueKey(it, m.s.At.Add(time.Duration(due)), horizon)
	first.dueKey(it, m.s.At, horizon)
	m.order[i] = m.s.orderOf(&key, first.group)
	m.inWindow.remove(i) // its entry there is out of date
	m.reordered = append(m.reordered, i)
}

// expire ends an item that has not started by its deadline.
func (m *Simulation) expire(i int32) {
	switch m.state[i] {
	case simWaiting:
		m.leave(i)
	case simAssigned:
		w := int(m.holder[i])
		m.takeFrom(w, slices.Index(m.workers[w].assigned, i))
		if m.waited.has(i) {
			m.eachLimit(i, func(l *limitUse) { l.pending-- })
		}
		m.endUse(i)
	case simLater:
	default:
		return
	}
	m.changes++
	m.state[i] = simEnded
	if !m.watch.Expired(int(i), time.Duration(m.now)) {
		m.halted = true
	}
}

// startAssigned makes workers start their assigned items, the most urgent first, if a pipeline
// that runs them is running there.
func (m *Simulation) startAssigned() {
	if m.assignedN == 0 {
		return
	}
	for w := range m.workers {
		for m.given.Has(w) && m.free.Has(w) && !m.halted {
			at := m.startable(w)
			if at < 0 {
				break
			}
			m.run(m.takeFrom(w, at), w)
		}
	}
}

// startable returns which of its assigned items the worker starts next; -1 if there is none. As
// on a worker, an item that needs more slots than are free blocks those after it; one that only
// waits for its channel does not.
func (m *Simulation) startable(w int) int {
	state := &m.workers[w]
	for at, i := range state.assigned {
		slots, most := m.cost(i, w)
		if !m.runsOn(m.s.hot[i].runs, w) || most > 0 && m.runsOf(w, m.channel(i)) >= most {
			continue
		}
		kept := 0
		if m.s.hot[i].priority <= workqueue.HighPriority {
			kept = state.kept
		}
		if slots > state.free-kept {
			return -1
		}
		return at
	}
	return -1
}

// runsOf returns how many items of a channel run on a worker.
func (m *Simulation) runsOf(w int, channel string) (n int) {
	for _, r := range m.workers[w].running {
		if m.channel(r.item) == channel {
			n++
		}
	}
	return n
}
