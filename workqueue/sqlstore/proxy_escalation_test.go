package sqlstore_test

import (
	"context"
	"crypto/rand"
	"testing"
	"time"

	"botwork/workqueue"
	"botwork/workqueue/escalation"
	"botwork/workqueue/sqlstore"
	"botwork/workqueue/storetest"
)

// raises is a rule for the items of a pipeline.
func raises(t testing.TB, pipeline string) workqueue.Escalation {
	rules, err := escalation.Parse(`[{"name":"late","after":"0s","raise":{"by":1}}]`)
	if err != nil {
		t.Fatal(err)
	}
	return workqueue.EscalationsOf(workqueue.EscalatePipeline, pipeline, rules)[0]
}

// escalationMethods are the methods that apply rules of escalation.
var escalationMethods = []method{
	{"EscalationTurn", 1, true, func(x *behindProxy) trial {
		e := raises(x, rand.Text())
		return trial{func(ctx context.Context, s *sqlstore.Store) error {
			_, _, err := s.EscalationTurn(ctx, e, true)
			return err
		}, func() int { return x.count(`SELECT COUNT(*) FROM "BotEscalations" WHERE "OwnerName" = $1`, e.Owner) }}
	}},
	{"Escalate", 3, true, func(x *behindProxy) trial {
		e := raises(x, rand.Text())
		x.make.Items(3, storetest.ItemOpts{Pipeline: e.Owner, Priority: 500})
		turn, ok, err := x.way.EscalationTurn(x.Context(), e, true)
		if err != nil || !ok {
			x.Fatal(ok, err)
		}
		return trial{func(ctx context.Context, s *sqlstore.Store) error {
			_, err := s.Escalate(ctx, turn)
			return err
		}, func() int {
			return x.count(`SELECT COUNT(*) FROM "BotWorkQueueItems" WHERE "IntegrationConfig" = $1 AND "Priority" = 501`, e.Owner)
		}}
	}},
	reading("EscalationFigures", func(ctx context.Context, s *sqlstore.Store, _ workqueue.Item) error {
		_, err := s.EscalationFigures(ctx)
		return err
	}),
	reading("WouldEscalate", func(ctx context.Context, s *sqlstore.Store, _ workqueue.Item) error {
		rules, err := escalation.Parse(`[{"name":"late","after":"0s","raise":{"by":1}}]`)
		if err == nil {
			_, err = s.WouldEscalate(ctx, workqueue.EscalationsOf(workqueue.EscalateQueue, "default", rules)[0], time.Time{}, 10)
		}
		return err
	}),
	reading("EscalationStates", func(ctx context.Context, s *sqlstore.Store, _ workqueue.Item) error {
		_, err := s.EscalationStates(ctx, 1)
		return err
	}),
}
