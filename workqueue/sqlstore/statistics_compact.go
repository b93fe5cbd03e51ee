package sqlstore

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"botwork/internal/database"
)

// The tiers of BotQueueStats. A row of the past moves up when its place in the
// next tier is over and the windows that look at it no longer have to.
const (
	tierMoment  = iota // as it was written
	tierSeconds        // ten of them
	tierMinute
	tierQuarter // of an hour
	tierBefore  // all that no window reaches
)

// tierSteps are the lengths of a row of each tier, but for the first and the
// last.
var tierSteps = [...]time.Duration{tierSeconds: 10 * time.Second, tierMinute: time.Minute, tierQuarter: 15 * time.Minute}

// windowSteps are how exactly the windows begin: the step of the highest tier in
// each.
var windowSteps = [...]time.Duration{tierSteps[tierSeconds], tierSteps[tierSeconds], tierSteps[tierMinute], tierSteps[tierQuarter]}

// windowsSince returns where the windows begin: at least their length ago, at the start of
// a row of each tier in them.
func windowsSince(now time.Time) []time.Time {
	var since []time.Time
	for i, length := range statWindows {
		since = append(since, now.Add(-length).Truncate(windowSteps[i]))
	}
	return since
}

// foldBefore is up to when the rows of a tier move to the next one. A row must
// never reach across the beginning of a window: what moves is older than the
// windows that need the finer rows by one step more.
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

// beforeAll is when the rows of tierBefore begin, as it is written there.
var beforeAll = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)

// foldBatch bounds one transaction, so that it locks few rows and no table;
// foldLimit is how many rows a call takes up that names no number.
const foldBatch, foldLimit = 1000, 10_000

// CompactStatistics implements workqueue.StatisticsStore.
func (s *Store) CompactStatistics(ctx context.Context, limit int) (taken int, err error) {
	limit = orDefault(limit, foldLimit)
	now, err := s.Now(ctx)
	if err != nil {
		return 0, err
	}
	for before := -1; taken > before && taken < limit; { // again, for what has come up
		before = taken
		tiers, err := s.tiersPast(ctx, now)
		if err != nil {
			return taken, err
		}
		for _, tier := range tiers {
			n, err := s.foldTier(ctx, tier, foldBefore(tier, now), limit-taken)
			if taken += n; err != nil {
				return taken, err
			}
		}
	}
	return taken, nil
}

// tiersPast lists the tiers of which rows are to move, the highest first.
func (s *Store) tiersPast(ctx context.Context, now time.Time) (tiers []int, err error) {
	v := values{}
	for tier := tierMoment; tier <= tierQuarter; tier++ {
		v[fmt.Sprintf("before_%d", tier)] = s.engine.timeArg(foldBefore(tier, now))
	}
	err = s.retry(ctx, "look for statistics of the past", func() error {
		tiers = nil
		rows, err := s.queries.query(ctx, s.readers, "stat_past", v)
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
func (s *Store) foldTier(ctx context.Context, tier int, before time.Time, limit int) (taken int, err error) {
	for taken < limit {
		batch := min(foldBatch, limit-taken)
		n, err := s.fold(ctx, tier, before, batch)
		if taken += n; err != nil || n < batch {
			return taken, err
		}
	}
	return taken, nil
}

// fold moves rows of a tier to the next one, as sums, in one transaction.
func (s *Store) fold(ctx context.Context, tier int, before time.Time, limit int) (taken int, err error) {
	err = s.retry(ctx, "compact the statistics", func() error {
		return s.tx(ctx, func(tx *sql.Tx) error {
			t := tally{}
			taken, err = s.takeUp(ctx, tx, t, tier, before, limit)
			if err != nil || taken == 0 {
				return err
			}
			if tier+1 == tierBefore {
				// One row for each queue and kind is enough: what is there
				// already joins them.
				if _, err := s.takeUp(ctx, tx, t, tierBefore, beforeAll.Add(time.Millisecond), foldBatch); err != nil {
					return err
				}
			}
			return s.keep(ctx, tx, t)
		})
	})
	return taken, err
}

// takeUp removes the oldest rows of a tier and adds them to t, as rows of the
// next one.
func (s *Store) takeUp(ctx context.Context, tx *sql.Tx, t tally, tier int, before time.Time, limit int) (taken int, err error) {
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
		taken++
		return nil
	})
	return taken, err
}
