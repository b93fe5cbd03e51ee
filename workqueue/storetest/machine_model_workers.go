package storetest

import (
	"time"

	"botwork/workqueue"
)

// register: a name belongs to the process that beats under it. Whoever takes it
// over keeps what is assigned and gives up what runs. It returns nil when the
// name is taken. id is for a name that is new.
func (m *model) register(id int64, spec workqueue.WorkerSpec) *workqueue.Worker {
	w := m.workerNamed(spec.Name)
	switch {
	case w == nil:
		w = &workqueue.Worker{ID: id, Name: spec.Name}
		m.workers[id] = w
	case w.State != workqueue.WorkerStopped && !m.over(w.LeaseExpiresAt) && w.InstanceID != spec.Replaces:
		return nil
	}
	w.InstanceID, w.Host, w.PID, w.Version, w.Capacity, w.StuckSlots = spec.InstanceID, spec.Host, spec.PID, spec.Version, spec.Capacity, 0
	w.State, w.StartedAt, w.LastSeenAt, w.LeaseExpiresAt = workqueue.WorkerActive, m.now(), m.now(), m.in(spec.Lease)
	for _, it := range m.items {
		if it.State == workqueue.Blocked && m.heldBy(it, w.ID) {
			it.LeaseExpiresAt = nil
		}
	}
	return w
}

// drain: a worker that runs takes no more.
func (m *model) drain(name string) error {
	w := m.workerNamed(name)
	if w == nil || w.State == workqueue.WorkerStopped {
		return workqueue.ErrNotFound
	}
	w.State = workqueue.WorkerDraining
	return nil
}

// stop: the present instance ends in good order and gives back what it has not
// begun.
func (m *model) stop(p process) error {
	if !m.present(p) {
		return workqueue.ErrWorkerReplaced
	}
	m.releaseAssigned(p)
	m.workers[p.worker].State = workqueue.WorkerStopped
	return nil
}

// releaseAssigned returns how many items went back; they are due as before.
func (m *model) releaseAssigned(p process) int {
	n := 0
	for _, it := range m.items {
		if m.present(p) && it.State == workqueue.Assigned && m.heldBy(it, p.worker) {
			it.State, it.WorkerID, it.AssignedAt = workqueue.Ready, nil, nil
			n++
		}
	}
	return n
}

// beat renews the worker's own lease and those of the claims that it still
// has, and returns the items whose claim it has not.
func (m *model) beat(p process, lease time.Duration, stuck int, held []workqueue.ItemRef) (workqueue.BeatResult, error) {
	w := m.workers[p.worker]
	if !m.present(p) || w.State == workqueue.WorkerStopped {
		return workqueue.BeatResult{}, workqueue.ErrWorkerReplaced
	}
	w.StuckSlots, w.LastSeenAt, w.LeaseExpiresAt = stuck, m.now(), m.in(lease)
	result := workqueue.BeatResult{State: w.State}
	for _, ref := range held {
		if m.holds(p, ref) {
			m.items[ref.ItemID].LeaseExpiresAt = m.in(lease)
		} else {
			result.Lost = append(result.Lost, ref.ItemID)
		}
	}
	return result, nil
}
