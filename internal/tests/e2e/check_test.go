//go:build unix

package e2e

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"botwork/internal/testdb"
	"botwork/workqueue"
)

// wantChecked fails unless botwork check ends with this exit code and prints, as JSON,
// these violations: "check subject".
func (x *project) wantChecked(code int, want ...string) {
	x.Helper()
	r := x.run("check", "--output", "json")
	r.want(code)
	var report workqueue.CheckReport
	decode(x.T, r.stdout, &report)
	var got []string
	for _, v := range report.Violations {
		got = append(got, v.Check+" "+v.Subject())
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") || report.Clean != (len(want) == 0) {
		x.Errorf("check found %q, want %q:\n%s", got, want, r.stdout)
	}
}

// Every check of a running cluster is clean, while items fail and are
// repeated, a worker is killed and restarted, and another one drains.
func TestCheckOfRunningCluster(t *testing.T) {
	testdb.Each(t, func(t *testing.T, e testdb.Engine) {
		t.Parallel()
		x := newProject(t, e)
		x.write("pipelines/quick.yaml", "steps: [{handler: Log, with: {message: quick}}]\n")
		x.write("pipelines/wrong.yaml", "resilience: {limit: 2, delay: 10ms}\nsteps: [{handler: Exec, with: {program: 'false'}}]\n")
		watch := start(t, command(t, x.dir, x.environ, "check", "--watch", "--interval", "100ms"))
		watch.await("watching: 0 violations at the start", 1)

		const quick, wrong = 150, 20
		x.must("enqueue", "--pipeline", "quick", "--count", fmt.Sprint(quick))
		x.must("enqueue", "--pipeline", "wrong", "--count", fmt.Sprint(wrong), "--priority", "2000")
		held, letGo := x.enqueueHold()
		lease := []string{"LEASE=4s", "HEARTBEAT=1s"}
		first := x.worker("first", lease...)
		second := x.worker("second", lease...)
		first.await(`"message"`, 1)
		x.awaitState(held, workqueue.Blocked)
		first.kill()
		first = x.worker("first", lease...)
		first.await("worker started", 1) // before that, it does not handle interrupts
		x.awaitDone(workqueue.Processed, quick)
		x.awaitDone(workqueue.Cancelled, wrong)
		letGo("")
		x.awaitState(held, workqueue.Processed)
		first.wantDrained(os.Interrupt)
		second.wantDrained(os.Interrupt)

		watch.signal(os.Interrupt)
		if code := watch.wait(); code != 0 {
			t.Errorf("the watch ended with %d, want 0", code)
		}
		x.wantChecked(0)
	})
}

// awaitDone waits until at least n items are in a state.
func (x *project) awaitDone(state workqueue.State, n int) {
	x.Helper()
	for late := time.Now().Add(patience); ; {
		items, err := x.store.Items(x.Context(), workqueue.ItemFilter{States: []workqueue.State{state}, Limit: n + 1})
		if err != nil {
			x.Fatal(err)
		}
		if len(items) >= n {
			return
		}
		if time.Now().After(late) {
			x.Fatalf("%d items are %s after %v, want %d", len(items), state, patience, n)
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// One broken row is reported, with exit code 1; a watch reports when it appears and when it is gone.
func TestCheckReportsBrokenRow(t *testing.T) {
	testdb.Each(t, func(t *testing.T, e testdb.Engine) {
		t.Parallel()
		dsn := e.DSN(t)
		x := projectOn(t, e, dsn, e.Open(t, dsn))
		byHand := e.SQL(t, dsn)
		set := func(columns string) {
			t.Helper()
			if _, err := byHand.ExecContext(t.Context(), `UPDATE "BotWorkQueueItems" SET `+columns); err != nil {
				t.Fatal(err)
			}
		}
		x.wantChecked(0)
		x.must("enqueue", "--pipeline", "hold", "--payload", `{"until": "never"}`)
		x.wantChecked(0)
		watch := start(t, command(t, x.dir, x.environ, "check", "--watch", "--interval", "100ms"))
		watch.await("watching: 0 violations at the start", 1)

		set(`"State" = 5`)
		x.wantChecked(1, "item-state item 1")
		r := x.run("check")
		r.want(1)
		for _, want := range []string{"item-state: item 1\n", "State is 5 (Assigned), WorkerId NULL, AssignedAt NULL", "1 violation;"} {
			if !strings.Contains(r.stdout, want) {
				t.Errorf("check does not print %q:\n%s", want, r.stdout)
			}
		}
		watch.await("appeared  item-state: item 1: State is 5 (Assigned), WorkerId NULL", 1)
		set(`"State" = 0`)
		watch.await("gone      item-state: item 1\n", 1)
		x.wantChecked(0)
		watch.signal(os.Interrupt)
		if code := watch.wait(); code != 1 || strings.Count(watch.String(), "appeared") != 1 {
			t.Errorf("the watch ended with %d, want 1 after one violation", code)
		}
	})
}
