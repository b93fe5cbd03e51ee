package assign

import (
	"context"
	"errors"
	"time"

	"botwork/workqueue"
)

// EscalationPlan is what a rule would do now and what it did last. JSON field names are part of the
// command line's contract.
type EscalationPlan struct {
	workqueue.Escalation

	// Holds reports that the condition of the rule is true, or that it has none.
	Holds bool `json:"holds"`

	// Now is on how many items the rule would act now, at most EscalationPlanMost; 0 for a rule that
	// only reports that its condition is true.
	Now int `json:"now"`

	ActiveSince *time.Time `json:"activeSince"` // since when its condition is true, as the last pass found
	ActedAt     *time.Time `json:"actedAt"`     // nil: never
	Items       int64      `json:"items"`       // on how many items it has acted in all
}

// EscalationPlanMost bounds EscalationPlan.Now.
const EscalationPlanMost = 10_000

// PlanEscalation returns what the rules would do now, in their order. It changes nothing.
func PlanEscalation(ctx context.Context, store workqueue.EscalationStore, rules []workqueue.Escalation) ([]EscalationPlan, error) {
	states, err := store.EscalationStates(ctx, 0)
	if err != nil {
		return nil, err
	}
	figures, err := store.EscalationFigures(ctx)
	plans := make([]EscalationPlan, len(rules))
	for i := range rules {
		e, st := &rules[i], stateOf(states, &rules[i])
		plan := EscalationPlan{Escalation: *e, ActiveSince: st.ActiveSince, ActedAt: st.ActedAt, Items: st.Items}
		holds, wrong := EscalationHolds(ctx, e, &figures)
		err = errors.Join(err, wrong)
		if plan.Holds = holds; holds {
			var since time.Time
			if st.ActiveSince != nil {
				since = *st.ActiveSince
			}
			plan.Now, wrong = store.WouldEscalate(ctx, *e, since, EscalationPlanMost)
			err = errors.Join(err, wrong)
		}
		plans[i] = plan
	}
	return plans, err
}
