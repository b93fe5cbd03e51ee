package storetest

import (
	"fmt"

	"pgregory.net/rapid"

	"botwork/workqueue"
)

// register starts a process under one of a few names, which a live process may
// have; that one may be known to be dead.
func (m *machine) register(t *rapid.T) {
	m.made++
	spec := workqueue.WorkerSpec{
		Name:       one(t, "name", []string{"ann", "bob", "cid"}),
		InstanceID: fmt.Sprintf("instance-%d", m.made), Host: fmt.Sprintf("host-%d", m.made), PID: m.made,
		Version: "1.2.3", Capacity: rapid.IntRange(1, 3).Draw(t, "capacity"), Lease: 3 * runLease,
	}
	before := m.model.workerNamed(spec.Name)
	if before != nil && rapid.Bool().Draw(t, "knows that it is dead") {
		spec.Replaces = before.InstanceID
	}
	got, err := m.Store.RegisterWorker(m.ctx, spec)
	want := m.model.register(got.ID, spec)
	if want == nil {
		m.sameError(t, err, &workqueue.NameTakenError{Name: spec.Name, InstanceID: before.InstanceID})
		return
	}
	must(t, err)
	same(t, "the registered worker", got, *want)
	m.processes = append(m.processes, process{got.ID, got.InstanceID})
}

func (m *machine) drain(t *rapid.T) {
	name := one(t, "name", []string{"ann", "bob", "cid"})
	m.sameError(t, m.Store.DrainWorker(m.ctx, name), m.model.drain(name))
}

func (m *machine) stop(t *rapid.T) {
	p := m.process(t)
	m.sameError(t, m.Store.StopWorker(m.ctx, p.worker, p.instance), m.model.stop(p))
}

func (m *machine) release(t *rapid.T) {
	p := m.process(t)
	got, err := m.Store.ReleaseAssigned(m.ctx, p.worker, p.instance)
	must(t, err)
	same(t, "items released", got, m.model.releaseAssigned(p))
}

func (m *machine) stranded(t *rapid.T) {
	p := m.process(t)
	got, found, err := m.Store.Stranded(m.ctx, p.worker)
	must(t, err)
	want, wantFound := m.model.stranded(p.worker)
	same(t, "the stranded band", got, want)
	same(t, "stranded", found, wantFound)
}

// waitedFor lists the processes whose worker has something to claim; those that
// were replaced are among them.
func (m *machine) waitedFor() []process {
	var all []process
	for _, p := range m.processes {
		for _, id := range m.model.ids() {
			if it := m.model.items[id]; it.State == workqueue.Assigned && m.model.heldBy(it, p.worker) {
				all = append(all, p)
				break
			}
		}
	}
	return all
}

// process draws one that ever registered; mostly one that is not replaced.
func (m *machine) process(t *rapid.T) process {
	var present []process
	for _, p := range m.processes {
		if m.model.present(p) {
			present = append(present, p)
		}
	}
	if len(present) == 0 || seldom(t, "a replaced process") {
		return one(t, "process", m.processes)
	}
	return one(t, "process", present)
}
