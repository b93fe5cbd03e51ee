package sqlstore

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"botwork/internal/database"
)

// The tiers of BotQueueStats. A row moves to the next tier when its time slot there is over and
// no window needs the finer row any longer.
const (
	tierMoment  = iota // as it was written
	tierSeconds        // ten seconds
	tierMinute         // a minute
	tierQuarter        // a quarter of an hour
	tierBefore         // all that no window reaches
)

// tierSteps are the lengths of the time slots of the tiers, except the first and the last.
var tierSteps = [...]time.Duration{tierSeconds: 10 * time.Second, tierMinute: time.Minute, tierQuarter: 15 * time.Minute}

// windowSteps are the precisions of the windows' starts: the slot length of the highest tier in
// each window.
var windowSteps = [...]time.Duration{tierSteps[tierSeconds], tierSteps[tierSeconds], tierSteps[tierMinute], tierSteps[tierQuarter]}

// windowsSince returns when the windows start: at least their length ago, at the start of a
// time slot of each tier in them.
func windowsSince(now time.Time) []time.Time {
	var since []time.Time
	for i, length := range statWindows {
		since = append(since, now.Add(-length).Truncate(windowSteps[i]))
	}
	return since
}

// foldBefore returns the time before which the rows of a tier move to the next one. A row must
// never cross the start of a window, so a row moves only when it is one slot older than the
// windows that need the finer rows.
func foldBefore(tier int, now time.Time) time.Time {
	switch tier {
	case tierMoment:
		return now.Add(-tierSteps[tierSeconds]).Truncate(tierSteps[tierSeconds])
	case tierSeconds:
		return now.Add(-statWindows[1] - tierSteps[tierSeconds]).Truncate(tierSteps[tierMinute])
	case tierMinute:
		return now.Add(-statWindows[2] - tierSteps[tierMinute]).Truncate(tierSteps[tierQuarter])
	default:
		return now.Add(-statWindows[3] - tierSteps[tierQuarter]).Truncate(tierSteps[tierQuarter])
	}
}

// beforeAll is the start of the rows of tierBefore, as it is stored.
var beforeAll = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)

// foldBatch limits one transaction, so that it locks few rows and no table. foldLimit is how
// many rows a call without a limit moves.
const foldBatch, foldLimit = 1000, 10_000

// CompactStatistics implements workqueue.StatisticsStore.
func (s *statisticsStore) CompactStatistics(ctx context.Context, limit int) (moved int, err error) {
	limit = orDefault(limit, foldLimit)
	now, err := s.Now(ctx)
	if err != nil {
		return 0, err
	}
	for before := -1; moved > before && moved < limit; { // again, for rows that have moved up
		before = moved
		tiers, err := s.tiersPast(ctx, now)
		if err != nil {
			return moved, err
		}
		for _, tier := range tiers {
			n, err := s.foldTier(ctx, tier, foldBefore(tier, now), limit-moved)
			if moved += n; err != nil {
				return moved, err
			}
		}
	}
	return moved, nil
}

// tiersPast lists the tiers with rows that must move, the highest first.
func (s *statisticsStore) tiersPast(ctx context.Context, now time.Time) (tiers []int, err error) {
	v := values{}
	for tier := tierMoment; tier <= tierQuarter; tier++ {
		v[fmt.Sprintf("before_%d", tier)] = s.engine.timeArg(foldBefore(tier, now))
	}
	err = s.retryReading(ctx, "find old statistics", func() error {
		tiers = nil
		rows, err := s.reading.query(ctx, s.readers, "stat_past", v)
		if err != nil {
			return err
		}
		return eachRow(rows, func() error {
			var tier int
			err := rows.Scan(&tier)
			tiers = append(tiers, tier)
			return err
		})
	})
	return tiers, err
}

// foldTier moves up to limit rows of a tier to the next one.
func (s *statisticsStore) foldTier(ctx context.Context, tier int, before time.Time, limit int) (moved int, err error) {
	for moved < limit {
		batch := min(foldBatch, limit-moved)
		n, err := s.fold(ctx, tier, before, batch)
		if moved += n; err != nil || n < batch {
			return moved, err
		}
	}
	return moved, nil
}

// fold moves rows of a tier to the next one, summed, in one transaction.
func (s *statisticsStore) fold(ctx context.Context, tier int, before time.Time, limit int) (moved int, err error) {
	err = s.retry(ctx, "compact the statistics", func() error {
		return s.tx(ctx, func(tx *sql.Tx) error {
			t := tally{}
			moved, err = s.removeRows(ctx, tx, t, tier, before, limit)
			if err != nil || moved == 0 {
				return err
			}
			if tier+1 == tierBefore {
				// One row for each queue and kind is enough: add the existing one.
				if _, err := s.removeRows(ctx, tx, t, tierBefore, beforeAll.Add(time.Millisecond), foldBatch); err != nil {
					return err
				}
			}
			return s.keep(ctx, tx, t)
		})
	})
	return moved, err
}

// removeRows removes the oldest rows of a tier and adds them to t as rows of the next tier.
func (s *statisticsStore) removeRows(ctx context.Context, tx *sql.Tx, t tally, tier int, before time.Time, limit int) (moved int, err error) {
	rows, err := s.queries.query(ctx, tx, "stat_fold", values{"tier": tier, "before": s.engine.timeArg(before), "limit_rows": limit})
	if err != nil {
		return 0, err
	}
	err = eachRow(rows, func() error {
		k := statKey{tier: min(tier+1, tierBefore)}
		var at database.Time
		var sums statSums
		if err := rows.Scan(&k.queue, &k.kind, &at, &k.bucket, &sums.events, &sums.level, &sums.tookMs); err != nil {
			return err
		}
		if k.tier == tierBefore {
			k.startsAt, k.bucket = beforeAll, 0
		} else {
			k.startsAt = at.Truncate(tierSteps[k.tier])
		}
		t.add(k, sums)
		moved++
		return nil
	})
	return moved, err
}
