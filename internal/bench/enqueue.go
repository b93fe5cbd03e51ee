package bench

import (
	"context"
	"errors"
	"fmt"
	"time"

	"botwork/internal/database"
	"botwork/workqueue"
	"botwork/workqueue/sqlstore"
)

// EnqueueOptions are the options of [Enqueue].
type EnqueueOptions struct {
	Common
	Items  int // in bulk
	Single int // one by one
}

// Work is the total that Progress reports.
func (o EnqueueOptions) Work() int { return o.work(o.Items) + o.work(o.Single) }

// Enqueue measures how fast items are enqueued, in bulk and one by one. Items are durable
// when the call that enqueued them returns. The percentiles are those of the single
// calls.
func Enqueue(ctx context.Context, o EnqueueOptions) (Report, error) {
	var all Count
	rounds, err := o.series(ctx, func(ctx context.Context, of size) (Sample, error) {
		s, items, single := Sample{}, of(o.Items), of(o.Single)
		err := o.inStore(ctx, func(store *sqlstore.Store, dsn string) error {
			if err := s.enqueue(ctx, o.Common, store, items, single); err != nil {
				return err
			}
			if o.spoil != nil {
				if err := o.spoil(dsn, nil); err != nil {
					return err
				}
			}
			there, err := o.countItems(ctx, dsn)
			all.add(Count{Items: items + single, Lost: items + single - there})
			return err
		})
		return s, err
	})
	report := o.newReport("enqueue", o.Items, rounds)
	err = errors.Join(err, report.count(all))
	report.RanTwice = nil // no item runs
	return report, err
}

// enqueue measures bulk calls and single calls on one store.
func (s Sample) enqueue(ctx context.Context, c Common, store *sqlstore.Store, items, single int) error {
	begin := startUsage()
	if err := enqueue(ctx, store, items); err != nil {
		return err
	}
	s[ItemsPerSecond] = perSecond(items, begin.at)
	s[EnqueuedPerSecond] = s[ItemsPerSecond]
	s.usage(begin, items)
	c.progress(items)

	item := []workqueue.NewItem{newItem()}
	return s.oneByOne(ctx, single, func() error {
		_, err := store.Enqueue(ctx, item)
		return err
	}, c.progress)
}

// oneByOne measures n calls that each enqueue one item.
func (s Sample) oneByOne(ctx context.Context, n int, call func() error, progress func(int)) error {
	times := make([]float64, n)
	started := time.Now()
	before := started
	for i := range times {
		if err := errors.Join(ctx.Err(), call()); err != nil {
			return err
		}
		now := time.Now()
		times[i] = milliseconds(now.Sub(before))
		before = now
	}
	s[OneByOnePerSecond] = perSecond(n, started)
	s.percentiles(times)
	progress(n)
	return nil
}

// countItems counts the items in the queue.
func (c Common) countItems(ctx context.Context, dsn string) (n int, err error) {
	db, err := database.Open(c.Driver, dsn)
	if err != nil {
		return 0, err
	}
	defer db.Close()
	if err := db.QueryRowContext(ctx, `SELECT COUNT(*) FROM "BotWorkQueueItems"`).Scan(&n); err != nil {
		return 0, fmt.Errorf("count the items: %w", database.Redact(err, dsn))
	}
	return n, nil
}
