package sqlstore

import (
	"context"
	"fmt"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"botwork/internal/database"
	"botwork/workqueue"
)

// scheduleStore records firings of schedules and runs of system pipelines.
type scheduleStore struct {
	*connection
	*batches
	*auditing
}

// ClaimFiring implements workqueue.ScheduleStore.
func (s *scheduleStore) ClaimFiring(ctx context.Context, f workqueue.Firing) (workqueue.FiringClaim, error) {
	var claim workqueue.FiringClaim
	err := s.retry(ctx, fmt.Sprintf("claim firing of %q", f.Schedule), func() error {
		// If no row was inserted, the instant has a record or has not come yet, or the pipeline is
		// paused. If none of these is true any more, it has come or was resumed since: insert again.
		for {
			claim = workqueue.FiringClaim{}
			inserted, err := s.execAlone(ctx, "firing", values{
				"schedule": f.Schedule, "planned_at": s.engine.timeArg(f.PlannedAt), "worker_name": f.Worker,
				"recorded_by": f.RecordedBy, "now": s.nowArg(),
			})
			if classify(err) == uniqueError {
				return nil // another worker was faster
			}
			if err != nil {
				return err
			}
			if claim.Won = inserted == 1; claim.Won {
				return nil
			}
			recorded, err := s.refusedFiring(ctx, f, &claim)
			if err != nil || recorded || claim.Early > 0 || claim.Paused != nil {
				return err
			}
		}
	})
	return claim, err
}

// refusedFiring sets the reason why a firing was not claimed, unless it has a record.
func (s *scheduleStore) refusedFiring(ctx context.Context, f workqueue.Firing, claim *workqueue.FiringClaim) (recorded bool, err error) {
	var now database.Time
	var paused bool
	rows, err := s.queries.query(ctx, s.db, "firing_refused", values{
		"schedule": f.Schedule, "planned_at": s.engine.timeArg(f.PlannedAt), "worker_name": f.Worker, "now": s.nowArg(),
	})
	if err != nil {
		return false, err
	}
	if err := eachRow(rows, func() error { return rows.Scan(&now, &recorded, &paused) }); err != nil || recorded {
		return recorded, err
	}
	if claim.Early = max(0, f.PlannedAt.Truncate(time.Millisecond).Sub(now.Time)); claim.Early == 0 && paused {
		claim.Paused, err = s.pauseOf(ctx, f.Schedule)
	}
	return false, err
}

// SkipFiring implements workqueue.ScheduleStore.
func (s *scheduleStore) SkipFiring(ctx context.Context, f workqueue.Firing) error {
	return s.retry(ctx, fmt.Sprintf("record a skipped firing of %q", f.Schedule), func() error {
		_, err := s.execAlone(ctx, "firing_skip", values{
			"schedule": f.Schedule, "planned_at": s.engine.timeArg(f.PlannedAt), "worker_name": f.Worker,
			"recorded_by": f.RecordedBy, "reason": clean(clip(f.Reason, reasonLen)),
		})
		return err
	})
}

// clock reads the database's clock on a connection.
func (s *connection) clock(ctx context.Context, on runner) (time.Time, error) {
	rows, err := s.queries.query(ctx, on, "now", values{"now": s.nowArg()})
	if err != nil {
		return time.Time{}, err
	}
	var now database.Time
	err = eachRow(rows, func() error { return rows.Scan(&now) })
	return now.Time, err
}

// recordTries is more than the number of processes that can insert in between.
const recordTries = 10

// RecordFirings implements workqueue.ScheduleStore.
func (s *scheduleStore) RecordFirings(ctx context.Context, fs []workqueue.Firing) error {
	if len(fs) == 0 {
		return nil
	}
	batch, err := s.firingRows(fs)
	if err != nil {
		return err
	}
	return s.retry(ctx, "record firings", func() error {
		var err error
		for range recordTries {
			_, err = s.execAlone(ctx, "firing_notes", values{"rows": batch, "now": s.nowArg()})
			// Another process recorded one of the instants between the query and the
			// insert: query again, then it is excluded.
			if classify(err) != uniqueError {
				return err
			}
		}
		return err
	})
}

// firingRows returns the records as a JSON parameter, each instant once.
func (s *scheduleStore) firingRows(fs []workqueue.Firing) (string, error) {
	type row struct {
		Name, Instant, Holder, Result, Cause, Author string
	}
	type key struct{ schedule, instant, worker string }
	var rows []row
	seen := map[key]bool{}
	for _, f := range fs {
		at := f.PlannedAt.UTC().Format(s.engine.dialect().jsonTime)
		k := key{f.Schedule, at, f.Worker}
		if seen[k] {
			continue // a duplicate in this batch would make every try fail
		}
		seen[k] = true
		rows = append(rows, row{
			Name: f.Schedule, Instant: at, Holder: f.Worker,
			Result: string(f.Outcome), Cause: clean(clip(f.Reason, reasonLen)), Author: f.RecordedBy,
		})
	}
	return jsonRows(rows)
}

// LastFiring implements workqueue.ScheduleStore.
func (s *scheduleStore) LastFiring(ctx context.Context, schedule, worker string) (time.Time, error) {
	var last database.Time
	err := s.retry(ctx, fmt.Sprintf("read last firing of %q", schedule), func() error {
		rows, err := s.queries.query(ctx, s.db, "last_firing", values{"schedule": schedule, "worker_name": worker})
		if err != nil {
			return err
		}
		return eachRow(rows, func() error { return rows.Scan(&last) })
	})
	return last.Time, err
}

// firingRow is BotScheduleFirings.
type firingRow struct {
	ID         int64 `gorm:"column:Id;primaryKey"`
	Schedule   string
	PlannedAt  database.Time
	WorkerName string
	Outcome    string
	Reason     string
	RecordedBy string
	RecordedAt database.Time
}

func (firingRow) TableName() string { return "BotScheduleFirings" }

// Firings implements workqueue.ScheduleStore.
func (s *scheduleStore) Firings(ctx context.Context, f workqueue.FiringFilter) ([]workqueue.Firing, error) {
	var rows []firingRow
	err := s.retry(ctx, "list firings", func() error {
		rows = nil
		orm := s.listing.WithContext(ctx)
		if f.Schedule != "" {
			orm = orm.Where(map[string]any{"Schedule": f.Schedule})
		}
		if len(f.Outcomes) > 0 {
			orm = orm.Where(map[string]any{"Outcome": f.Outcomes})
		}
		if f.Pipelines {
			orm = orm.Not(clause.Like{Column: column("Schedule"), Value: workqueue.TaskSchedule("") + "%"})
		}
		orm = s.between(orm, "PlannedAt", f.Since, f.Until)
		return orm.Order(clause.OrderBy{Columns: []clause.OrderByColumn{
			{Column: clause.Column{Name: "PlannedAt"}, Desc: true}, {Column: clause.Column{Name: "Id"}, Desc: true},
		}}).Limit(orDefault(f.Limit, 100)).Find(&rows).Error
	})
	firings := make([]workqueue.Firing, len(rows))
	for i, r := range rows {
		firings[i] = workqueue.Firing{
			Schedule: r.Schedule, PlannedAt: r.PlannedAt.Time, Worker: r.WorkerName,
			Outcome: workqueue.FiringOutcome(r.Outcome), Reason: r.Reason, RecordedBy: r.RecordedBy, RecordedAt: r.RecordedAt.Time,
		}
	}
	return firings, err
}

// between selects the rows whose time is from since on and before until; zero times do not bound.
func (s *connection) between(orm *gorm.DB, name string, since, until time.Time) *gorm.DB {
	if !since.IsZero() {
		orm = orm.Where(clause.Gte{Column: column(name), Value: s.engine.timeArg(since)})
	}
	if !until.IsZero() {
		orm = orm.Where(clause.Lt{Column: column(name), Value: s.engine.timeArg(until)})
	}
	return orm
}
