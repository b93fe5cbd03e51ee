package storetest

import (
	"context"
	"time"

	"github.com/google/go-cmp/cmp"

	"botwork/workqueue"
)

func readPassTests() []test {
	return []test{
		{"reads the same inside and outside of a transaction", readPassSame},
		{"reads all due items or none", readPassDue},
		{"reads only the band", readPassBand},
	}
}

// workerLoads returns the workers as a pass reads them.
func workerLoads(ctx context.Context, view workqueue.AssignView, seenWithin time.Duration, band workqueue.Band, estimate time.Duration) ([]workqueue.WorkerLoad, error) {
	in, err := view.ReadPass(ctx, workqueue.PassQuery{SeenWithin: seenWithin, Band: band, DefaultEstimate: estimate})
	return in.Loads, err
}

// passQuery selects a band with three of the five waiting items of passRows.
var passQuery = workqueue.PassQuery{SeenWithin: time.Hour, Band: workqueue.Band{Min: 20, Max: 30}, DefaultEstimate: time.Minute, Due: 10}

// passRows creates the rows that a pass reads.
func passRows(x *fixture) {
	x.makeQueue("erp", `"Distribution"`, `'{"mode":"round-robin"}'`)
	w := x.Worker(WorkerOpts{})
	x.Worker(WorkerOpts{})
	x.Items(2, ItemOpts{Priority: 25, State: workqueue.Assigned, Worker: w})
	x.Item(ItemOpts{Priority: 10, State: workqueue.Blocked, Worker: w})
	x.exec(1, `UPDATE "BotWorkQueueItems" SET "StartedAt" = %s WHERE "State" = 1`, x.agoSQL(-time.Hour)) // otherwise its remaining time changes between two reads
	x.Item(ItemOpts{Priority: 20})
	x.Item(ItemOpts{Priority: 30, Deadline: time.Now().Add(time.Hour)})
	x.Item(ItemOpts{Priority: 25})
	x.Item(ItemOpts{Priority: 31})
	x.Item(ItemOpts{Priority: 19})
}

// readPass reads outside of a transaction. It reads the due items with DueItems if ReadPass
// did not read them.
func (x *fixture) readPass(q workqueue.PassQuery) (in workqueue.PassInput, read bool) {
	x.Helper()
	err := x.Store.ReadUnlocked(x.ctx, func(ctx context.Context, view workqueue.AssignView) (err error) {
		in, read, err = readWhole(ctx, view, q)
		return err
	})
	if err != nil {
		x.Fatal(err)
	}
	return in, read
}

func readWhole(ctx context.Context, view workqueue.AssignView, q workqueue.PassQuery) (in workqueue.PassInput, read bool, err error) {
	if in, err = view.ReadPass(ctx, q); err == nil && in.DueLimit == 0 {
		in.Due, err = view.DueItems(ctx, q.Band, workqueue.Full{}, 100)
		return in, false, err
	}
	return in, true, err
}

func readPassSame(x *fixture) {
	passRows(x)
	got, _ := x.readPass(passQuery)
	var want workqueue.PassInput
	x.pass(func(ctx context.Context, tx workqueue.AssignTx) (err error) {
		want, _, err = readWhole(ctx, tx, passQuery)
		return err
	})
	got.PassState.Now, got.DueLimit, want.PassState.Now, want.DueLimit = time.Time{}, 0, time.Time{}, 0
	if diff := cmp.Diff(want, got); diff != "" {
		x.Errorf("outside of a transaction (-inside +outside):\n%s", diff)
	}
	if len(got.Due) != 3 || len(got.Loads) != 2 || len(got.Loads[0].Held) != 2 || len(got.Distributions) != 1 {
		x.Errorf("read %+v, want 3 due items, 2 workers, one of them with 2 kinds of items, and 1 queue", got)
	}
}

func readPassDue(x *fixture) {
	passRows(x)
	for _, due := range []int{0, 1, 2, 3, 4, 100} {
		q := passQuery
		q.Due = due
		in, read := x.readPass(q)
		var want []workqueue.DueItem
		x.pass(func(ctx context.Context, tx workqueue.AssignTx) (err error) {
			want, err = tx.DueItems(ctx, q.Band, workqueue.Full{}, 100)
			return err
		})
		if read {
			want = want[:min(due, 3)]
		}
		if diff := cmp.Diff(want, in.Due); diff != "" || read && (due == 0 || in.DueLimit != due) {
			x.Errorf("with a limit of %d due items: limit %d (-DueItems +ReadPass):\n%s", due, in.DueLimit, diff)
		}
	}
}

func readPassBand(x *fixture) {
	passRows(x)
	q := passQuery
	q.Band.Min = 15
	if in, _ := x.readPass(q); len(in.Due) != 4 {
		x.Errorf("read %d due items of 15 to 30, want 4", len(in.Due))
	}
	q.Band.Min = 31
	q.Band.Max = 40
	in, _ := x.readPass(q)
	if len(in.Due) != 1 || len(in.Loads) != 2 || len(in.Loads[0].Held) != 1 || !in.Loads[0].Held[0].Running {
		x.Errorf("items of 31 to 40: read %+v, want 1 due item, and only running items of the worker", in)
	}
}
