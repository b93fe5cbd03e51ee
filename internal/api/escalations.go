package api

import (
	"context"
	"net/http"
	"reflect"
	"slices"
	"time"

	"botwork/workqueue"
	"botwork/workqueue/access"
	"botwork/workqueue/assign"
)

// escalationsAge is how long the rules with their figures answer other requests: they cost a read of
// all waiting items.
const escalationsAge = 30 * time.Second

func (a *API) registerEscalations() {
	register(a, operation{
		id: "escalations-list", method: http.MethodGet, path: "/escalations", summary: "List the rules of escalation of queues and pipelines, and what they would do now", needs: access.Viewer,
		doc: "It changes nothing. The rules of pipelines are those of the server's project. An answer may be thirty seconds old: see `at`.",
	}, a.listEscalations)
}

// EscalationRule is a rule of a queue or a pipeline, with its figures.
type EscalationRule struct {
	Scope  workqueue.EscalationScope `json:"scope" enum:"queue,pipeline"`
	Owner  string                    `json:"owner" doc:"the name of the queue or pipeline"`
	Name   string                    `json:"name"`
	When   string                    `json:"when" doc:"when it acts, in words"`
	Does   string                    `json:"does" doc:"what it does, in words"`
	Paused bool                      `json:"paused" doc:"its queue is paused: it does not act"`

	Holds       bool       `json:"holds" doc:"its condition is true, or it has none"`
	Announces   bool       `json:"announces" doc:"it only reports that its condition is true"`
	Now         int        `json:"now" doc:"on how many items it would act now; 10000 may be more"`
	ActiveSince *time.Time `json:"activeSince" doc:"since when its condition is true, as the last pass found"`
	ActedAt     *time.Time `json:"actedAt" doc:"when it last acted"`
	Items       int64      `json:"items" doc:"on how many items it has acted in all"`
}

type escalationsBody struct {
	Body struct {
		At       time.Time        `json:"at" doc:"when the figures were read"`
		Rules    []EscalationRule `json:"rules" nullable:"false"`
		Mistakes []string         `json:"mistakes" nullable:"false" doc:"queues whose rules cannot be read, and why"`
	}
}

// escalations keeps the latest figures. Who reads or makes them holds the token in busy.
type escalations struct {
	busy  chan struct{}
	plans []assign.EscalationPlan
	made  time.Time
}

func newEscalations() *escalations { return &escalations{busy: make(chan struct{}, 1)} }

func (a *API) listEscalations(ctx context.Context, _ *struct{}) (*escalationsBody, error) {
	select { // others wait for the answer of the one that reads, as long as they like
	case a.escalations.busy <- struct{}{}:
		defer func() { <-a.escalations.busy }()
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	return a.readEscalations(ctx)
}

// planned returns what the rules would do now; figures of the same rules may be as old as escalationsAge.
func (e *escalations) planned(ctx context.Context, store workqueue.EscalationStore, rules []workqueue.Escalation) ([]assign.EscalationPlan, time.Time, error) {
	same := slices.EqualFunc(e.plans, rules, func(p assign.EscalationPlan, r workqueue.Escalation) bool {
		return reflect.DeepEqual(p.Escalation, r)
	})
	if same && time.Since(e.made) < escalationsAge {
		return e.plans, e.made, nil
	}
	plans, err := assign.PlanEscalation(ctx, store, rules)
	if err == nil {
		e.plans, e.made = plans, time.Now()
	}
	return plans, e.made, err
}

func (a *API) readEscalations(ctx context.Context) (*escalationsBody, error) {
	queues, err := a.store.Queues(ctx)
	if err != nil {
		return nil, err
	}
	out := &escalationsBody{}
	out.Body.At, out.Body.Rules, out.Body.Mistakes = a.clock(ctx).UTC(), []EscalationRule{}, []string{}
	paused := map[string]bool{}
	var rules []workqueue.Escalation
	for i := range queues {
		paused[queues[i].Name] = queues[i].Paused
		own, err := queues[i].Escalations()
		if err != nil {
			out.Body.Mistakes = append(out.Body.Mistakes, a.redactText(err.Error()))
		}
		rules = append(rules, own...)
	}
	if a.project != nil {
		project, err := a.load()
		if err != nil {
			return nil, err
		}
		rules = append(rules, project.Catalogue.Escalations()...)
	}
	if len(rules) == 0 {
		return out, nil // nothing to read the waiting items for
	}
	plans, made, err := a.escalations.planned(ctx, a.store, rules)
	if err != nil {
		return nil, err
	}
	out.Body.At = out.Body.At.Add(-time.Since(made))
	for i := range plans {
		p := &plans[i]
		out.Body.Rules = append(out.Body.Rules, EscalationRule{
			Scope: p.Scope, Owner: p.Owner, Name: p.Rule.Name, When: p.Rule.Trigger(), Does: p.Rule.Does(), Paused: p.Scope == workqueue.EscalateQueue && paused[p.Owner],
			Holds: p.Holds, Announces: p.Rule.Announces(), Now: p.Now, ActiveSince: p.ActiveSince, ActedAt: p.ActedAt, Items: p.Items,
		})
	}
	return out, nil
}
