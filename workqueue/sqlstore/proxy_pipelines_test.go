package sqlstore_test

import (
	"context"
	"time"

	"botwork/workqueue"
	"botwork/workqueue/sqlstore"
	"botwork/workqueue/storetest"
)

// pipelineMethods are the methods that pause pipelines and request runs.
var pipelineMethods = []method{
	{"PausePipeline", 1, true, func(x *behindProxy) trial {
		name := x.firing().Schedule
		return trial{func(ctx context.Context, s *sqlstore.Store) error {
			_, err := s.PausePipeline(ctx, workqueue.PipelinePause{Pipeline: name, By: "ann"})
			return err
		}, func() int { return x.count(`SELECT COUNT(*) FROM "BotPipelinePauses" WHERE "Pipeline" = $1`, name) }}
	}},
	{"ResumePipeline", 1, false, func(x *behindProxy) trial {
		name := x.firing().Schedule
		if _, err := x.way.PausePipeline(x.Context(), workqueue.PipelinePause{Pipeline: name, By: "ann"}); err != nil {
			x.Fatal(err)
		}
		return trial{func(ctx context.Context, s *sqlstore.Store) error {
			_, err := s.ResumePipeline(ctx, name, "bob")
			return err
		}, func() int {
			return x.count(`SELECT COUNT(*) FROM "BotPipelinePauses" WHERE "Pipeline" = $1 AND "ChangedBy" = 'bob'`, name)
		}}
	}},
	{"RecordPipelineSave", 1, true, func(x *behindProxy) trial {
		name := x.newName()
		return trial{func(ctx context.Context, s *sqlstore.Store) error {
			return s.RecordPipelineSave(ctx, workqueue.PipelineSave{Pipeline: name, File: "nightly.yaml", Host: "h", Before: "a", After: "b", By: "ann"})
		}, func() int { return x.entries(name, "save") }}
	}},
	{"RequestRuns", 2, true, func(x *behindProxy) trial {
		n := x.requests()
		return trial{func(ctx context.Context, s *sqlstore.Store) error {
			_, err := s.RequestRuns(ctx, n)
			return err
		}, func() int { return x.count(`SELECT COUNT(*) FROM "BotRunRequests" WHERE "Pipeline" = $1`, n.Pipeline) }}
	}},
	{"StartRequested", 3, true, func(x *behindProxy) trial {
		n := x.requests()
		ids, err := x.way.RequestRuns(x.Context(), n)
		if err != nil {
			x.Fatal(err)
		}
		worker := int64(1)
		run := workqueue.PipelineRun{Pipeline: n.Pipeline, Trigger: workqueue.TriggerBackfill, PlannedAt: &n.PlannedAt[0], WorkerID: &worker, RequestID: &ids[0]}
		return trial{func(ctx context.Context, s *sqlstore.Store) error {
			_, _, err := s.StartRequested(ctx, run, true, "ann")
			return err
		}, func() int {
			return x.count(`SELECT COUNT(*) FROM "BotPipelineRuns" WHERE "Pipeline" = $1`, n.Pipeline) + x.firings(n.Pipeline) +
				x.count(`SELECT COUNT(*) FROM "BotRunRequests" WHERE "Pipeline" = $1 AND "RunId" IS NOT NULL`, n.Pipeline)
		}}
	}},
	{"SkipFiring", 1, false, func(x *behindProxy) trial {
		f := x.firing()
		if _, err := x.way.ClaimFiring(x.Context(), f); err != nil {
			x.Fatal(err)
		}
		return trial{func(ctx context.Context, s *sqlstore.Store) error { return s.SkipFiring(ctx, f) },
			func() int {
				return x.count(`SELECT COUNT(*) FROM "BotScheduleFirings" WHERE "Schedule" = $1 AND "Outcome" = 'skipped'`, f.Schedule)
			}}
	}},
	reading("Controls", func(ctx context.Context, s *sqlstore.Store, _ workqueue.Item) error {
		_, err := s.Controls(ctx)
		return err
	}),
	reading("RunRequests", func(ctx context.Context, s *sqlstore.Store, _ workqueue.Item) error {
		_, err := s.RunRequests(ctx, workqueue.RequestFilter{Limit: 1})
		return err
	}),
}

// requests are the requests of a backfill that no other trial uses, with a worker that is alive.
func (x *behindProxy) requests() workqueue.NewRunRequests {
	x.make.Worker(storetest.WorkerOpts{})
	f := x.firing()
	return workqueue.NewRunRequests{
		Pipeline: f.Schedule, By: "ann", PlannedAt: []time.Time{f.PlannedAt, f.PlannedAt.Add(time.Hour)}, Within: time.Hour,
	}
}
