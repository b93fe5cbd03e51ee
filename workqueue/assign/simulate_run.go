package assign

import (
	"context"
	"math"
	"slices"
	"time"

	"botwork/workqueue/plan"
)

const (
	// MostExact is the default of Simulation.Exact.
	MostExact = 500

	// mostQuiet is after how many scheduled runs without an effect a simulation ignores the
	// schedule of a pipeline, until something else happens.
	mostQuiet = 100

	// checkEvery is after how many moments a simulation checks whether its context has ended.
	checkEvery = 1024
)

// Simulation runs histories of a situation in virtual time, one after the other: whenever
// something happens, it makes the assignment passes that pipelines would make then, and starts
// what workers would start. It reuses its memory, and must be used by only one goroutine.
type Simulation struct {
	s *Situation

	// Until is when a history ends, from its beginning; 0: when nothing happens any more.
	Until time.Duration

	// Exact is how many passes of a history are made by the code of AssignPass if the rule of free
	// slots does not give the same. Later passes follow that rule.
	Exact int

	// ByPasses makes all passes by the code of AssignPass, for tests that compare both.
	ByPasses bool

	draws Draws
	watch Watcher

	now     int64 // nanoseconds from the beginning
	halted  bool
	changes int // grows with each event
	exact   int // passes made by AssignPass
	err     error

	workers []simWorkerState
	free    plan.Set // workers with a free slot
	open    plan.Set // workers with a free slot that is not kept for high items
	given   plan.Set // workers with assigned items
	touched []int32  // workers that started or ended something in this moment

	pipelines []simPipeline
	ticks     [][]int64

	ends  eventHeap
	later eventHeap

	state     []itemState
	waited    bitset // items that a pass of this history has assigned
	failures  []uint8
	moved     map[int32]int64 // when items that wait again became due
	holder    []int32         // of assigned items
	runOrder  []int64         // of assigned items
	order     []int64
	reordered []int32 // items whose order has changed
	waiting   bitset
	counts    []int // waiting items by pass
	assigned  []int // assigned items by pass
	assignedN int

	windows  []window
	inWindow bitset
	parked   []itemHeap // by key limit
	unpark   []int32    // key limits that may have room again

	queueUses, keyUses []limitUse

	turns  map[string]int64
	passes int64

	epoch     int // of a pass that follows the rule
	candidate plan.Set
	blocked   plan.Set

	defaultEstimate time.Duration // of the current pass
}

// simPipeline is the state of a pipeline.
type simPipeline struct {
	on     plan.Set // workers on which it is running
	fresh  plan.Set // workers on which that run starts now
	paced  int64    // when a pass is repeated because of a rate limit; never for none
	ticked bool     // its passes are due now
	seen   int      // changes, when its passes last found nothing; -1: never
	tick   int      // the next one in ticks
	quiet  int      // scheduled runs without an effect since changes was quietAt
	since  int
}

// simWorkerState is a worker with its items.
type simWorkerState struct {
	free     int // slots; below 0 if its capacity was lowered
	kept     int // slots that are kept for high items
	running  []simRun
	assigned []int32 // in the order in which it starts them

	since int64 // AvailableSince
	epoch int
	load  int64 // in this epoch: the estimates that the planner sums up
}

// simRun is a run on a worker.
type simRun struct {
	item    int32
	started int64
	slots   int32
	fails   bool
	late    bool // it is ended because it has not finished by then
}

// NewSimulation returns a simulation of a prepared situation.
func (s *Situation) NewSimulation() *Simulation {
	n := len(s.Items)
	m := &Simulation{
		s: s, Exact: MostExact, state: make([]itemState, n), failures: make([]uint8, n), holder: make([]int32, n), runOrder: make([]int64, n), waited: newBitset(n), waiting: newBitset(n), inWindow: newBitset(n),
		order: slices.Clone(s.order), moved: map[int32]int64{}, counts: make([]int, len(s.passes)), assigned: make([]int, len(s.passes)),
		workers: make([]simWorkerState, len(s.Workers)), free: plan.NewSet(len(s.Workers)), open: plan.NewSet(len(s.Workers)), given: plan.NewSet(len(s.Workers)),
		candidate: plan.NewSet(len(s.Workers)), blocked: plan.NewSet(len(s.Workers)),
		pipelines: make([]simPipeline, len(s.Pipelines)), ticks: make([][]int64, len(s.Pipelines)), windows: make([]window, len(s.groups)),
		parked: make([]itemHeap, len(s.keyLimits)), queueUses: newLimitUses(s.queueLimits), keyUses: newLimitUses(s.keyLimits), turns: map[string]int64{},
	}
	for p := range m.pipelines {
		m.pipelines[p].on, m.pipelines[p].fresh = plan.NewSet(len(s.Workers)), plan.NewSet(len(s.Workers))
	}
	return m
}

// Run runs a history until it is over. Without draws, every item takes as long as expected, and
// none fails.
func (m *Simulation) Run(ctx context.Context, draws Draws, watch Watcher) error {
	m.begin(draws, watch)
	arrived := true
	for n := 1; ; n++ {
		m.moment(ctx, arrived)
		if m.halted || m.err != nil {
			return m.err
		}
		next := m.next()
		if next == never || m.Until > 0 && next > int64(m.Until) {
			return nil
		}
		m.now = next
		arrived = m.advance()
		if n%checkEvery == 0 && ctx.Err() != nil {
			return context.Cause(ctx)
		}
	}
}

// Now returns the time of the history, from its beginning.
func (m *Simulation) Now() time.Duration { return time.Duration(m.now) }

// moment does everything that can happen now. Passes come before starts if they may assign
// something more urgent: a free slot goes to the most urgent due item.
func (m *Simulation) moment(ctx context.Context, arrived bool) {
	for p := range m.pipelines {
		if m.pipelines[p].ticked || arrived && m.s.Pipelines[p].Wake || m.asksUrgently(p) {
			m.pass(ctx, p)
		}
	}
	for more := true; more && !m.halted && m.err == nil; {
		m.startAssigned()
		more = false
		for p := range m.pipelines {
			if !m.halted && m.err == nil && m.asks(p) && m.pass(ctx, p) {
				more = true
			}
		}
	}
	m.closeRuns()
}

// closeRuns ends the runs of pipelines on workers that hold nothing of them, and would not get
// anything.
func (m *Simulation) closeRuns() {
	for p := range m.pipelines {
		st := &m.pipelines[p]
		if m.s.Pipelines[p].Wake {
			st.ticked = false
			continue
		}
		waits := slices.ContainsFunc(m.s.lists[p], func(k int) bool { return m.counts[k] > 0 })
		check := func(w int) {
			if st.on.Has(w) && !m.holds(p, w) && (m.workers[w].free != 0 || !waits) {
				st.on.Remove(w)
			}
		}
		if st.ticked || !waits {
			for w := range m.workers {
				check(w)
			}
		} else {
			for _, w := range m.touched {
				check(int(w))
			}
		}
		if st.ticked {
			st.ticked = false
			clear(st.fresh)
		}
	}
	m.touched = m.touched[:0]
}

// holds reports whether a worker runs an item of the pipeline or has one to run.
func (m *Simulation) holds(p, w int) bool {
	state := &m.workers[w]
	for _, run := range state.running {
		if m.s.hot[run.item].runs&(1<<p) != 0 {
			return true
		}
	}
	return slices.ContainsFunc(state.assigned, func(i int32) bool { return m.s.hot[i].runs&(1<<p) != 0 })
}

// next returns the next time at which something may happen; never if nothing does.
func (m *Simulation) next() int64 {
	next := never
	if len(m.ends) > 0 {
		next = m.ends[0].at
	}
	if len(m.later) > 0 {
		next = min(next, m.later[0].at)
	}
	for p := range m.pipelines {
		st := &m.pipelines[p]
		next = min(next, st.paced)
		if m.useful(p) {
			next = min(next, m.tickAfter(p, m.now))
		}
	}
	return next
}

// useful reports whether a scheduled run of the pipeline may have an effect.
func (m *Simulation) useful(p int) bool {
	st := &m.pipelines[p]
	if st.since != m.changes {
		st.since, st.quiet = m.changes, 0
	}
	if st.quiet > mostQuiet {
		return false
	}
	return m.assignedN > 0 || slices.ContainsFunc(m.s.lists[p], func(k int) bool { return m.counts[k] > 0 })
}

// tickAfter returns the first scheduled run of the pipeline after a time, which never decreases.
func (m *Simulation) tickAfter(p int, now int64) int64 {
	st := &m.pipelines[p]
	for {
		for len(m.ticks[p]) <= st.tick {
			last := m.s.At
			if n := len(m.ticks[p]); n > 0 {
				if m.ticks[p][n-1] == never {
					return never
				}
				last = m.s.At.Add(time.Duration(m.ticks[p][n-1]))
			}
			at := never
			if next := m.s.Pipelines[p].next(last); !next.IsZero() {
				at = int64(next.Sub(m.s.At))
			}
			m.ticks[p] = append(m.ticks[p], at)
		}
		if at := m.ticks[p][st.tick]; at > now {
			return at
		}
		st.tick++
	}
}

// advance lets happen what happens now, except for passes and starts; it reports whether items
// have become due.
func (m *Simulation) advance() (arrived bool) {
	for len(m.ends) > 0 && m.ends[0].at <= m.now {
		e := m.ends.pop()
		m.end(e.item, e.worker)
	}
	for len(m.later) > 0 && m.later[0].at <= m.now {
		switch e := m.later.pop(); {
		case e.worker == expires:
			m.expire(e.item)
		case e.worker == escalates:
			arrived = m.escalate(e.item) || arrived
		case m.state[e.item] == simLater:
			m.wait(e.item)
			arrived = true
			m.changes++
			if int(m.failures[e.item]) == m.s.Items[e.item].Failures && !m.watch.Due(int(e.item), time.Duration(m.now)) {
				m.halted = true
			}
		}
	}
	for p := range m.pipelines {
		st := &m.pipelines[p]
		if m.tickAfter(p, m.now-1) == m.now {
			st.ticked = true
			st.quiet++
			if !m.s.Pipelines[p].Wake {
				for w := range m.workers {
					if !st.on.Has(w) {
						st.fresh.Add(w)
						st.on.Add(w)
					}
				}
			}
		}
		if st.paced <= m.now {
			st.paced, st.ticked = never, true
			for k := range m.keyUses {
				m.unparkLater(int32(k)) //nolint:gosec // there are no more keys than items
			}
		}
	}
	return arrived
}

// asksUrgently reports whether a pass comes before the workers start their assigned items: if a
// more urgent item waits, and always if the pipeline wakes, since the waiting item has woken it.
func (m *Simulation) asksUrgently(p int) bool {
	if m.assignedN == 0 {
		return false
	}
	for w := range m.workers {
		if !m.free.Has(w) || len(m.workers[w].assigned) == 0 {
			continue
		}
		wake := m.s.Pipelines[p].Wake
		if !wake && !m.pipelines[p].on.Has(w) {
			continue
		}
		least := m.s.hot[m.workers[w].assigned[0]].priority
		for _, k := range m.s.lists[p] {
			if m.counts[k] > 0 && (wake || m.mostUrgent(k) > int(least)) {
				return true
			}
		}
	}
	return false
}

// mostUrgent returns the highest priority of the waiting items of a pass; there are some.
func (m *Simulation) mostUrgent(k int) int {
	for i := m.waiting.next(0); i >= 0; i = m.waiting.next(i + 1) {
		if m.s.hot[i].passes&(1<<k) != 0 {
			return int(m.s.hot[i].priority)
		}
	}
	return math.MinInt
}

// asks reports whether a run of the pipeline makes a pass by itself: on a worker with a free slot.
func (m *Simulation) asks(p int) bool {
	wake, on := m.s.Pipelines[p].Wake, m.pipelines[p].on
	for word := range m.free {
		if wake && m.free[word] != 0 || m.free[word]&on[word] != 0 {
			return true
		}
	}
	return false
}

// runsOn reports whether a pipeline that runs items of a mask is running on a worker.
func (m *Simulation) runsOn(runs uint64, w int) bool {
	for p := range m.pipelines {
		if runs&(1<<p) != 0 && (m.s.Pipelines[p].Wake || m.pipelines[p].on.Has(w)) {
			return true
		}
	}
	return false
}

// wait makes an item wait that is due now.
func (m *Simulation) wait(i int32) {
	m.state[i] = simWaiting
	m.waiting.add(i)
	m.planStep(i)
	h := &m.s.hot[i]
	for k := range m.counts {
		if h.passes&(1<<k) != 0 {
			m.counts[k]++
		}
	}
	if h.group >= 0 && h.at < m.windows[h.group].next && !m.inWindow.has(i) {
		m.inWindow.add(i)
		m.windows[h.group].heap.push(heapItem{m.order[i], i})
	}
}

// leave ends the wait of an item.
func (m *Simulation) leave(i int32) {
	m.waiting.remove(i)
	h := &m.s.hot[i]
	for k := range m.counts {
		if h.passes&(1<<k) != 0 {
			m.counts[k]--
		}
	}
}

// assign gives a waiting item to a worker; sortAssigned follows.
func (m *Simulation) assign(i int32, w int) {
	m.leave(i)
	m.waited.add(i)
	m.eachLimit(i, (*limitUse).assign)
	m.hold(i, w)
}

// hold adds an item to those that a worker has to start.
func (m *Simulation) hold(i int32, w int) {
	m.state[i], m.holder[i] = simAssigned, int32(w) //nolint:gosec // there are fewer workers
	m.workers[w].assigned = append(m.workers[w].assigned, i)
	m.given.Add(w)
	m.countAssigned(i, 1)
}

func (m *Simulation) countAssigned(i int32, more int) {
	m.assignedN += more
	for k := range m.assigned {
		if m.s.hot[i].passes&(1<<k) != 0 {
			m.assigned[k] += more
		}
	}
}

// takeFrom removes an item from those that a worker has to start.
func (m *Simulation) takeFrom(w, at int) int32 {
	state := &m.workers[w]
	i := state.assigned[at]
	if at == 0 {
		state.assigned = state.assigned[1:] // without moving the rest of a long list
	} else {
		state.assigned = slices.Delete(state.assigned, at, at+1)
	}
	if len(state.assigned) == 0 {
		m.given.Remove(w)
	}
	m.countAssigned(i, -1)
	return i
}

// sortAssigned sorts the items of a worker as it starts them.
func (m *Simulation) sortAssigned(w int) {
	slices.SortStableFunc(m.workers[w].assigned, m.inRunOrder)
}
