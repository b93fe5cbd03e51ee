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
	told map[refRow]run // by the statement that wrote the ends
}

// runEnd is an end as the statistics see it.
type runEnd struct {
	completed bool
	failed    bool                // an attempt that counts as one
	took      time.Duration       // 0: as long ago as it started
	stays     workqueue.Lifecycle // where the item is then; "": it has not ended, or is gone
}

// expect records an end that is about to be written. removed reports that its item is not
// kept.
func (r *runEnds) expect(ref refRow, f workqueue.Finish, removed bool) {
	end := runEnd{completed: f.State == workqueue.Processed, failed: failedAttempt(f), took: f.Took}
	if !removed {
		end.stays = endOf(f.State, f.Delete == workqueue.DeletionLogical)
	}
	if !end.completed && !end.failed && end.stays == "" {
		return // released, or to be run later
	}
	if r.ends == nil {
		r.ends = map[refRow]runEnd{}
	}
	r.ends[ref] = end
}

// failedAttempt reports whether the end is that of a failed attempt. An item that a person
// cancelled did not fail.
func failedAttempt(f workqueue.Finish) bool {
	return f.Attempt != nil && (f.Attempt.Outcome == "failed" || f.Attempt.Outcome == "timeout") && f.ErrorKind != workqueue.KindCancelled
}

// statColumns are an end inside a JSON parameter, for an engine whose statement
// keeps it by itself.
type statColumns struct {
	Completed int    `json:",omitempty"`
	Failed    int    `json:",omitempty"`
	Stays     string `json:",omitempty"`
}

// columns leaves an end to the statement that writes it, where the engine's does
// that; else they are empty, and keep writes it.
func (r *runEnds) columns(ref refRow) (c statColumns) {
	if !r.s.engine.dialect().finishKeeps {
		return c
	}
	end := r.ends[ref]
	delete(r.ends, ref)
	if end.completed {
		c.Completed = 1
	}
	if end.failed {
		c.Failed = 1
	}
	c.Stays = string(end.stays)
	return c
}

func (r *runEnds) any() bool { return len(r.ends) > 0 }

// keep writes what the ends that were written add up to.
func (r *runEnds) keep(ctx context.Context, on runner, written []refRow) error {
	t := tally{}
	for _, ref := range written {
		end, run := r.ends[ref], r.told[ref]
		if end.took > 0 {
			run.took = min(run.took, end.took)
		}
		took := run.took.Round(time.Millisecond).Milliseconds()
		ended := statKey{queue: run.queue, bucket: workqueue.DurationBucket(took)}
		if end.failed {
			ended.kind = statFailed
			t.add(ended, statSums{events: 1, tookMs: took})
		}
		if end.completed {
			ended.kind = statCompleted
			t.add(ended, statSums{events: 1, tookMs: took})
		}
		switch {
		case end.completed && end.stays == workqueue.LifeCompleted:
			t.add(ended, statSums{level: 1})
		case end.stays != "":
			t.entered(run.queue, end.stays)
		}
	}
	return r.s.keep(ctx, on, t)
}
