package runner

import (
	"bytes"
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rs/zerolog"

	"botwork/workqueue"
	"botwork/workqueue/escalation"
)

// ruleStore is a store with one queue that has a rule. Each turn finds an item to change.
type ruleStore struct {
	beatStore
	rules   workqueue.JSONText
	applied []workqueue.EscalationTurn
	actors  []workqueue.Actor
}

func (s *ruleStore) Queues(context.Context) ([]workqueue.Queue, error) {
	return []workqueue.Queue{{Name: "erp", Escalation: s.rules}}, nil
}

func (s *ruleStore) EscalationTurn(_ context.Context, e workqueue.Escalation, holds bool) (workqueue.EscalationTurn, bool, error) {
	return workqueue.EscalationTurn{Escalation: e}, holds, nil
}

func (s *ruleStore) Escalate(ctx context.Context, turn workqueue.EscalationTurn) (workqueue.EscalationResult, error) {
	s.applied, s.actors = append(s.applied, turn), append(s.actors, workqueue.ActorFrom(ctx))
	return workqueue.EscalationResult{Changed: 3}, nil
}

func TestWorkerAppliesRulesEachMinute(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := &ruleStore{rules: `[{"name":"late","after":"10m","raise":{"by":100}},{"name":"watch","after":"1h","notify":true}]`}
		pipeline, err := escalation.Parse(`[{"name":"old","after":"1d","cancel":true}]`)
		if err != nil {
			t.Fatal(err)
		}
		var log bytes.Buffer
		r, err := New(Options{
			Store: store, RunItem: func(context.Context, *workqueue.Run) workqueue.Outcome { return workqueue.Outcome{} }, Log: zerolog.New(&log),
			Spec: workqueue.WorkerSpec{Name: "ann", Host: "vm-1", InstanceID: "1", Capacity: 1, Lease: time.Minute}, Heartbeat: 20 * time.Second,
			Escalations: func() []workqueue.Escalation {
				return workqueue.EscalationsOf(workqueue.EscalatePipeline, "letter", pipeline)
			},
		})
		if err != nil {
			t.Fatal(err)
		}
		if err := r.Start(t.Context()); err != nil {
			t.Fatal(err)
		}
		time.Sleep(3 * time.Minute)
		if err := r.Stop(t.Context()); err != nil {
			t.Error(err)
		}
		if got := len(store.applied); got != 9 {
			t.Errorf("in three minutes, rules were applied %d times, want each of three in each minute", got)
		}
		for _, a := range store.actors {
			if a.Host != "vm-1" {
				t.Errorf("the actor is %+v, want the host of the worker", a)
			}
		}
		for _, line := range []string{
			`{"level":"info","rule":"late","queue":"erp","trigger":"waiting 10m","action":"priority + 100","items":3,"message":"escalated items"}`,
			`{"level":"warn","rule":"watch","queue":"erp","trigger":"waiting 1h","action":"notify","items":3,"message":"items wait too long"}`,
			`{"level":"info","rule":"old","pipeline":"letter","trigger":"waiting 1d","action":"cancel","items":3,"message":"escalated items"}`,
		} {
			if !strings.Contains(log.String(), line) {
				t.Errorf("the log does not contain\n%s\nbut\n%s", line, log.String())
			}
		}
	})
}
