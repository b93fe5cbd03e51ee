package check

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"botwork/workqueue"
)

// leftText is a LIKE pattern for the error that the scheduler records for a run whose end was
// never recorded. Such a run may never have started: if the response to its insert was lost, it
// was inserted again.
const leftText = "the process died, or lost the database%"

// firings finds planned instants with two records.
func (r *reading) firings(ctx context.Context) error {
	n, err := count(ctx, r, "firing_count", nil)
	if err != nil {
		return err
	}
	r.examined(workqueue.CheckFiredTwice, "firings and runs", n)
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
			Hint: "the constraint UQ_BotScheduleFirings_Instant is missing: without it several workers may run one instant; " +
				"delete the surplus records and add the constraint again",
		}
		if x.worker != "" {
			v.Worker = &x.worker
		}
		r.add(v)
	}
	return err
}

// instantKey identifies a planned instant of the whole cluster.
type instantKey struct {
	pipeline string
	unixMs   int64
}

// instantRuns are the runs of one instant that were read so far.
type instantRuns struct {
	first    int64 // the id of the first run
	worker   int64 // the worker of the first run
	recorded bool  // one of the runs ended and its worker recorded it
	reported bool
}

// runRecord is a row of the statement run_page.
type runRecord struct {
	id       int64
	pipeline string
	planned  seenTime
	worker   sql.NullInt64
	recorded bool
	outcome  sql.NullString // of the firing
}

// runs finds instants that ran more than once, of schedules that fire once in the cluster. It
// cannot check the instants of schedules that fire on each worker: those repeat when a clock is
// set back.
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
		r.examined(workqueue.CheckFiredTwice, "firings and runs", int64(len(page)))
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
			before.reported = true
			r.add(twice(run, fmt.Sprintf("run %d ran an instant that is recorded as %s", run.id, run.outcome.String)))
		}
		return
	}
	// The same worker may have recorded the start twice because the first response was lost.
	// Then it has recorded at most one end.
	again := run.worker.Int64 != before.worker || run.recorded && before.recorded
	before.recorded = before.recorded || run.recorded
	if again && !before.reported {
		before.reported = true
		r.add(twice(run, fmt.Sprintf("runs %d and %d ran one planned instant", before.first, run.id)))
	}
}

func twice(run runRecord, found string) workqueue.Violation {
	return workqueue.Violation{
		Check: workqueue.CheckFiredTwice, Schedule: new(run.pipeline), PlannedAt: new(run.planned.UTC().Truncate(time.Millisecond)), Mark: "run",
		Found:  found,
		Wanted: "one run in the whole cluster for an instant that fired, none for one that was missed or skipped",
		Hint: "check both runs in BotPipelineRuns and the logs of their workers, and report it as a bug; " +
			"then delete the row of one run",
	}
}
