package sqlstore

import (
	"cmp"
	"context"
	"database/sql"
	"slices"
	"time"

	"botwork/internal/database"
	"botwork/workqueue"
)

// The kinds of samples: see the migration 0033.
const (
	gaugeQueue    = ""         // of a queue and band
	gaugePipeline = "pipeline" // of the items of a pipeline in a queue and band
	gaugeWorker   = "worker"   // of what a worker has
	gaugeSlots    = "slots"    // of the whole cluster
)

// seenRecently is how long ago a worker that offers slots may have been seen.
const seenRecently = 2 * time.Minute

// sampleKey identifies what is sampled. Neither a kind nor a queue: the whole cluster.
type sampleKey struct{ What, Queue, BandName, Named string }

// sampleRow is a sample inside a JSON parameter.
type sampleRow struct {
	Res, Starts string
	sampleKey
	Taken, Waits, Oldest, Runs, Offers int64
}

func (r *sampleRow) add(more *sampleRow) {
	r.Waits += more.Waits
	r.Oldest = max(r.Oldest, more.Oldest)
	r.Runs += more.Runs
	r.Offers += more.Offers
}

// SampleGauges implements workqueue.SeriesStore. The row of the whole cluster for the minute
// decides which process's sample is kept.
func (s *seriesStore) SampleGauges(ctx context.Context) (sampled bool, err error) {
	err = s.retryReading(ctx, "sample the backlog", func() error {
		sampled = false
		now, err := s.clock(ctx, s.readers)
		if err != nil {
			return err
		}
		minute := workqueue.ByMinute.Start(now)
		if taken, err := s.sampledIn(ctx, minute); err != nil || taken {
			return err
		}
		rows, err := s.sample(ctx, now) // outside the transaction, which would block writers on SQLite
		if err != nil {
			return err
		}
		return s.tx(ctx, func(tx *sql.Tx) error {
			n, err := s.queries.exec(ctx, tx, "gauge_turn", values{"starts": s.engine.timeArg(minute)})
			if err != nil || n == 0 {
				return err
			}
			sampled = true
			return s.writeSample(ctx, tx, now, rows)
		})
	})
	if classify(err) == uniqueError {
		return false, nil // another process was faster
	}
	return sampled && err == nil, err
}

// sampledIn reports whether a minute has a sample.
func (s *seriesStore) sampledIn(ctx context.Context, minute time.Time) (bool, error) {
	rows, err := s.reading.query(ctx, s.readers, "gauge_read", values{
		"resolution": string(workqueue.ByMinute), "since": s.engine.timeArg(minute), "until": s.engine.timeArg(minute.Add(time.Minute)),
		"kind": gaugeQueue, "queue": nil, "band": nil, "name": nil,
	})
	if err != nil {
		return false, err
	}
	found := false
	err = eachRow(rows, func() error {
		found = true
		return nil
	})
	return found, err
}

// sample counts what waits and runs, by queue and band, by pipeline and by worker, and the slots
// that workers offer.
func (s *seriesStore) sample(ctx context.Context, now time.Time) ([]sampleRow, error) {
	sums := map[sampleKey]*sampleRow{{}: {}}
	add := func(k sampleKey, r *sampleRow) {
		same := k
		same.Named = s.engine.queueKey(k.Named) // SQL Server compares these names like those of queues
		if sums[same] == nil {
			sums[same] = &sampleRow{sampleKey: k}
		}
		sums[same].add(r)
	}
	workers := &loadsRead{at: map[int64]int{}}
	rows, err := s.reading.query(ctx, s.readers, "workers_open", values{"seen_ms": ms(seenRecently), "now": s.engine.timeArg(now)})
	if err == nil {
		err = eachRow(rows, func() error { return workers.worker(rows.Scan) })
	}
	if err != nil {
		return nil, err
	}
	add(sampleKey{What: gaugeSlots}, &sampleRow{})
	for _, w := range workers.list {
		r := &sampleRow{Offers: int64(w.Capacity)}
		add(sampleKey{What: gaugeWorker, Named: w.Name}, r)
		add(sampleKey{What: gaugeSlots}, r)
	}
	if rows, err = s.reading.query(ctx, s.readers, "gauge_now", values{"now": s.engine.timeArg(now)}); err != nil {
		return nil, err
	}
	err = eachRow(rows, func() error {
		var r sampleRow
		var queue, pipeline, band, worker string
		var oldest database.Time
		if err := rows.Scan(&queue, &pipeline, &band, &worker, &r.Waits, &oldest, &r.Runs); err != nil {
			return err
		}
		if oldest.Valid {
			r.Oldest = max(now.Sub(oldest.Time), 0).Milliseconds()
		}
		add(sampleKey{What: gaugeQueue, Queue: queue, BandName: band}, &r)
		add(sampleKey{What: gaugePipeline, Queue: queue, BandName: band, Named: seriesPipeline(pipeline)}, &r)
		add(sampleKey{What: gaugeWorker, Named: worker}, &r)
		add(sampleKey{What: gaugeSlots}, &r)
		return nil
	})
	all := make([]sampleRow, 0, len(sums))
	for _, r := range sums {
		r.Taken = 1
		all = append(all, *r)
	}
	slices.SortStableFunc(all, func(a, b sampleRow) int {
		return cmp.Or(cmp.Compare(a.What, b.What), cmp.Compare(a.Queue, b.Queue), cmp.Compare(a.BandName, b.BandName), cmp.Compare(a.Named, b.Named))
	})
	return all, err
}

// writeSample adds a sample to the rows of its minute, hour and day.
func (s *seriesStore) writeSample(ctx context.Context, tx *sql.Tx, now time.Time, sample []sampleRow) error {
	var list []sampleRow
	for _, r := range workqueue.Resolutions() {
		for _, row := range sample {
			if r == workqueue.ByMinute && row.sampleKey == (sampleKey{}) {
				continue // gauge_turn has written it
			}
			row.Res, row.Starts = string(r), r.Start(now).Format(s.engine.dialect().jsonTime)
			list = append(list, row)
		}
	}
	batch, err := jsonRows(list)
	if err != nil {
		return err
	}
	n, err := s.queries.exec(ctx, tx, "gauge_add", values{"rows": batch})
	if err != nil || int(n) == len(list) {
		return err
	}
	_, err = s.queries.exec(ctx, tx, "gauge_new", values{"rows": batch})
	return err
}
