//go:build unix

package chaos

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"time"

	"botwork/internal/tests/chaos/ledger"
	"botwork/workqueue"
)

// evidence is all that is known after the cluster has stopped.
type evidence struct {
	confirmed, unconfirmed map[int]order
	rows                   []row
	lines                  []ledger.Line  // of runs, in the order in which they were written
	steps                  []ledger.Line  // of the steps of runs that resume
	records                []record       // of such steps, that were seen in the database
	unsaved, unread        map[int64]bool // items whose records could not be written, or not be read
	deaths                 []death
	pauses                 []*pause
	lease                  time.Duration
	lateness               time.Duration // how long after it woke up a process may still write
	slots                  int           // of each process
	sync                   bool          // the items' pipeline has `finish: sync`

	faults []string // of the processes themselves
	counts counts
}

// counts are figures that need no judgement.
type counts struct {
	byStore, byProgram                      int
	drains, failedDrains, restarts, doubled int
	forces, forced, refused                 int
}

// row is an item with its attempts that did not simply succeed.
type row struct {
	workqueue.Item
	attempts []workqueue.Attempt
	number   int // of its order; -1 if the payload has none
}

// evidence collects the evidence from the database, the ledger and the tormentor.
func (f *feeder) evidence(m *tormentor) evidence {
	f.c.Helper()
	e := evidence{
		confirmed: f.confirmed, unconfirmed: f.unconfirmed, deaths: m.deaths, pauses: m.pauses, faults: m.faults,
		lease: *lease, lateness: cmp.Or(*lateness, *lease/2), slots: f.c.slots, sync: f.c.finish == "sync",
		counts: counts{
			byStore: f.byStore, byProgram: len(f.confirmed) - f.byStore,
			drains: m.drains, failedDrains: m.failed, restarts: m.restarts, doubled: m.doubled,
			forces: m.forces, forced: m.forced, refused: m.refused,
		},
	}
	ctx := context.Background()
	for before := int64(0); ; {
		page, err := f.c.store.Items(ctx, workqueue.ItemFilter{BeforeID: before, Limit: 1000})
		if err != nil {
			f.c.Fatal(err)
		}
		if len(page) == 0 {
			break
		}
		for _, it := range page {
			attempts, err := f.c.store.Attempts(ctx, it.ID)
			if err != nil {
				f.c.Fatal(err)
			}
			o := order{Number: -1}
			if err := json.Unmarshal([]byte(it.Payload), &o); err != nil {
				f.c.Errorf("item %d: payload %s: %v", it.ID, it.Payload, err)
			}
			e.rows = append(e.rows, row{it, attempts, o.Number})
		}
		before = page[len(page)-1].ID
	}
	slices.Reverse(e.rows)
	for _, l := range f.c.lines() {
		if l.Step == "" {
			e.lines = append(e.lines, l)
		} else {
			e.steps = append(e.steps, l)
		}
	}
	e.unsaved, e.unread = f.c.unkept()
	return e
}
