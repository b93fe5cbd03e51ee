package check_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"botwork/internal/testdb"
	"botwork/workqueue"
	"botwork/workqueue/sqlstore"
	"botwork/workqueue/storetest"
)

// everyKind inserts a correct row of every kind: all states, the results of the program's
// commands and of the administrator's files, and sensible changes by hand.
func everyKind(x *checked) {
	x.Helper()
	ctx := x.Context()
	must := func(err error) {
		x.Helper()
		if err != nil {
			x.Fatal(err)
		}
	}
	for _, state := range workqueue.States() {
		x.Item(storetest.ItemOpts{State: state, Priority: 700 + int(state)})
	}
	x.Item(storetest.ItemOpts{In: 48 * 3600e9})
	// The verbs of the command line.
	for _, state := range []workqueue.State{workqueue.Processed, workqueue.Cancelled} {
		must(storetest.Do(ctx, x.store, workqueue.Repeat, x.Item(storetest.ItemOpts{State: state}).ID, ""))
		must(storetest.Do(ctx, x.store, workqueue.Delete, x.Item(storetest.ItemOpts{State: state}).ID, ""))
	}
	for _, state := range []workqueue.State{workqueue.Ready, workqueue.Pending, workqueue.Assigned} {
		must(storetest.Do(ctx, x.store, workqueue.Cancel, x.Item(storetest.ItemOpts{State: state, Priority: 800 + int(state)}).ID, "not needed"))
	}
	// A drained worker, one that stopped while it held items, and one that restarted as another
	// instance.
	drained := x.Worker(storetest.WorkerOpts{Name: "drained"})
	must(x.store.DrainWorker(ctx, drained.Name, ""))
	stopped := x.Worker(storetest.WorkerOpts{Name: "stopped"})
	x.Item(storetest.ItemOpts{State: workqueue.Blocked, Worker: stopped, Priority: 901})
	x.Item(storetest.ItemOpts{State: workqueue.Assigned, Worker: stopped, Priority: 902})
	must(x.store.StopWorker(ctx, stopped.ID, stopped.InstanceID))
	back := x.Worker(storetest.WorkerOpts{Name: "back"})
	x.Item(storetest.ItemOpts{State: workqueue.Blocked, Worker: back, Priority: 903})
	spec := x.Spec(storetest.WorkerOpts{Name: "back"})
	spec.Replaces = back.InstanceID
	_, err := x.store.RegisterWorker(ctx, spec) // the lease of the running item is now NULL
	must(err)
	// By hand.
	x.insert()
	handed := x.Item(storetest.ItemOpts{State: workqueue.Cancelled})
	x.set(handed.ID, `State = 0`)
	done := x.Item(storetest.ItemOpts{State: workqueue.Cancelled})
	x.set(done.ID, `State = 2`)
	traces := x.Item(storetest.ItemOpts{})
	x.set(traces.ID, `WorkerId = %d, LeaseExpiresAt = `+longAgo+`, AssignedAt = `+longAgo, drained.ID)
	marked := x.insert()
	x.set(marked, `DeletedAt = `+longAgo+`, DeletedReason = 'not needed'`)
	x.set(x.insert(), `ResilienceConfig = 'three times', Payload = '{"open'`)
	// Schedules: fired once; missed; fired by each worker, twice because a clock was set back;
	// on request; started twice because a response was lost.
	x.firing("nightly", longAgo, "", "fired")
	x.run("nightly", longAgo, 1, "succeeded", "NULL")
	x.firing("nightly", farAway, "", "missed")
	for range 2 {
		x.run("minutely", longAgo, 1, "succeeded", "NULL")
		x.run("minutely", longAgo, 2, "succeeded", "NULL")
		x.run("nightly", "NULL", 2, "succeeded", "NULL")
	}
	x.firing("minutely", farAway, "worker-1", "skipped")
	x.firing("weekly", longAgo, "", "fired")
	x.run("weekly", longAgo, 1, "failed", "'the process died, or lost the database, before the end of the run was recorded'")
	x.run("weekly", longAgo, 1, "succeeded", "NULL")
	x.firing("yearly", longAgo, "", "fired") // the worker died before the run
}

func TestCheckFindsNoViolationInCorrectRows(t *testing.T) {
	testdb.Each(t, func(t *testing.T, e testdb.Engine) {
		x := newChecked(t, e)
		x.wantClean() // freshly migrated
		everyKind(x)
		x.wantClean()
		report := x.check()
		for _, c := range report.Checks {
			// The rows were written by hand in this hour, which the series leave out after the recount.
			if c.Looked == 0 && c.Check != workqueue.CheckSeries {
				t.Errorf("%s examined no rows", c.Check)
			}
		}
	})
}

// TestCheckIsCleanAfterOperators runs each operator file that changes something, on items of
// every state.
func TestCheckIsCleanAfterOperators(t *testing.T) {
	testdb.Each(t, func(t *testing.T, e testdb.Engine) {
		x := newChecked(t, e)
		for _, state := range workqueue.States() {
			for _, file := range []string{"05_requeue_item", "06_cancel_item", "07_change_priority"} {
				it := x.Item(storetest.ItemOpts{State: state, Priority: 600 + int(state)})
				text := operatorText(t, e, file)
				changed := regexp.MustCompile(`("?Id"?) = 1;`).ReplaceAllString(text, fmt.Sprintf("$1 = %d;", it.ID))
				if !strings.Contains(changed, fmt.Sprintf(" = %d;", it.ID)) {
					t.Fatalf("%s has no item id", file)
				}
				if _, err := x.byHand.ExecContext(t.Context(), changed); err != nil {
					t.Fatal(err)
				}
			}
		}
		x.wantClean()
	})
}

func operatorText(t *testing.T, e testdb.Engine, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "..", "sql", string(e.Driver), "operators", name+".sql"))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestCheckOfAMissingSchema(t *testing.T) {
	testdb.Each(t, func(t *testing.T, e testdb.Engine) {
		store, err := sqlstore.Open(t.Context(), sqlstore.Options{Driver: string(e.Driver), DSN: e.DSN(t)})
		if err != nil {
			t.Fatal(err)
		}
		defer store.Close()
		if _, err := store.Check(t.Context(), workqueue.CheckParams{}); err == nil || !strings.Contains(err.Error(), "botwork db migrate") {
			t.Errorf("Check = %v, want the advice to migrate", err)
		}
	})
}

// TestLeftTextIsTheSchedulers checks that the text by which the check recognizes runs that may
// never have started is the scheduler's.
func TestLeftTextIsTheSchedulers(t *testing.T) {
	source, err := os.ReadFile("../../../internal/scheduler/run.go")
	if err != nil {
		t.Fatal(err)
	}
	check, err := os.ReadFile("firings.go")
	if err != nil {
		t.Fatal(err)
	}
	const text = `"the process died, or lost the database`
	if !strings.Contains(string(source), text) || !strings.Contains(string(check), text) {
		t.Errorf("internal/scheduler/run.go and firings.go do not both contain %s", text)
	}
}
