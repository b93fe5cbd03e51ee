package sqlstore

import (
	"context"
	"database/sql"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"botwork/internal/database"
	"botwork/workqueue"
	"botwork/workqueue/learned"
)

// durationStore keeps how long runs took.
type durationStore struct {
	*connection
	*auditing
}

// passDurations limits the rows that an assignment pass reads, durationPage those of a listing,
// and keptDurations those that the clean-up keeps.
const passDurations, durationPage, keptDurations = 20_000, 1000, 100_000

// durationRow is BotDurations.
type durationRow struct {
	ID        int64 `gorm:"column:Id;primaryKey"`
	KeyHash   string
	Kind      string
	Pipeline  string
	Name      string
	Runs      int64
	MeanMs    float64
	P90Ms     int64 `gorm:"column:P90Ms"`
	ErrorMs   float64
	Histogram string
	Version   int64
	UpdatedAt database.Time
}

func (durationRow) TableName() string { return "BotDurations" }

func (r *durationRow) learned() learned.Duration {
	return learned.Duration{
		Key:  learned.Key{Kind: learned.Kind(r.Kind), Pipeline: r.Pipeline, Name: r.Name},
		Runs: r.Runs, MeanMs: r.MeanMs, ErrorMs: r.ErrorMs,
		Classes:   learned.ParseWeights(workqueue.JSONText(r.Histogram)),
		UpdatedAt: r.UpdatedAt.Time,
	}
}

// Learned implements learned.Store.
func (s *durationStore) Learned(ctx context.Context) (map[learned.Key]learned.Typical, error) {
	var known map[learned.Key]learned.Typical
	err := s.retryReading(ctx, "read learned durations", func() error {
		known = map[learned.Key]learned.Typical{}
		rows, err := s.reading.query(ctx, s.readers, "learned", values{"limit_rows": passDurations})
		if err != nil {
			return err
		}
		return eachRow(rows, func() error {
			var r durationRow
			if err := rows.Scan(&r.Kind, &r.Pipeline, &r.Name, &r.Runs, &r.MeanMs, &r.P90Ms); err != nil {
				return err
			}
			l := r.learned()
			known[l.Key] = learned.Typical{Runs: l.Runs, Mean: l.Mean(), P90: milliseconds(r.P90Ms)}
			return nil
		})
	})
	return known, err
}

// Durations implements learned.Store.
func (s *durationStore) Durations(ctx context.Context, f learned.Filter) ([]learned.Duration, error) {
	var rows []durationRow
	err := s.retry(ctx, "list learned durations", func() error {
		rows = nil
		orm := whichDurations(s.listing.WithContext(ctx), f)
		for _, by := range []string{"Pipeline", "Kind", "Name", "Id"} {
			orm = orm.Order(clause.OrderByColumn{Column: column(by)})
		}
		return orm.Limit(orDefault(f.Limit, durationPage)).Find(&rows).Error
	})
	all := make([]learned.Duration, len(rows))
	for i := range rows {
		all[i] = rows[i].learned()
	}
	return all, err
}

// ForgetDurations implements learned.Store.
func (s *durationStore) ForgetDurations(ctx context.Context, f learned.Filter) (int, error) {
	var removed int64
	err := s.retry(ctx, "forget learned durations", func() error {
		return s.tx(ctx, func(tx *sql.Tx) error {
			orm := s.in(ctx, tx)
			orm.AllowGlobalUpdate = true
			result := whichDurations(orm, f).Delete(&durationRow{})
			if removed = result.RowsAffected; result.Error != nil || removed == 0 {
				return result.Error
			}
			return s.audit(ctx, tx, auditEntry{
				action: workqueue.AuditForget, kind: workqueue.TargetDuration, target: f.Pipeline, changed: int(removed), filter: durationFilter(f),
			})
		})
	})
	return int(removed), err
}

// durationFilter returns the filter as the audit log records it.
func durationFilter(f learned.Filter) workqueue.JSONText {
	v := auditValues{}
	for name, value := range map[string]string{"kind": string(f.Kind), "pipeline": f.Pipeline, "name": f.Name} {
		if value != "" {
			v[name] = valueOf(value)
		}
	}
	if text := v.text(); text != nil {
		return workqueue.JSONText(*text)
	}
	return "{}"
}

// whichDurations adds the conditions of the filter.
func whichDurations(orm *gorm.DB, f learned.Filter) *gorm.DB {
	equal := map[string]any{}
	for name, value := range map[string]string{"Kind": string(f.Kind), "Pipeline": f.Pipeline, "Name": f.Name} {
		if value != "" {
			equal[name] = value
		}
	}
	if len(equal) > 0 {
		orm = orm.Where(equal)
	}
	return orm
}

// RemoveDurations implements workqueue.HousekeepingStore.
func (s *housekeepingStore) RemoveDurations(ctx context.Context, age time.Duration, limit int) (int, error) {
	v := s.aged(age, limit)
	v["keep"] = keptDurations
	return s.cleanBatch(ctx, "remove old durations", "clean_durations", v)
}
