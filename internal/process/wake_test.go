package process_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"botwork/handlers"
	"botwork/internal/testdb"
	"botwork/workqueue"
)

// waking is a pipeline that is woken for items from priority 200 up. No other pipeline would run
// them for hours.
const waking = `
trigger: {wake: true, scope: each-worker}
steps:
  - handler: AssignTasksToWorker
    with: {minPriority: 200, workers: available}
  - handler: ExecuteWorkItems
    with: {minPriority: 300}
  - handler: ExecuteWorkItems
    with: {minPriority: 200}
`

// startProcess creates and starts a process.
func (x *fixture) startProcess(b *testProcess) {
	x.Helper()
	p := x.new(b)
	if err := p.Start(x.Context()); err != nil {
		x.Fatal(err)
	}
}

// addHold adds the handler Hold, which sends to begun and then waits for goOn.
func (x *fixture) addHold() (begun, goOn chan struct{}) {
	begun, goOn = make(chan struct{}, 100), make(chan struct{}, 100)
	x.kinds["Hold"] = func(context.Context, *handlers.Call) (any, error) {
		begun <- struct{}{}
		<-goOn
		return nil, nil
	}
	x.files["job"] = "steps:\n  - handler: Hold\n"
	return begun, goOn
}

func TestWake(t *testing.T) {
	testdb.Each(t, func(t *testing.T, e testdb.Engine) {
		t.Parallel()
		x := newFixture(t, e)
		x.files["waking"] = waking
		begun, goOn := x.addHold()
		b := x.newOptions("w")
		x.startProcess(b)
		enqueue := func(priority int, pipeline string) {
			t.Helper()
			it := workqueue.NewItem{Priority: priority, IntegrationConfig: pipeline, State: workqueue.Pending}
			if _, err := b.Store.Enqueue(t.Context(), []workqueue.NewItem{it}); err != nil {
				t.Fatal(err)
			}
		}
		// An item of this process, for which a run must be started; then, while it runs, items
		// above and below its priority, in the same run.
		for _, priority := range []int{250, 350, 200} {
			enqueue(priority, "job")
			receive(t, begun, "an item that this process has enqueued")
		}
		// No items are left: the run waits for more.
		for range 3 {
			goOn <- struct{}{}
		}
		b.log.awaitNth(t, "item succeeded", 3)
		for i := range 20 {
			enqueue(200, "note")
			b.log.awaitNth(t, "item succeeded", 4+i)
		}
		// An item of another process, and one that becomes due.
		x.enqueue(workqueue.NewItem{Priority: 200})
		b.log.awaitNth(t, "item succeeded", 24)
		x.enqueue(workqueue.NewItem{Priority: 200, In: 100 * time.Millisecond})
		b.log.awaitNth(t, "item succeeded", 25)

		runs, err := x.store.Runs(t.Context(), workqueue.RunFilter{Pipeline: "waking", Limit: 100})
		if err != nil || len(runs) != 1 || runs[0].Trigger != "wake" {
			t.Errorf("runs = %+v, %v; want one for new items, since it waits for a minute", runs, err)
		}
	})
}

// Items that cannot be assigned must not keep a worker busy.
func TestWakeWithoutEffect(t *testing.T) {
	testdb.Each(t, func(t *testing.T, e testdb.Engine) {
		t.Parallel()
		x := newFixture(t, e)
		x.files["waking"] = waking
		b := x.newOptions("w")
		if _, err := x.store.PauseQueue(t.Context(), workqueue.DefaultQueue); err != nil {
			t.Fatal(err)
		}
		x.startProcess(b)
		for range 50 {
			x.enqueue(workqueue.NewItem{Priority: 200})
		}
		b.awaitStart(t)
		if _, err := x.store.ResumeQueue(t.Context(), workqueue.DefaultQueue); err != nil {
			t.Fatal(err)
		}
		b.log.awaitNth(t, "item succeeded", 50)
		runs, err := x.store.Runs(t.Context(), workqueue.RunFilter{Pipeline: "waking", Limit: 100})
		if err != nil || len(runs) == 0 || len(runs) > 3 {
			t.Errorf("%d runs, %v; want one or a few", len(runs), err)
		}
	})
}

func TestAdoptWake(t *testing.T) {
	testdb.Each(t, func(t *testing.T, e testdb.Engine) {
		t.Parallel()
		x := newFixture(t, e)
		b := x.newOptions("w")
		p := x.new(b)
		if err := p.Start(t.Context()); err != nil {
			t.Fatal(err)
		}
		x.files["waking"] = waking
		if err := p.ReplacePipelines(t.Context(), x.catalogue(b.compiler)); err != nil {
			t.Fatal(err)
		}
		id := x.enqueue(workqueue.NewItem{Priority: 200})
		b.log.awaitNth(t, "item succeeded", 1)
		if got := x.drainRuns(); !slices.Equal(got, []ran{{id, "w"}}) {
			t.Errorf("ran %v, want item %d", got, id)
		}
	})
}
