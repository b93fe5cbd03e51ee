package reference

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"botwork/workqueue"
)

// Stale reports whether no worker will run the item: it runs without a valid lease,
// or it is assigned to no worker that will claim it.
func (m *Model) Stale(it *workqueue.Item, assignedFor time.Duration) bool {
	switch it.State {
	case workqueue.Blocked:
		return m.Over(it.LeaseExpiresAt)
	case workqueue.Assigned:
		return it.AssignedAt == nil || it.AssignedAt.Before(m.Now().Add(-assignedFor)) ||
			it.WorkerID == nil || !m.Assignable(m.Workers[*it.WorkerID])
	}
	return false
}

// Withheld reports whether the item must not start now, although it has not expired.
func (m *Model) Withheld(it *workqueue.Item) bool {
	return it.AvailableAt.After(m.Now()) || it.DeletedAt != nil || m.Paused
}

// Startable reports whether the item may be assigned, or start, now.
func (m *Model) Startable(it *workqueue.Item) bool {
	return !m.Withheld(it) && !m.Expired(it) && !m.Held[it.ID]
}

// Rescue releases stale items, and assigned items that are withheld. Only a lost run that
// had begun counts as a release; the item is cancelled when the count reaches the limit. A
// claim without a recorded begin leaves the item as if it had never started.
func (m *Model) Rescue(assignedFor time.Duration) (result workqueue.RescueResult, moved []int64) {
	var again []int // priorities of the released items that may run again
	for _, id := range m.IDs() {
		it := m.Items[id]
		stale := m.Stale(it, assignedFor)
		withheld := !stale && it.State == workqueue.Assigned && m.Withheld(it)
		if !stale && !withheld || m.Held[id] {
			continue
		}
		moved = append(moved, id)
		ran, worker := it.State == workqueue.Blocked, it.WorkerID
		it.State, it.WorkerID, it.AssignedAt, it.LeaseExpiresAt, it.FinishedAt = workqueue.Ready, nil, nil, nil, nil
		if withheld {
			result.Released++
			result.Withheld++
			continue
		}
		if !ran {
			result.Released++
			again = append(again, it.Priority)
			continue
		}
		result.Rescued++
		if !m.HasStarted(it) {
			m.addAttempt(it, worker, workqueue.Attempt{Attempt: it.Attempt(), Outcome: "released", Error: new("rescued")})
			attempts := m.Attempts[id]
			attempts[len(attempts)-1].StartedAt = nil
			if firstOfClaim(it) {
				it.FirstStartedAt = nil
			}
			m.recordStart(it, 0)
			again = append(again, it.Priority)
			continue
		}
		it.ReleaseCount++
		m.addAttempt(it, worker, workqueue.Attempt{Attempt: it.Attempt(), Outcome: "rescued", Error: new("rescued")})
		if it.ReleaseCount >= cmp.Or(m.MaxReleases, workqueue.DefaultMaxReleases) {
			result.Poisoned++
			it.State, it.WorkerID, it.FinishedAt = workqueue.Cancelled, worker, m.in(0)
			it.Error, it.ErrorKind = new("poison"), new(workqueue.KindPoison)
			continue
		}
		again = append(again, it.Priority)
	}
	if len(again) > 0 {
		result.Band = workqueue.Band{Min: slices.Min(again), Max: slices.Max(again)}
	}
	return result, moved
}

// Expired reports whether an item must no longer be started.
func (m *Model) Expired(it *workqueue.Item) bool {
	return it.DeadlineAt != nil && it.DeadlineAt.Before(m.Now()) || it.ExpiresAt != nil && it.ExpiresAt.Before(m.Now())
}

// Expire cancels items that have not been started in time, or removes them.
func (m *Model) Expire() (n int) {
	for _, it := range m.Items {
		waits := it.State == workqueue.Ready || it.State == workqueue.Pending || it.State == workqueue.Assigned
		if !waits || it.DeletedAt != nil || !m.Expired(it) || m.Held[it.ID] {
			continue
		}
		it.State, it.FinishedAt, it.LeaseExpiresAt = workqueue.Cancelled, m.in(0), nil
		it.Error, it.ErrorKind = new("expired"), new(workqueue.KindExpired)
		n++
		if m.RemovesExpired {
			delete(m.Items, it.ID)
			delete(m.Attempts, it.ID)
		}
	}
	return n
}

// unlessOver returns a time in the future, and nil for one in the past.
func (m *Model) unlessOver(at *time.Time) *time.Time {
	if at != nil && at.Before(m.Now()) {
		return nil
	}
	return at
}

// Loads lists the workers that may be assigned items, with the work that each holds.
func (m *Model) Loads(seenWithin time.Duration, band workqueue.Band, estimate time.Duration) []workqueue.WorkerLoad {
	loads := []workqueue.WorkerLoad{}
	for _, w := range m.Workers {
		if !m.Assignable(w) || w.LastSeenAt.Before(m.Now().Add(-seenWithin)) {
			continue
		}
		l := workqueue.WorkerLoad{
			WorkerID: w.ID, Name: w.Name, Capacity: w.Capacity - w.StuckSlots, Reserved: w.ReservedSlots, Labels: w.Labels, Channels: w.Channels, Queues: w.Queues,
			AvailableSince: w.StartedAt,
		}
		if w.AvailableSince != nil {
			l.AvailableSince = *w.AvailableSince
		}
		held := map[workqueue.HeldWork]workqueue.HeldWork{}
		for _, it := range m.Items {
			running := it.State == workqueue.Blocked
			if !m.HeldBy(it, w.ID) || !running && (it.State != workqueue.Assigned || it.Priority < band.Min) {
				continue
			}
			since := it.StartedAt
			if !running {
				since = it.AssignedAt
			}
			if since != nil && since.After(l.AvailableSince) {
				l.AvailableSince = *since
			}
			key := workqueue.HeldWork{Priority: it.Priority, Running: running, Channel: textOf(it.Channel)}
			h := held[key]
			h.Priority, h.Running, h.Channel = key.Priority, key.Running, key.Channel
			h.Count++
			if running {
				h.Estimate += m.left(it, estimate)
			} else {
				h.Estimate += expected(it, estimate)
			}
			held[key] = h
		}
		for _, h := range held {
			l.Held = append(l.Held, h)
		}
		slices.SortFunc(l.Held, func(a, b workqueue.HeldWork) int {
			running := 0
			if a.Running != b.Running {
				running = 1
				if a.Running {
					running = -1
				}
			}
			return cmp.Or(cmp.Compare(b.Priority, a.Priority), running, cmp.Compare(a.Channel, b.Channel))
		})
		loads = append(loads, l)
	}
	slices.SortFunc(loads, func(a, b workqueue.WorkerLoad) int { return cmp.Compare(a.WorkerID, b.WorkerID) })
	return loads
}

// left returns how long a running item is expected to take from now on: the rest of its
// estimate, or as long as it has run if that is longer than its estimate.
func (m *Model) left(it *workqueue.Item, unknown time.Duration) time.Duration {
	whole, ran := expected(it, unknown), time.Duration(0)
	if it.StartedAt != nil {
		ran = max(m.Now().Sub(*it.StartedAt), 0)
	}
	if ran < whole {
		return whole - ran
	}
	return ran
}

// expected returns how long the pass that assigned the item expected it to take.
func expected(it *workqueue.Item, unknown time.Duration) time.Duration {
	if it.AssignedEstimateMs != nil {
		return time.Duration(*it.AssignedEstimateMs) * time.Millisecond
	}
	return estimated(it, unknown)
}

func estimated(it *workqueue.Item, unknown time.Duration) time.Duration {
	if it.EstimatedDurationMs == nil {
		return unknown
	}
	return time.Duration(*it.EstimatedDurationMs) * time.Millisecond
}

// Due lists the first items that wait and may run now: by priority, expedited first, then by deadline and age.
func (m *Model) Due(band workqueue.Band, limit int) []workqueue.DueItem {
	due := []workqueue.DueItem{}
	for _, it := range m.Items {
		waits := it.State == workqueue.Ready || it.State == workqueue.Pending
		if !waits || !m.Startable(it) || !band.Contains(it.Priority) {
			continue
		}
		d := workqueue.DueItem{
			ID: it.ID, Priority: it.Priority, Due: it.AvailableAt, Estimate: estimated(it, 0), Pipeline: it.IntegrationConfig,
			QueueName: it.QueueName, Labels: it.Labels, Selectors: it.Selectors, Expedite: expedites(it),
		}
		if it.EstimatedDurationMs == nil {
			d.TaskName, d.NaturalKey = textOf(it.TaskName), textOf(it.NaturalKey)
		}
		if it.DeadlineAt != nil {
			d.Deadline = *it.DeadlineAt
		}
		if m.Limits != (workqueue.QueueLimits{}) {
			d.Queue, d.LimitKey = workqueue.DefaultQueue, limitKey(it)
		}
		due = append(due, d)
	}
	never := m.Now().AddDate(1000, 0, 0)
	deadline := func(d workqueue.DueItem) time.Time {
		if d.Deadline.IsZero() {
			return never
		}
		return d.Deadline
	}
	slices.SortFunc(due, func(a, b workqueue.DueItem) int {
		return cmp.Or(cmp.Compare(b.Priority, a.Priority), expeditedFirst(a, b), deadline(a).Compare(deadline(b)), cmp.Compare(a.ID, b.ID))
	})
	return due[:min(limit, len(due))]
}

func expeditedFirst(a, b workqueue.DueItem) int {
	switch {
	case a.Expedite == b.Expedite:
		return 0
	case a.Expedite:
		return -1
	}
	return 1
}

// expedites reports whether one of the item's selectors puts it before others.
func expedites(it *workqueue.Item) bool {
	return strings.Contains(string(it.Selectors), `"expedite":true`)
}

// Assigned lists the items that are assigned and have not started.
func (m *Model) Assigned(band workqueue.Band, limit int) []workqueue.DueItem {
	list := []workqueue.DueItem{}
	for _, it := range m.Items {
		if it.State != workqueue.Assigned || it.WorkerID == nil || !m.Startable(it) || !band.Contains(it.Priority) {
			continue
		}
		d := workqueue.DueItem{
			ID: it.ID, Priority: it.Priority, Due: it.AvailableAt, Estimate: expected(it, 0), Pipeline: it.IntegrationConfig,
			QueueName: it.QueueName, Labels: it.Labels, Selectors: it.Selectors, Expedite: expedites(it), Holder: *it.WorkerID,
		}
		if it.DeadlineAt != nil {
			d.Deadline = *it.DeadlineAt
		}
		list = append(list, d)
	}
	slices.SortFunc(list, func(a, b workqueue.DueItem) int {
		return compareStarts(m.Items[a.ID], m.Items[b.ID])
	})
	return list[:min(limit, len(list))]
}

// Write assigns items that still wait and may start to workers that may have them,
// and returns the number of these items.
func (m *Model) Write(assignments []workqueue.Assignment) int {
	n := 0
	for _, a := range assignments {
		it := m.Items[a.ItemID]
		if it == nil {
			continue
		}
		waits := it.State == workqueue.Ready || it.State == workqueue.Pending
		if a.From != 0 {
			waits = it.State == workqueue.Assigned && m.HeldBy(it, a.From)
		}
		if !waits || !m.Startable(it) || !m.Assignable(m.Workers[a.WorkerID]) {
			continue
		}
		m.assign(it, a)
		n++
	}
	if n > 0 && m.logging {
		m.logAssigned()
	}
	return n
}

func (m *Model) assign(it *workqueue.Item, a workqueue.Assignment) {
	it.State, it.WorkerID, it.AssignedAt = workqueue.Assigned, new(a.WorkerID), m.in(0)
	it.RunOrder, it.AssignedEstimateMs, it.Channel = a.RunOrder, nil, nil
	if a.Estimate > 0 {
		it.AssignedEstimateMs = new(a.Estimate.Milliseconds())
	}
	if a.Channel != "" {
		it.Channel = new(a.Channel)
	}
}

// Take is Write and Claim in one call, for waiting items that may start and a worker that is active.
// Like Claim, it does not check the worker's lease.
func (m *Model) Take(p Process, assignments []workqueue.Assignment, lease time.Duration) []workqueue.Item {
	var ids []int64
	for _, a := range assignments {
		it := m.Items[a.ItemID]
		waits := it != nil && (it.State == workqueue.Ready || it.State == workqueue.Pending)
		if !waits || !m.Startable(it) || !m.IsCurrent(p) || m.Workers[p.Worker].State != workqueue.WorkerActive {
			continue
		}
		a.WorkerID = p.Worker
		m.assign(it, a)
		ids = append(ids, a.ItemID)
	}
	return m.claim(ids, lease)
}

func textOf(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// Stranded returns the band of items that no worker runs, and of those assigned to
// this worker. It is a quick check that may miss items: those assigned to no worker, or
// to a worker without a row, are found by the next pass.
func (m *Model) Stranded(worker int64) (band workqueue.Band, found bool) {
	for _, it := range m.Items {
		lost := it.State == workqueue.Blocked && m.Over(it.LeaseExpiresAt)
		if it.State == workqueue.Assigned && it.WorkerID != nil {
			holder := m.Workers[*it.WorkerID]
			lost = *it.WorkerID == worker && m.Startable(it) || holder != nil && !m.Assignable(holder)
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
