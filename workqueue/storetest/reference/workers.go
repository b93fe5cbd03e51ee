package reference

import (
	"time"

	"botwork/workqueue"
)

// Register: a name belongs to the process that sends heartbeats with it. A new
// process that gets the name keeps the assigned items. The running items of the
// previous process are released immediately only if it is known to be dead: otherwise it
// may still run them until the leases expire. Register returns nil if the name is
// taken. id is for a new name.
func (m *Model) Register(id int64, spec workqueue.WorkerSpec) *workqueue.Worker {
	w := m.WorkerNamed(spec.Name)
	switch {
	case w == nil:
		w = &workqueue.Worker{ID: id, Name: spec.Name}
		m.Workers[id] = w
	case w.State != workqueue.WorkerStopped && !m.Over(w.LeaseExpiresAt) && w.InstanceID != spec.Replaces:
		return nil
	}
	dead := w.InstanceID != "" && w.InstanceID == spec.Replaces
	w.InstanceID, w.Host, w.PID, w.Version, w.Capacity, w.StuckSlots = spec.InstanceID, spec.Host, spec.PID, spec.Version, spec.Capacity, 0
	w.ProcessKey = spec.ProcessKey
	w.AvailableSince, w.Gate = nil, nil
	w.ReservedSlots, w.Labels = spec.ReservedSlots, spec.Labels
	w.Channels, _ = spec.Channels.Text()
	w.Queues, _ = workqueue.ServedText(spec.Queues)
	w.State, w.StartedAt, w.LastSeenAt, w.LeaseExpiresAt = workqueue.WorkerActive, m.Now(), m.Now(), m.in(spec.Lease)
	for _, it := range m.Items {
		if dead && !m.Held[it.ID] && it.State == workqueue.Blocked && m.HeldBy(it, w.ID) {
			it.LeaseExpiresAt = nil
		}
	}
	return w
}

// Drain stops a running worker from accepting more items. A request for one instance
// does not apply to the next one.
func (m *Model) Drain(name, instance string) error {
	w := m.WorkerNamed(name)
	if w == nil || w.State == workqueue.WorkerStopped || instance != "" && w.InstanceID != instance {
		return workqueue.ErrNotFound
	}
	w.State = workqueue.WorkerDraining
	return nil
}

// Stop: the current instance shuts down normally and releases the items that it has
// not begun.
func (m *Model) Stop(p Process) error {
	if !m.IsCurrent(p) {
		return workqueue.ErrWorkerReplaced
	}
	m.ReleaseAssigned(p)
	m.Workers[p.Worker].State, m.Workers[p.Worker].Gate = workqueue.WorkerStopped, nil
	return nil
}

// ReleaseAssigned returns the number of released items; their due times do not change.
func (m *Model) ReleaseAssigned(p Process) int {
	n := 0
	for _, it := range m.Items {
		if m.IsCurrent(p) && !m.Held[it.ID] && it.State == workqueue.Assigned && m.HeldBy(it, p.Worker) {
			it.State, it.WorkerID, it.AssignedAt = workqueue.Ready, nil, nil
			n++
		}
	}
	return n
}

// Beat renews the worker's own lease and those of the claims that it still has,
// records which of them have begun, and returns the items whose claim it no longer
// has.
func (m *Model) Beat(b workqueue.BeatParams) (workqueue.BeatResult, error) {
	p := Process{Worker: b.WorkerID, Instance: b.InstanceID}
	w := m.Workers[p.Worker]
	if !m.IsCurrent(p) || w.State == workqueue.WorkerStopped {
		return workqueue.BeatResult{}, workqueue.ErrWorkerReplaced
	}
	w.StuckSlots, w.LastSeenAt, w.LeaseExpiresAt = b.Stuck, m.Now(), m.in(b.Lease)
	w.Gate = workqueue.OrNil(b.Gate)
	if b.Ended != nil {
		up := (*b.Ended + time.Millisecond - 1).Truncate(time.Millisecond)
		w.AvailableSince = m.in(-up)
	}
	for _, ref := range b.Started {
		if m.Holds(p, ref) && !m.Held[ref.ItemID] {
			m.recordStart(m.Items[ref.ItemID], ref.Fence)
		}
	}
	result := workqueue.BeatResult{State: w.State}
	for _, ref := range b.Held {
		if m.Holds(p, ref) {
			if !m.Held[ref.ItemID] {
				m.Items[ref.ItemID].LeaseExpiresAt = m.in(b.Lease)
			}
		} else {
			result.Lost = append(result.Lost, ref.ItemID)
		}
	}
	m.checkEpoch(b.Held)
	return result, nil
}
