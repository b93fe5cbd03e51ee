package cli

import (
	"context"
	"errors"

	"botwork/internal/author/queuedefs"
	"botwork/workqueue"
	"botwork/workqueue/assign"
)

// QueueBackend is the part of a Backend that creates, changes and deletes queues. Settings are as
// queuedefs.Change takes them.
type QueueBackend interface {
	NewQueue(ctx context.Context, name string, settings []string) error

	// SetQueue returns a *workqueue.StrandedError for a change that would strand waiting items, unless
	// it is confirmed.
	SetQueue(ctx context.Context, name string, settings []string, confirmed bool) (changed bool, err error)
	DeleteQueue(ctx context.Context, name string) error
	PurgeQueue(ctx context.Context, p workqueue.PurgeParams) (workqueue.PurgeResult, error)

	// PlanEscalations is assign.PlanEscalation for rules of queues. A server's figures may be thirty
	// seconds old.
	PlanEscalations(ctx context.Context, rules []workqueue.Escalation) ([]assign.EscalationPlan, error)
}

// setTries limits how often a change is repeated because another process changed the queue.
const setTries = 10

func (l local) PlanEscalations(ctx context.Context, rules []workqueue.Escalation) ([]assign.EscalationPlan, error) {
	return assign.PlanEscalation(ctx, l.Store, rules)
}

func (l local) NewQueue(ctx context.Context, name string, settings []string) error {
	queue, err := queuedefs.Change(workqueue.Queue{Name: name}, settings)
	if err != nil {
		return err
	}
	return l.CreateQueue(ctx, queue, UserName())
}

func (l local) SetQueue(ctx context.Context, name string, settings []string, confirmed bool) (changed bool, err error) {
	for range setTries {
		before, err := l.Queue(ctx, name)
		if err != nil {
			return false, err
		}
		queue, err := queuedefs.Change(before, settings)
		if err != nil {
			return false, err
		}
		if !confirmed {
			if err := assign.CheckStranded(ctx, l, &before, &queue); err != nil {
				return false, err
			}
		}
		changed, err = l.OverrideQueue(ctx, queue, UserName())
		if !errors.Is(err, workqueue.ErrQueueChanged) {
			return changed, err
		}
	}
	return false, workqueue.ErrQueueChanged
}
