package sqlstore

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"gorm.io/gorm/clause"

	"botwork/internal/database"
	"botwork/workqueue"
)

// StartRun implements workqueue.ScheduleStore.
func (s *scheduleStore) StartRun(ctx context.Context, r workqueue.PipelineRun) (int64, error) {
	var id int64
	err := s.retry(ctx, fmt.Sprintf("record the start of %q", r.Pipeline), func() (err error) {
		for {
			if id, err = s.startRun(ctx, s.db, r); err != nil || id != 0 {
				return err
			}
			if paused, err := s.pauseOf(ctx, r.Pipeline); err != nil || paused != nil {
				return cmp.Or[error](err, paused)
			}
			// It was resumed in the meantime.
		}
	})
	// Without the prefix of the operation: callers show it to people.
	if paused, ok := errors.AsType[*workqueue.PausedError](err); ok {
		return 0, paused
	}
	return id, err
}

// startRun returns the id of the run, or 0 if the pipeline is paused.
func (s *scheduleStore) startRun(ctx context.Context, on runner, r workqueue.PipelineRun) (int64, error) {
	var planned any
	if r.PlannedAt != nil {
		planned = s.engine.timeArg(*r.PlannedAt)
	}
	by := r.RequestedBy
	if by != nil {
		by = null(clip(*by, nameLen))
	}
	ids, err := s.queries.ids(ctx, on, "run_start", values{
		"pipeline": r.Pipeline, "trigger_name": r.Trigger, "hash": r.PipelineHash, "planned_at": planned, "worker": r.WorkerID,
		"requested_by": by, "request": r.RequestID, "now": s.nowArg(),
	})
	if err != nil || len(ids) == 0 {
		return 0, err
	}
	return ids[0], nil
}

// FinishRun implements workqueue.ScheduleStore.
func (s *scheduleStore) FinishRun(ctx context.Context, id int64, end workqueue.RunEnd) error {
	return s.retry(ctx, fmt.Sprintf("record the end of run %d", id), func() error {
		_, err := s.execAlone(ctx, "run_finish", values{
			"run": id, "outcome": string(end.Outcome), "failed_step": null(clip(end.Step, nameLen)), "error_text": null(end.Error),
			"summary": null(string(end.Summary)), "now": s.nowArg(),
		})
		return err
	})
}

// RunsElsewhere implements workqueue.ScheduleStore.
func (s *scheduleStore) RunsElsewhere(ctx context.Context, pipeline string, workerID int64) (time.Time, bool, error) {
	var since database.Time
	err := s.retry(ctx, fmt.Sprintf("find runs of %q", pipeline), func() error {
		rows, err := s.queries.query(ctx, s.db, "runs_elsewhere", values{
			"pipeline": pipeline, "worker": workerID, "now": s.nowArg(),
		})
		if err != nil {
			return err
		}
		return eachRow(rows, func() error { return rows.Scan(&since) })
	})
	return since.Time, since.Valid, err
}

// runRow is BotPipelineRuns.
type runRow struct {
	ID           int64 `gorm:"column:Id;primaryKey"`
	Pipeline     string
	TriggerName  string
	PipelineHash *string
	PlannedAt    database.Time
	WorkerID     *int64 `gorm:"column:WorkerId"`
	Outcome      string
	Error        *string
	Summary      nullText
	StartedAt    database.Time
	FinishedAt   database.Time
	FailedStep   *string
	RequestedBy  *string
	RequestID    *int64 `gorm:"column:RequestId"`
}

func (runRow) TableName() string { return "BotPipelineRuns" }

// CountRuns implements workqueue.RunCounter.
func (s *scheduleStore) CountRuns(ctx context.Context, f workqueue.RunFilter, most int) (counts map[workqueue.RunOutcome]int, more bool, err error) {
	var rows []struct{ Outcome workqueue.RunOutcome }
	err = s.retry(ctx, "count runs", func() error {
		rows = nil
		orm := s.listing.WithContext(ctx).Model(&runRow{}).Select("Outcome")
		if f.Pipeline != "" {
			orm = orm.Where(map[string]any{"Pipeline": f.Pipeline})
		}
		if len(f.Outcomes) > 0 {
			orm = orm.Where(map[string]any{"Outcome": f.Outcomes})
		}
		return s.between(orm, "StartedAt", f.Since, f.Until).Order(clause.OrderByColumn{Column: column("StartedAt"), Desc: true}).Limit(most + 1).Find(&rows).Error
	})
	counts = map[workqueue.RunOutcome]int{}
	for _, r := range rows[:min(len(rows), most)] {
		counts[r.Outcome]++
	}
	return counts, len(rows) > most, err
}

// CountFirings implements workqueue.RunCounter.
func (s *scheduleStore) CountFirings(ctx context.Context, f workqueue.FiringFilter, most int) (counts map[workqueue.FiringOutcome]int, more bool, err error) {
	var rows []struct{ Outcome workqueue.FiringOutcome }
	err = s.retry(ctx, "count firings", func() error {
		rows = nil
		orm := s.listing.WithContext(ctx).Model(&firingRow{}).Select("Outcome")
		if f.Schedule != "" {
			orm = orm.Where(map[string]any{"Schedule": f.Schedule})
		}
		if len(f.Outcomes) > 0 {
			orm = orm.Where(map[string]any{"Outcome": f.Outcomes})
		}
		orm = orm.Not(clause.Like{Column: column("Schedule"), Value: workqueue.TaskSchedule("") + "%"})
		return s.between(orm, "PlannedAt", f.Since, f.Until).Order(clause.OrderByColumn{Column: column("PlannedAt"), Desc: true}).Limit(most + 1).Find(&rows).Error
	})
	counts = map[workqueue.FiringOutcome]int{}
	for _, r := range rows[:min(len(rows), most)] {
		counts[r.Outcome]++
	}
	return counts, len(rows) > most, err
}

// Runs implements workqueue.ScheduleStore.
func (s *scheduleStore) Runs(ctx context.Context, f workqueue.RunFilter) ([]workqueue.PipelineRun, error) {
	var rows []runRow
	err := s.retry(ctx, "list runs", func() error {
		rows = nil
		orm := s.listing.WithContext(ctx)
		if f.ID != 0 {
			orm = orm.Where(map[string]any{"Id": f.ID})
		}
		if f.Pipeline != "" {
			orm = orm.Where(map[string]any{"Pipeline": f.Pipeline})
		}
		if len(f.Outcomes) > 0 {
			orm = orm.Where(map[string]any{"Outcome": f.Outcomes})
		}
		orm = s.between(orm, "StartedAt", f.Since, f.Until)
		orm = s.between(orm, "PlannedAt", f.PlannedSince, f.PlannedUntil)
		if !f.EndsAfter.IsZero() {
			orm = orm.Where(clause.Or(
				clause.Eq{Column: column("FinishedAt")}, // NULL
				clause.Gte{Column: column("FinishedAt"), Value: s.engine.timeArg(f.EndsAfter)},
			))
		}
		return orm.Order(clause.OrderByColumn{Column: clause.Column{Name: "Id"}, Desc: !f.Oldest}).
			Limit(orDefault(f.Limit, 100)).Find(&rows).Error
	})
	runs := make([]workqueue.PipelineRun, len(rows))
	for i, r := range rows {
		runs[i] = workqueue.PipelineRun{
			ID: r.ID, Pipeline: r.Pipeline, Trigger: r.TriggerName, PipelineHash: r.PipelineHash, PlannedAt: r.PlannedAt.Pointer(), WorkerID: r.WorkerID,
			Outcome: workqueue.RunOutcome(r.Outcome), Error: r.Error, Summary: workqueue.JSONText(r.Summary),
			StartedAt: r.StartedAt.Time, FinishedAt: r.FinishedAt.Pointer(),
			FailedStep: r.FailedStep, RequestedBy: r.RequestedBy, RequestID: r.RequestID,
		}
	}
	return runs, err
}
