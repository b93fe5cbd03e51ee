package main

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/google/go-cmp/cmp"

	"botwork/internal/testdb"
	"botwork/workqueue"
	"botwork/workqueue/storetest"
)

// TestCutShortBehindEachStep simulates a worker that dies after any step: the pipeline
// ends after that step, then the item runs again from the start. The result must be the
// same as after a single run.
func TestCutShortBehindEachStep(t *testing.T) {
	const name = "urgent-porto.csv"
	p := newProject(t, testdb.Engines[0])
	p.run(t, "scan-invoices") // creates the ledger
	for _, it := range p.items(t) {
		if err := storetest.Do(t.Context(), p.worker.Store, workqueue.Delete, it.ID, ""); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(filepath.Join(p.dir, "pipelines", "invoice.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	steps := regexp.MustCompile(`(?m)^  - `).FindAllIndex(text, -1)

	p.receive(t, name)
	p.runItem(t, "invoice", name, workqueue.Cancelled)
	want := p.outcome(t)
	if len(want.Invoices) == 0 || len(want.Rejections) == 0 || len(want.Reports) == 0 {
		t.Fatalf("a whole run leaves %+v, want some of everything", want)
	}
	for _, cut := range steps[1 : len(steps)-1] { // after the last step, the verdict, the item has ended
		p.receive(t, name)
		p.runItem(t, string(text[:cut[0]]), name, workqueue.Processed)
		p.runItem(t, "invoice", name, workqueue.Cancelled)
		if diff := cmp.Diff(want, p.outcome(t)); diff != "" {
			t.Errorf("pipeline cut after %d bytes, then run completely (-want +got):\n%s", cut[0], diff)
		}
	}
}

// TestScanCutShortBehindItsItems simulates a worker that dies after it enqueued items for
// the files, but before it recorded the files as in progress. The next scan finds the
// files again but must not create more items.
func TestScanCutShortBehindItsItems(t *testing.T) {
	p := newProject(t, testdb.Engines[0])
	p.run(t, "scan-invoices")
	want := p.items(t)
	if len(want) != len(p.files(t, "inbox")) {
		t.Fatalf("%d items for %d files", len(want), len(p.files(t, "inbox")))
	}
	if _, err := p.ledger.ExecContext(t.Context(), "DELETE FROM FilesUnderWay"); err != nil {
		t.Fatal(err)
	}
	p.run(t, "scan-invoices")
	if got := p.items(t); len(got) != len(want) {
		t.Errorf("after the second scan there are %d items, want %d", len(got), len(want))
	}
	if n := p.outcome(t).UnderWay; n != len(want) {
		t.Errorf("%d files are in progress, want %d", n, len(want))
	}
}

// receive starts from the beginning: an empty ledger and one file in the inbox.
func (p *testProject) receive(t *testing.T, name string) {
	t.Helper()
	for _, table := range []string{"Invoices", "Rejections", "FilesUnderWay"} {
		if _, err := p.ledger.ExecContext(t.Context(), "DELETE FROM "+table); err != nil {
			t.Fatal(err)
		}
	}
	data := filepath.Join(p.dir, "data")
	text, err := os.ReadFile(filepath.Join("project", "data", "inbox", name))
	for _, folder := range []string{"inbox", "done", "rejected", "reports"} {
		if err == nil {
			err = os.RemoveAll(filepath.Join(data, folder))
		}
	}
	if err == nil {
		err = os.Mkdir(filepath.Join(data, "inbox"), 0o755)
	}
	if err == nil {
		err = os.WriteFile(filepath.Join(data, "inbox", name), text, 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.ledger.ExecContext(t.Context(), "INSERT INTO FilesUnderWay (Name) VALUES (?)", name); err != nil {
		t.Fatal(err)
	}
}

// runItem enqueues an item for a file and runs it until it has ended.
func (p *testProject) runItem(t *testing.T, pipeline, file string, want workqueue.State) {
	t.Helper()
	enqueued, err := p.worker.Store.Enqueue(t.Context(), []workqueue.NewItem{{
		State: workqueue.Pending, Priority: workqueue.RequestPriority, IntegrationConfig: pipeline,
		Payload: workqueue.JSONText(`{"name": "` + file + `"}`),
	}})
	if err != nil {
		t.Fatal(err)
	}
	p.run(t, "ExecuteWorkQueue")
	it, err := p.worker.Store.Item(t.Context(), enqueued[0].ID)
	if err != nil {
		t.Fatal(err)
	}
	if it.State != want {
		reason := ""
		if it.Error != nil {
			reason = *it.Error
		}
		t.Fatalf("item %d is %s (%s), want %s", it.ID, it.State, reason, want)
	}
}
