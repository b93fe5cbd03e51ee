package bench

import (
	"context"
	"errors"
	"time"

	"botwork/workqueue/sqlstore"
)

// BacklogOptions are the options of [Backlog].
type BacklogOptions struct {
	Common
	Items    int // that are drained
	Capacity int // slots of the worker

	Processed int // rows of processed items
	Waiting   int // items in another priority band, which the drain does not run
	Scheduled int // items in the drained band, due one day later

	// CleanUp is the number of processed rows, old enough to be deleted, that the
	// pipeline CleanUp finds when it runs during a drain; 0 means that it does not run.
	CleanUp int
}

// Figures that compare a drain with a backlog to a drain of an otherwise empty table, and
// a drain during CleanUp to one without.
const (
	EmptyItemsPerSecond   Figure = "emptyItemsPerSecond"
	BacklogShare          Figure = "backlogShare"
	CleanUpItemsPerSecond Figure = "cleanUpItemsPerSecond"
	CleanUpShare          Figure = "cleanUpShare"
	CleanedRows           Figure = "cleanedRows"
)

// Work is the total that Progress reports.
func (o BacklogOptions) Work() int {
	work := o.Processed + o.Waiting + o.Scheduled + 2*o.work(o.Items)
	if o.CleanUp > 0 {
		work += (o.rounds()+1)*o.CleanUp + o.work(o.Items)
	}
	return work
}

// Backlog measures drains from an otherwise empty table and from a table full of other
// items. The two alternate in each round, so that both run under the same conditions.
func Backlog(ctx context.Context, o BacklogOptions) (Report, error) {
	var all Count
	var rounds []Sample
	err := o.inStore(ctx, func(store *sqlstore.Store, dsn string) error {
		full, err := o.fill(ctx, store, dsn)
		if err != nil {
			return err
		}
		defer full.db.Close()
		rounds, err = o.series(ctx, func(ctx context.Context, of size) (Sample, error) {
			return o.round(ctx, full, store, dsn, of(o.Items), &all)
		})
		return err
	})
	report := o.newReport("backlog", o.Items, rounds)
	return report, errors.Join(err, report.count(all))
}

// fill creates the backlog. The processed items are spread over the last twenty days,
// because CleanUp deletes items that are thirty days old.
func (o BacklogOptions) fill(ctx context.Context, store *sqlstore.Store, dsn string) (f *filler, err error) {
	if f, err = o.newFiller(ctx, dsn); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, f.db.Close())
		}
	}()
	if f.ran, err = o.original(ctx, store); err != nil {
		return f, err
	}
	waits, later := newItem(), newItem()
	waits.Priority = 100
	waiting, err := enqueueOne(ctx, store, waits)
	if err != nil {
		return f, err
	}
	later.In = 24 * time.Hour
	scheduled, err := enqueueOne(ctx, store, later)
	if err != nil {
		return f, err
	}
	for _, part := range []struct {
		id int64
		n  int
		at times
	}{
		{f.ran, o.Processed, ranAt("-(n.i % 1728000)")},
		{waiting, o.Waiting, times{"CreatedAt": "-(n.i % 86400)", "AvailableAt": "-(n.i % 86400)"}},
		{scheduled, o.Scheduled, times{"CreatedAt": "-(n.i % 86400)", "AvailableAt": "86400 + (n.i % 86400)"}},
	} {
		if err := f.copies(ctx, part.id, part.n, part.at); err != nil {
			return f, err
		}
	}
	return f, f.analyse(ctx)
}

// ranAt returns the times of an item that ran the given number of seconds from now.
func ranAt(seconds string) times {
	at := times{}
	for _, column := range []string{"CreatedAt", "AvailableAt", "AssignedAt", "StartedAt", "FirstStartedAt", "FinishedAt"} {
		at[column] = seconds
	}
	return at
}

// original runs one item; the processed items of the backlog are copies of it.
func (o BacklogOptions) original(ctx context.Context, store *sqlstore.Store) (int64, error) {
	id, err := enqueueOne(ctx, store, newItem())
	if err != nil {
		return 0, err
	}
	return id, Sample{}.drain(ctx, store, &tally{}, 1, o.Capacity)
}

// round drains once from the empty table, once from the full table, and once from the
// full table while CleanUp runs.
func (o BacklogOptions) round(ctx context.Context, full *filler, store *sqlstore.Store, dsn string, items int, all *Count) (Sample, error) {
	empty, count, err := DrainOptions{Common: o.Common, Items: items, Capacity: o.Capacity, Workers: 1}.round(ctx, items)
	all.add(count)
	if err != nil {
		return nil, err
	}
	s, count, err := o.drainFull(ctx, full, store, dsn, items, "")
	all.add(count)
	if err != nil {
		return nil, err
	}
	s[EmptyItemsPerSecond] = empty[ItemsPerSecond]
	s[BacklogShare] = s[ItemsPerSecond] / empty[ItemsPerSecond]
	if o.CleanUp == 0 {
		return s, nil
	}
	before, err := full.last(ctx)
	if err != nil {
		return nil, err
	}
	if err := full.copies(ctx, full.ran, o.CleanUp, ranAt("-3456000 - (n.i % 86400)")); err != nil {
		return nil, err
	}
	last, err := full.last(ctx)
	if err != nil {
		return nil, err
	}
	beside, count, err := o.drainFull(ctx, full, store, dsn, items, "CleanUp")
	all.add(count)
	if err != nil {
		return nil, err
	}
	left, err := full.between(ctx, before, last)
	s[CleanUpItemsPerSecond] = beside[ItemsPerSecond]
	s[CleanUpShare] = beside[ItemsPerSecond] / s[ItemsPerSecond]
	s[CleanedRows] = float64(o.CleanUp - left)
	return s, err
}

// drainFull enqueues items after the backlog and drains them. If beside is not empty,
// that pipeline runs at the same time.
func (o BacklogOptions) drainFull(ctx context.Context, full *filler, store *sqlstore.Store, dsn string, items int, beside string) (Sample, Count, error) {
	s := Sample{}
	last, err := full.last(ctx)
	if err != nil {
		return s, Count{}, err
	}
	begin := startUsage()
	if err := enqueue(ctx, store, items); err != nil {
		return s, Count{}, err
	}
	s[EnqueuedPerSecond] = perSecond(items, begin.at)
	ran := &tally{progress: o.progress}
	if err := s.drainBeside(ctx, store, ran, items, o.Capacity, beside); err != nil {
		return s, Count{}, err
	}
	ran.reportRest()
	count, took, err := o.verify(ctx, dsn, last, items, ran)
	s.percentiles(took)
	return s, count, err
}
