package dashboard_test

import (
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"botwork/workqueue"
	"botwork/workqueue/access"
	"botwork/workqueue/assign"
)

// A run whose text is no longer kept, its end, and what a person does with the item afterwards.
func TestItemRunsIsArchivedAndRepeated(t *testing.T) {
	s := newSchemaSite(t)
	ctx := t.Context()
	worker := workqueue.WorkerSpec{Name: "bot-1", InstanceID: "a", Host: "h", Capacity: 1, Lease: time.Hour}
	w, err := s.Store.RegisterWorker(ctx, worker)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Store.Enqueue(ctx, []workqueue.NewItem{{IntegrationConfig: "plain", State: workqueue.Pending}}); err != nil {
		t.Fatal(err)
	}
	b := s.as(t, access.Operator)
	if forms := wantShown(t, b, "/items/1").forms(); !slices.Contains(forms, "/items/1/archive") {
		t.Errorf("a waiting item cannot be archived: %v", forms)
	}
	if _, err := assign.AssignPass(ctx, s.Store, assign.AssignParams{}); err != nil {
		t.Fatal(err)
	}
	claimed, err := s.Store.Claim(ctx, workqueue.ClaimParams{WorkerID: w.ID, InstanceID: "a", Band: workqueue.EveryPriority, Max: 1, Begin: 1, Lease: time.Hour})
	if err != nil || len(claimed) != 1 {
		t.Fatalf("claimed %v, error %v", claimed, err)
	}
	note := workqueue.ProgressNote{ItemRef: workqueue.ItemRef{ItemID: 1, Fence: claimed[0].Fence}, Step: "a", StepTimes: `[{"step":"load","ms":1200}]`, PipelineHash: strings.Repeat("ab", 32)}
	if _, err := s.Store.Progress(ctx, w.ID, "a", []workqueue.ProgressNote{note}); err != nil {
		t.Fatal(err)
	}
	page := wantShown(t, b, "/items/1", "load 1.2 s · now in step a", "the text that ran is no longer kept")
	if slices.Contains(page.forms(), "/items/1/archive") {
		t.Error("a running item can be archived")
	}
	end := workqueue.Finish{ItemID: 1, Fence: claimed[0].Fence, State: workqueue.Processed}
	if _, err := s.Store.Finish(ctx, w.ID, "a", []workqueue.Finish{end}); err != nil {
		t.Fatal(err)
	}
	wantShown(t, b, "/items/1", "Succeeded", "no longer as Succeeded")
	if to, said := b.said(b.post("/items/1/archive", url.Values{"reason": {"not this year"}}, nil)); to != "/items/1" || said != "Item 1 was archived" {
		t.Fatalf("archive: %q at %q", said, to)
	}
	if forms := wantShown(t, b, "/items/1", "Cancelled", "not this year").forms(); slices.Contains(forms, "/items/1/archive") {
		t.Error("an archived item can be archived")
	}
	b.post("/items/1/repeat", nil, nil)
	wantShown(t, b, "/items/1", "Waited, ran and succeeded, until it was repeated", "the times of that run are not kept")
}
