package process_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"botwork/internal/process"
	"botwork/internal/testdb"
	"botwork/workqueue"
)

func TestRunOnceOfAllBeginsWithTheMostUrgent(t *testing.T) {
	testdb.Each(t, func(t *testing.T, e testdb.Engine) {
		x := newFixture(t, e)
		// Behind both shipped pipelines by name, and the low one before the other.
		x.files["make"] = `
trigger: {cron: "0 0 1 1 *"}
steps:
  - handler: Enqueue
    with: {pipeline: note, priority: 1001}
  - handler: Enqueue
    with: {pipeline: note, priority: 1}
`
		x.runOnce(x.bot("w"))
		items, err := x.store.Items(t.Context(), workqueue.ItemFilter{})
		if err != nil || len(items) != 2 {
			t.Fatalf("%d items, %v; want the two that the pipeline makes", len(items), err)
		}
		x.wantState(workqueue.Processed, items[0].ID, items[1].ID)
		x.wantPriorities(map[int64]int{items[0].ID: items[0].Priority, items[1].ID: items[1].Priority}, 1001, 1)
	})
}

func TestRunOnceOfAnUnknownPipelineRunsNone(t *testing.T) {
	testdb.Each(t, func(t *testing.T, e testdb.Engine) {
		x := newFixture(t, e)
		id := x.enqueue(workqueue.NewItem{Priority: 1000})
		p := x.new(x.bot("w"))
		err := p.RunOnce(t.Context(), medium, "ExecuteWorkQeue")
		unknown := (*process.UnknownPipelineError)(nil)
		if !errors.As(err, &unknown) || !strings.Contains(err.Error(), `did you mean "ExecuteWorkQueue"?`) {
			t.Errorf("RunOnce = %v, want an UnknownPipelineError with a suggestion", err)
		}
		// A pipeline for items is none that can be started.
		if err := p.RunOnce(t.Context(), "note"); !errors.As(err, &unknown) || slices.Contains(unknown.Known, "note") {
			t.Errorf("RunOnce(note) = %v, want an UnknownPipelineError that does not list it", err)
		}
		x.wantState(workqueue.Pending, id)
	})
}

func TestRunOnceTellsOfAFailedPipeline(t *testing.T) {
	testdb.Each(t, func(t *testing.T, e testdb.Engine) {
		x := newFixture(t, e)
		x.files["bad"] = "trigger: {every: 1h}\nsteps:\n  - handler: Fail\n    with: {message: no luck}\n"
		err := x.new(x.bot("w")).RunOnce(t.Context(), "bad")
		if err == nil || !strings.Contains(err.Error(), `"bad"`) || !strings.Contains(err.Error(), "no luck") {
			t.Errorf("RunOnce = %v, want the pipeline's name and its error", err)
		}
	})
}
