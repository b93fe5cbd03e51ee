package storetest

import (
	"context"
	"time"

	"github.com/google/go-cmp/cmp"

	"botwork/workqueue"
)

func foreseeTests() []test {
	return []test{
		{"answers are those of questions", foreseeSame},
		{"more than was foreseen is asked for", foreseeMore},
		{"other questions are asked", foreseeOther},
		{"each answer is given once", foreseeOnce},
	}
}

// foreseen is a band of which three of five items are.
var foreseen = workqueue.Foresight{
	SeenWithin: time.Hour, Band: workqueue.Band{Min: 20, Max: 30}, DefaultEstimate: time.Minute, Due: 10,
}

// foreseeable makes what a pass reads.
func foreseeable(x *fixture) {
	x.makeQueue("erp", `"Distribution"`, `'{"mode":"round-robin"}'`)
	w := x.Worker(WorkerOpts{})
	x.Worker(WorkerOpts{})
	x.Items(2, ItemOpts{Priority: 25, State: workqueue.Assigned, Worker: w})
	x.Item(ItemOpts{Priority: 10, State: workqueue.Blocked, Worker: w})
	x.exec(1, `UPDATE "BotWorkQueueItems" SET "StartedAt" = %s WHERE "State" = 1`, x.agoSQL(-time.Hour)) // else what is left changes between two readings
	x.Item(ItemOpts{Priority: 20})
	x.Item(ItemOpts{Priority: 30, Deadline: time.Now().Add(time.Hour)})
	x.Item(ItemOpts{Priority: 25})
	x.Item(ItemOpts{Priority: 31})
	x.Item(ItemOpts{Priority: 19})
}

// reading is all that a pass asks.
type reading struct {
	Passes int64
	Queues map[string]workqueue.JSONText
	Loads  []workqueue.WorkerLoad
	Due    []workqueue.DueItem
}

func read(ctx context.Context, view workqueue.AssignView, f workqueue.Foresight, limit int) (r reading, err error) {
	m, err := view.Marks(ctx)
	if err != nil {
		return r, err
	}
	r.Passes = m.Passes
	if r.Loads, err = view.WorkerLoads(ctx, f.SeenWithin, f.Band, f.DefaultEstimate); err != nil {
		return r, err
	}
	if r.Queues, err = view.Distributions(ctx); err != nil {
		return r, err
	}
	r.Due, err = view.DueItems(ctx, f.Band, workqueue.Full{}, limit)
	return r, err
}

// wantForeseen compares what a view tells after Foresee with what it tells without.
func (x *fixture) wantForeseen(f, asked workqueue.Foresight, limit, due int) {
	x.Helper()
	var got, want reading
	err := x.Store.Survey(x.ctx, func(ctx context.Context, view workqueue.AssignView) (err error) {
		if want, err = read(ctx, view, asked, limit); err != nil {
			return err
		}
		if err = view.Foresee(ctx, f); err != nil {
			return err
		}
		got, err = read(ctx, view, asked, limit)
		return err
	})
	if err != nil {
		x.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		x.Errorf("what was foreseen (-asked +foreseen):\n%s", diff)
	}
	if len(got.Due) != due || len(got.Loads) != 2 || len(got.Loads[0].Held) != 2 || len(got.Queues) != 1 {
		x.Errorf("read %+v, want %d due items, 2 workers of which one holds two kinds, and a queue", got, due)
	}
}

func foreseeSame(x *fixture) {
	foreseeable(x)
	x.wantForeseen(foreseen, foreseen, 10, 3)
	x.wantForeseen(foreseen, foreseen, 2, 2)
}

func foreseeMore(x *fixture) {
	foreseeable(x)
	few := foreseen
	few.Due = 1
	x.wantForeseen(few, foreseen, 10, 3)
	few.Due = 0
	x.wantForeseen(few, foreseen, 10, 3)
}

func foreseeOther(x *fixture) {
	foreseeable(x)
	other := foreseen
	other.Band.Min, other.DefaultEstimate = 15, time.Second
	x.wantForeseen(foreseen, other, 10, 4)
}

func foreseeOnce(x *fixture) {
	foreseeable(x)
	err := x.Store.Survey(x.ctx, func(ctx context.Context, view workqueue.AssignView) error {
		if err := view.Foresee(ctx, foreseen); err != nil {
			return err
		}
		if _, err := read(ctx, view, foreseen, 10); err != nil {
			return err
		}
		x.Item(ItemOpts{Priority: 26})
		again, err := read(ctx, view, foreseen, 10)
		if len(again.Due) != 4 {
			x.Errorf("asked again: %d due items, want 4 with the new one", len(again.Due))
		}
		return err
	})
	if err != nil {
		x.Fatal(err)
	}
}
