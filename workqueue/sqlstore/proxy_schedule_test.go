package sqlstore_test

import (
	"context"
	"time"

	"botwork/workqueue"
	"botwork/workqueue/sqlstore"
	"botwork/workqueue/storetest"
)

// scheduleMethods are the methods that record what schedules did.
var scheduleMethods = []method{
	{"ClaimFiring", 1, false, func(x *behindProxy) trial {
		f := x.firing()
		return trial{func(ctx context.Context, s *sqlstore.Store) error {
			_, err := s.ClaimFiring(ctx, f)
			return err
		}, func() int { return x.firings(f.Schedule) }}
	}},
	{"RecordFirings", 3, false, func(x *behindProxy) trial {
		var fs []workqueue.Firing
		first := x.firing()
		for i := range 3 {
			f := first
			f.PlannedAt, f.Outcome, f.Reason = first.PlannedAt.Add(time.Duration(i)*time.Second), workqueue.Missed, "no worker was running"
			fs = append(fs, f)
		}
		return trial{func(ctx context.Context, s *sqlstore.Store) error { return s.RecordFirings(ctx, fs) },
			func() int { return x.firings(first.Schedule) }}
	}},
	{"StartRun", 1, false, func(x *behindProxy) trial {
		f := x.firing()
		return trial{func(ctx context.Context, s *sqlstore.Store) error {
			_, err := s.StartRun(ctx, workqueue.PipelineRun{Pipeline: f.Schedule, Trigger: "cron", Outcome: workqueue.RunRunning})
			return err
		}, func() int { return x.count(`SELECT COUNT(*) FROM "BotPipelineRuns" WHERE "Pipeline" = $1`, f.Schedule) }}
	}},
	{"FinishRun", 1, false, func(x *behindProxy) trial {
		id, err := x.way.StartRun(x.Context(), workqueue.PipelineRun{Pipeline: "P", Trigger: "cron", Outcome: workqueue.RunRunning})
		if err != nil {
			x.Fatal(err)
		}
		return trial{func(ctx context.Context, s *sqlstore.Store) error {
			return s.FinishRun(ctx, id, workqueue.RunEnd{Outcome: workqueue.RunSucceeded, Summary: "{}"})
		}, func() int {
			return x.count(`SELECT COUNT(*) FROM "BotPipelineRuns" WHERE "Id" = $1 AND "Outcome" = 'succeeded' AND "FinishedAt" IS NOT NULL`, id)
		}}
	}},
}

// firing returns a firing of a schedule that no other trial uses.
func (x *behindProxy) firing() workqueue.Firing {
	name := x.make.Spec(storetest.WorkerOpts{}).Name
	return workqueue.Firing{
		Schedule: name, PlannedAt: time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC), Outcome: workqueue.Fired, RecordedBy: name,
	}
}

func (x *behindProxy) firings(schedule string) int {
	x.Helper()
	return x.count(`SELECT COUNT(*) FROM "BotScheduleFirings" WHERE "Schedule" = $1`, schedule)
}

// reads are the methods that change nothing.
var reads = []method{
	reading("Item", func(ctx context.Context, s *sqlstore.Store, it workqueue.Item) error {
		_, err := s.Item(ctx, it.ID)
		return err
	}),
	reading("Items", func(ctx context.Context, s *sqlstore.Store, _ workqueue.Item) error {
		_, err := s.Items(ctx, workqueue.ItemFilter{})
		return err
	}),
	reading("CountItems", func(ctx context.Context, s *sqlstore.Store, _ workqueue.Item) error {
		_, err := s.CountItems(ctx, workqueue.ItemFilter{})
		return err
	}),
	reading("Attempts", func(ctx context.Context, s *sqlstore.Store, it workqueue.Item) error {
		_, err := s.Attempts(ctx, it.ID)
		return err
	}),
	reading("Steps", func(ctx context.Context, s *sqlstore.Store, it workqueue.Item) error {
		_, err := s.Steps(ctx, it.ID)
		return err
	}),
	reading("Queues", func(ctx context.Context, s *sqlstore.Store, _ workqueue.Item) error {
		_, err := s.Queues(ctx)
		return err
	}),
	reading("RowHolders", func(ctx context.Context, s *sqlstore.Store, it workqueue.Item) error {
		_, err := s.RowHolders(ctx, it.ID)
		return err
	}),
	reading("OpenSessions", func(ctx context.Context, s *sqlstore.Store, _ workqueue.Item) error {
		_, err := s.OpenSessions(ctx)
		return err
	}),
	reading("Workers", func(ctx context.Context, s *sqlstore.Store, _ workqueue.Item) error {
		_, err := s.Workers(ctx)
		return err
	}),
	reading("Lost", func(ctx context.Context, s *sqlstore.Store, it workqueue.Item) error {
		_, err := s.Lost(ctx, 1, "nobody", []workqueue.ItemRef{{ItemID: it.ID, Fence: it.Fence}})
		return err
	}),
	reading("AbandonedBand", func(ctx context.Context, s *sqlstore.Store, _ workqueue.Item) error {
		_, _, err := s.AbandonedBand(ctx, 1)
		return err
	}),
	reading("Marks", func(ctx context.Context, s *sqlstore.Store, _ workqueue.Item) error {
		_, err := s.Marks(ctx, 50)
		return err
	}),
	reading("Waits", func(ctx context.Context, s *sqlstore.Store, _ workqueue.Item) error {
		_, err := s.Waits(ctx, workqueue.EveryPriority)
		return err
	}),
	reading("Ready", func(ctx context.Context, s *sqlstore.Store, _ workqueue.Item) error {
		_, _, err := s.Ready(ctx, 1, workqueue.EveryPriority)
		return err
	}),
	reading("ReadUnlocked", func(ctx context.Context, s *sqlstore.Store, _ workqueue.Item) error {
		return s.ReadUnlocked(ctx, func(ctx context.Context, view workqueue.AssignView) error {
			_, err := view.ReadPass(ctx, workqueue.PassQuery{SeenWithin: time.Minute, Band: workqueue.EveryPriority, DefaultEstimate: time.Second})
			return err
		})
	}),
	reading("ReadUnlocked", func(ctx context.Context, s *sqlstore.Store, _ workqueue.Item) error {
		return s.ReadUnlocked(ctx, func(ctx context.Context, view workqueue.AssignView) error {
			_, err := view.ReadPass(ctx, workqueue.PassQuery{SeenWithin: time.Minute, Band: workqueue.EveryPriority, DefaultEstimate: time.Second, Due: 10})
			return err
		})
	}),
	reading("LastFiring", func(ctx context.Context, s *sqlstore.Store, _ workqueue.Item) error {
		_, err := s.LastFiring(ctx, "P", "")
		return err
	}),
	reading("Firings", func(ctx context.Context, s *sqlstore.Store, _ workqueue.Item) error {
		_, err := s.Firings(ctx, workqueue.FiringFilter{Schedule: "P", Limit: 1})
		return err
	}),
	reading("RunsElsewhere", func(ctx context.Context, s *sqlstore.Store, _ workqueue.Item) error {
		_, _, err := s.RunsElsewhere(ctx, "P", 1)
		return err
	}),
	reading("Failures", func(ctx context.Context, s *sqlstore.Store, _ workqueue.Item) error {
		_, err := s.Failures(ctx, workqueue.FailureFilter{Until: time.Now(), Limit: 1})
		return err
	}),
	reading("CountFirings", func(ctx context.Context, s *sqlstore.Store, _ workqueue.Item) error {
		_, _, err := s.CountFirings(ctx, workqueue.FiringFilter{}, 10)
		return err
	}),
	reading("CountRuns", func(ctx context.Context, s *sqlstore.Store, _ workqueue.Item) error {
		_, _, err := s.CountRuns(ctx, workqueue.RunFilter{}, 10)
		return err
	}),
	reading("Runs", func(ctx context.Context, s *sqlstore.Store, _ workqueue.Item) error {
		_, err := s.Runs(ctx, workqueue.RunFilter{Pipeline: "P", Limit: 1})
		return err
	}),
}

func reading(name string, call func(ctx context.Context, s *sqlstore.Store, it workqueue.Item) error) method {
	return method{name, 0, false, func(x *behindProxy) trial {
		it := x.make.Item(storetest.ItemOpts{})
		return trial{func(ctx context.Context, s *sqlstore.Store) error { return call(ctx, s, it) }, func() int { return 0 }}
	}}
}
