package bench

import (
	"context"
	"errors"
	"sync"
	"time"

	"botwork/internal/database"
	"botwork/workqueue/sqlstore"
)

// LimitOptions are the options of [Limit].
type LimitOptions struct {
	Common
	Items   int // enqueued in bulk and drained
	Single  int // enqueued one by one
	Batch   int // items of each claim and of each finish
	Workers int // connections that drain at the same time

	// Rate is the number of items per second that are enqueued during For, to measure
	// when they are claimed; 0 means none.
	Rate int
	For  time.Duration

	// Compare also measures this program in each round, with this many slots.
	Compare  bool
	Capacity int
}

// Figures of this program beside the limit, and its share of the limit in the same round.
const (
	ProductItemsPerSecond    Figure = "productItemsPerSecond"
	ProductEnqueuedPerSecond Figure = "productEnqueuedPerSecond"
	ProductOneByOnePerSecond Figure = "productOneByOnePerSecond"
	DrainShare               Figure = "drainShare"
	EnqueueShare             Figure = "enqueueShare"
	OneByOneShare            Figure = "oneByOneShare"
)

// Work is the total that Progress reports.
func (o LimitOptions) Work() int {
	work := 2*o.work(o.Items) + o.work(o.Single) + o.rounds()*o.latencyItems()
	if o.Compare {
		work += 2*o.work(o.Items) + 2*o.work(o.Single)
	}
	return work
}

// Limit measures how fast the engine moves items without this program: a narrow table
// with one partial index, hand-written statements in batches, and nothing else. The speed
// of [Drain] and [Enqueue] is compared with it.
func Limit(ctx context.Context, o LimitOptions) (Report, error) {
	var all Count
	rounds, err := o.series(ctx, func(ctx context.Context, of size) (Sample, error) {
		now := o
		if of.warms() {
			now.For = 0
		}
		s, count, err := now.round(ctx, of(o.Items), of(o.Single))
		all.add(count)
		if err != nil || !o.Compare {
			return s, err
		}
		product, count, err := o.product(ctx, of(o.Items), of(o.Single))
		all.add(count)
		s.compare(product)
		return s, err
	})
	report := o.newReport("limit", o.Items, rounds)
	return report, errors.Join(err, report.count(all))
}

// round measures the engine in a scratch database.
func (o LimitOptions) round(ctx context.Context, items, single int) (s Sample, count Count, err error) {
	s = Sample{}
	err = o.inScratch(ctx, func(dsn string) error {
		q, err := o.rawQueue(ctx, dsn)
		if err != nil {
			return err
		}
		defer q.close() //nolint:errcheck // the scratch database is removed
		if err := s.oneByOne(ctx, single, func() error { return q.one(ctx) }, o.progress); err != nil {
			return err
		}
		for _, of := range []Figure{P50Ms, P95Ms, P99Ms} {
			delete(s, of) // those of single calls; here they measure the latency
		}
		if err := q.empty(ctx); err != nil {
			return err
		}
		begin := startUsage()
		for left := items; left > 0; left -= enqueueAtOnce {
			if err := errors.Join(ctx.Err(), q.bulk(ctx, min(left, enqueueAtOnce))); err != nil {
				return err
			}
		}
		s[EnqueuedPerSecond] = perSecond(items, begin.at)
		o.progress(items)

		ran := &tally{progress: o.progress}
		begin = startUsage()
		if err := o.drainRaw(ctx, q, ran); err != nil {
			return err
		}
		s[ItemsPerSecond] = perSecond(items, begin.at)
		s.usage(begin, items)
		ran.reportRest()
		done, err := q.processed(ctx)
		count = Count{Items: items, Lost: items - done, RanTwice: ran.twice()}
		if late := o.latencyItems(); err == nil && late > 0 {
			var more Count
			more, err = o.latency(ctx, q, late, s)
			count.add(more)
		}
		return err
	})
	return s, count, database.Redact(err, o.DSN)
}

// drainRaw claims and finishes batches on separate connections until no item is left.
func (o LimitOptions) drainRaw(ctx context.Context, q rawQueue, ran *tally) error {
	errs := make([]error, max(o.Workers, 1))
	sessions := make([]rawSession, len(errs))
	for i := range sessions {
		var err error
		if sessions[i], err = q.session(ctx); err != nil {
			return err
		}
		defer sessions[i].close() //nolint:errcheck // what it wrote is verified
	}
	var wg sync.WaitGroup
	for i := range sessions {
		wg.Go(func() {
			for ctx.Err() == nil {
				batch, err := sessions[i].claim(ctx, o.Batch)
				if err != nil || len(batch) == 0 {
					errs[i] = err
					return
				}
				for _, it := range batch {
					ran.note(it.id)
				}
				if errs[i] = sessions[i].finish(ctx, batch); errs[i] != nil {
					return
				}
			}
			errs[i] = context.Cause(ctx)
		})
	}
	wg.Wait()
	return errors.Join(errs...)
}

// product measures this program with the same numbers of items.
func (o LimitOptions) product(ctx context.Context, items, single int) (s Sample, count Count, err error) {
	s = Sample{}
	err = o.inStore(ctx, func(store *sqlstore.Store, dsn string) error {
		if err := s.enqueue(ctx, o.Common, store, items, single); err != nil {
			return err
		}
		ran := &tally{progress: o.progress}
		if err := s.drain(ctx, store, ran, items+single, o.Capacity); err != nil {
			return err
		}
		ran.reportRest()
		count, _, err = o.verify(ctx, dsn, 0, items+single, ran)
		return err
	})
	return s, count, err
}

// compare adds the figures of this program and its share of the limit.
func (s Sample) compare(product Sample) {
	for _, pair := range []struct{ of, product, share Figure }{
		{ItemsPerSecond, ProductItemsPerSecond, DrainShare},
		{EnqueuedPerSecond, ProductEnqueuedPerSecond, EnqueueShare},
		{OneByOnePerSecond, ProductOneByOnePerSecond, OneByOneShare},
	} {
		s[pair.product] = product[pair.of]
		s[pair.share] = product[pair.of] / s[pair.of]
	}
}

// rawQueue is a queue of hand-written statements, optimized for speed; the files of the
// engines document the alternatives that were tried. Its methods are called by one
// goroutine.
type rawQueue interface {
	// one enqueues an item, which is durable when one returns. bulk enqueues n items in
	// one transaction.
	one(ctx context.Context) error
	bulk(ctx context.Context, n int) error

	// empty removes all items. The next id is 1 again.
	empty(ctx context.Context) error

	// session opens a connection that drains items.
	session(ctx context.Context) (rawSession, error)

	// processed counts the items that were finished after exactly one claim.
	processed(ctx context.Context) (int, error)

	close() error
}

// rawSession is a connection that drains items. It is used by one goroutine.
type rawSession interface {
	// claim claims the most urgent items. The result is valid until the next call.
	claim(ctx context.Context, most int) ([]rawItem, error)
	finish(ctx context.Context, batch []rawItem) error
	close() error
}

// rawItem is a claimed row; its payload was read.
type rawItem struct{ id, fence int64 }

const rawPayload, rawPriority = `{"n": 1}`, 1000

func (o LimitOptions) rawQueue(ctx context.Context, dsn string) (rawQueue, error) {
	switch o.Driver {
	case database.SQLite:
		return newRawSQLite(ctx, dsn)
	case database.Postgres:
		return newRawPostgres(ctx, dsn)
	case database.SQLServer:
		return newRawSQLServer(ctx, dsn)
	default:
		_, err := database.ParseDriver(string(o.Driver))
		return nil, err
	}
}
