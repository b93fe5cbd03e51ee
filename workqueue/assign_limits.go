package workqueue

import (
	"context"
	"time"
)

// passLimits keeps the queues' limits during an assignment pass. It asks the
// database for them when the pass meets the first item that they hold for.
type passLimits struct {
	limiter *Limiter // nil until then

	// pace is how soon to look again, since items wait for nothing but a place
	// under a rate; 0: none does.
	pace time.Duration
}

// due reads the next page. Items of queues and keys that have no place left are
// not eligible, and a page full of them must not hide what stands behind it.
func (l *passLimits) due(ctx context.Context, tx AssignTx, p AssignParams, pl *planner, limit int) ([]DueItem, error) {
	if l.full() > 0 {
		return tx.DueItemsBut(ctx, p.Band, l.limiter.Full(), limit)
	}
	due, err := tx.DueItems(ctx, p.Band, limit)
	if err != nil || l.limiter != nil {
		return due, err
	}
	for _, item := range due {
		if item.Queue != "" {
			return due, l.read(ctx, tx, p, pl)
		}
	}
	return due, nil
}

func (l *passLimits) read(ctx context.Context, tx AssignTx, p AssignParams, pl *planner) error {
	uses, err := tx.Limits(ctx)
	if err != nil {
		return err
	}
	l.limiter = NewLimiter(uses)
	for _, u := range uses {
		if u.Limits.Rate.Limit > 0 || u.Limits.KeyRate.Limit > 0 {
			all, err := tx.WorkerLoads(ctx, p.SeenWithin, EveryPriority, p.DefaultEstimate)
			if err != nil {
				return err
			}
			pl.watchSlots(all)
			break
		}
	}
	return nil
}

// full counts the queues and keys that were found without a place.
func (l *passLimits) full() int {
	if l.limiter == nil {
		return 0
	}
	return l.limiter.Full().size()
}

func (l *passLimits) allow(item DueItem) bool {
	if l.limiter == nil || l.limiter.Allows(item.Queue, item.LimitKey) {
		return true
	}
	if pace := l.limiter.Pace(item.Queue, item.LimitKey); pace > 0 && (l.pace == 0 || pace < l.pace) {
		l.pace = pace
	}
	return false
}

func (l *passLimits) rated(item DueItem) bool {
	return l.limiter != nil && l.limiter.Rated(item.Queue, item.LimitKey)
}

func (l *passLimits) take(item DueItem) {
	if l.limiter != nil {
		l.limiter.Take(item.Queue, item.LimitKey)
	}
}
