package sqlstore_test

import (
	"context"
	"time"

	"botwork/workqueue"
	"botwork/workqueue/sqlstore"
	"botwork/workqueue/storetest"
)

const (
	countMoments  = `SELECT COUNT(*) FROM "BotQueueStats" WHERE "QueueName" = $1 AND "Tier" = 0`
	countDeltas   = `SELECT COUNT(*) FROM "BotStatisticsDeltas" WHERE "QueueName" = $1`
	countRecounts = `SELECT COUNT(*) FROM "BotQueueStats" WHERE "Kind" = 'recount'`
)

// statisticsMethods are the methods for statistics.
var statisticsMethods = []method{
	{"CompactStatistics", 3, true, func(x *behindProxy) trial {
		name := x.make.Spec(storetest.WorkerOpts{}).Name
		// Existing rows would be compacted, too, and the answer would be longer.
		if _, err := x.hand.ExecContext(x.Context(), `DELETE FROM "BotQueueStats"`); err != nil {
			x.Fatal(err)
		}
		if _, err := x.hand.ExecContext(x.Context(), `INSERT INTO "BotQueueStats" ("QueueName", "Kind", "StartsAt", "Level")
			VALUES ($1, 'archived', '2001-01-01', 1), ($1, 'archived', '2001-01-02', 1), ($1, 'deleted', '2001-01-03', 1)`, name); err != nil {
			x.Fatal(err)
		}
		return trial{func(ctx context.Context, s *sqlstore.Store) error {
			_, err := s.CompactStatistics(ctx, 0)
			return err
		}, func() int { return 3 - x.count(countMoments, name) }}
	}},
	{"RecountStatistics", 1, true, func(x *behindProxy) trial {
		// Recount first, so that each trial finds the same.
		if _, err := x.way.RecountStatistics(x.Context(), nil); err != nil {
			x.Fatal(err)
		}
		before := x.count(countRecounts)
		return trial{func(ctx context.Context, s *sqlstore.Store) error {
			_, err := s.RecountStatistics(ctx, nil)
			return err
		}, func() int { return x.count(countRecounts) - before }}
	}},
	{"FoldSeries", 3, true, func(x *behindProxy) trial {
		name := x.make.Spec(storetest.WorkerOpts{}).Name
		if _, err := x.hand.ExecContext(x.Context(), `DELETE FROM "BotStatisticsDeltas"`); err != nil { // likewise
			x.Fatal(err)
		}
		if _, err := x.hand.ExecContext(x.Context(), `INSERT INTO "BotStatisticsDeltas" ("QueueName", "Event", "Events")
			VALUES ($1, 'enqueued', 1), ($1, 'enqueued', 1), ($1, 'enqueued', 1)`, name); err != nil {
			x.Fatal(err)
		}
		return trial{func(ctx context.Context, s *sqlstore.Store) error {
			_, err := s.FoldSeries(ctx, 0)
			return err
		}, func() int { return 3 - x.count(countDeltas, name) }}
	}},
	{"SampleGauges", 1, true, func(x *behindProxy) trial {
		for _, statement := range []string{
			`DELETE FROM "BotStatisticsGauges"`, // this minute may have a sample
			// Workers of other trials leave the sample after two minutes, and an answer must not get shorter.
			`UPDATE "BotWorkers" SET "LastSeenAt" = now() - interval '1 hour' WHERE "LastSeenAt" > now() - interval '1 hour'`,
		} {
			if _, err := x.hand.ExecContext(x.Context(), statement); err != nil {
				x.Fatal(err)
			}
		}
		return trial{func(ctx context.Context, s *sqlstore.Store) error {
			_, err := s.SampleGauges(ctx)
			return err
		}, func() int { return min(x.count(`SELECT COUNT(*) FROM "BotStatisticsGauges"`), 1) }}
	}},
	reading("Series", func(ctx context.Context, s *sqlstore.Store, _ workqueue.Item) error {
		_, err := s.Series(ctx, workqueue.SeriesParams{By: workqueue.ByHour, From: time.Now().Add(-time.Hour), Until: time.Now()})
		return err
	}),
	reading("Statistics", func(ctx context.Context, s *sqlstore.Store, _ workqueue.Item) error {
		_, err := s.Statistics(ctx, "")
		return err
	}),
}
