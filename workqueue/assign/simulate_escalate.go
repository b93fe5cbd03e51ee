package assign

import (
	"context"
	"slices"
	"time"

	"botwork/workqueue"
	"botwork/workqueue/escalation"
	"botwork/workqueue/matching"
)

const (
	// escalationLag is how long after its time a simulated rule acts: rules are applied once a minute.
	escalationLag = 30 * time.Second

	// mostSteps bounds the steps that are simulated for one item.
	mostSteps = 12

	// mostEscalated bounds the items that replace others after a rule has acted.
	mostEscalated = 50_000

	// firstEscalatedID is the first id of these items. They follow all others.
	firstEscalatedID = int64(1) << 61
)

// SimRule is a rule of escalation. If it has a condition, simulations take that to stay as it is.
type SimRule struct {
	workqueue.Escalation

	// Holds reports that the condition is true, or that there is none; Since is since when it is.
	Holds bool
	Since time.Time

	// Away reports that the rule moves items to a queue whose items no worker gets: one that is paused or
	// for robots.
	Away bool
}

// Simulated reports whether simulations apply the rule: not if it only reports something, nor if it
// leaves some items of its queue alone.
func (r *SimRule) Simulated() bool { return r.Rule.Keep == 0 && !r.Rule.Notify }

// readRules returns the rules of all queues, and those of pipelines. A queue whose rules cannot be
// read has none: the log of the workers contains the fault.
func readRules(ctx context.Context, store WhyStore, pipelines []workqueue.Escalation) ([]SimRule, error) {
	queues, err := store.Queues(ctx)
	if err != nil {
		return nil, err
	}
	var all []workqueue.Escalation
	for i := range queues {
		if rules, err := queues[i].Escalations(); err == nil && !queues[i].Paused {
			all = append(all, rules...)
		}
	}
	all = append(all, pipelines...)
	rules := make([]SimRule, len(all))
	var states []workqueue.EscalationState
	for i := range all {
		rules[i] = SimRule{Escalation: all[i], Holds: all[i].Rule.When == "", Away: slices.ContainsFunc(queues, func(q workqueue.Queue) bool {
			return (q.Paused || q.Consumer == workqueue.ConsumerRobots) && workqueue.FoldQueueName(q.Name) == workqueue.FoldQueueName(all[i].Rule.MoveTo)
		})}
		if rules[i].Holds {
			continue
		}
		if states == nil {
			if states, err = store.EscalationStates(ctx, 0); err != nil {
				return nil, err
			}
		}
		if since := stateOf(states, &all[i]).ActiveSince; since != nil {
			rules[i].Holds, rules[i].Since = true, *since
		}
	}
	return rules, nil
}

// simStep is what a rule does to an item that still waits after some time.
type simStep struct {
	waited int64 // since it became due, in nanoseconds; never: no rule does anything more
	again  int64 // the same for an item that waits again after a failed attempt
	to     int32 // the item that replaces it from then on; -1: no worker gets it any more
	raises bool  // the rule acts on assigned items, too
}

// escalated is a step from one item to another, by their ids; to is 0 if no worker gets it any more.
type escalated struct {
	from, to      int64
	waited, again time.Duration
	raises        bool
}

// addEscalated adds an item for each step of a rule that may act on a waiting item. An item has a
// fixed place in the order and in the groups of a situation, so another priority or queue is
// another item; a history has one of them at a time.
func (s *Situation) addEscalated() (chain []escalated) {
	s.Items = slices.DeleteFunc(s.Items, func(it SimItem) bool { return it.origin != 0 })
	if len(s.Rules) == 0 {
		return nil
	}
	added := 0
	s.Unescalated = false
	for i := range len(s.Items) {
		it := s.Items[i]
		if it.Holder != 0 || it.Running {
			continue
		}
		done := map[int]int{} // the last step of each rule
		for range mostSteps {
			rule, next, ok := s.nextStep(&it, done)
			if !ok {
				break
			}
			if added == mostEscalated {
				s.Unescalated = true
				return chain
			}
			done[rule] = next.Step
			r := &s.Rules[rule].Rule
			one := escalated{from: it.ID, waited: next.At.Sub(it.Due), again: r.After, raises: r.Raise != nil}
			if r.Cancel || s.Rules[rule].Away {
				chain = append(chain, one)
				break
			}
			if it.origin == 0 {
				it.origin = it.ID
			}
			it.ID = firstEscalatedID + int64(added)
			added++
			s.applyRule(&it, r, next.Priority)
			one.to = it.ID
			chain = append(chain, one)
			s.Items = append(s.Items, it)
		}
	}
	return chain
}

// nextStep returns the rule that acts next on an item, and its step. What was due a minute before the
// beginning has been done.
func (s *Situation) nextStep(it *SimItem, done map[int]int) (rule int, next escalation.Next, ok bool) {
	for n := range s.Rules {
		r := &s.Rules[n]
		if !r.Holds || !r.Simulated() || !r.covers(it) {
			continue
		}
		before, known := done[n]
		if !known {
			before = r.Rule.Step(it.Due, r.Since, s.At.Add(-time.Minute))
		}
		if r.Rule.MoveTo != "" && workqueue.FoldQueueName(r.Rule.MoveTo) == workqueue.FoldQueueName(it.QueueName) {
			continue
		}
		if r.Rule.Relax != nil && !relaxes(r.Rule.Relax, it.Selectors) {
			continue
		}
		one, more := r.Rule.Next(it.Due, r.Since, it.Due, it.Priority, before)
		if more && (!ok || one.At.Before(next.At)) {
			rule, next, ok = n, one, true
		}
	}
	return rule, next, ok
}

// covers reports whether the rule is one of the item's queue or pipeline.
func (r *SimRule) covers(it *SimItem) bool {
	if r.Scope == workqueue.EscalatePipeline {
		return r.Owner == it.Pipeline
	}
	return workqueue.FoldQueueName(r.Owner) == workqueue.FoldQueueName(it.QueueName)
}

func relaxes(r *escalation.Relax, selectors workqueue.JSONText) bool {
	all, err := matching.ParseSelectors(string(selectors))
	return err == nil && len(r.Left(all)) < len(all)
}

// applyRule makes the item what it is after a step.
func (s *Situation) applyRule(it *SimItem, r *escalation.Rule, priority int) {
	it.Priority = priority
	if r.MoveTo != "" {
		it.QueueName = r.MoveTo
		s.setLimits(it)
	}
	if r.Relax == nil {
		return
	}
	if all, err := matching.ParseSelectors(string(it.Selectors)); err == nil {
		left := r.Relax.Left(all)
		it.Selectors, it.Expedite = workqueue.JSONText(matching.SelectorsJSON(left)), matching.Expedites(left)
	}
}

// prepareSteps finds the steps of each item.
func (s *Situation) prepareSteps(chain []escalated) {
	s.steps = nil
	if len(chain) == 0 {
		return
	}
	s.steps = make([]simStep, len(s.Items))
	for i := range s.steps {
		s.steps[i] = simStep{waited: never}
	}
	for _, c := range chain {
		s.steps[s.byID[c.from]] = simStep{waited: int64(c.waited + escalationLag), again: int64(c.again + escalationLag), to: s.item(c.to), raises: c.raises}
	}
}

// Origin returns the index of the item that an item replaces after rules of escalation have acted; its
// own if it replaces none.
func (s *Situation) Origin(item int) int {
	if origin := s.Items[item].origin; origin != 0 {
		return int(s.byID[origin])
	}
	return item
}

// dueAt returns when a waiting item became due.
func (m *Simulation) dueAt(i int32) int64 {
	if at, ok := m.moved[i]; ok {
		return at
	}
	return int64(m.s.Items[i].Due.Sub(m.s.At))
}

// stepAt returns when a rule acts on an item that waits now; never if none does.
func (m *Simulation) stepAt(i int32) int64 {
	if m.s.steps == nil || m.s.steps[i].waited == never {
		return never
	}
	step := &m.s.steps[i]
	if int(m.failures[i]) > m.s.Items[i].Failures {
		return m.dueAt(i) + step.again
	}
	return m.dueAt(i) + step.waited
}

// planStep plans what a rule does to an item that waits from now on.
func (m *Simulation) planStep(i int32) {
	if at := m.stepAt(i); at != never {
		m.later.push(simEvent{at: max(at, m.now), item: i, worker: escalates})
	}
}

// escalate makes a rule act on an item, and reports whether passes have to see it. An event of an
// earlier wait does nothing.
func (m *Simulation) escalate(i int32) bool {
	step := m.s.steps[i]
	assigned := m.state[i] == simAssigned && step.raises
	if m.state[i] != simWaiting && !assigned || m.stepAt(i) > m.now {
		return false
	}
	m.changes++
	to := step.to
	if !m.watch.Escalated(int(i), int(to), time.Duration(m.now)) {
		m.halted = true
	}
	if to < 0 {
		m.leave(i)
		m.state[i] = simEnded
		return true
	}
	m.failures[to] = m.failures[i]
	if due, ok := m.moved[i]; ok {
		m.reorder(to, due)
	}
	if d := m.s.hot[to].deadline; d != never {
		m.later.push(simEvent{at: max(d, m.now) + 1, item: to, worker: expires})
	}
	if !assigned {
		m.leave(i)
		m.state[i] = simAbsent
		m.wait(to)
		return true
	}
	w := int(m.holder[i])
	m.takeFrom(w, slices.Index(m.workers[w].assigned, i))
	m.state[i], m.runOrder[to] = simAbsent, m.runOrder[i]
	if m.waited.has(i) {
		m.waited.remove(i)
		m.waited.add(to)
	}
	m.hold(to, w)
	m.planStep(to)
	m.sortAssigned(w)
	return true
}
