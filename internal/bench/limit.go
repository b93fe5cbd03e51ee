package bench

import (
	"context"
	"errors"
	"sync"
	"time"

	"botwork/internal/database"
	"botwork/workqueue/sqlstore"
)

// LimitOptions say what to measure of an engine.
type LimitOptions struct {
	Common
	Items   int // enqueued in bulk and drained
	Single  int // enqueued one by one
	Batch   int // items of one claim and of one finish
	Workers int // connections that drain at a time

	// Rate items a second arrive during For, to measure when they are claimed; 0: none.
	Rate int
	For  time.Duration

	// Compare measures this program beside it by turns, with so many slots.
	Compare  bool
	Capacity int
}

// Figures of this program beside the limit, and its share of the limit in the
// same round.
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

// Limit measures how fast the engine moves items without this program: a narrow
// table with one partial index, hand-written statements, batches, and nothing else. It
// is what the speed of [Drain] and [Enqueue] is held against.
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

// round measures the engine in a scratch place.
func (o LimitOptions) round(ctx context.Context, items, single int) (s Sample, count Count, err error) {
	s = Sample{}
	err = o.inScratch(ctx, func(dsn string) error {
		q, err := o.rawQueue(ctx, dsn)
		if err != nil {
			return err
		}
		defer q.close() //nolint:errcheck // its place is removed
		if err := s.oneByOne(ctx, single, func() error { return q.one(ctx) }, o.told); err != nil {
			return err
		}
		for _, of := range []Figure{P50Ms, P95Ms, P99Ms} {
			delete(s, of) // of calls; here they are of the latency
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
		o.told(items)

		ran := &tally{progress: o.told}
		begin = startUsage()
		if err := o.drainRaw(ctx, q, ran); err != nil {
			return err
		}
		s[ItemsPerSecond] = perSecond(items, begin.at)
		s.usage(begin, items)
		ran.tellRest()
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

// drainRaw claims and finishes batches on connections of their own until
// nothing is left.
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

// product measures this program with the same numbers.
func (o LimitOptions) product(ctx context.Context, items, single int) (s Sample, count Count, err error) {
	s = Sample{}
	err = o.inStore(ctx, func(store *sqlstore.Store, dsn string) error {
		if err := s.enqueue(ctx, o.Common, store, items, single); err != nil {
			return err
		}
		ran := &tally{progress: o.told}
		if err := s.drain(ctx, store, ran, items+single, o.Capacity); err != nil {
			return err
		}
		ran.tellRest()
		count, _, err = o.verify(ctx, dsn, 0, items+single, ran)
		return err
	})
	return s, count, err
}

// compare adds what this program reached, and its share of the limit.
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

// rawQueue is a queue of hand-written statements, as fast as they get: see the
// files of the engines for what was tried. Its methods are called by one goroutine.
type rawQueue interface {
	// one enqueues an item, which is durable when it returns; bulk enqueues n in
	// one transaction.
	one(ctx context.Context) error
	bulk(ctx context.Context, n int) error

	// empty removes all items; ids start again.
	empty(ctx context.Context) error

	// session opens a connection that drains.
	session(ctx context.Context) (rawSession, error)

	// processed counts the items that have been finished, after one claim.
	processed(ctx context.Context) (int, error)

	close() error
}

// rawSession is a connection that drains, for one goroutine.
type rawSession interface {
	// claim takes the most urgent items; its result holds until the next call.
	claim(ctx context.Context, most int) ([]rawItem, error)
	finish(ctx context.Context, batch []rawItem) error
	close() error
}

// rawItem is a claimed row; its payload has been read.
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
