package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"botwork/internal/testdb"
	"botwork/workqueue"
	"botwork/workqueue/storetest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestInvoices(t *testing.T) {
	testdb.Each(t, func(t *testing.T, e testdb.Engine) {
		p := newProject(t, e)
		want := checkInbox(t, p.dir)
		p.service.refuse.Store(1) // a retry of the step fixes this
		p.run(t)

		got := p.outcome(t)
		checkLedger(t, want, got.Invoices)
		rejected := checkRejections(t, want, got)
		checkReports(t, want, got)
		checkItems(t, p, want, rejected)
		if calls := int(p.service.answered.Load()); calls != len(want) || p.service.refused.Load() != 1 {
			t.Errorf("the service answered %d times and refused %d, want one answer for each of %d files and 1",
				calls, p.service.refused.Load(), len(want))
		}

		// A second run must not create duplicates: when there is nothing to do, when the
		// items are repeated, or when the files arrive again.
		same := func(how string) {
			t.Helper()
			if diff := cmp.Diff(got, p.outcome(t)); diff != "" {
				t.Errorf("after %s (-first +second):\n%s", how, diff)
			}
		}
		p.run(t)
		same("a second run")
		for _, it := range p.items(t) {
			if err := storetest.Do(t.Context(), p.worker.Store, workqueue.Repeat, it.ID, ""); err != nil {
				t.Fatal(err)
			}
		}
		p.run(t)
		same("repeating the items")
		checkItems(t, p, want, rejected)
		if err := os.CopyFS(filepath.Join(p.dir, "data", "inbox"), os.DirFS(filepath.Join("project", "data", "inbox"))); err != nil {
			t.Fatal(err)
		}
		if err := age(filepath.Join(p.dir, "data", "inbox")); err != nil {
			t.Fatal(err)
		}
		p.run(t)
		same("sending the files again")
		if items := len(p.items(t)); items != 2*len(want) {
			t.Errorf("there are %d items, want %d: one for each arrival of a file", items, 2*len(want))
		}
	})
}
