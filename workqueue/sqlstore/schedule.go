package sqlstore

import (
	"context"
	"fmt"
	"time"

	"gorm.io/gorm/clause"

	"botwork/internal/database"
	"botwork/workqueue"
)

// ClaimFiring implements workqueue.ScheduleStore.
func (s *Store) ClaimFiring(ctx context.Context, f workqueue.Firing) (workqueue.FiringClaim, error) {
	var claim workqueue.FiringClaim
	err := s.retry(ctx, fmt.Sprintf("claim firing of %q", f.Schedule), func() error {
		claim = workqueue.FiringClaim{}
		// No row can mean that the instant has a record or that it has not
		// come yet. The clock may reach it between the insert and the look at
		// the clock; only an insert behind that look proves that it is taken.
		for due := false; ; due = true {
			inserted, err := s.queries.exec(ctx, s.db, "firing", values{
				"schedule": f.Schedule, "planned_at": s.engine.timeArg(f.PlannedAt), "worker_name": f.Worker,
				"recorded_by": f.RecordedBy, "now": s.nowArg(),
			})
			if classify(err) == uniqueError {
				return nil // another worker was quicker in the same instant
			}
			if err != nil {
				return err
			}
			if claim.Won = inserted == 1; claim.Won || due {
				return nil
			}
			now, err := s.clock(ctx, s.db)
			if err != nil {
				return err
			}
			if claim.Early = max(0, f.PlannedAt.Truncate(time.Millisecond).Sub(now)); claim.Early > 0 {
				return nil
			}
		}
	})
	return claim, err
}

// clock reads the database's clock on a connection.
func (s *Store) clock(ctx context.Context, on runner) (time.Time, error) {
	rows, err := s.queries.query(ctx, on, "now", values{"now": s.nowArg()})
	if err != nil {
		return time.Time{}, err
	}
	var now database.Time
	err = eachRow(rows, func() error { return rows.Scan(&now) })
	return now.Time, err
}

// recordTries is more than the rivals that can get in between.
const recordTries = 10

// RecordFirings implements workqueue.ScheduleStore.
func (s *Store) RecordFirings(ctx context.Context, fs []workqueue.Firing) error {
	if len(fs) == 0 {
		return nil
	}
	batch, err := s.firingNotes(fs)
	if err != nil {
		return err
	}
	return s.retry(ctx, "record firings", func() error {
		var err error
		for range recordTries {
			_, err = s.queries.exec(ctx, s.db, "firing_notes", values{"rows": batch, "now": s.nowArg()})
			// Another process recorded one of the instants between the query and the
			// insert: query again, then it is excluded.
			if classify(err) != uniqueError {
				return err
			}
		}
		return err
	})
}

// firingNotes are records as a JSON parameter, each instant once.
func (s *Store) firingNotes(fs []workqueue.Firing) (string, error) {
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
			continue // a second row of this batch would refuse all of it, time and again
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
func (s *Store) LastFiring(ctx context.Context, schedule, worker string) (time.Time, error) {
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
func (s *Store) Firings(ctx context.Context, schedule string, limit int) ([]workqueue.Firing, error) {
	var rows []firingRow
	err := s.retry(ctx, "list firings", func() error {
		rows = nil
		orm := s.listing.WithContext(ctx)
		if schedule != "" {
			orm = orm.Where(map[string]any{"Schedule": schedule})
		}
		return orm.Order(clause.OrderBy{Columns: []clause.OrderByColumn{
			{Column: clause.Column{Name: "PlannedAt"}, Desc: true}, {Column: clause.Column{Name: "Id"}, Desc: true},
		}}).Limit(orDefault(limit, 100)).Find(&rows).Error
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
