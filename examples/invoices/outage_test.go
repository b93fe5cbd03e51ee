package main

import (
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"botwork/internal/testdb"
	"botwork/workqueue"
)

// TestOutageLosesNothing checks an outage of the service that is longer than the retries
// of a step: nothing is booked and no file is moved. After the outage, the next attempts
// of the items process everything.
func TestOutageLosesNothing(t *testing.T) {
	testdb.Each(t, func(t *testing.T, e testdb.Engine) {
		p := newProject(t, e)
		for i, name := range p.files(t, "inbox") {
			if i >= 3 { // three files are enough
				if err := os.Remove(filepath.Join(p.dir, "data", "inbox", name)); err != nil {
					t.Fatal(err)
				}
			}
		}
		want := checkInbox(t, p.dir)
		p.service.refuse.Store(math.MaxInt32)
		p.run(t)
		if o := p.outcome(t); len(o.Inbox) != len(want) || len(o.Invoices)+len(o.Rejections)+len(o.Reports) > 0 || o.UnderWay != len(want) {
			t.Errorf("during the outage: %+v, want %d files in the inbox, all in progress, and nothing booked", o, len(want))
		}
		for _, it := range p.items(t) {
			if it.State != workqueue.Ready || it.RetryCount != 1 || *it.ErrorKind != workqueue.KindError {
				t.Errorf("item %d: state %s, retry count %d, error kind %s; want Ready, 1, error", it.ID, it.State, it.RetryCount, *it.ErrorKind)
			}
		}
		if tries := int(p.service.refused.Load()); tries != 3*len(want) {
			t.Errorf("the service was asked %d times, want three times for each of %d files", tries, len(want))
		}

		p.service.refuse.Store(0)
		// This skips the backoff. The files already have items, so no new items are
		// created.
		if _, err := p.queue.ExecContext(t.Context(), `UPDATE "BotWorkQueueItems" SET "AvailableAt" = "CreatedAt"`); err != nil {
			t.Fatal(err)
		}
		p.run(t)
		o := p.outcome(t)
		checkRejections(t, want, o)
		checkReports(t, want, o)
		items := p.items(t)
		if len(items) != len(want) || slices.ContainsFunc(items, func(it workqueue.Item) bool {
			return it.State != workqueue.Processed && it.State != workqueue.Cancelled
		}) {
			t.Errorf("after the outage: %+v, want %d items that have ended", items, len(want))
		}
	})
}
