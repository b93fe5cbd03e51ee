package runner_test

import (
	"context"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rs/zerolog"

	"botwork/internal/database"
	"botwork/internal/testdb"
	"botwork/workqueue"
	"botwork/workqueue/assign"
	"botwork/workqueue/runner"
	"botwork/workqueue/sqlstore"
	"botwork/workqueue/storetest"
)

// bubble runs a test in virtual time, with an empty SQLite database whose
// clock is that time.
func bubble(t *testing.T, test func(t *testing.T, store *sqlstore.Store)) {
	dsn := filepath.Join(t.TempDir(), "botwork.db")
	testdb.Prepare(t, database.SQLite, dsn)
	synctest.Test(t, func(t *testing.T) {
		store, err := sqlstore.Open(t.Context(), sqlstore.Options{Driver: string(database.SQLite), DSN: testdb.Unsynced(database.SQLite, dsn), Now: time.Now})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := store.Close(); err != nil {
				t.Errorf("close store: %v", err)
			}
		})
		test(t, store)
	})
}

const (
	lease     = time.Minute
	heartbeat = 10 * time.Second
	grace     = 30 * time.Second
)

// options returns options of a runner, which a test may change.
func options(store runner.Store, name string, run workqueue.RunItem) runner.Options {
	return runner.Options{
		Store: store, RunItem: run, Log: zerolog.Nop(), Heartbeat: heartbeat, ShutdownGrace: grace,
		Spec: workqueue.WorkerSpec{Name: name, InstanceID: name + "-1", Host: "host", PID: 1, Capacity: 1, Lease: lease},
	}
}

// start starts a runner and stops it when the test ends.
func start(t *testing.T, o runner.Options) *runner.Runner {
	t.Helper()
	r, err := runner.New(o)
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := r.Stop(context.Background()); err != nil {
			t.Errorf("stop %s: %v", o.Spec.Name, err)
		}
	})
	return r
}

// enqueue enqueues n items like this one.
func enqueue(t *testing.T, store storetest.Store, n int, like workqueue.NewItem) []int64 {
	t.Helper()
	if like.IntegrationConfig == "" {
		like.IntegrationConfig = "invoices"
	}
	items := make([]workqueue.NewItem, n)
	for i := range items {
		items[i] = like
	}
	enqueued, err := store.Enqueue(t.Context(), items)
	if err != nil {
		t.Fatal(err)
	}
	return workqueue.IDs(enqueued)
}

func assignTo(t *testing.T, r *runner.Runner, p assign.AssignParams) assign.AssignResult {
	t.Helper()
	result, err := r.Assign(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	return result
}

func execute(t *testing.T, r *runner.Runner, p runner.ExecuteParams) runner.ExecuteResult {
	t.Helper()
	result, err := r.Execute(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	return result
}

// executeAnswer is the result of a call of Execute in the background.
type executeAnswer struct {
	runner.ExecuteResult
	err error
}

// background calls Execute and returns the channel on which it answers.
func background(t *testing.T, r *runner.Runner, p runner.ExecuteParams) <-chan executeAnswer {
	done := make(chan executeAnswer, 1)
	go func() {
		result, err := r.Execute(t.Context(), p)
		done <- executeAnswer{result, err}
	}()
	return done
}

func item(t *testing.T, store storetest.Store, id int64) workqueue.Item {
	t.Helper()
	it, err := store.Item(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	return it
}

// states counts the items in each state.
func states(t *testing.T, store storetest.Store) map[workqueue.State]int {
	t.Helper()
	items, err := store.Items(t.Context(), workqueue.ItemFilter{Limit: 100_000})
	if err != nil {
		t.Fatal(err)
	}
	got := map[workqueue.State]int{}
	for _, it := range items {
		got[it.State]++
	}
	return got
}

// wantItem checks the state of an item and how many failures it has.
func wantItem(t *testing.T, store storetest.Store, id int64, state workqueue.State, retries int) workqueue.Item {
	t.Helper()
	it := item(t, store, id)
	if it.State != state || it.RetryCount != retries {
		t.Errorf("item %d is %v after %d failures, want %v after %d", id, it.State, it.RetryCount, state, retries)
	}
	return it
}

func succeed(context.Context, *workqueue.Run) workqueue.Outcome { return workqueue.Outcome{} }

// untilCancelled is a run that stops when it is cancelled, and returns the cause.
func untilCancelled(ctx context.Context, _ *workqueue.Run) workqueue.Outcome {
	<-ctx.Done()
	return workqueue.Outcome{Verdict: workqueue.Released, Error: context.Cause(ctx).Error()}
}
