package storetest

import (
	"fmt"

	"pgregory.net/rapid"

	"botwork/workqueue"
	"botwork/workqueue/storetest/reference"
)

// register starts a process with one of a few names. A live process may have the same
// name; the new process may know that the other one is dead.
func (m *machine) register(t *rapid.T) {
	m.made++
	spec := workqueue.WorkerSpec{
		Name:       one(t, "name", []string{"ann", "bob", "cid"}),
		InstanceID: fmt.Sprintf("instance-%d", m.made), Host: fmt.Sprintf("host-%d", m.made), PID: m.made,
		ProcessKey: one(t, "process key", []string{"", fmt.Sprint("process-", m.made)}), Version: "1.2.3", Capacity: rapid.IntRange(1, 3).Draw(t, "capacity"), Lease: 3 * runLease,
	}
	before := m.model.WorkerNamed(spec.Name)
	if before != nil && rapid.Bool().Draw(t, "replaces a dead process") {
		spec.Replaces = before.InstanceID
	}
	got, err := m.Store.RegisterWorker(m.ctx, spec)
	want := m.model.Register(got.ID, spec)
	if want == nil {
		m.sameError(t, err, &workqueue.NameTakenError{Name: spec.Name, InstanceID: before.InstanceID})
		return
	}
	must(t, err)
	same(t, "the registered worker", got, *want)
	m.processes = append(m.processes, reference.Process{Worker: got.ID, Instance: got.InstanceID})
}

func (m *machine) drain(t *rapid.T) {
	name, instance := one(t, "name", []string{"ann", "bob", "cid"}), ""
	if len(m.processes) > 0 && rapid.Bool().Draw(t, "an instance") {
		instance = one(t, "instance", m.processes).Instance
	}
	m.sameError(t, m.Store.DrainWorker(m.ctx, name, instance), m.model.Drain(name, instance))
}

func (m *machine) stop(t *rapid.T) {
	p := m.process(t)
	m.sameError(t, m.Store.StopWorker(m.ctx, p.Worker, p.Instance), m.model.Stop(p))
}

func (m *machine) release(t *rapid.T) {
	p := m.process(t)
	got, err := m.Store.ReleaseAssigned(m.ctx, p.Worker, p.Instance)
	must(t, err)
	same(t, "items released", got, m.model.ReleaseAssigned(p))
}

func (m *machine) stranded(t *rapid.T) {
	p := m.process(t)
	got, found, err := m.Store.AbandonedBand(m.ctx, p.Worker)
	must(t, err)
	want, wantFound := m.model.Stranded(p.Worker)
	same(t, "the stranded band", got, want)
	same(t, "stranded", found, wantFound)
}

// withAssigned lists the processes whose worker has assigned items, including
// replaced processes.
func (m *machine) withAssigned() []reference.Process {
	var all []reference.Process
	for _, p := range m.processes {
		for _, id := range m.model.IDs() {
			if it := m.model.Items[id]; it.State == workqueue.Assigned && m.model.HeldBy(it, p.Worker) {
				all = append(all, p)
				break
			}
		}
	}
	return all
}

// process draws one of all registered processes, mostly one that is not replaced.
func (m *machine) process(t *rapid.T) reference.Process {
	var present []reference.Process
	for _, p := range m.processes {
		if m.model.IsCurrent(p) {
			present = append(present, p)
		}
	}
	if len(present) == 0 || seldom(t, "a replaced process") {
		return one(t, "process", m.processes)
	}
	return one(t, "process", present)
}

// raiseEpoch is a user's action after a restore: every later fence is above all earlier ones.
func (m *machine) raiseEpoch(t *rapid.T) {
	change, err := m.Store.RaiseEpoch(m.ctx, "by hand")
	if err != nil {
		t.Fatal(err)
	}
	m.model.Epoch = change.After.Epoch
}
