package assign

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"botwork/workqueue"
	"botwork/workqueue/matching"
	"botwork/workqueue/plan"
)

// mostPassSteps bounds the passes, and the pipelines, of a situation: items have a bit for each.
const mostPassSteps = 64

// Prepare computes what simulations share: the order of the items, and by the classes of an
// assignment pass which workers may get them. Call it once, after all changes.
func (s *Situation) Prepare(ctx context.Context) error {
	chains := s.addEscalated()
	slices.SortFunc(s.Items, func(a, b SimItem) int { return workqueue.CompareDue(a.DueItem, b.DueItem) })
	slices.SortStableFunc(s.Workers, func(a, b SimWorker) int { return cmp.Compare(a.WorkerID, b.WorkerID) })
	// If several make passes at the same time, the more urgent items get the slots.
	slices.SortStableFunc(s.Pipelines, func(a, b SystemPipeline) int { return cmp.Compare(b.mostUrgent(), a.mostUrgent()) })
	for i := range s.Workers {
		w := &s.Workers[i]
		w.Held = nil
		w.channels, _ = workqueue.ParseChannels(w.Channels) // a pass ignores the error, too
	}
	s.plain = true
	if err := s.preparePasses(); err != nil {
		return err
	}
	s.prepareLimits()
	s.byID = make(map[int64]int32, len(s.Items))
	s.hot = make([]hotItem, len(s.Items))
	keys := make([]orderKey, len(s.Items))
	for i := range s.Items {
		s.prepareItem(int32(i))                                                            //nolint:gosec // a situation has fewer items
		s.byID[s.Items[i].ID] = int32(i)                                                   //nolint:gosec // likewise
		keys[i] = orderKey{priority: s.hot[i].priority, id: s.Items[i].ID, item: int32(i)} //nolint:gosec // likewise
	}
	if err := s.prepareGroups(ctx, keys); err != nil {
		return err
	}
	s.sortKeys(keys)
	s.prepareSteps(chains)
	s.prepareStates()
	return ctx.Err()
}

// mostUrgent returns the highest priority that the passes of the pipeline assign.
func (s *SystemPipeline) mostUrgent() int {
	highest := math.MinInt
	for i := range s.Passes {
		highest = max(highest, s.Passes[i].Band.Max)
	}
	return highest
}

func (s *Situation) preparePasses() error {
	s.passes, s.lists = nil, make([][]int, len(s.Pipelines))
	for p := range s.Pipelines {
		for _, params := range s.Pipelines[p].Passes {
			s.lists[p] = append(s.lists[p], len(s.passes))
			s.passes = append(s.passes, simPass{params: params.WithDefaults(), pipeline: p, balanced: true})
		}
	}
	if len(s.passes) > mostPassSteps || len(s.Pipelines) > mostPassSteps {
		return fmt.Errorf("%d AssignTasksToWorker steps in %d pipelines: want at most %d", len(s.passes), len(s.Pipelines), mostPassSteps)
	}
	return nil
}

// prepareItem fills the item's part of hot, except for its group.
func (s *Situation) prepareItem(i int32) {
	it := &s.Items[i]
	h := hotItem{priority: int32(it.Priority), group: -1, queue: -1, key: -1, deadline: never, finish: never} //nolint:gosec // priorities have 32 bits
	for k := range s.passes {
		if s.passes[k].params.Band.Contains(it.Priority) {
			h.passes |= 1 << k
		}
	}
	for p := range s.Pipelines {
		if s.Pipelines[p].runs(it.Priority) {
			h.runs |= 1 << p
		}
	}
	if !it.Deadline.IsZero() {
		h.deadline = int64(it.Deadline.Sub(s.At))
	}
	if !it.FinishBy.IsZero() {
		h.finish = int64(it.FinishBy.Sub(s.At))
	}
	h.guess = max(cmp.Or(it.Estimate, s.DefaultEstimate), 0).Milliseconds()
	h.takes = int64(max(cmp.Or(it.Takes, it.Estimate, s.DefaultEstimate), 0))
	s.hot[i] = h
	s.limit(i)
}

// orderKey is the order in which the planner gives items: see plan.Planner.Sort.
type orderKey struct {
	priority int32
	item     int32
	group    int64
	estimate int64
	id       int64
}

func compareKeys(a, b orderKey) int {
	switch {
	case a.priority != b.priority:
		return cmp.Compare(b.priority, a.priority)
	case a.group != b.group:
		return cmp.Compare(a.group, b.group)
	case a.estimate != b.estimate:
		return cmp.Compare(b.estimate, a.estimate)
	}
	return cmp.Compare(a.id, b.id)
}

// An order is a position among all items in the upper bits. Items that become due at another time
// than expected share an even position, and are distinguished by when they are due and their estimate.
const (
	spanBits, estimateBits = 15, 26
	positionShift          = spanBits + estimateBits
)

// sortKeys computes the orders of the items.
func (s *Situation) sortKeys(keys []orderKey) {
	s.order = make([]int64, len(keys))
	for i := range keys {
		if i == 0 || keys[i].priority != keys[i-1].priority { // items are sorted by priority
			keys = append(keys, orderKey{priority: keys[i].priority, item: -1, group: math.MinInt64, estimate: math.MaxInt64})
		}
	}
	slices.SortFunc(keys, compareKeys)
	s.sorted = keys
	for at := range keys {
		if i := keys[at].item; i >= 0 {
			s.order[i] = (2*int64(at) + 1) << positionShift
		}
	}
}

// orderOf returns the order of a key that is not among the sorted ones. first is the group of the
// items that are due at the beginning.
func (s *Situation) orderOf(key *orderKey, first int64) int64 {
	at, _ := slices.BinarySearchFunc(s.sorted, *key, compareKeys)
	span := min(max(key.group-first, 0), 1<<spanBits-1)
	estimate := min(key.estimate, 1<<estimateBits-1)
	return 2*int64(at)<<positionShift | span<<estimateBits | (1<<estimateBits - 1 - estimate)
}

// dueKey sets what depends on when an item is due.
func (k *orderKey) dueKey(it *workqueue.DueItem, due time.Time, horizon time.Duration) {
	switch {
	case it.Expedite:
		k.group = math.MinInt64
	case !it.Deadline.IsZero():
		k.group = it.Deadline.UnixMilli() - 1<<52
	default:
		k.group = due.UnixMilli() / max(horizon.Milliseconds(), 1)
	}
}

// groupKey identifies a group.
type groupKey struct {
	passes         uint64
	eligible, rest string
	queue          int32
}

// groupOf is what determines the group of an item within a pass.
type groupOf struct {
	class  int
	passes uint64
	queue  int32
}

// prepareGroups sorts the items into groups, by the classes of the first pass that covers them.
func (s *Situation) prepareGroups(ctx context.Context, keys []orderKey) error {
	loads := make([]workqueue.WorkerLoad, len(s.Workers))
	for i := range s.Workers {
		loads[i] = s.Workers[i].WorkerLoad
	}
	marks := s.marks
	marks.Now = s.At
	s.groups = nil
	known := map[groupKey]int32{}
	for k := range s.passes {
		pass := &s.passes[k]
		of := map[groupOf]int32{}
		pl := pass.params.plannerOf(workqueue.PassInput{PassState: marks, Distributions: s.queues, Loads: loads})
		for i := range s.Items {
			h, it := &s.hot[i], &s.Items[i]
			if h.passes&(1<<k) == 0 || h.passes&(1<<k-1) != 0 {
				continue // it is not in the band, or in that of an earlier pass
			}
			class, err := pl.classes.of(ctx, &it.DueItem)
			if err != nil {
				return err
			}
			estimate, _ := pass.params.estimate(&it.DueItem)
			if it.Holder == 0 {
				h.guess = max(estimate.Milliseconds(), 1)
				h.takes = int64(cmp.Or(it.Takes, time.Duration(h.guess)*time.Millisecond))
			}
			s.plain = s.plain && !it.Expedite
			keys[i].dueKey(&it.DueItem, it.Due, pass.params.Horizon)
			if class.number < 0 {
				continue
			}
			g, ok := of[groupOf{class.number, h.passes, h.queue}]
			if !ok {
				g = s.groupFor(known, pl.Planner, class.number, h)
				of[groupOf{class.number, h.passes, h.queue}] = g
			}
			if s.groups[g].balanced && it.Deadline.IsZero() && !it.Expedite {
				keys[i].estimate = h.guess
			}
			pass.balanced = pass.balanced && s.groups[g].balanced
			h.group, h.at = g, int32(len(s.groups[g].items))        //nolint:gosec // likewise
			s.groups[g].items = append(s.groups[g].items, int32(i)) //nolint:gosec // likewise
		}
		s.plain = s.plain && !pl.classes.expiring && !pl.classes.compete
	}
	for g := range s.groups {
		for k := range s.passes {
			if s.hot[s.groups[g].items[0]].passes&(1<<k) != 0 {
				s.passes[k].groups = append(s.passes[k].groups, int32(g)) //nolint:gosec // likewise
			}
		}
	}
	return nil
}

// groupFor returns the group of the items of a class.
func (s *Situation) groupFor(known map[groupKey]int32, pl *plan.Planner, class int, h *hotItem) int32 {
	c := pl.ClassOf(class)
	if c.Mode != matching.RoundRobin {
		c.Scope = ""
	}
	key := groupKey{passes: h.passes, eligible: fmt.Sprint(c.Eligible), rest: string(c.Mode) + "\x00" + c.Scope + "\x00" + c.Channel, queue: h.queue}
	g, ok := known[key]
	if ok {
		return g
	}
	g = int32(len(s.groups)) //nolint:gosec // no more than there are items
	known[key] = g
	one := simGroup{eligible: slices.Clone(c.Eligible), channel: c.Channel, queue: h.queue, balanced: c.Mode == matching.LeastLoaded}
	if c.Mode == matching.RoundRobin {
		one.turns, one.turn = true, c.Scope
	}
	for i := range s.Workers {
		if limit, ok := s.Workers[i].channels.For(c.Channel); ok && (limit.Cost > 1 || limit.Max > 0) {
			one.costs, s.plain = true, false
		}
	}
	s.groups = append(s.groups, one)
	return g
}

// prepareStates computes with what each history begins.
func (s *Situation) prepareStates() {
	s.state, s.waiting = make([]itemState, len(s.Items)), newBitset(len(s.Items))
	s.counts = make([]int, len(s.passes))
	for i := range s.Items {
		it := &s.Items[i]
		switch {
		case it.origin != 0:
			s.state[i] = simAbsent
		case it.Running:
			s.state[i] = simRunning
		case it.Holder != 0:
			s.state[i] = simAssigned
		case it.Drawn, it.Due.After(s.At):
			s.state[i] = simLater
		case s.hot[i].deadline < 0:
			s.state[i] = simEnded // a sweep cancels it
		default:
			s.state[i] = simWaiting
			s.waiting.add(int32(i)) //nolint:gosec // a situation has fewer items
			for k := range s.passes {
				if s.hot[i].passes&(1<<k) != 0 {
					s.counts[k]++
				}
			}
		}
	}
}

// Expected returns how long a run of an item is expected to take.
func (s *Situation) Expected(item int) time.Duration { return time.Duration(s.hot[item].takes) }
