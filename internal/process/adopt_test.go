package process_test

import (
	"context"
	"slices"
	"testing"

	"botwork/handlers"
	"botwork/internal/testdb"
	"botwork/workqueue"
)

// often runs items each second.
const often = `
trigger: {cron: "* * * * * *", scope: each-worker}
steps:
  - handler: AssignTasksToWorker
  - handler: ExecuteWorkItems
`

func TestAdopt(t *testing.T) {
	testdb.Each(t, func(t *testing.T, e testdb.Engine) {
		t.Parallel()
		x := newFixture(t, e)
		begun, goOn := make(chan struct{}, 10), make(chan struct{}, 10)
		x.kinds["Hold"] = func(context.Context, *handlers.Call) (any, error) {
			begun <- struct{}{}
			<-goOn
			return nil, nil
		}
		ticks := make(chan struct{}, 1000)
		x.kinds["Tick"] = func(context.Context, *handlers.Call) (any, error) { ticks <- struct{}{}; return nil, nil }
		x.files["often"] = often
		x.files["gone"] = "trigger: {cron: \"0 0 1 1 *\"}\nsteps: [{handler: Tick}]\n"
		x.files["job"] = "steps:\n  - handler: Hold\n"
		b := x.newOptions("w")
		p := x.new(b)
		if err := p.Start(t.Context()); err != nil {
			t.Fatal(err)
		}
		first := x.enqueue(workqueue.NewItem{IntegrationConfig: "job", Priority: 700})
		receive(t, begun, "the first item's run")

		before := b.Catalogue
		delete(x.files, "gone")
		x.files["job"] = "steps:\n  - handler: Hold\n  - handler: Note\n"
		x.files["new"] = "trigger: {cron: \"* * * * * *\", scope: each-worker}\nsteps: [{handler: Tick}]\n"
		after := x.catalogue(b.compiler)
		if err := p.ReplacePipelines(t.Context(), after); err != nil {
			t.Fatal(err)
		}
		receive(t, ticks, "run of the new schedule")
		goOn <- struct{}{}
		b.log.awaitNth(t, "item succeeded", 1)
		second := x.enqueue(workqueue.NewItem{IntegrationConfig: "job", Priority: 700})
		receive(t, begun, "the second item's run")
		goOn <- struct{}{}
		b.log.awaitNth(t, "item succeeded", 2)
		if err := p.RunOnce(t.Context(), "gone"); err == nil {
			t.Error("a removed pipeline could be started")
		}
		if err := p.Stop(t.Context()); err != nil {
			t.Fatal(err)
		}

		was, _ := before.Get("job")
		is, _ := after.Get("job")
		for id, want := range map[int64]string{first: was.Hash, second: is.Hash} {
			if got := text(x.item(id).PipelineHash); got != want {
				t.Errorf("item %d ran the text %.8s, want %.8s", id, got, want)
			}
		}
		if got := x.drainRuns(); !slices.Equal(got, []ran{{second, "w"}}) {
			t.Errorf("the new step ran for %v, want for item %d alone: the first began with the old text", got, second)
		}
		texts, err := x.store.Texts(t.Context(), workqueue.TextFilter{Pipeline: "job"})
		if err != nil || len(texts) != 2 || texts[0].Text != is.Text && texts[1].Text != is.Text {
			t.Errorf("texts of job = %+v, %v, want both", texts, err)
		}
		runs, err := x.store.Runs(t.Context(), workqueue.RunFilter{Pipeline: "new", Limit: 1})
		if p, _ := after.Get("new"); err != nil || len(runs) != 1 || text(runs[0].PipelineHash) != p.Hash {
			t.Errorf("runs of new = %+v, %v, want the hash %.8s", runs, err, p.Hash)
		}
	})
}

// A text that is not in the database yet is not run.
func TestAdoptSavesTextsFirst(t *testing.T) {
	testdb.Each(t, func(t *testing.T, e testdb.Engine) {
		t.Parallel()
		x := newFixture(t, e)
		b := x.newOptions("w")
		p := x.new(b)
		if err := p.Start(t.Context()); err != nil {
			t.Fatal(err)
		}
		x.files["note"] = "steps:\n  - handler: Note\n  - handler: Note\n"
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if err := p.ReplacePipelines(ctx, x.catalogue(b.compiler)); err == nil {
			t.Fatal("Adopt without a database succeeded, want an error")
		}
		if now, err := b.Link.Resolve("note"); err != nil || len(now.Steps) != 1 {
			t.Errorf("note has %d steps, %v, want the previous version with one", len(now.Steps), err)
		}
	})
}
