package assign

import (
	"context"
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
	full := workqueue.Full{}
	if l.limiter != nil {
		full = l.limiter.Full()
	}
	full.Pipelines = broken
	due, err := tx.DueItems(ctx, band, full, limit)
	if err != nil || l.limiter != nil {
		return due, err
	}
	for _, item := range due {
		if item.Queue != "" {
			uses, err := tx.Limits(ctx)
			if err != nil {
				return due, err
			}
			l.limiter = workqueue.NewLimiter(uses)
			break
		}
	}
	return due, nil
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
