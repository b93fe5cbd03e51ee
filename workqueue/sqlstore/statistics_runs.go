package sqlstore

import (
	"context"
	"time"

	"botwork/workqueue"
)

// runEnds collects what the ends of runs add to the statistics.
type runEnds struct {
	s        *bookkeeping
	worker   int64 // 0: a robot
	ends     map[refRow]runEnd
	returned map[refRow]run // by the statement that wrote the ends
}

// runEnd is an end for the statistics.
type runEnd struct {
	completed bool
	failed    bool                // an attempt that counts as failed
	took      time.Duration       // 0: the time since its start
	stays     workqueue.Lifecycle // the item's lifecycle after it; "": it has not ended, or is deleted

	happened []string // for the statistics over time
	kind     workqueue.ErrorKind
	due      time.Time // of the item, when it was claimed; zero: not known
}

// expect adds an end that will be written. removed reports whether its item is deleted.
func (r *runEnds) expect(ref refRow, f workqueue.Finish, removed bool) {
	end := runEnd{
		completed: f.State == workqueue.Processed, failed: failedAttempt(f), took: f.Took,
		happened: happened(&f, removed), kind: f.ErrorKind, due: f.DueAt,
	}
	if !removed {
		end.stays = endOf(f.State, f.Delete == workqueue.DeletionLogical)
	}
	if len(end.happened) == 0 {
		return // released before its run began
	}
	if r.ends == nil {
		r.ends = map[refRow]runEnd{}
	}
	r.ends[ref] = end
}

// failedAttempt reports whether the end is that of a failed attempt. An item that a user
// cancelled did not fail.
func failedAttempt(f workqueue.Finish) bool {
	return f.Attempt != nil && (f.Attempt.Outcome == "failed" || f.Attempt.Outcome == "timeout") && f.ErrorKind != workqueue.KindCancelled
}

// statColumns are an end inside a JSON parameter, for an engine whose statement updates the
// statistics itself.
type statColumns struct {
	Completed int    `json:",omitempty"`
	Failed    int    `json:",omitempty"`
	Stays     string `json:",omitempty"`

	Happened []string `json:",omitempty"`
	DueAt    *string  `json:",omitempty"`
}

// columns returns an end for the statement that updates the statistics itself, and drops it
// from r. On other engines it returns nothing, and keep writes the end.
func (r *runEnds) columns(ref refRow) (c statColumns) {
	if !r.s.engine.dialect().finishCounts {
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
	c.Stays, c.Happened = string(end.stays), end.happened
	if !end.due.IsZero() {
		c.DueAt = new(end.due.UTC().Format(r.s.engine.dialect().jsonTime))
	}
	return c
}

// plain drops a plain end from r if its statement updates the statistics itself.
func (r *runEnds) plain(ref refRow) {
	if r.s.engine.dialect().finishCounts {
		delete(r.ends, ref)
	}
}

func (r *runEnds) any() bool { return len(r.ends) > 0 }

// keep writes the statistics of the ends that were written.
func (r *runEnds) keep(ctx context.Context, on runner, written []refRow) error {
	t, series := tally{}, seriesTally{}
	for _, ref := range written {
		end, run := r.ends[ref], r.returned[ref]
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
		r.addSeries(series, &end, &run)
	}
	if err := r.s.keep(ctx, on, t); err != nil {
		return err
	}
	return r.s.keepSeries(ctx, on, series)
}

// addSeries counts what an end is for the statistics over time.
func (r *runEnds) addSeries(series seriesTally, end *runEnd, run *run) {
	took := run.took.Round(time.Millisecond)
	k := seriesKey{queue: run.queue, pipeline: run.pipeline, band: workqueue.BandOf(run.priority), worker: r.worker}
	for _, event := range end.happened {
		k.event, k.kind, k.at = event, kindOf(event, end.kind), run.ended
		switch event {
		case workqueue.EventStarted:
			series.started(k, run.ended.Add(-took), end.due)
		case workqueue.EventSucceeded:
			series.addTimed(k, &took)
		default:
			series.add(k)
		}
	}
}
