package storetest

import (
	"cmp"
	"slices"
	"time"

	"botwork/workqueue"
)

// stale tells whether nobody will run the item: it runs under no lease, or it
// is assigned to nobody who will claim it.
func (m *model) stale(it *workqueue.Item, assignedFor time.Duration) bool {
	switch it.State {
	case workqueue.Blocked:
		return m.over(it.LeaseExpiresAt)
	case workqueue.Assigned:
		return it.AssignedAt == nil || it.AssignedAt.Before(m.now().Add(-assignedFor)) ||
			it.WorkerID == nil || !m.takes(m.workers[*it.WorkerID])
	}
	return false
}

// rescue gives back what is stale. Only a run that was lost counts as a
// release, and the one that comes to the limit is the last.
func (m *model) rescue(p workqueue.RescueParams) (result workqueue.RescueResult, moved []int64) {
	for _, id := range m.ids() {
		it := m.items[id]
		if !m.stale(it, p.AssignedFor) {
			continue
		}
		moved = append(moved, id)
		ran, worker := it.State == workqueue.Blocked, it.WorkerID
		it.State, it.WorkerID, it.AssignedAt, it.LeaseExpiresAt, it.FinishedAt = workqueue.Ready, nil, nil, nil, nil
		if !ran {
			result.Released++
			continue
		}
		result.Rescued++
		it.ReleaseCount++
		m.note(it, worker, workqueue.Attempt{Attempt: it.Attempt(), Outcome: "rescued", Error: new("rescued")})
		if it.ReleaseCount >= p.MaxReleases {
			result.Poisoned++
			it.State, it.WorkerID, it.FinishedAt = workqueue.Cancelled, worker, m.in(0)
			it.Error, it.ErrorKind = new("poison"), new(workqueue.KindPoison)
		}
	}
	return result, moved
}

// loads lists who may be given items, with what each has already.
func (m *model) loads(seenWithin time.Duration, band workqueue.Band, estimate time.Duration) []workqueue.WorkerLoad {
	loads := []workqueue.WorkerLoad{}
	for _, w := range m.workers {
		if !m.takes(w) || w.LastSeenAt.Before(m.now().Add(-seenWithin)) {
			continue
		}
		l := workqueue.WorkerLoad{WorkerID: w.ID, Name: w.Name, Capacity: w.Capacity - w.StuckSlots}
		for _, it := range m.items {
			if (it.State == workqueue.Assigned || it.State == workqueue.Blocked) && m.heldBy(it, w.ID) && it.Priority >= band.Min {
				l.HeldInBand++
				l.HeldDuration += estimated(it, estimate)
			}
		}
		loads = append(loads, l)
	}
	slices.SortFunc(loads, func(a, b workqueue.WorkerLoad) int { return cmp.Compare(a.WorkerID, b.WorkerID) })
	return loads
}

func estimated(it *workqueue.Item, unknown time.Duration) time.Duration {
	if it.EstimatedDurationMs == nil {
		return unknown
	}
	return time.Duration(*it.EstimatedDurationMs) * time.Millisecond
}

// due lists what waits and may run now: priority, then deadline, then age.
func (m *model) due(band workqueue.Band, limit int) []workqueue.DueItem {
	due := []workqueue.DueItem{}
	for _, it := range m.items {
		waits := it.State == workqueue.Ready || it.State == workqueue.Pending
		if !waits || m.paused || it.DeletedAt != nil || it.AvailableAt.After(m.now()) || !band.Contains(it.Priority) {
			continue
		}
		d := workqueue.DueItem{ID: it.ID, Priority: it.Priority, Estimate: estimated(it, 0)}
		if d.Estimate == 0 {
			d.Pipeline = it.IntegrationConfig
		}
		if it.DeadlineAt != nil {
			d.Deadline = *it.DeadlineAt
		}
		due = append(due, d)
	}
	never := m.now().AddDate(1000, 0, 0)
	deadline := func(d workqueue.DueItem) time.Time {
		if d.Deadline.IsZero() {
			return never
		}
		return d.Deadline
	}
	slices.SortFunc(due, func(a, b workqueue.DueItem) int {
		return cmp.Or(cmp.Compare(b.Priority, a.Priority), deadline(a).Compare(deadline(b)), cmp.Compare(a.ID, b.ID))
	})
	return due[:min(limit, len(due))]
}

// write assigns what still waits and returns how many items that were.
func (m *model) write(assignments []workqueue.Assignment) int {
	n := 0
	for _, a := range assignments {
		if it := m.items[a.ItemID]; it != nil && (it.State == workqueue.Ready || it.State == workqueue.Pending) {
			it.State, it.WorkerID, it.AssignedAt = workqueue.Assigned, new(a.WorkerID), m.in(0)
			n++
		}
	}
	return n
}

// stranded spans the priorities of what nobody runs, and of what waits for this
// worker. It is a quick look that need not see everything: what is assigned to
// nobody, or to a worker without a row, is left to the next pass.
func (m *model) stranded(worker int64) (band workqueue.Band, found bool) {
	for _, it := range m.items {
		lost := it.State == workqueue.Blocked && m.over(it.LeaseExpiresAt)
		if it.State == workqueue.Assigned && it.WorkerID != nil {
			holder := m.workers[*it.WorkerID]
			lost = *it.WorkerID == worker || holder != nil && !m.takes(holder)
		}
		if !lost {
			continue
		}
		if !found {
			band = workqueue.Band{Min: it.Priority, Max: it.Priority}
		}
		band, found = workqueue.Band{Min: min(band.Min, it.Priority), Max: max(band.Max, it.Priority)}, true
	}
	return band, found
}
