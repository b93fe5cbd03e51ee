package storetest

import (
	"context"
	"fmt"
	"testing"
	"time"

	"botwork/workqueue"
)

// Factory makes valid rows of any state through the store's own methods, so
// that a test names only the values that it tests. It is not safe for concurrent use.
type Factory struct {
	t     testing.TB
	store Store
	made  int // workers so far; their names and instances count up
}

// NewFactory returns a factory that ends the test when the store returns an error.
func NewFactory(t testing.TB, store Store) *Factory {
	return &Factory{t: t, store: store}
}

// ItemOpts are the options of an item. The zero value is a Ready item
// that is due.
type ItemOpts struct {
	State workqueue.State

	// Worker holds the item, or ran it, if the state has a worker. The zero
	// value means a new worker for this item alone.
	Worker workqueue.Worker

	Queue    string // "": the default queue
	Priority int    // 0: workqueue.RequestPriority
	Pipeline string // "": "Work"
	Payload  workqueue.JSONText
	Policy   workqueue.JSONText
	Estimate time.Duration
	In       time.Duration // waiting items: due this long after now
	Deadline time.Time
	LimitKey string
}

// Pipeline is the default pipeline of items.
const Pipeline = "Work"

// leaseTime is so long that no lease expires in a test unless the test expires it.
const leaseTime = time.Hour

// Item makes an item and returns it as the store reads it.
func (f *Factory) Item(o ItemOpts) workqueue.Item {
	f.t.Helper()
	id := f.enqueue(o)
	if o.State != workqueue.Ready && o.State != workqueue.Pending {
		if o.Worker.ID == 0 {
			o.Worker = f.Worker(WorkerOpts{})
		}
		f.Assign(o.Worker, id)
		if o.State != workqueue.Assigned {
			f.run(o, id)
		}
	}
	item, err := f.store.Item(context.Background(), id)
	if err != nil {
		f.t.Fatal(err)
	}
	if item.State != o.State {
		f.t.Fatalf("the factory made an item that is %s, want %s", item.State, o.State)
	}
	return item
}

// Items makes n items with the same options in one call and returns their ids in
// ascending order. It makes waiting and assigned items; use Item for other states.
func (f *Factory) Items(n int, o ItemOpts) []int64 {
	f.t.Helper()
	batch := make([]workqueue.NewItem, n)
	for i := range batch {
		batch[i] = o.newItem()
	}
	enqueued, err := f.store.Enqueue(context.Background(), batch)
	if err != nil {
		f.t.Fatal(err)
	}
	ids := workqueue.IDs(enqueued)
	if o.State == workqueue.Assigned {
		f.Assign(o.Worker, ids...)
	}
	return ids
}

func (f *Factory) enqueue(o ItemOpts) int64 {
	f.t.Helper()
	enqueued, err := f.store.Enqueue(context.Background(), []workqueue.NewItem{o.newItem()})
	if err != nil {
		f.t.Fatal(err)
	}
	return enqueued[0].ID
}

func (o ItemOpts) newItem() workqueue.NewItem {
	n := workqueue.NewItem{
		QueueName: o.Queue, State: workqueue.Ready, Priority: o.Priority, IntegrationConfig: o.Pipeline, Payload: o.Payload,
		ResilienceConfig: o.Policy, Estimate: o.Estimate, In: o.In, Deadline: o.Deadline, LimitKey: o.LimitKey, CreatedBy: "storetest",
	}
	if o.State == workqueue.Pending {
		n.State = workqueue.Pending
	}
	if n.Priority == 0 {
		n.Priority = workqueue.RequestPriority
	}
	if n.IntegrationConfig == "" {
		n.IntegrationConfig = Pipeline
	}
	return n
}

// run claims the item and sets its state.
func (f *Factory) run(o ItemOpts, id int64) {
	f.t.Helper()
	priority := o.newItem().Priority
	claimed, err := f.store.Claim(context.Background(), workqueue.ClaimParams{
		WorkerID: o.Worker.ID, InstanceID: o.Worker.InstanceID, Max: 1, Lease: leaseTime,
		Band: workqueue.Band{Min: priority, Max: priority},
	})
	if err != nil {
		f.t.Fatal(err)
	}
	if len(claimed) != 1 || claimed[0].ID != id {
		f.t.Fatalf("worker %q claimed %d items, want item %d alone: make running items before assigned ones of the same priority",
			o.Worker.Name, len(claimed), id)
	}
	end := workqueue.Finish{ItemID: id, Fence: claimed[0].Fence, State: o.State}
	switch o.State {
	case workqueue.Processed:
		end.Output = `{"done":true}`
	case workqueue.Cancelled:
		end.RetryCount, end.Error, end.ErrorKind = 1, "made to fail", workqueue.KindPermanent
		end.Attempt = &workqueue.AttemptNote{Number: 1, Outcome: "failed", Step: "work"}
	default:
		return
	}
	if lost, err := f.store.Finish(context.Background(), o.Worker.ID, o.Worker.InstanceID, []workqueue.Finish{end}); err != nil || len(lost) > 0 {
		f.t.Fatalf("finish item %d: lost %v, error %v", id, lost, err)
	}
}

// WorkerOpts are the options of a worker. The zero value is an active
// worker of capacity 4 with a unique name.
type WorkerOpts struct {
	Name     string
	Capacity int
}

// Worker registers a worker.
func (f *Factory) Worker(o WorkerOpts) workqueue.Worker {
	f.t.Helper()
	w, err := f.store.RegisterWorker(context.Background(), f.Spec(o))
	if err != nil {
		f.t.Fatal(err)
	}
	return w
}

// Spec returns what Worker would register: each call is a different process.
func (f *Factory) Spec(o WorkerOpts) workqueue.WorkerSpec {
	f.made++
	spec := workqueue.WorkerSpec{
		Name: o.Name, InstanceID: fmt.Sprintf("instance-%d", f.made), Host: fmt.Sprintf("host-%d", f.made), PID: 1000 + f.made,
		ProcessKey: fmt.Sprintf("process-%d", f.made), Version: "1.2.3", Capacity: o.Capacity, Lease: leaseTime,
	}
	if spec.Name == "" {
		spec.Name = fmt.Sprintf("worker-%d", f.made)
	}
	if spec.Capacity == 0 {
		spec.Capacity = 4
	}
	return spec
}

// Assign assigns waiting items to a worker.
func (f *Factory) Assign(w workqueue.Worker, ids ...int64) {
	f.t.Helper()
	batch := make([]workqueue.Assignment, len(ids))
	for i, id := range ids {
		batch[i] = workqueue.Assignment{ItemID: id, WorkerID: w.ID}
	}
	err := f.store.Assign(context.Background(), func(ctx context.Context, tx workqueue.AssignTx) error {
		n, err := tx.Write(ctx, batch)
		if err == nil && n != len(ids) {
			err = fmt.Errorf("assigned %d of %d items", n, len(ids))
		}
		return err
	})
	if err != nil {
		f.t.Fatal(err)
	}
}
