package check

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"botwork/workqueue"
)

// leftText is a LIKE pattern for the error that the scheduler records for a run whose end
// was never recorded. Such a row may belong to a run that never began: the answer to its
// insert was lost, and it was inserted again.
const leftText = "the process died, or lost the database%"

// firings finds planned instants that have two records.
func (r *reading) firings(ctx context.Context) error {
	n, err := count(ctx, r, "firing_count", nil)
	if err != nil {
		return err
	}
	r.look(workqueue.CheckFiredTwice, "firings and runs", n)
	type row struct {
		schedule, worker, one, other string
		planned                      seenTime
		records                      int64
	}
	rows, err := read(ctx, r, "firing_twice", values{"limit_rows": mostNamed + 1}, func(rows *sql.Rows, x *row) error {
		return rows.Scan(&x.schedule, &x.planned, &x.worker, &x.records, &x.one, &x.other)
	})
	for _, x := range rows {
		v := workqueue.Violation{
			Check: workqueue.CheckFiredTwice, Schedule: &x.schedule, PlannedAt: x.planned.pointer(), Mark: "record",
			Found:  fmt.Sprintf("%d records of one planned instant (%s, %s)", x.records, x.one, x.other),
			Wanted: "one record: it decides who runs the instant",
			Hint: "the constraint UQ_BotScheduleFirings_Instant is gone: without it several workers may run one instant; " +
				"delete the records that are too many and add it again",
		}
		if x.worker != "" {
			v.Worker = &x.worker
		}
		r.add(v)
	}
	return err
}

// instantKey names a planned instant that the cluster shares.
type instantKey struct {
	pipeline string
	unixMs   int64
}

// instantRuns is what is known so far of the runs of one instant.
type instantRuns struct {
	first    int64 // the run's id
	worker   int64 // that ran it
	recorded bool  // a run whose end its worker recorded is among them
	told     bool
}

// runRecord is what run_page returns.
type runRecord struct {
	id       int64
	pipeline string
	planned  seenTime
	worker   sql.NullInt64
	recorded bool
	outcome  sql.NullString // of the firing
}

// runs finds instants of schedules that fire once in the cluster and ran more
// often. Each worker's own instants cannot be judged: a clock that is set back
// repeats them by right.
func (r *reading) runs(ctx context.Context) error {
	seen := map[instantKey]*instantRuns{}
	after := int64(-1 << 63)
	for {
		page, err := read(ctx, r, "run_page", values{"after_id": after, "limit_rows": pageSize, "left_text": leftText},
			func(rows *sql.Rows, x *runRecord) error {
				return rows.Scan(&x.id, &x.pipeline, &x.planned, &x.worker, &x.recorded, &x.outcome)
			})
		if err != nil {
			return err
		}
		r.look(workqueue.CheckFiredTwice, "firings and runs", int64(len(page)))
		for _, run := range page {
			if run.outcome.Valid && run.planned.Valid {
				r.run(seen, run)
			}
		}
		if len(page) < pageSize {
			return nil
		}
		after = page[len(page)-1].id
	}
}

func (r *reading) run(seen map[instantKey]*instantRuns, run runRecord) {
	key := instantKey{run.pipeline, run.planned.UnixMilli()}
	before := seen[key]
	if before == nil {
		before = &instantRuns{first: run.id, worker: run.worker.Int64, recorded: run.recorded}
		seen[key] = before
		if run.outcome.String != string(workqueue.Fired) {
			before.told = true
			r.add(twice(run, fmt.Sprintf("run %d ran an instant that is on record as %s", run.id, run.outcome.String)))
		}
		return
	}
	// The same worker may have recorded the start twice, when the first answer
	// was lost; then it recorded one end at most.
	again := run.worker.Int64 != before.worker || run.recorded && before.recorded
	before.recorded = before.recorded || run.recorded
	if again && !before.told {
		before.told = true
		r.add(twice(run, fmt.Sprintf("runs %d and %d ran one planned instant", before.first, run.id)))
	}
}

func twice(run runRecord, found string) workqueue.Violation {
	return workqueue.Violation{
		Check: workqueue.CheckFiredTwice, Schedule: new(run.pipeline), PlannedAt: new(run.planned.UTC().Truncate(time.Millisecond)), Mark: "run",
		Found:  found,
		Wanted: "one run in the whole cluster for an instant that fired, none for one that was missed or skipped",
		Hint: "look at both runs in BotPipelineRuns and at the logs of their workers, and report it; what has happened twice stays: " +
			"delete the row of one run to end the report",
	}
}
