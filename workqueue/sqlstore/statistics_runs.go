package sqlstore

import (
	"context"
	"time"

	"botwork/workqueue"
)

// runEnds keeps what the ends of runs add to the statistics.
type runEnds struct {
	s    *Store
	ends map[refRow]runEnd
}

// runEnd is an end as the statistics see it.
type runEnd struct {
	completed bool
	failed    bool // an attempt that counts as one
	removed   bool // the item goes in the same transaction
}

// expect notes an end that is about to be written. removed tells that its item
// is not kept.
func (r *runEnds) expect(ref refRow, f workqueue.Finish, removed bool) {
	end := runEnd{completed: f.State == workqueue.Processed, failed: failedAttempt(f), removed: removed}
	if f.State == workqueue.Ready && !end.failed {
		return // released, or to be run later: nothing has ended
	}
	if r.ends == nil {
		r.ends = map[refRow]runEnd{}
	}
	r.ends[ref] = end
}

// failedAttempt tells whether the end is that of an attempt that failed. What
// a person cancelled did not.
func failedAttempt(f workqueue.Finish) bool {
	return f.Attempt != nil && (f.Attempt.Outcome == "failed" || f.Attempt.Outcome == "timeout") && f.ErrorKind != workqueue.KindCancelled
}

func (r *runEnds) any() bool { return len(r.ends) > 0 }

// keep writes what the ends that were written add up to. It comes before items
// are removed.
func (r *runEnds) keep(ctx context.Context, on runner, written []refRow) error {
	var ids []int64
	ends := map[int64]runEnd{}
	for _, ref := range written {
		if end, ok := r.ends[ref]; ok {
			ids = append(ids, ref.ItemID)
			ends[ref.ItemID] = end
		}
	}
	if len(ids) == 0 {
		return nil
	}
	at, err := r.s.places(ctx, on, ids)
	if err != nil {
		return err
	}
	t := tally{}
	for id, p := range at {
		end := ends[id]
		ms := p.took.Round(time.Millisecond).Milliseconds()
		run := func(kind statKind) {
			t.add(statKey{queue: p.queue, kind: kind, bucket: workqueue.DurationBucket(ms)}, statSums{events: 1, tookMs: ms})
		}
		if end.failed {
			run(statFailed)
		}
		switch {
		case end.completed:
			run(statCompleted)
			if p.end == workqueue.LifeCompleted && !end.removed {
				t.add(statKey{queue: p.queue, kind: statCompleted, bucket: workqueue.DurationBucket(ms)}, statSums{level: 1})
			}
			if p.end == workqueue.LifeDeleted && !end.removed {
				t.entered(p.queue, p.end)
			}
		case p.end != "" && !end.removed:
			t.entered(p.queue, p.end)
		}
	}
	return r.s.keep(ctx, on, t)
}
