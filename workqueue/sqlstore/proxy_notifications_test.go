package sqlstore_test

import (
	"context"
	"crypto/rand"
	"time"

	"botwork/workqueue"
	"botwork/workqueue/sqlstore"
	"botwork/workqueue/storetest"
)

// notificationMethods are the methods for alerts.
var notificationMethods = []method{
	{"CommitAlerts", 3, true, func(x *behindProxy) trial {
		if err := x.store.CopyPolicies(x.Context(), x.way); err != nil {
			x.Fatal(err)
		}
		state, err := x.way.AlertState(x.Context())
		if err != nil {
			x.Fatal(err)
		}
		by := x.make.Spec(storetest.WorkerOpts{}).Name
		item := workqueue.NewItem{IntegrationConfig: "x", CreatedBy: by}
		alert := workqueue.Alert{Rule: by, Phase: workqueue.AlertFiring, StartedAt: state.Now, LastAt: state.Now, Occurrence: 1}
		return trial{func(ctx context.Context, s *sqlstore.Store) error {
			return s.CommitAlerts(ctx, workqueue.Evaluation{Version: state.Version, By: by, Alerts: []workqueue.Alert{alert}, Items: []workqueue.NewItem{item, item}})
		}, func() int {
			return x.count(countMadeBy, by) + x.count(`SELECT COUNT(*) FROM "BotAlerts" WHERE "RuleName" = $1`, by)
		}}
	}},
	{"RaiseEvents", 3, true, func(x *behindProxy) trial {
		queue := rand.Text()
		e := workqueue.Event{Kind: "escalation", Queue: queue, Detail: "late"}
		return trial{func(ctx context.Context, s *sqlstore.Store) error {
			return s.RaiseEvents(ctx, []workqueue.Event{e, e, e})
		}, func() int { return x.count(`SELECT COUNT(*) FROM "BotEvents" WHERE "QueueName" = $1`, queue) }}
	}},
	{"MuteAlerts", 2, true, func(x *behindProxy) trial {
		rule := x.newName()
		return trial{func(ctx context.Context, s *sqlstore.Store) error {
			return s.MuteAlerts(ctx, workqueue.Mute{Rule: rule}, time.Hour)
		}, func() int { return x.mutes(rule) + x.entries(rule, "mute") }}
	}},
	{"UnmuteAlerts", 2, true, func(x *behindProxy) trial {
		rule := x.newName()
		if err := x.way.MuteAlerts(x.Context(), workqueue.Mute{Rule: rule}, time.Hour); err != nil {
			x.Fatal(err)
		}
		return trial{func(ctx context.Context, s *sqlstore.Store) error {
			_, err := s.UnmuteAlerts(ctx, rule, "", "")
			return err
		}, func() int { return 1 - x.mutes(rule) + x.entries(rule, "unmute") }}
	}},
	{"RecordTest", 1, true, func(x *behindProxy) trial {
		target := x.newName()
		return trial{func(ctx context.Context, s *sqlstore.Store) error {
			return s.RecordTest(ctx, target)
		}, func() int { return x.entries(target, "test") }}
	}},
	reading("AlertState", func(ctx context.Context, s *sqlstore.Store, _ workqueue.Item) error {
		_, err := s.AlertState(ctx)
		return err
	}),
	reading("Happenings", func(ctx context.Context, s *sqlstore.Store, _ workqueue.Item) error {
		_, err := s.Happenings(ctx, workqueue.HappeningFilter{Source: workqueue.FromItems, Since: time.Now().Add(-time.Hour), Limit: 10})
		return err
	}),
}

func (x *behindProxy) mutes(rule string) int {
	x.Helper()
	return x.count(`SELECT COUNT(*) FROM "BotNotificationMutes" WHERE "RuleName" = $1`, rule)
}
