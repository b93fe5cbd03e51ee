package sqlstore_test

import (
	"context"
	"fmt"
	"time"

	"botwork/workqueue"
	"botwork/workqueue/sqlstore"
	"botwork/workqueue/storetest"
)

// years is an age that only rows have that a trial inserted by hand.
const years = 10 * 365 * 24 * time.Hour

// housekeepingMethods are the methods that remove old rows.
var housekeepingMethods = []method{
	{"RemoveRetained", 3, true, func(x *behindProxy) trial {
		name := x.old(`"State", "FinishedAt", "RetainUntil"`, `2, '2001-01-01', '2001-01-02'`)
		return x.removal(name, func(ctx context.Context, s *sqlstore.Store) (int, error) { return s.RemoveRetained(ctx, 0) })
	}},
	{"RemoveCompleted", 3, true, func(x *behindProxy) trial {
		name := x.old(`"State", "FinishedAt"`, `2, '2001-01-01'`)
		return x.removal(name, func(ctx context.Context, s *sqlstore.Store) (int, error) {
			return s.RemoveCompleted(ctx, new(years), 0)
		})
	}},
	{"RemoveArchived", 3, true, func(x *behindProxy) trial {
		name := x.old(`"State", "FinishedAt"`, `3, '2001-01-01'`)
		return x.removal(name, func(ctx context.Context, s *sqlstore.Store) (int, error) { return s.RemoveArchived(ctx, new(years), 0) })
	}},
	{"TrimArchives", 3, true, func(x *behindProxy) trial {
		// The other queues have no limit, whatever their archives contain by now.
		x.byHand(`INSERT INTO "BotQueues" ("Name", "ArchiveLimit") VALUES ('keeps none', 0) ON CONFLICT DO NOTHING`)
		name := x.old(`"QueueName", "State", "FinishedAt"`, `'keeps none', 3, '2001-01-01'`)
		return x.removal(name, func(ctx context.Context, s *sqlstore.Store) (int, error) { return s.TrimArchives(ctx, nil, 0) })
	}},
	{"RemoveDeleted", 3, true, func(x *behindProxy) trial {
		name := x.old(`"State", "FinishedAt", "DeletedAt"`, `3, '2001-01-01', '2001-01-01'`)
		return x.removal(name, func(ctx context.Context, s *sqlstore.Store) (int, error) { return s.RemoveDeleted(ctx, years, 0) })
	}},
	{"FreeTimedKeys", 3, true, func(x *behindProxy) trial {
		name := x.old(`"State", "TimedUntil", "TimedKey"`, `2, '2001-01-01', 'key' || n`)
		return trial{func(ctx context.Context, s *sqlstore.Store) error {
			_, err := s.FreeTimedKeys(ctx, 0)
			return err
		}, func() int {
			return x.count(`SELECT COUNT(*) FROM "BotWorkQueueItems" WHERE "IntegrationConfig" = $1 AND "TimedKey" IS NULL`, name)
		}}
	}},
	{"RemoveSteps", 3, true, func(x *behindProxy) trial {
		id := x.make.Item(storetest.ItemOpts{State: workqueue.Processed}).ID
		x.stepsByHand(id)
		return trial{func(ctx context.Context, s *sqlstore.Store) error {
			_, err := s.RemoveSteps(ctx, 0)
			return err
		}, func() int { return 3 - x.steps(id) }}
	}},
	{"RemoveFirings", 2, true, func(x *behindProxy) trial {
		f := x.firing()
		for _, day := range []string{"01", "02", "03"} {
			x.byHand(`INSERT INTO "BotScheduleFirings" ("Schedule", "PlannedAt", "Outcome", "RecordedBy", "RecordedAt")
				VALUES ('%s', '2001-01-%s', 'fired', 'ann', '2001-02-01')`, f.Schedule, day)
		}
		return trial{func(ctx context.Context, s *sqlstore.Store) error {
			_, err := s.RemoveFirings(ctx, years, 0)
			return err
		}, func() int { return 3 - x.firings(f.Schedule) }}
	}},
	{"RemoveRuns", 3, true, func(x *behindProxy) trial {
		name := x.firing().Schedule
		for range 3 {
			x.byHand(`INSERT INTO "BotPipelineRuns" ("Pipeline", "TriggerName", "Outcome", "StartedAt", "FinishedAt")
				VALUES ('%s', 'request', 'succeeded', '2001-01-01', '2001-01-01')`, name)
		}
		return trial{func(ctx context.Context, s *sqlstore.Store) error {
			_, err := s.RemoveRuns(ctx, years, 0)
			return err
		}, func() int { return 3 - x.count(`SELECT COUNT(*) FROM "BotPipelineRuns" WHERE "Pipeline" = $1`, name) }}
	}},
	{"RemoveWorkers", 1, true, func(x *behindProxy) trial {
		w := x.make.Worker(storetest.WorkerOpts{})
		x.byHand(`UPDATE "BotWorkers" SET "State" = 'stopped', "LastSeenAt" = '2001-01-01' WHERE "Id" = %d`, w.ID)
		return trial{func(ctx context.Context, s *sqlstore.Store) error {
			_, err := s.RemoveWorkers(ctx, years, 0)
			return err
		}, func() int { return 1 - x.count(`SELECT COUNT(*) FROM "BotWorkers" WHERE "Id" = $1`, w.ID) }}
	}},
	{"RemoveForecasts", 3, true, func(x *behindProxy) trial {
		name := x.make.Spec(storetest.WorkerOpts{}).Name
		x.byHand(`DELETE FROM "BotForecasts" WHERE "MadeAt" < '2010-01-01'`)
		x.byHand(`INSERT INTO "BotForecasts" ("MadeAt", "ItemId", "QueueName", "Pipeline", "Priority", "DueAt", "Failures")
			SELECT '2001-01-01', n, 'default', '%s', 1, '2001-01-01', 0 FROM generate_series(1, 3) n`, name)
		return trial{func(ctx context.Context, s *sqlstore.Store) error {
			_, err := s.RemoveForecasts(ctx, years, 0)
			return err
		}, func() int { return 3 - x.forecasts(name) }}
	}},
	{"PurgeQueue", 3, true, func(x *behindProxy) trial {
		name := x.queue()
		x.byHand(`INSERT INTO "BotWorkQueueItems" ("IntegrationConfig", "QueueName") SELECT '%[1]s', '%[1]s' FROM generate_series(1, 3)`, name)
		return x.removal(name, func(ctx context.Context, s *sqlstore.Store) (int, error) {
			r, err := s.PurgeQueue(ctx, workqueue.PurgeParams{Queue: name})
			return r.Removed, err
		})
	}},
}

// old inserts three items by hand and returns the name of their pipeline. It removes what
// earlier trials left: otherwise the answers of two calls would differ in length.
func (x *behindProxy) old(columns, values string) string {
	x.Helper()
	name := x.make.Spec(storetest.WorkerOpts{}).Name
	x.byHand(`DELETE FROM "BotWorkQueueItems" WHERE "FinishedAt" < '2010-01-01' OR "TimedUntil" < '2010-01-01'`)
	x.byHand(`INSERT INTO "BotWorkQueueItems" ("IntegrationConfig", %s) SELECT '%s', %s FROM generate_series(1, 3) n`, columns, name, values)
	return name
}

// removal returns a trial of a method that removes the three items of a pipeline.
func (x *behindProxy) removal(pipeline string, remove func(context.Context, *sqlstore.Store) (int, error)) trial {
	return trial{func(ctx context.Context, s *sqlstore.Store) error {
		_, err := remove(ctx, s)
		return err
	}, func() int {
		return 3 - x.count(`SELECT COUNT(*) FROM "BotWorkQueueItems" WHERE "IntegrationConfig" = $1`, pipeline)
	}}
}

func (x *behindProxy) byHand(format string, args ...any) {
	x.Helper()
	statement := fmt.Sprintf(format, args...)
	if _, err := x.hand.ExecContext(x.Context(), statement); err != nil {
		x.Fatalf("%s: %v", statement, err)
	}
}
