package process_test

import (
	"strings"
	"testing"
	"time"

	"botwork/internal/testdb"
	"botwork/workqueue"
	"botwork/workqueue/assign"
	"botwork/workqueue/matching"
)

const noHandler = "steps:\n  - handler: Nte\n"

// labels returns the labels of a worker's row.
func (x *fixture) labels(worker string) matching.Labels {
	x.Helper()
	workers, err := x.store.Workers(x.Context())
	if err != nil {
		x.Fatal(err)
	}
	for i := range workers {
		if workers[i].Name == worker {
			labels, err := matching.ParseLabels(string(workers[i].Labels))
			if err != nil {
				x.Fatal(err)
			}
			return labels
		}
	}
	x.Fatalf("no worker %q", worker)
	return nil
}

// An item of a broken pipeline neither runs nor fails until the file is fixed, and does not block
// other items.
func TestItemsOfBrokenPipelineWaitForFix(t *testing.T) {
	testdb.Each(t, func(t *testing.T, e testdb.Engine) {
		t.Parallel()
		x := newFixture(t, e)
		x.files["often"] = often
		x.broken = map[string]string{"import": noHandler, "nightly": "trigger: {cron: never}\nsteps: [{handler: Note}]\n"}
		b := x.newOptions("w")
		b.Spec.Labels = `{"gpu":true}`
		p := x.new(b)
		if got := x.labels("w").JSON(); got != `{"BrokenPipelines":"import, nightly","gpu":true}` {
			t.Errorf("labels of the worker = %s, want its own and both broken pipelines", got)
		}
		if err := p.Start(t.Context()); err != nil {
			t.Fatal(err)
		}
		waits := x.enqueue(workqueue.NewItem{IntegrationConfig: "import", Priority: 900})
		runs := x.enqueue(workqueue.NewItem{Priority: 700})
		b.log.awaitNth(t, "item succeeded", 1)
		x.wantState(workqueue.Pending, waits)
		if it := x.item(waits); it.RetryCount != 0 || it.Fence != 0 || len(x.attempts(waits)) != 0 {
			t.Errorf("the waiting item was claimed: %+v", it)
		}

		x.files["import"] = "steps:\n  - handler: Note\n"
		delete(x.broken, "import")
		if err := p.ReplacePipelines(t.Context(), x.catalogue(b.compiler)); err != nil {
			t.Fatal(err)
		}
		b.log.awaitNth(t, "item succeeded", 2)
		if got := x.labels("w").JSON(); got != `{"BrokenPipelines":"nightly","gpu":true}` {
			t.Errorf("labels with one file fixed = %s, want the other pipeline as broken", got)
		}
		x.broken = nil
		if err := p.ReplacePipelines(t.Context(), x.catalogue(b.compiler)); err != nil {
			t.Fatal(err)
		}
		if got := x.labels("w").JSON(); got != `{"gpu":true}` {
			t.Errorf("labels with all files fixed = %s, want those of the settings", got)
		}
		if err := p.Stop(t.Context()); err != nil {
			t.Fatal(err)
		}
		x.wantState(workqueue.Processed, runs, waits)
	})
}

// Of two workers, the one with a valid version of the pipeline runs the items, whichever of them
// makes the pass.
func TestOtherWorkerRunsItemsOfLocallyBrokenPipeline(t *testing.T) {
	testdb.Each(t, func(t *testing.T, e testdb.Engine) {
		t.Parallel()
		x := newFixture(t, e)
		x.broken = map[string]string{"import": noHandler}
		ann := x.newOptions("ann")
		x.broken, x.files["import"] = nil, "steps:\n  - handler: Note\n"
		bob := x.newOptions("bob")
		a := x.new(ann)
		var ids []int64
		for range 6 {
			ids = append(ids, x.enqueue(workqueue.NewItem{IntegrationConfig: "import", Priority: 700}))
		}
		if err := a.RunOnce(t.Context(), medium); err != nil {
			t.Fatal(err)
		}
		x.wantState(workqueue.Pending, ids...)
		x.runOnce(bob, medium)
		x.wantState(workqueue.Processed, ids...)
		for _, r := range x.drainRuns() {
			if r.Worker != "bob" {
				t.Errorf("item %d ran on %s, want bob", r.Item, r.Worker)
			}
		}
	})
}

// An item that an older pass assigned to a worker on which its pipeline is broken is released, and
// is due only later.
func TestAssignedItemOfBrokenPipelineIsReleased(t *testing.T) {
	testdb.Each(t, func(t *testing.T, e testdb.Engine) {
		t.Parallel()
		x := newFixture(t, e)
		x.broken = map[string]string{"import": noHandler}
		p := x.new(x.newOptions("ann"))
		id := x.enqueue(workqueue.NewItem{IntegrationConfig: "import", Priority: 700})
		w := p.Worker()
		if err := x.store.LabelWorker(t.Context(), w.ID, w.InstanceID, ""); err != nil {
			t.Fatal(err)
		}
		if _, err := assign.AssignPass(t.Context(), x.store, assign.AssignParams{}); err != nil {
			t.Fatal(err)
		}
		x.wantState(workqueue.Assigned, id)
		if err := p.RunOnce(t.Context(), medium); err != nil {
			t.Fatal(err)
		}
		it := x.item(id)
		attempts := x.attempts(id)
		if len(attempts) != 1 || !strings.Contains(text(attempts[0].Reason), `unknown handler "Nte"`) {
			t.Errorf("attempts %+v, want a snooze with the finding", attempts)
		}
		if it.State != workqueue.Ready || it.RetryCount != 0 || !it.AvailableAt.After(time.Now()) {
			t.Errorf("the item is %s, %d failures, due %s; want it released, without a failure, and due later", it.State, it.RetryCount, it.AvailableAt)
		}
	})
}

// A deadline ends the wait.
func TestItemOfBrokenPipelineExpires(t *testing.T) {
	testdb.Each(t, func(t *testing.T, e testdb.Engine) {
		t.Parallel()
		x := newFixture(t, e)
		x.clock = &clock{now: time.Now().UTC().Truncate(time.Millisecond)}
		x.store = x.open()
		x.broken = map[string]string{"import": noHandler}
		id := x.enqueue(workqueue.NewItem{IntegrationConfig: "import", Priority: 700, DeadlineIn: time.Minute})
		x.runOnce(x.newOptions("ann"), medium)
		x.wantState(workqueue.Pending, id)
		x.clock.advance(2 * time.Minute)
		x.runOnce(x.newOptions("ann"), medium)
		if it := x.item(id); it.State != workqueue.Cancelled || text(it.ErrorKind) != string(workqueue.KindExpired) {
			t.Errorf("after its deadline the item is %s (%s), want it expired", it.State, text(it.ErrorKind))
		}
	})
}
