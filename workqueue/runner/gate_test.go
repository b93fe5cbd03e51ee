package runner_test

import (
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"botwork/workqueue"
	"botwork/workqueue/assign"
	"botwork/workqueue/runner"
	"botwork/workqueue/sqlstore"
	"botwork/workqueue/storetest"
)

// fakeGate is a gate that a test closes and opens.
type fakeGate struct {
	mu      sync.Mutex
	reason  string
	changed chan struct{}
}

func newFakeGate(reason string) *fakeGate {
	return &fakeGate{reason: reason, changed: make(chan struct{}, 1)}
}

func (g *fakeGate) Closed() string {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.reason
}

func (g *fakeGate) Changed() <-chan struct{} { return g.changed }

func (g *fakeGate) set(reason string) {
	g.mu.Lock()
	g.reason = reason
	g.mu.Unlock()
	g.changed <- struct{}{}
	synctest.Wait()
}

// gateOf returns the reason in a worker's row.
func gateOf(t *testing.T, store storetest.Store, name string) string {
	t.Helper()
	workers, err := store.Workers(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range workers {
		if w.Name == name && w.Gate != nil {
			return *w.Gate
		}
	}
	return ""
}

func TestGatedWorkerTakesNothing(t *testing.T) {
	bubble(t, func(t *testing.T, store *sqlstore.Store) {
		gate := newFakeGate("")
		var attended []workqueue.Band
		r, ids, done := busyAfter(t, store, quick, 6, sleepFor(20*time.Second), func(o *runner.Options) {
			o.Gate, o.Attend = gate, func(b workqueue.Band) { attended = append(attended, b) }
		})
		later := enqueue(t, store, 1, workqueue.NewItem{Priority: 9})[0]
		assignTo(t, r, assign.AssignParams{Workers: assign.AvailableWorkers}) // assigned, not claimed
		wantItem(t, store, later, workqueue.Assigned, 0)
		wantItem(t, store, ids[3], workqueue.Blocked, 0) // claimed ahead

		gate.set("cpu 97% over 90%")
		if got := gateOf(t, store, "ann"); got != "cpu 97% over 90%" || !r.Gated() {
			t.Errorf("the worker's row says %q at once, want the reason; gated %v", got, r.Gated())
		}
		wantItem(t, store, later, workqueue.Ready, 0)    // given back for other workers
		wantItem(t, store, ids[1], workqueue.Blocked, 0) // runs on
		enqueue(t, store, 1, workqueue.NewItem{})
		if got := assignTo(t, r, assign.AssignParams{Workers: assign.AvailableWorkers}); got.Assigned != 0 {
			t.Errorf("%d items were assigned to a gated worker", got.Assigned)
		}
		if got := <-done; got.err != nil || got.ExecuteResult != (runner.ExecuteResult{Succeeded: quick + 2}) {
			t.Errorf("Execute = %+v, want the running item's success and no error", got)
		}
		for _, id := range ids[2:] {
			if it := wantItem(t, store, id, workqueue.Ready, 0); it.ReleaseCount != 0 {
				t.Errorf("the release of item %d counted as a worker's death", id)
			}
		}
		if got := execute(t, r, runner.ExecuteParams{}); got != (runner.ExecuteResult{}) {
			t.Errorf("a gated worker executed %+v", got)
		}
		before := time.Now()
		time.Sleep(5 * time.Minute)
		workers, err := store.Workers(t.Context())
		if err != nil || !workers[0].LastSeenAt.After(before.Add(4*time.Minute)) {
			t.Errorf("a gated worker was last seen at %s, %v, want heartbeats", workers[0].LastSeenAt, err)
		}

		attended = nil
		gate.set("")
		if got := gateOf(t, store, "ann"); got != "" || r.Gated() {
			t.Errorf("the worker's row says %q after the gate opened", got)
		}
		if len(attended) != 1 || attended[0] != workqueue.EveryPriority {
			t.Errorf("Attend was called for %v, want once for all priorities: items wait", attended)
		}
		assignTo(t, r, assign.AssignParams{})
		if got := execute(t, r, runner.ExecuteParams{Refill: true}); got == (runner.ExecuteResult{}) {
			t.Error("executed nothing after the gate opened, want the items that waited") // busyAfter lets them panic
		}
	})
}

// An item that runs for longer than the gate is closed keeps its step open: the step takes items
// again.
func TestGateOpensDuringARun(t *testing.T) {
	bubble(t, func(t *testing.T, store *sqlstore.Store) {
		gate := newFakeGate("")
		o := options(store, "ann", sleepFor(time.Minute))
		o.Gate, o.Spec.Capacity = gate, 2
		r := start(t, o)
		first := enqueue(t, store, 1, workqueue.NewItem{})[0]
		assignTo(t, r, assign.AssignParams{Workers: assign.AvailableWorkers})
		done := background(t, r, runner.ExecuteParams{Refill: true})
		synctest.Wait()
		wantItem(t, store, first, workqueue.Blocked, 0)
		gate.set("free memory 100MB below 500MB")
		second := enqueue(t, store, 1, workqueue.NewItem{})[0]
		time.Sleep(20 * time.Second)
		wantItem(t, store, second, workqueue.Ready, 0)
		gate.set("")
		time.Sleep(assign.RefillEvery)
		wantItem(t, store, second, workqueue.Blocked, 0)
		if got := <-done; got.err != nil || got.Succeeded != 2 {
			t.Errorf("Execute = %+v, want both items", got)
		}
	})
}

// A worker whose machine is full at its start takes nothing before its first heartbeat either.
func TestGateClosedAtStart(t *testing.T) {
	bubble(t, func(t *testing.T, store *sqlstore.Store) {
		gate := newFakeGate("free disk space at / 100MB below 1GB")
		o := options(store, "ann", sleepFor(time.Second))
		o.Gate = gate
		r := start(t, o)
		id := enqueue(t, store, 1, workqueue.NewItem{})[0]
		assignTo(t, r, assign.AssignParams{}) // perhaps before the heartbeat
		if got := execute(t, r, runner.ExecuteParams{Refill: true}); got != (runner.ExecuteResult{}) {
			t.Errorf("executed %+v, want nothing", got)
		}
		synctest.Wait()
		wantItem(t, store, id, workqueue.Ready, 0) // waits for another worker
		if got := gateOf(t, store, "ann"); got == "" {
			t.Error("the worker's row has no reason after its start")
		}
	})
}
