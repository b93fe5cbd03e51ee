package assign

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"

	"botwork/workqueue"
)

// StrandStore is what CheckStranded reads.
type StrandStore interface {
	workqueue.EscalationStore

	CountItems(ctx context.Context, f workqueue.ItemFilter) (int64, error)
}

// CheckStranded returns a *workqueue.StrandedError if the new policy of a queue would end items that
// wait in it, or strand them: by its consumer, its rights, or by a new rule that cancels items. What
// becomes of items later, such as by a ttl, which applies to new items, is not part of it.
func CheckStranded(ctx context.Context, store StrandStore, before, after *workqueue.Queue) error {
	if err := before.CheckStranded(ctx, store, after); err != nil {
		return err
	}
	rules, err := newCancels(before, after)
	if err != nil || len(rules) == 0 {
		return err
	}
	plans, err := PlanEscalation(ctx, store, rules)
	for i := range plans {
		if n := plans[i].Now; n > 0 {
			return &workqueue.StrandedError{Queue: before.Name, Items: int64(n), Why: fmt.Sprintf("the rule %q cancels them at the next pass", plans[i].Rule.Name)}
		}
	}
	return err
}

// newCancels returns the rules of escalation that cancel items, and that the queue did not have.
func newCancels(before, after *workqueue.Queue) ([]workqueue.Escalation, error) {
	had, earlier := before.Escalations()
	rules, err := after.Escalations()
	return slices.DeleteFunc(rules, func(e workqueue.Escalation) bool {
		e.Owner = before.Name
		return !e.Rule.Cancel || slices.ContainsFunc(had, func(h workqueue.Escalation) bool { return reflect.DeepEqual(h, e) })
	}), errors.Join(earlier, err)
}
