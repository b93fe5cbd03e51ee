package bench

import (
	"context"
	"errors"
	"slices"
	"time"

	"botwork/workqueue"
	"botwork/workqueue/sqlstore"
)

// DrainOptions are the options of [Drain].
type DrainOptions struct {
	Common
	Items    int
	Capacity int // slots of a worker

	// Workers is the number of workers. If it is more than 1, each worker is a separate
	// process; otherwise this process is the worker.
	Workers int
}

// Work is the total that Progress reports.
func (o DrainOptions) Work() int { return o.work(o.Items) }

// Drain enqueues items that do nothing. It measures how long a worker needs to assign,
// claim, run and finish all of them with the shipped pipeline ExecuteWorkQueue.
func Drain(ctx context.Context, o DrainOptions) (Report, error) {
	var all Count
	rounds, err := o.series(ctx, func(ctx context.Context, of size) (Sample, error) {
		sample, count, err := o.round(ctx, of(o.Items))
		all.add(count)
		return sample, err
	})
	report := o.newReport("drain", o.Items, rounds)
	return report, errors.Join(err, report.count(all))
}

// round drains items in a scratch database.
func (o DrainOptions) round(ctx context.Context, items int) (s Sample, count Count, err error) {
	s = Sample{}
	err = o.inStore(ctx, func(store *sqlstore.Store, dsn string) error {
		started := time.Now()
		if err := enqueue(ctx, store, items); err != nil {
			return err
		}
		s[EnqueuedPerSecond] = perSecond(items, started)
		ran := &tally{progress: o.progress}
		if o.Workers > 1 {
			err = s.drainProcesses(ctx, o, dsn, ran, items)
		} else {
			err = s.drain(ctx, store, ran, items, o.Capacity)
		}
		if err != nil {
			return err
		}
		ran.reportRest()
		var times []float64
		count, times, err = o.verify(ctx, dsn, 0, items, ran)
		s.percentiles(times)
		return err
	})
	return s, count, err
}

// drain measures how long one worker in this process needs to run all items that wait in
// the store.
func (s Sample) drain(ctx context.Context, store *sqlstore.Store, ran *tally, items, capacity int) error {
	return s.drainBeside(ctx, store, ran, items, capacity, "")
}

// drainBeside is like drain, but the worker runs another pipeline at the same time (""
// for none), which is cancelled when the drain has ended.
func (s Sample) drainBeside(ctx context.Context, store *sqlstore.Store, ran *tally, items, capacity int, pipeline string) error {
	proc, err := worker{name: "bench", capacity: capacity, handler: ran}.start(ctx, store)
	if err != nil {
		return err
	}
	during, cut := context.WithCancel(ctx)
	defer cut()
	ended := make(chan error, 1)
	begin := startUsage()
	if pipeline == "" {
		ended <- nil
	} else {
		go func() { ended <- proc.RunOnce(during, pipeline) }()
	}
	err = proc.RunOnce(ctx, "ExecuteWorkQueue")
	s[ItemsPerSecond] = perSecond(items, begin.at)
	s.usage(begin, items)
	cut()
	if other := <-ended; other != nil && !errors.Is(other, context.Canceled) {
		err = errors.Join(err, other)
	}
	return errors.Join(err, proc.Stop(context.WithoutCancel(ctx)))
}

func enqueue(ctx context.Context, store *sqlstore.Store, n int) error {
	batch := slices.Repeat([]workqueue.NewItem{newItem()}, min(n, enqueueAtOnce))
	for ; n > 0; n -= len(batch) {
		batch = batch[:min(n, len(batch))]
		if _, err := store.Enqueue(ctx, batch); err != nil {
			return err
		}
	}
	return nil
}
