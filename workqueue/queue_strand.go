package workqueue

import (
	"context"
	"fmt"
	"slices"
)

// StrandedError is returned for a change of a queue that would end items that wait in it, or strand
// them: those who ran them can no longer do so. The caller may confirm it.
type StrandedError struct {
	Queue string
	Items int64
	Why   string // what would happen to them
}

// StrandedCounted is the number up to which these items are counted.
const StrandedCounted = 100_000

func (e *StrandedError) Error() string {
	count := fmt.Sprintf("%d waiting items", e.Items)
	switch {
	case e.Items == 1:
		count = "1 waiting item"
	case e.Items >= StrandedCounted:
		count += " or more"
	}
	return fmt.Sprintf("queue %q has %s, and with this change %s", e.Queue, count, e.Why)
}

// itemCounter counts items.
type itemCounter interface {
	CountItems(ctx context.Context, f ItemFilter) (int64, error)
}

// CheckStranded returns a *StrandedError if waiting items of the queue would be stranded by the
// consumer or the rights of its new policy. Items that are enqueued while it counts are left out. See
// also assign.CheckStranded.
func (q *Queue) CheckStranded(ctx context.Context, store itemCounter, after *Queue) error {
	why := q.strands(after)
	if why == "" {
		return nil
	}
	n, err := store.CountItems(ctx, ItemFilter{
		QueueName: q.Name, Lifecycles: []Lifecycle{LifeScheduled, LifePending, LifeAssigned, LifeRetry}, CountAtMost: StrandedCounted,
	})
	if err != nil || n == 0 {
		return err
	}
	return &StrandedError{Queue: q.Name, Items: n, Why: why}
}

// strands returns what a new policy does to waiting items; "" if they remain with those who run
// them.
func (q *Queue) strands(after *Queue) string {
	was, is := q.Consumer == ConsumerRobots, after.Consumer == ConsumerRobots
	switch {
	case was && !is:
		return "robots can no longer take them: workers run them, and those without a pipeline fail at once"
	case !was && is:
		return "workers no longer run them: they wait until robots take them"
	case is && q.readable() && !after.readable():
		return "no robot may take them any longer"
	default:
		return ""
	}
}

// readable reports whether any robot may take items of the queue.
func (q *Queue) readable() bool {
	return !q.Private || slices.ContainsFunc(q.Robots, func(r QueueRobot) bool { return r.Read })
}
