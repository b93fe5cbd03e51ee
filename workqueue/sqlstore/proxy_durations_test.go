package sqlstore_test

import (
	"context"
	"time"

	"botwork/workqueue"
	"botwork/workqueue/learned"
	"botwork/workqueue/sqlstore"
	"botwork/workqueue/storetest"
)

const countDurations = `SELECT COUNT(*) FROM "BotDurations" WHERE "Pipeline" = $1`

// twoKeys returns runs of two keys of a pipeline that no other trial uses.
func (x *behindProxy) twoKeys() (pipeline string, of []learned.Runs) {
	pipeline = x.make.Spec(storetest.WorkerOpts{}).Name
	for _, k := range learned.Keys(pipeline, "nightly", "", workqueue.Profile{}) {
		of = append(of, learned.Runs{Key: k, Runs: []learned.Run{{Took: time.Second}}})
	}
	return pipeline, of
}

// durationMethods are the methods for learned durations.
var durationMethods = []method{
	{"Learn", 2, true, func(x *behindProxy) trial {
		pipeline, of := x.twoKeys()
		return trial{func(ctx context.Context, s *sqlstore.Store) error { return s.Learn(ctx, of) },
			func() int { return x.count(countDurations, pipeline) }}
	}},
	{"Learn", 2, true, func(x *behindProxy) trial {
		pipeline, of := x.twoKeys()
		if err := x.way.Learn(x.Context(), of); err != nil {
			x.Fatal(err)
		}
		return trial{func(ctx context.Context, s *sqlstore.Store) error { return s.Learn(ctx, of) },
			func() int { return x.count(countDurations+` AND "Runs" > 1`, pipeline) }}
	}},
	{"ForgetDurations", 2, false, func(x *behindProxy) trial {
		pipeline, of := x.twoKeys()
		if err := x.way.Learn(x.Context(), of); err != nil {
			x.Fatal(err)
		}
		return trial{func(ctx context.Context, s *sqlstore.Store) error {
			_, err := s.ForgetDurations(ctx, learned.Filter{Pipeline: pipeline})
			return err
		}, func() int { return 2 - x.count(countDurations, pipeline) }}
	}},
	{"RemoveDurations", 2, true, func(x *behindProxy) trial {
		pipeline, of := x.twoKeys()
		if err := x.way.Learn(x.Context(), of); err != nil {
			x.Fatal(err)
		}
		x.byHand(`UPDATE "BotDurations" SET "UpdatedAt" = '2001-01-01' WHERE "Pipeline" = '%s'`, pipeline)
		return trial{func(ctx context.Context, s *sqlstore.Store) error {
			_, err := s.RemoveDurations(ctx, years, 0)
			return err
		}, func() int { return 2 - x.count(countDurations, pipeline) }}
	}},
	reading("Learned", func(ctx context.Context, s *sqlstore.Store, _ workqueue.Item) error {
		_, err := s.Learned(ctx)
		return err
	}),
	reading("Durations", func(ctx context.Context, s *sqlstore.Store, _ workqueue.Item) error {
		_, err := s.Durations(ctx, learned.Filter{})
		return err
	}),
}
