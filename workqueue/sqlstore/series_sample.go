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

// sampleRow is a sample inside a JSON parameter.
type sampleRow struct {
	Res, Starts, Queue, BandName string
	Taken, Waits, Oldest, Runs   int64
}

// SampleGauges implements workqueue.SeriesStore. The row of the whole cluster for the minute
// decides which process's sample is kept.
func (s *seriesStore) SampleGauges(ctx context.Context) (sampled bool, err error) {
	err = s.retry(ctx, "sample the backlog", func() error {
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
	rows, err := s.queries.query(ctx, s.readers, "gauge_read", values{
		"resolution": string(workqueue.ByMinute), "since": s.engine.timeArg(minute), "until": s.engine.timeArg(minute.Add(time.Minute)),
		"queue": nil, "band": nil,
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

// sample counts what waits and runs, by queue and band. The first row is that of the cluster.
func (s *seriesStore) sample(ctx context.Context, now time.Time) ([]sampleRow, error) {
	rows, err := s.queries.query(ctx, s.readers, "gauge_now", values{"now": s.engine.timeArg(now)})
	if err != nil {
		return nil, err
	}
	all := []sampleRow{{Taken: 1}}
	err = eachRow(rows, func() error {
		r := sampleRow{Taken: 1}
		var oldest database.Time
		if err := rows.Scan(&r.Queue, &r.BandName, &r.Waits, &oldest, &r.Runs); err != nil {
			return err
		}
		if oldest.Valid {
			r.Oldest = max(now.Sub(oldest.Time), 0).Milliseconds()
		}
		all = append(all, r)
		return nil
	})
	slices.SortFunc(all, func(a, b sampleRow) int {
		return cmp.Or(cmp.Compare(a.Queue, b.Queue), cmp.Compare(a.BandName, b.BandName))
	})
	return all, err
}

// writeSample adds a sample to the rows of its minute, hour and day.
func (s *seriesStore) writeSample(ctx context.Context, tx *sql.Tx, now time.Time, sample []sampleRow) error {
	var list []sampleRow
	for _, r := range workqueue.Resolutions() {
		for _, row := range sample {
			if r == workqueue.ByMinute && row.Queue == "" {
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
