//go:build unix

package e2e

import (
	"os"
	"syscall"
	"testing"
	"time"

	"botwork/internal/testdb"
	"botwork/workqueue"
)

// once is a system pipeline that fires once per second in the cluster.
const once = `
trigger: {cron: "* * * * * *", scope: once, atStart: true}
steps:
  - handler: Log
    with: {message: "fired"}
`

// Three workers share a schedule while each of them is restarted repeatedly:
// gracefully, by kill -9, and at random times, sometimes in the second of a firing.
// Their clocks are the machine's; the scheduler's own tests cover different
// clocks.
func TestEachPlannedInstantFiresOnce(t *testing.T) {
	eachServer(t, func(t *testing.T, e testdb.Engine) {
		t.Parallel()
		x := newProject(t, e)
		x.write("pipelines/once.yaml", once)
		names := []string{"one", "two", "three"}
		workers := map[string]*program{}
		begin := func(name string) { workers[name] = x.worker(name, "LEASE=4s", "HEARTBEAT=1s") }
		for _, name := range names {
			begin(name)
		}
		for round := range 4 {
			for i, name := range names {
				workers[name].await("worker started", 1)
				if (round+i)%2 == 0 {
					workers[name].kill()
				} else {
					workers[name].wantDrained(syscall.SIGTERM)
				}
				begin(name)
			}
			// The restarts are not all in one second.
			x.awaitFirings(3 * (round + 1))
		}
		for _, name := range names {
			workers[name].await("worker started", 1)
			workers[name].wantDrained(os.Interrupt)
		}

		firings, err := x.store.Firings(t.Context(), workqueue.FiringFilter{Schedule: "once", Limit: 1000})
		if err != nil {
			t.Fatal(err)
		}
		fired, seen := map[time.Time]bool{}, map[time.Time]bool{}
		for _, f := range firings {
			if seen[f.PlannedAt] {
				t.Errorf("the instant %s has two records", f.PlannedAt)
			}
			seen[f.PlannedAt] = true
			fired[f.PlannedAt] = f.Outcome == workqueue.Fired
			if f.Worker != "" {
				t.Errorf("the record of %s has the worker %q, want none", f.PlannedAt, f.Worker)
			}
		}
		runs, err := x.store.Runs(t.Context(), workqueue.RunFilter{Pipeline: "once", Limit: 1000})
		if err != nil {
			t.Fatal(err)
		}
		ran := map[time.Time]int{}
		for _, r := range runs {
			switch {
			case r.PlannedAt == nil:
				t.Errorf("run %d has no planned instant", r.ID)
			case !fired[*r.PlannedAt]:
				t.Errorf("run %d of %s has no record as fired", r.ID, r.PlannedAt)
			case r.StartedAt.Before(*r.PlannedAt):
				t.Errorf("run %d of %s started at %s, before its time", r.ID, r.PlannedAt, r.StartedAt)
			}
			if r.PlannedAt != nil {
				ran[*r.PlannedAt]++
			}
		}
		for planned, n := range ran {
			if n > 1 {
				t.Errorf("%s ran %d times", planned, n)
			}
		}
		t.Logf("%d records, %d runs", len(firings), len(runs))
	})
}

// awaitFirings waits until this number of instants have fired.
func (x *project) awaitFirings(n int) {
	x.Helper()
	ticker := time.NewTicker(50 * time.Millisecond)
	defer ticker.Stop()
	for late := time.After(patience); ; {
		runs, err := x.store.Runs(x.Context(), workqueue.RunFilter{Pipeline: "once", Limit: n})
		if err != nil {
			x.Fatal(err)
		}
		if len(runs) == n {
			return
		}
		select {
		case <-ticker.C:
		case <-late:
			x.Fatalf("%d runs after %v, want %d", len(runs), patience, n)
		}
	}
}
