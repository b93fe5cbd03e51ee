package storetest

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"

	"botwork/workqueue"
)

// model is the queue as the design tells it, in plain Go and without a
// database. It is written for reading: every method is one rule, and none of
// them knows how an engine keeps it.
type model struct {
	clock    *time.Time
	items    map[int64]*workqueue.Item
	attempts map[int64][]workqueue.Attempt
	workers  map[int64]*workqueue.Worker
	paused   bool // the default queue
}

func newModel(clock *time.Time) *model {
	return &model{
		clock: clock, items: map[int64]*workqueue.Item{},
		attempts: map[int64][]workqueue.Attempt{}, workers: map[int64]*workqueue.Worker{},
	}
}

func (m *model) now() time.Time { return *m.clock }

// in is the time so long after now, as a column holds it.
func (m *model) in(d time.Duration) *time.Time { return new(m.now().Add(d)) }

// clone is for what may be rolled back.
func (m *model) clone() *model {
	c := *m
	c.items, c.workers, c.attempts = cloneValues(m.items), cloneValues(m.workers), maps.Clone(m.attempts)
	return &c
}

func cloneValues[T any](from map[int64]*T) map[int64]*T {
	to := make(map[int64]*T, len(from))
	for id, v := range from {
		to[id] = new(*v)
	}
	return to
}

func (m *model) ids() []int64 { return slices.Sorted(maps.Keys(m.items)) }

// list is what a listing shows: the newest first, without deleted rows.
func (m *model) list() []workqueue.Item {
	shown := []workqueue.Item{}
	for _, id := range slices.Backward(m.ids()) {
		if it := m.items[id]; it.DeletedAt == nil {
			shown = append(shown, *it)
		}
	}
	return shown
}

func (m *model) workersByName() []workqueue.Worker {
	all := []workqueue.Worker{}
	for _, w := range m.workers {
		all = append(all, *w)
	}
	slices.SortFunc(all, func(a, b workqueue.Worker) int { return cmp.Compare(a.Name, b.Name) })
	return all
}

func (m *model) workerNamed(name string) *workqueue.Worker {
	for _, w := range m.workers {
		if w.Name == name {
			return w
		}
	}
	return nil
}

// present tells whether the instance is its worker's present one.
func (m *model) present(p process) bool {
	w := m.workers[p.worker]
	return w != nil && w.InstanceID == p.instance
}

// holds tells whether the process still has the claim. Nothing else gives the
// right to write of a run: not the time of the lease, only the row.
func (m *model) holds(p process, ref workqueue.ItemRef) bool {
	it := m.items[ref.ItemID]
	return it != nil && m.present(p) && it.State == workqueue.Blocked && m.heldBy(it, p.worker) && it.Fence == ref.Fence
}

func (m *model) heldBy(it *workqueue.Item, worker int64) bool {
	return it.WorkerID != nil && *it.WorkerID == worker
}

// over tells whether a lease has run out: at its last millisecond it has not.
func (m *model) over(lease *time.Time) bool { return lease == nil || lease.Before(m.now()) }

// takes tells whether a worker may be given items, or keep what it was given. A
// worker that never beat, such as a row made by hand, is believed.
func (m *model) takes(w *workqueue.Worker) bool {
	return w != nil && w.State == workqueue.WorkerActive && (w.LeaseExpiresAt == nil || !m.over(w.LeaseExpiresAt))
}

// note adds an attempt, with what the item and the worker's row tell at its end.
func (m *model) note(it *workqueue.Item, worker *int64, a workqueue.Attempt) {
	a.ItemID, a.Fence, a.StartedAt, a.FinishedAt, a.WorkerID = it.ID, it.Fence, it.StartedAt, m.now(), worker
	a.Progress, a.LogTail = it.Progress, it.LogTail
	if a.Step == nil {
		a.Step = it.Step
	}
	if worker != nil {
		if w := m.workers[*worker]; w != nil {
			a.WorkerName, a.Host = new(w.Name), new(w.Host)
		}
	}
	m.attempts[it.ID] = append(slices.Clip(m.attempts[it.ID]), a)
}

// text is a column that is NULL where there is nothing to say.
func text(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// plain replaces the words that a store is free to choose by their kind.
func plain(items []workqueue.Item) []workqueue.Item {
	items = append([]workqueue.Item{}, items...)
	for i := range items {
		it := &items[i]
		if it.ErrorKind != nil && *it.ErrorKind == workqueue.KindPoison && it.Error != nil && strings.HasPrefix(*it.Error, "poison") {
			it.Error = new("poison")
		}
	}
	return items
}

func plainAttempts(attempts []workqueue.Attempt) []workqueue.Attempt {
	attempts = append([]workqueue.Attempt{}, attempts...)
	for i := range attempts {
		if a := &attempts[i]; a.Outcome == "rescued" && a.Error != nil {
			a.Error = new("rescued")
		}
	}
	return attempts
}
