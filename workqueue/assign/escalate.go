package assign

import (
	"context"
	"errors"
	"fmt"

	"botwork/workqueue"
	"botwork/workqueue/escalation"
)

// EscalateStore is what Escalate reads and writes.
type EscalateStore interface {
	workqueue.EscalationStore

	// As in workqueue.QueueStore.
	Queues(ctx context.Context) ([]workqueue.Queue, error)
}

// Escalated is what a rule did in a pass.
type Escalated struct {
	workqueue.Escalation

	Changed int                         // items that it changed, or reported
	Refused []*workqueue.BadUpdateError // items that it could not change

	// Announced reports that the condition of a rule that only reports it has become true.
	Announced bool
}

// Escalate applies the rules of all queues, and those of pipelines, each unless another process has
// applied it within the last minute. A rule that cannot be applied does not keep others from it; the
// error joins the reasons. It needs no lock: the statements of the store check each item again.
func Escalate(ctx context.Context, store EscalateStore, pipelines []workqueue.Escalation, report func(Escalated)) error {
	rules, errs := escalationRules(ctx, store, pipelines)
	if len(rules) == 0 {
		return errs
	}
	var figures *workqueue.EscalationFigures
	for i := range rules {
		e := &rules[i]
		if e.Rule.When != "" && figures == nil {
			f, err := store.EscalationFigures(ctx)
			if err != nil {
				return errors.Join(errs, err)
			}
			figures = &f
		}
		holds, err := EscalationHolds(ctx, e, figures)
		if err == nil {
			err = escalateBy(ctx, store, e, holds, report)
		}
		if err != nil {
			errs = errors.Join(errs, fmt.Errorf("%s: %w", e.String(), err))
		}
		if ctx.Err() != nil {
			break
		}
	}
	return errs
}

// escalationRules returns the rules of all queues, in the order of their names, and those of
// pipelines.
func escalationRules(ctx context.Context, store EscalateStore, pipelines []workqueue.Escalation) ([]workqueue.Escalation, error) {
	queues, err := store.Queues(ctx)
	if err != nil {
		return nil, err
	}
	var rules []workqueue.Escalation
	var errs error
	for i := range queues {
		of, err := queues[i].Escalations()
		rules, errs = append(rules, of...), errors.Join(errs, err)
	}
	return append(rules, pipelines...), errs
}

// EscalationHolds reports whether the condition of a rule is true. A rule without one always
// applies, and figures may be nil.
func EscalationHolds(ctx context.Context, e *workqueue.Escalation, figures *workqueue.EscalationFigures) (bool, error) {
	if e.Rule.When == "" {
		return true, nil
	}
	condition, err := escalation.NewCondition(e.Rule.When)
	if err != nil {
		return false, err
	}
	return condition.Holds(ctx, figures.Of(e))
}

// escalateBy applies one rule, batch by batch.
func escalateBy(ctx context.Context, store EscalateStore, e *workqueue.Escalation, holds bool, report func(Escalated)) error {
	turn, ok, err := store.EscalationTurn(ctx, *e, holds)
	if err != nil || !ok {
		return err
	}
	done := Escalated{Escalation: *e, Announced: e.Rule.Announces() && turn.Began}
	for more := true; more && err == nil; {
		var r workqueue.EscalationResult
		r, err = store.Escalate(ctx, turn)
		done.Changed, done.Refused = done.Changed+r.Changed, append(done.Refused, r.Refused...)
		more = r.More && ctx.Err() == nil
	}
	if done.Changed > 0 || len(done.Refused) > 0 || done.Announced && err == nil {
		report(done)
	}
	return err
}
