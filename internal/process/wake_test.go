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

// waking wakes for items from 200 up, which else nothing runs for hours.
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

// started makes and starts a process.
func (x *fixture) started(b *bot) {
	x.Helper()
	p := x.new(b)
	if err := p.Start(x.Context()); err != nil {
		x.Fatal(err)
	}
}

// hold adds the kind Hold, which tells that it has begun and waits for a word.
func (x *fixture) hold() (begun, goOn chan struct{}) {
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
		begun, goOn := x.hold()
		b := x.bot("w")
		x.started(b)
		enqueue := func(priority int, pipeline string) {
			t.Helper()
			it := workqueue.NewItem{Priority: priority, IntegrationConfig: pipeline, State: workqueue.Pending}
			if _, err := b.Store.Enqueue(t.Context(), []workqueue.NewItem{it}); err != nil {
				t.Fatal(err)
			}
		}
		// Enqueued by this process, in a run that has to be started; then, while that
		// item runs, above and below it, in the run that goes on.
		for _, priority := range []int{250, 350, 200} {
			enqueue(priority, "job")
			receive(t, begun, "an item that this process has enqueued")
		}
		// Nothing is left: the run stays.
		for range 3 {
			goOn <- struct{}{}
		}
		b.log.awaitNth(t, "item succeeded", 3)
		for i := range 20 {
			enqueue(200, "note")
			b.log.awaitNth(t, "item succeeded", 4+i)
		}
		// Enqueued by another process, and one that becomes due.
		x.enqueue(workqueue.NewItem{Priority: 200})
		b.log.awaitNth(t, "item succeeded", 24)
		x.enqueue(workqueue.NewItem{Priority: 200, In: 100 * time.Millisecond})
		b.log.awaitNth(t, "item succeeded", 25)

		runs, err := x.store.Runs(t.Context(), "waking", 100)
		if err != nil || len(runs) != 1 || runs[0].Trigger != "wake" {
			t.Errorf("runs = %+v, %v; want one for new work, since it stays for a minute", runs, err)
		}
	})
}

// What waits and cannot be given out must not keep a worker at it.
func TestWakeForNothing(t *testing.T) {
	testdb.Each(t, func(t *testing.T, e testdb.Engine) {
		t.Parallel()
		x := newFixture(t, e)
		x.files["waking"] = waking
		b := x.bot("w")
		if _, err := x.store.PauseQueue(t.Context(), workqueue.DefaultQueue); err != nil {
			t.Fatal(err)
		}
		x.started(b)
		for range 50 {
			x.enqueue(workqueue.NewItem{Priority: 200})
		}
		b.awaitStart(t)
		if _, err := x.store.ResumeQueue(t.Context(), workqueue.DefaultQueue); err != nil {
			t.Fatal(err)
		}
		b.log.awaitNth(t, "item succeeded", 50)
		runs, err := x.store.Runs(t.Context(), "waking", 100)
		if err != nil || len(runs) == 0 || len(runs) > 3 {
			t.Errorf("%d runs, %v; want one, or few", len(runs), err)
		}
	})
}

func TestAdoptWake(t *testing.T) {
	testdb.Each(t, func(t *testing.T, e testdb.Engine) {
		t.Parallel()
		x := newFixture(t, e)
		b := x.bot("w")
		p := x.new(b)
		if err := p.Start(t.Context()); err != nil {
			t.Fatal(err)
		}
		x.files["waking"] = waking
		if err := p.Adopt(t.Context(), x.catalogue(b.compiler)); err != nil {
			t.Fatal(err)
		}
		id := x.enqueue(workqueue.NewItem{Priority: 200})
		b.log.awaitNth(t, "item succeeded", 1)
		if got := x.takeRan(); !slices.Equal(got, []ran{{id, "w"}}) {
			t.Errorf("ran %v, want item %d", got, id)
		}
	})
}
