package process_test

import (
	"context"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"botwork/handlers"
	"botwork/internal/testdb"
	"botwork/workqueue"
)

func TestScopeOnceFiresOnceOverTwoProcesses(t *testing.T) {
	testdb.Each(t, func(t *testing.T, e testdb.Engine) {
		t.Parallel()
		x := newFixture(t, e)
		ticks := make(chan struct{}, 1000)
		x.kinds["Tick"] = func(context.Context, *handlers.Call) (any, error) { ticks <- struct{}{}; return nil, nil }
		x.files["tick"] = `
trigger: {cron: "* * * * * *", atStart: true, scope: once}
steps:
  - handler: Tick
`
		first, second := x.new(x.newOptions("a")), x.new(x.newOptions("b"))
		for _, p := range []interface{ Start(context.Context) error }{first, second} {
			if err := p.Start(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		for range 4 {
			receive(t, ticks, "tick")
		}
		for _, p := range []interface{ Stop(context.Context) error }{first, second} {
			if err := p.Stop(t.Context()); err != nil {
				t.Errorf("Stop = %v, want nil", err)
			}
		}

		runs, err := x.store.Runs(t.Context(), workqueue.RunFilter{Pipeline: "tick", Limit: 1000})
		if err != nil {
			t.Fatal(err)
		}
		perInstant := map[time.Time]int{}
		for _, r := range runs {
			if r.Outcome != workqueue.RunSucceeded || r.PlannedAt == nil {
				t.Errorf("run %+v, want a planned run that succeeded", r)
				continue
			}
			perInstant[*r.PlannedAt]++
		}
		firings, err := x.store.Firings(t.Context(), workqueue.FiringFilter{Schedule: "tick", Limit: 1000})
		if err != nil {
			t.Fatal(err)
		}
		fired := map[time.Time]int{}
		for _, f := range firings {
			if f.Outcome == workqueue.Fired {
				fired[f.PlannedAt]++
			}
		}
		for at, n := range fired {
			if n != 1 {
				t.Errorf("%d records of the run planned at %s, want one", n, at)
			}
		}
		if diff := cmp.Diff(fired, perInstant); diff != "" {
			t.Errorf("runs per planned time (-recorded +runs):\n%s", diff)
		}
	})
}

func TestSystemPipelinesRunAtStartOnEachWorker(t *testing.T) {
	testdb.Each(t, func(t *testing.T, e testdb.Engine) {
		t.Parallel()
		x := newFixture(t, e)
		urgent, slow := x.enqueue(workqueue.NewItem{Priority: 1001}), x.enqueue(workqueue.NewItem{Priority: 1})
		workers := map[string]int{}
		for _, name := range []string{"a", "b"} {
			b := x.newOptions(name)
			p := x.new(b)
			if err := p.Start(t.Context()); err != nil {
				t.Fatal(err)
			}
			b.awaitStart(t)
			workers[name] = len(b.startedBy("atStart"))
			if err := p.Stop(t.Context()); err != nil {
				t.Errorf("Stop = %v, want nil", err)
			}
		}
		x.wantState(workqueue.Processed, urgent, slow)
		if diff := cmp.Diff(map[string]int{"a": 2, "b": 2}, workers); diff != "" {
			t.Errorf("system pipelines that ran at start, by worker (-want +got):\n%s", diff)
		}
	})
}

// If a system pipeline panics or fails, its run fails; the process and its other pipelines
// continue.
func TestFailingSystemPipelineAffectsNoOther(t *testing.T) {
	testdb.Each(t, func(t *testing.T, e testdb.Engine) {
		t.Parallel()
		x := newFixture(t, e)
		x.kinds["Panic"] = func(context.Context, *handlers.Call) (any, error) { panic("no luck") }
		x.files["bad"] = "trigger: {every: 1h, atStart: true}\nsteps:\n  - handler: Panic\n"
		id := x.enqueue(workqueue.NewItem{Priority: 1000})
		b := x.newOptions("w")
		p := x.new(b)
		if err := p.Start(t.Context()); err != nil {
			t.Fatal(err)
		}
		failed := b.log.await(t, "run failed")
		if failed["pipeline"] != "bad" {
			t.Errorf("the failed run is %v, want that of bad", failed)
		}
		b.awaitStart(t)
		x.wantState(workqueue.Processed, id)
	})
}
