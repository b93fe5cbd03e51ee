package assign

import (
	"context"
	"fmt"
	"time"

	"botwork/workqueue"
	"botwork/workqueue/escalation"
)

// ReasonEscalation is what a rule of escalation does to the item next.
type ReasonEscalation struct {
	Rule  string                    `json:"rule"`
	Scope workqueue.EscalationScope `json:"scope"`
	Owner string                    `json:"owner"` // the queue or pipeline of the rule

	// At is when the rule acts, at the latest a minute later; nil if its condition is not true.
	At        *time.Time        `json:"at"`
	Condition string            `json:"condition"` // "" for none
	Action    escalation.Action `json:"action"`

	// Priority is that of the item after a raise; 0 for another action.
	Priority int `json:"priority"`

	// Text describes it: "in 4m the priority becomes 700 by the rule late of the queue invoices".
	Text string `json:"text"`
}

// escalations returns what rules do to a waiting item next, in the order of the rules: those of its
// queue and then those of its pipeline. In a paused queue no rule acts.
func (w *why) escalations(ctx context.Context, store WhyStore) ([]ReasonEscalation, error) {
	waits := w.item.State == workqueue.Ready || w.item.State == workqueue.Pending
	if !waits && w.item.State != workqueue.Assigned || w.item.DeletedAt != nil || w.queue.Paused {
		return nil, nil
	}
	rules, err := w.queue.Escalations()
	if err != nil {
		rules = nil // written by hand; the log of the workers says what is wrong with it
	}
	for _, e := range w.p.Escalations {
		if e.Scope == workqueue.EscalatePipeline && e.Owner == w.item.IntegrationConfig {
			rules = append(rules, e)
		}
	}
	if len(rules) == 0 {
		return nil, nil
	}
	states, err := store.EscalationStates(ctx, w.item.ID)
	if err != nil {
		return nil, err
	}
	var list []ReasonEscalation
	for i := range rules {
		e := &rules[i]
		if !waits && e.Rule.Raise == nil {
			continue // an assigned item is only raised
		}
		if r, ok := w.escalation(e, stateOf(states, e)); ok {
			list = append(list, r)
		}
	}
	return list, nil
}

// stateOf returns what a rule did last.
func stateOf(states []workqueue.EscalationState, e *workqueue.Escalation) workqueue.EscalationState {
	for _, st := range states {
		if st.Scope == e.Scope && st.Rule == e.Rule.Name && workqueue.FoldQueueName(st.Owner) == workqueue.FoldQueueName(e.Owner) {
			return st
		}
	}
	return workqueue.EscalationState{}
}

// escalation returns what one rule does to the item next.
func (w *why) escalation(e *workqueue.Escalation, st workqueue.EscalationState) (ReasonEscalation, bool) {
	var since time.Time
	if st.ActiveSince != nil {
		since = *st.ActiveSince
	}
	next, ok := e.Rule.Next(w.item.AvailableAt, since, w.now, w.item.Priority, st.Step)
	if !ok {
		return ReasonEscalation{}, false
	}
	r := ReasonEscalation{Rule: e.Rule.Name, Scope: e.Scope, Owner: e.Owner, Condition: e.Rule.When, Action: e.Rule.Action()}
	what := map[escalation.Action]string{
		escalation.ActionMove: "it moves to the queue " + e.Rule.MoveTo, escalation.ActionCancel: "it is cancelled",
		escalation.ActionRelax: "some of its selectors are removed", escalation.ActionNotify: "it is reported",
	}[r.Action]
	if r.Action == escalation.ActionRaise {
		r.Priority = next.Priority
		what = fmt.Sprintf("the priority becomes %d", next.Priority)
	}
	if e.Rule.Keep > 0 {
		what += fmt.Sprintf(", unless it is among the first %d of the queue,", e.Rule.Keep)
	}
	by := fmt.Sprintf(" by the rule %s of the %s %s", e.Rule.Name, e.Scope, e.Owner)
	switch {
	case e.Rule.When == "" || st.ActiveSince != nil:
		r.At = &next.At
		r.Text = w.soonText(next.At) + " " + what + by
	case e.Rule.After > 0:
		r.Text = fmt.Sprintf("from %s on, if %s, %s%s", instantText(w.item.AvailableAt.Add(e.Rule.After)), e.Rule.When, what, by)
	default:
		r.Text = fmt.Sprintf("if %s, %s%s", e.Rule.When, what, by)
	}
	return r, true
}

// soonText formats when a rule acts: each is applied once a minute.
func (w *why) soonText(at time.Time) string {
	if !at.After(w.now) {
		return "within a minute"
	}
	return w.inText(at)
}
