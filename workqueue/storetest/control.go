package storetest

import (
	"errors"
	"time"

	"botwork/workqueue"
)

func controlTests() []test {
	return []test{
		{"settings that a person sets", controlSettings},
		{"settings that do not fit together", controlMisfits},
		{"passes use the settings that a person set", controlPass},
		{"a requested drain lasts until the worker is resumed", controlDrain},
		{"a worker that does not exist", controlMissing},
	}
}

func (x *fixture) set(name string, reset bool, o workqueue.WorkerOverrides) workqueue.Worker {
	x.Helper()
	w, err := x.Store.SetWorker(x.ctx, name, reset, o)
	if err != nil {
		x.Fatal(err)
	}
	return w
}

func controlSettings(x *fixture) {
	spec := x.Spec(WorkerOpts{Name: "ann", Capacity: 4})
	spec.Labels, spec.ReservedSlots, spec.Queues = `{"os":"windows","ram":8}`, 1, []string{"erp"}
	w, err := x.Store.RegisterWorker(x.ctx, spec)
	if err != nil {
		x.Fatal(err)
	}
	x.set("ann", false, workqueue.WorkerOverrides{Capacity: new(9), Labels: map[string]any{"gpu": true, "os": nil}})
	got := x.set("ann", false, workqueue.WorkerOverrides{Queues: &[]string{}, Labels: map[string]any{"ram": 16}, Channels: &workqueue.Channels{"voice": {Cost: 2}}})
	want := w
	want.Capacity, want.Labels, want.Queues, want.Channels = 9, `{"gpu":true,"ram":16}`, "", `{"voice":{"cost":2}}`
	want.Overrides = `{"capacity":9,"labels":{"gpu":true,"os":null,"ram":16},"channels":{"voice":{"cost":2}},"queues":[]}`
	want.Reported = new(w.Settings())
	if asJSON(got) != asJSON(want) {
		x.Errorf("SetWorker = %s\nwant        %s", asJSON(got), asJSON(want))
	}
	if got := x.worker("ann"); asJSON(got) != asJSON(want) {
		x.Errorf("the row is %s\nwant       %s", asJSON(got), asJSON(want))
	}
	result, err := x.Store.Beat(x.ctx, workqueue.BeatParams{WorkerID: w.ID, InstanceID: w.InstanceID, Lease: leaseTime})
	if err != nil || result.Overrides != want.Overrides {
		x.Errorf("Beat = %+v, %v, want the overrides", result, err)
	}
	// They outlive the process, and the next one reports its own.
	if err := x.Store.StopWorker(x.ctx, w.ID, w.InstanceID); err != nil {
		x.Fatal(err)
	}
	x.set("ann", false, workqueue.WorkerOverrides{ReservedSlots: new(0)}) // while it is stopped
	next, err := x.Store.RegisterWorker(x.ctx, x.Spec(WorkerOpts{Name: "ann", Capacity: 2}))
	if err != nil || next.Capacity != 9 || next.ReservedSlots != 0 || next.Reported == nil || next.Reported.Capacity != 2 || next.Labels != `{"gpu":true,"ram":16}` {
		x.Errorf("the next process is %s, %v, want the overrides in force", asJSON(next), err)
	}
	if got := x.set("ann", true, workqueue.WorkerOverrides{}); got.Capacity != 2 || got.Overrides != "" || got.Reported != nil {
		x.Errorf("after a reset the worker is %s, want what its process reports", asJSON(got))
	}
}

func controlMisfits(x *fixture) {
	before := x.Worker(WorkerOpts{Name: "ann", Capacity: 4})
	for name, o := range map[string]workqueue.WorkerOverrides{
		"no slot":         {Capacity: new(0)},
		"too many slots":  {Capacity: new(workqueue.MaxCapacity + 1)},
		"all reserved":    {ReservedSlots: new(4)},
		"a large channel": {Channels: &workqueue.Channels{"voice": {Cost: 5}}},
		"a queue's name":  {Queues: &[]string{"a b"}},
		"a label's key":   {Labels: map[string]any{"a b": 1}},
		"automatic label": {Labels: map[string]any{"Name": "bob"}},
	} {
		_, err := x.Store.SetWorker(x.ctx, "ann", false, o)
		if _, ok := errors.AsType[*workqueue.WorkerSettingsError](err); !ok {
			x.Errorf("%s: SetWorker returns %v, want a *WorkerSettingsError", name, err)
		}
	}
	if got := x.worker("ann"); asJSON(got) != asJSON(before) {
		x.Errorf("the worker is %s, want it unchanged", asJSON(got))
	}
}

func controlPass(x *fixture) {
	x.Worker(WorkerOpts{Name: "ann", Capacity: 1})
	x.set("ann", false, workqueue.WorkerOverrides{
		Capacity: new(5), ReservedSlots: new(2), Labels: map[string]any{"gpu": true}, Queues: &[]string{"erp"}, Channels: &workqueue.Channels{"voice": {Cost: 3}},
	})
	loads := x.loads(time.Hour, workqueue.EveryPriority)
	if len(loads) != 1 || loads[0].Capacity != 5 || loads[0].Reserved != 2 || loads[0].Labels != `{"gpu":true}` || loads[0].Queues != `["erp"]` ||
		loads[0].Channels != `{"voice":{"cost":3}}` || loads[0].Fault != nil {
		x.Errorf("loads = %+v, want the settings that the person set", loads)
	}
	x.exec(1, `UPDATE "BotWorkers" SET "Overrides" = '{"capacity": "many"}'`)
	if loads := x.loads(time.Hour, workqueue.EveryPriority); len(loads) != 1 || loads[0].Capacity != 1 || loads[0].Fault == nil {
		x.Errorf("loads = %+v, want the settings of the process and the fault of the unreadable ones", loads)
	}
}

func controlDrain(x *fixture) {
	w := x.Worker(WorkerOpts{Name: "ann"})
	assigned := x.Item(ItemOpts{State: workqueue.Assigned, Worker: w})
	for range 2 { // the second request changes nothing
		if err := x.Store.RequestDrain(x.ctx, "ann"); err != nil {
			x.Fatal(err)
		}
		if got := x.worker("ann"); got.State != workqueue.WorkerDraining || got.DrainRequestedAt == nil {
			x.Errorf("the worker is %s, want draining since a time", asJSON(got))
		}
	}
	if loads := x.loads(time.Hour, workqueue.EveryPriority); len(loads) != 0 {
		x.Errorf("loads = %+v, want no worker that takes items", loads)
	}
	x.wantSame(assigned)
	if err := x.Store.StopWorker(x.ctx, w.ID, w.InstanceID); err != nil {
		x.Fatal(err)
	}
	next, err := x.Store.RegisterWorker(x.ctx, x.Spec(WorkerOpts{Name: "ann"}))
	if err != nil || next.State != workqueue.WorkerDraining {
		x.Errorf("the next process is %s, %v, want draining", asJSON(next), err)
	}
	for _, want := range []bool{true, false} {
		if changed, err := x.Store.ResumeWorker(x.ctx, "ann"); err != nil || changed != want {
			x.Errorf("ResumeWorker = %t, %v, want %t", changed, err, want)
		}
	}
	if got := x.worker("ann"); got.State != workqueue.WorkerActive || got.DrainRequestedAt != nil {
		x.Errorf("the worker is %s, want active", asJSON(got))
	}
	// A stopped worker stays stopped, and its next process drains.
	if err := x.Store.StopWorker(x.ctx, next.ID, next.InstanceID); err != nil {
		x.Fatal(err)
	}
	if err := x.Store.RequestDrain(x.ctx, "ann"); err != nil {
		x.Fatal(err)
	}
	if got := x.worker("ann").State; got != workqueue.WorkerStopped {
		x.Errorf("the stopped worker is %s, want stopped", got)
	}
	if last, err := x.Store.RegisterWorker(x.ctx, x.Spec(WorkerOpts{Name: "ann"})); err != nil || last.State != workqueue.WorkerDraining {
		x.Errorf("its next process is %s, %v, want draining", asJSON(last), err)
	}
}

func controlMissing(x *fixture) {
	_, err := x.Store.SetWorker(x.ctx, "unknown", false, workqueue.WorkerOverrides{Capacity: new(2)})
	_, resumeErr := x.Store.ResumeWorker(x.ctx, "unknown")
	for _, err := range []error{err, x.Store.RequestDrain(x.ctx, "unknown"), resumeErr} {
		if !errors.Is(err, workqueue.ErrNotFound) {
			x.Errorf("got %v, want ErrNotFound", err)
		}
	}
}
