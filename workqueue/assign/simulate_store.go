package assign

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"time"

	"botwork/workqueue"
)

// simStore is the store of the passes of a simulation.
type simStore struct{ *Simulation }

var (
	_ workqueue.AssignStore = (*simStore)(nil)
	_ workqueue.AssignTx    = (*simStore)(nil)
)

// ReadUnlocked implements AssignStore.
func (m *simStore) ReadUnlocked(ctx context.Context, read func(context.Context, workqueue.AssignView) error) error {
	return read(ctx, m)
}

// Assign implements AssignStore.
func (m *simStore) Assign(ctx context.Context, pass func(context.Context, workqueue.AssignTx) error) error {
	return pass(ctx, m)
}

// ClaimPass implements AssignStore.
func (m *simStore) ClaimPass(ctx context.Context, passes int64, assignments []workqueue.Assignment, t workqueue.PassClaim) (workqueue.Claimed, bool, error) {
	return workqueue.ClaimPassByAssign(ctx, m, passes, assignments, t)
}

// clock returns the time of the database's clock.
func (m *Simulation) clock() time.Time { return m.s.At.Add(time.Duration(m.now)) }

// ReadPass implements AssignView.
func (m *simStore) ReadPass(ctx context.Context, q workqueue.PassQuery) (workqueue.PassInput, error) {
	marks, err := m.PassState(ctx)
	loads := make([]workqueue.WorkerLoad, len(m.workers))
	for w := range m.workers {
		loads[w] = m.s.Workers[w].WorkerLoad
		loads[w].AvailableSince = m.s.At.Add(time.Duration(m.workers[w].since))
		loads[w].Held = m.held(w, q.DefaultEstimate, func(i int32) bool { return int(m.s.hot[i].priority) >= q.HeldFrom() })
	}
	return workqueue.PassInput{PassState: marks, Distributions: m.s.queues, Loads: loads}, err
}

// held returns what a pass reads about a worker: everything that runs, with its remaining time,
// and what is assigned, if counts returns true.
func (m *Simulation) held(w int, defaultEstimate time.Duration, counts func(i int32) bool) []workqueue.HeldWork {
	var held []workqueue.HeldWork
	add := func(i int32, running bool, left time.Duration) {
		key := workqueue.HeldWork{Priority: int(m.s.hot[i].priority), Running: running, Channel: m.channel(i)}
		at := slices.IndexFunc(held, func(h workqueue.HeldWork) bool {
			return h.Priority == key.Priority && h.Running == running && h.Channel == key.Channel
		})
		if at < 0 {
			at = len(held)
			held = append(held, key)
		}
		held[at].Count++
		held[at].Estimate += left
	}
	for _, r := range m.workers[w].running {
		add(r.item, true, restOf(m.estimate(r.item, defaultEstimate), time.Duration(m.now-r.started)))
	}
	for _, i := range m.workers[w].assigned {
		if counts(i) {
			add(i, false, m.estimate(i, defaultEstimate))
		}
	}
	slices.SortStableFunc(held, func(a, b workqueue.HeldWork) int {
		running := 0
		if a.Running != b.Running {
			running = 1
			if a.Running {
				running = -1
			}
		}
		return cmp.Or(cmp.Compare(b.Priority, a.Priority), running, cmp.Compare(a.Channel, b.Channel))
	})
	return held
}

// estimate returns the estimate with which an item was assigned.
func (m *Simulation) estimate(i int32, defaultEstimate time.Duration) time.Duration {
	return max(cmp.Or(time.Duration(m.s.hot[i].guess)*time.Millisecond, defaultEstimate), 0)
}

// PassState implements AssignView.
func (m *simStore) PassState(context.Context) (workqueue.PassState, error) {
	return workqueue.PassState{Now: m.clock(), Passes: m.passes, Turns: maps.Clone(m.turns)}, nil
}

// NeedsSweep implements AssignView. A simulation begins with abandoned items freed.
func (m *simStore) NeedsSweep(context.Context, time.Duration) (bool, error) { return false, nil }

// DueItems implements AssignView.
func (m *simStore) DueItems(_ context.Context, band workqueue.Band, full workqueue.Full, limit int) ([]workqueue.DueItem, error) {
	return m.due(band, full, limit, func(string) bool { return true }), nil
}

// due returns due items of the queues for which of is true.
func (m *simStore) due(band workqueue.Band, full workqueue.Full, limit int, of func(queue string) bool) []workqueue.DueItem {
	var due []workqueue.DueItem
	queues := map[string]bool{}
	for _, queue := range full.Queues {
		queues[queue] = true
	}
	keys := map[workqueue.LimitKey]bool{}
	for _, key := range full.Keys {
		keys[key] = true
	}
	for i := m.waiting.next(0); i >= 0 && len(due) < limit; i = m.waiting.next(i + 1) {
		priority := int(m.s.hot[i].priority)
		if priority < band.Min {
			break
		}
		it := &m.s.Items[i]
		if priority > band.Max || !of(it.QueueName) || queues[it.QueueName] || it.LimitKey != "" && keys[workqueue.LimitKey{Queue: it.QueueName, Key: it.LimitKey}] || slices.Contains(full.Pipelines, it.Pipeline) {
			continue
		}
		due = append(due, m.dueItem(int32(i))) //nolint:gosec // a situation has fewer items
	}
	return due
}

// DueOfQueue implements AssignView.
func (m *simStore) DueOfQueue(_ context.Context, queue string, band workqueue.Band, full workqueue.Full, limit int) ([]workqueue.DueItem, error) {
	return m.due(band, full, limit, func(name string) bool { return name == queue }), nil
}

// dueItem returns an item as a pass reads it.
func (m *Simulation) dueItem(i int32) workqueue.DueItem {
	d := m.s.Items[i].DueItem
	d.ByHand, d.Holder = false, 0 // count it as it is
	if at, ok := m.moved[i]; ok {
		d.Due = m.s.At.Add(time.Duration(at))
	}
	return d
}

// AssignedItems implements AssignView.
func (m *simStore) AssignedItems(_ context.Context, band workqueue.Band, limit int) ([]workqueue.DueItem, error) {
	var all []int32
	for w := range m.workers {
		for _, i := range m.workers[w].assigned {
			if band.Contains(int(m.s.hot[i].priority)) {
				all = append(all, i)
			}
		}
	}
	slices.SortFunc(all, m.inRunOrder)
	all = all[:min(len(all), limit)]
	items := make([]workqueue.DueItem, len(all))
	for at, i := range all {
		items[at] = m.dueItem(i)
		items[at].Estimate = time.Duration(m.s.hot[i].guess) * time.Millisecond
		items[at].Holder = m.s.Workers[m.holder[i]].WorkerID
		items[at].Queue, items[at].LimitKey = "", "" // as in the database
	}
	return items, nil
}

// HeldItems implements AssignView; no pass asks for it.
func (m *simStore) HeldItems(context.Context, int) ([]workqueue.HeldItem, error) { return nil, nil }

// LimitUses implements AssignView.
func (m *simStore) LimitUses(context.Context) ([]workqueue.LimitUse, error) {
	return m.limitUses(), nil
}

// Limits implements LimitTx.
func (m *simStore) Limits(context.Context) ([]workqueue.LimitUse, error) { return m.limitUses(), nil }

// Rescue implements AssignTx.
func (m *simStore) Rescue(context.Context, time.Duration) (workqueue.RescueResult, error) {
	return workqueue.RescueResult{}, nil
}

// ApplyPolicies implements AssignTx; items inserted by hand count as they are.
func (m *simStore) ApplyPolicies(context.Context) (workqueue.AppliedPolicies, error) {
	return workqueue.AppliedPolicies{}, nil
}

// Expire implements AssignTx; expired items do not wait.
func (m *simStore) Expire(context.Context) (int, error) { return 0, nil }

// Write implements AssignTx.
func (m *simStore) Write(_ context.Context, assignments []workqueue.Assignment) (int, error) {
	written := 0
	for n := range assignments {
		a := &assignments[n]
		i, w := m.s.item(a.ItemID), m.s.worker(a.WorkerID)
		if i < 0 || w < 0 {
			continue
		}
		if a.From != 0 {
			from := m.s.worker(a.From)
			if m.state[i] != simAssigned || from < 0 || int(m.holder[i]) != from {
				continue
			}
			m.takeFrom(from, slices.Index(m.workers[from].assigned, i))
			m.hold(i, w)
		} else {
			if m.state[i] != simWaiting {
				continue
			}
			m.assign(i, w)
		}
		m.runOrder[i] = a.RunOrder
		m.workers[w].since = m.now
		written++
	}
	for w := range m.workers {
		if m.given.Has(w) {
			m.sortAssigned(w)
		}
	}
	return written, nil
}

// AssignAndClaim implements AssignTx; the passes of a simulation claim nothing.
func (m *simStore) AssignAndClaim(context.Context, []workqueue.Assignment, workqueue.PassClaim) ([]workqueue.Item, error) {
	return nil, nil
}

// RecordPass implements AssignTx.
func (m *simStore) RecordPass(_ context.Context, state workqueue.PassState) error {
	m.passes++
	maps.Copy(m.turns, state.Turns)
	return nil
}

// item returns the index of an item; -1 if there is none of this id.
func (s *Situation) item(id int64) int32 {
	if i, ok := s.byID[id]; ok {
		return i
	}
	return -1
}

// inRunOrder orders assigned items as a worker starts them.
func (m *Simulation) inRunOrder(a, b int32) int {
	return cmp.Or(cmp.Compare(m.s.hot[b].priority, m.s.hot[a].priority), cmp.Compare(m.runOrder[a], m.runOrder[b]), cmp.Compare(m.s.Items[a].ID, m.s.Items[b].ID))
}
