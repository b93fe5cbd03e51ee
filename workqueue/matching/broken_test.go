package matching_test

import (
	"fmt"
	"slices"
	"testing"

	"botwork/workqueue/matching"
)

func TestBrokenPipelinesOfAWorker(t *testing.T) {
	own := matching.Labels{"gpu": matching.Bool(true), matching.WorkerBroken: matching.Text("old")}
	got := own.WithBroken([]string{"import", "Export all"})
	if text, want := got.JSON(), `{"BrokenPipelines":"import, Export all","gpu":true}`; text != want {
		t.Errorf("labels = %s, want %s", text, want)
	}
	again, err := matching.ParseLabels(got.JSON())
	if names := again.Broken(); err != nil || !slices.Equal(names, []string{"import", "Export all"}) {
		t.Errorf("read again they name %q, %v", names, err)
	}
	if got := got.WithBroken(nil); got.JSON() != `{"gpu":true}` || got.Broken() != nil {
		t.Errorf("without broken pipelines the labels are %s", got.JSON())
	}
	if own.JSON() != `{"BrokenPipelines":"old","gpu":true}` {
		t.Errorf("the own labels are now %s", own.JSON())
	}
	if got := (matching.Labels{matching.WorkerBroken: matching.Number(1)}).Broken(); got != nil {
		t.Errorf("a number names %q as broken, want nothing", got)
	}
}

// A worker with many broken pipelines, or many labels, must still have labels that
// can be read.
func TestBrokenPipelinesThatDoNotFit(t *testing.T) {
	var names []string
	for i := range 100 {
		names = append(names, fmt.Sprintf("pipeline number %03d äöü", i))
	}
	got := matching.Labels{}.WithBroken(names)
	if err := got.Validate(); err != nil || len(got.Broken()) < 30 || !slices.Equal(got.Broken(), names[:len(got.Broken())]) {
		t.Errorf("%d names are left, %v; want the first ones", len(got.Broken()), err)
	}
	full := matching.Labels{}
	for i := range matching.MaxLabels {
		full[fmt.Sprintf("l%d", i)] = matching.Bool(true)
	}
	if got := full.WithBroken(names); len(got) != matching.MaxLabels || got.Validate() != nil {
		t.Errorf("a worker with %d labels has %d now, want as many", matching.MaxLabels, len(got))
	}
}
