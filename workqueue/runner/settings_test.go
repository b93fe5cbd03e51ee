package runner_test

import (
	"testing"
	"testing/synctest"
	"time"

	"botwork/workqueue"
	"botwork/workqueue/assign"
	"botwork/workqueue/runner"
	"botwork/workqueue/sqlstore"
	"botwork/workqueue/storetest"
)

// set overrides settings of the worker ann, and waits until it has applied them.
func set(t *testing.T, store storetest.Store, reset bool, o workqueue.WorkerOverrides) {
	t.Helper()
	if _, err := store.SetWorker(t.Context(), "ann", reset, o); err != nil {
		t.Fatal(err)
	}
	time.Sleep(heartbeat + time.Second)
	synctest.Wait()
}

func TestCapacityChangesWhileTheWorkerRuns(t *testing.T) {
	t.Parallel() // it is one of the longest
	bubble(t, func(t *testing.T, store *sqlstore.Store) {
		const each = 10 * time.Minute
		w := startStaying(t, store, assign.AssignParams{Workers: assign.AvailableWorkers}, each)
		ids := enqueue(t, store, 9, workqueue.NewItem{})
		w.Wake(true)
		wantRunning := func(when string, want int) {
			t.Helper()
			synctest.Wait()
			if got := states(t, store)[workqueue.Blocked]; got != want {
				t.Errorf("%s: %d items run, want %d", when, got, want)
			}
		}
		time.Sleep(time.Second)
		wantRunning("with the capacity of the process", 1)
		set(t, store, false, workqueue.WorkerOverrides{Capacity: new(4)})
		wantRunning("with more slots", 4)
		if got := w.r.Worker(); got.Capacity != 1 {
			t.Errorf("the worker registered with %d slots, want 1", got.Capacity)
		}
		set(t, store, false, workqueue.WorkerOverrides{Capacity: new(2)})
		wantRunning("with fewer slots", 4) // what runs goes on
		time.Sleep(each)
		wantRunning("after the items have ended", 2)
		set(t, store, true, workqueue.WorkerOverrides{})
		time.Sleep(each)
		wantRunning("without overrides", 1)
		time.Sleep(4 * each)
		w.leave(t)
		w.ran.wantOnce(t, ids)
	})
}

func TestServedQueuesChangeWhileTheWorkerRuns(t *testing.T) {
	bubble(t, func(t *testing.T, store *sqlstore.Store) {
		if _, err := store.DefineQueues(t.Context(), []workqueue.Queue{{Name: "erp"}, {Name: "mail"}}, "test"); err != nil {
			t.Fatal(err)
		}
		w := startStaying(t, store, assign.AssignParams{Workers: assign.AvailableWorkers}, time.Second)
		set(t, store, false, workqueue.WorkerOverrides{Queues: &[]string{"mail"}})
		erp := enqueue(t, store, 1, workqueue.NewItem{QueueName: "erp"})[0]
		mail := enqueue(t, store, 1, workqueue.NewItem{QueueName: "mail"})[0]
		w.Wake(true)
		time.Sleep(time.Minute)
		wantItem(t, store, erp, workqueue.Ready, 0)
		wantItem(t, store, mail, workqueue.Processed, 0)
		set(t, store, false, workqueue.WorkerOverrides{Queues: &[]string{"erp"}})
		time.Sleep(2 * time.Second)
		wantItem(t, store, erp, workqueue.Processed, 0)
		w.leave(t)
	})
}

// A request to drain outlives the process that it was made to, and ends when a user resumes the
// worker; items that ran meanwhile go on.
func TestDrainAndResumeOnRequest(t *testing.T) {
	bubble(t, func(t *testing.T, store *sqlstore.Store) {
		w := startStaying(t, store, assign.AssignParams{Workers: assign.AvailableWorkers}, grace-time.Second)
		set(t, store, false, workqueue.WorkerOverrides{Capacity: new(2)})
		first := enqueue(t, store, 1, workqueue.NewItem{})[0]
		w.Wake(true)
		time.Sleep(time.Second)
		if err := store.RequestDrain(t.Context(), "ann"); err != nil {
			t.Fatal(err)
		}
		time.Sleep(heartbeat)
		second := enqueue(t, store, 1, workqueue.NewItem{})[0]
		w.Wake(true)
		time.Sleep(heartbeat / 2)
		wantItem(t, store, first, workqueue.Blocked, 0)
		wantItem(t, store, second, workqueue.Ready, 0)
		resume(t, store)
		wantItem(t, store, first, workqueue.Blocked, 0)
		wantItem(t, store, second, workqueue.Blocked, 0) // in the same run, beside the first
		time.Sleep(grace)
		wantItem(t, store, first, workqueue.Processed, 0)
		wantItem(t, store, second, workqueue.Processed, 0)

		if err := store.RequestDrain(t.Context(), "ann"); err != nil {
			t.Fatal(err)
		}
		time.Sleep(heartbeat)
		w.leave(t)
		if err := w.r.Stop(t.Context()); err != nil {
			t.Fatal(err)
		}
		third := enqueue(t, store, 1, workqueue.NewItem{})[0]
		again := startStaying(t, store, assign.AssignParams{Workers: assign.AvailableWorkers}, time.Second)
		if state := workerState(t, store, "ann"); state != workqueue.WorkerDraining || !again.r.Suspended() {
			t.Errorf("after a restart the worker is %s, want draining", state)
		}
		time.Sleep(10 * heartbeat)
		wantItem(t, store, third, workqueue.Ready, 0)
		resume(t, store)
		if got := execute(t, again.r, runner.ExecuteParams{}); got != (runner.ExecuteResult{}) {
			t.Errorf("Execute = %+v, want nothing: no pass was made", got)
		}
		assignTo(t, again.r, assign.AssignParams{Workers: assign.AvailableWorkers})
		if got := execute(t, again.r, runner.ExecuteParams{}); got != (runner.ExecuteResult{Succeeded: 1}) {
			t.Errorf("Execute = %+v, want the third item's success", got)
		}
		wantItem(t, store, third, workqueue.Processed, 0)
	})
}

// resume resumes the worker ann, and waits until it has noticed.
func resume(t *testing.T, store storetest.Store) {
	t.Helper()
	if changed, err := store.ResumeWorker(t.Context(), "ann"); err != nil || !changed {
		t.Fatalf("ResumeWorker = %t, %v, want a change", changed, err)
	}
	time.Sleep(heartbeat + time.Second)
	synctest.Wait()
}
