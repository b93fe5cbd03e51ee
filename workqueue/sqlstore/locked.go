package sqlstore

import (
	"context"
	"time"

	"botwork/workqueue"
)

// lockPauses are the waits before a statement is tried again for the rows that it passed over,
// because another session held them. Other statements of this program hold a row for a moment
// only; what a person holds is left to the caller.
var lockPauses = []time.Duration{time.Millisecond, 4 * time.Millisecond, 15 * time.Millisecond}

// passingOver writes all claims (only is nil) and then, after each of the pauses, those that were
// passed over. write returns the items that lost their leases, and the claims that it passed over.
// The error is a *workqueue.LockedError if some are still held at the end; all others are written.
func passingOver(ctx context.Context, write func(only map[refRow]bool) (lost []int64, locked []refRow, err error)) ([]int64, error) {
	lost, locked, err := write(nil)
	for _, pause := range lockPauses {
		if err != nil || len(locked) == 0 || !sleep(ctx, pause) {
			break
		}
		only := make(map[refRow]bool, len(locked))
		for _, ref := range locked {
			only[ref] = true
		}
		more, left, err := write(only)
		if err != nil {
			break // the others are written already
		}
		lost, locked = append(lost, more...), left
	}
	if err == nil && len(locked) > 0 {
		err = lockedError(locked)
	}
	return lost, err
}

func lockedError(refs []refRow) error {
	e := &workqueue.LockedError{Items: make([]int64, len(refs))}
	for i, ref := range refs {
		e.Items[i] = ref.ItemID
	}
	return e
}

// sleep waits for d and reports whether ctx has not ended.
func sleep(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}

// lockedAmong returns those of the claims that a statement did not change although the worker still
// has them: another session holds their rows.
func (s *leaseStore) lockedAmong(ctx context.Context, workerID int64, instanceID string, unchanged []refRow) ([]refRow, error) {
	if len(unchanged) == 0 || !s.engine.dialect().passesOver {
		return nil, nil
	}
	return s.stillHeld(ctx, workerID, instanceID, unchanged)
}

// those returns the entries whose claims are in only; nil means all.
func those[T any](all []T, only map[refRow]bool, claim func(*T) refRow) []T {
	if only == nil {
		return all
	}
	list := make([]T, 0, len(only))
	for i := range all {
		if only[claim(&all[i])] {
			list = append(list, all[i])
		}
	}
	return list
}
