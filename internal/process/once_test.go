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

func TestRunOnceStartsWithMostUrgentPipeline(t *testing.T) {
	testdb.Each(t, func(t *testing.T, e testdb.Engine) {
		x := newFixture(t, e)
		// By name after both shipped pipelines, and the low one before the other.
		x.files["make"] = `
trigger: {cron: "0 0 1 1 *"}
steps:
  - handler: Enqueue
    with: {pipeline: note, priority: 1001}
  - handler: Enqueue
    with: {pipeline: note, priority: 1}
`
		x.runOnce(x.newOptions("w"))
		items, err := x.store.Items(t.Context(), workqueue.ItemFilter{})
		if err != nil || len(items) != 2 {
			t.Fatalf("%d items, %v; want the two that the pipeline creates", len(items), err)
		}
		x.wantState(workqueue.Processed, items[0].ID, items[1].ID)
		x.wantPriorities(map[int64]int{items[0].ID: items[0].Priority, items[1].ID: items[1].Priority}, 1001, 1)
	})
}

func TestRunOnceRejectsUnknownPipeline(t *testing.T) {
	testdb.Each(t, func(t *testing.T, e testdb.Engine) {
		x := newFixture(t, e)
		id := x.enqueue(workqueue.NewItem{Priority: 1000})
		p := x.new(x.newOptions("w"))
		err := p.RunOnce(t.Context(), medium, "ExecuteWorkQeue")
		unknown := (*process.UnknownPipelineError)(nil)
		if !errors.As(err, &unknown) || !strings.Contains(err.Error(), `did you mean "ExecuteWorkQueue"?`) {
			t.Errorf("RunOnce = %v, want an UnknownPipelineError with a suggestion", err)
		}
		// A pipeline for items cannot be started.
		if err := p.RunOnce(t.Context(), "note"); !errors.As(err, &unknown) || slices.Contains(unknown.Known, "note") {
			t.Errorf("RunOnce(note) = %v, want an UnknownPipelineError that does not list it", err)
		}
		x.wantState(workqueue.Pending, id)
	})
}

func TestRunOnceReturnsErrorOfFailedPipeline(t *testing.T) {
	testdb.Each(t, func(t *testing.T, e testdb.Engine) {
		x := newFixture(t, e)
		x.files["bad"] = "trigger: {every: 1h}\nsteps:\n  - handler: Fail\n    with: {message: no luck}\n"
		err := x.new(x.newOptions("w")).RunOnce(t.Context(), "bad")
		if err == nil || !strings.Contains(err.Error(), `"bad"`) || !strings.Contains(err.Error(), "no luck") {
			t.Errorf("RunOnce = %v, want the pipeline's name and its error", err)
		}
	})
}
