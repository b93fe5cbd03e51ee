package assign

import (
	"context"
	"slices"
	"time"

	"botwork/workqueue"
)

// passLimits holds the queues' limits during an assignment pass. It reads them when the pass
// meets the first item of a queue with limits.
type passLimits struct {
	limiter *workqueue.Limiter // nil until then

	// pace is how soon to make another pass, because items only wait for a rate limit; 0 if none
	// does.
	pace time.Duration
}

// due reads the next page, without items of queues and keys that have reached their limits and of
// broken pipelines: a page full of them must not hide the items after it.
func (l *passLimits) due(ctx context.Context, tx workqueue.AssignTx, band workqueue.Band, limit int, broken []string) ([]workqueue.DueItem, error) {
	due, err := tx.DueItems(ctx, band, l.without(broken), limit)
	if err != nil {
		return nil, err
	}
	return due, l.meet(ctx, tx, due)
}

// beyond is passPlanner.beyond with limits.
func (l *passLimits) beyond(ctx context.Context, tx workqueue.AssignTx, pl *passPlanner, due []workqueue.DueItem) ([]workqueue.DueItem, error) {
	list, err := pl.beyond(ctx, tx, l.without(pl.classes.broken.here), due)
	if err != nil {
		return nil, err
	}
	return list, l.meet(ctx, tx, list)
}

// without returns what a page leaves out.
func (l *passLimits) without(broken []string) (full workqueue.Full) {
	if l.limiter != nil {
		full = l.limiter.Full()
	}
	full.Pipelines = broken
	return full
}

// meet reads the limits if these are the first items of queues that have some.
func (l *passLimits) meet(ctx context.Context, tx workqueue.AssignTx, items []workqueue.DueItem) error {
	if l.limiter != nil || !slices.ContainsFunc(items, func(it workqueue.DueItem) bool { return it.Queue != "" }) {
		return nil
	}
	uses, err := tx.Limits(ctx)
	if err == nil {
		l.limiter = workqueue.NewLimiter(uses)
	}
	return err
}

// full returns the number of queues and keys that have reached their limits.
func (l *passLimits) full() int {
	if l.limiter == nil {
		return 0
	}
	return l.limiter.Full().Size()
}

func (l *passLimits) allow(item workqueue.DueItem) bool {
	if l.limiter == nil || l.limiter.Allows(item.Queue, item.LimitKey) {
		return true
	}
	if pace := l.limiter.Pace(item.Queue, item.LimitKey); pace > 0 && (l.pace == 0 || pace < l.pace) {
		l.pace = pace
	}
	return false
}

func (l *passLimits) take(item workqueue.DueItem) {
	if l.limiter != nil {
		l.limiter.Take(item.Queue, item.LimitKey)
	}
}
