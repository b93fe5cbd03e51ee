package sqlstore

import (
	"context"
	"fmt"
	"time"

	"gorm.io/gorm/clause"

	"botwork/internal/database"
	"botwork/workqueue"
)

// StartRun implements workqueue.ScheduleStore.
func (s *Store) StartRun(ctx context.Context, r workqueue.PipelineRun) (int64, error) {
	var planned any
	if r.PlannedAt != nil {
		planned = s.engine.timeArg(*r.PlannedAt)
	}
	var id int64
	err := s.retry(ctx, fmt.Sprintf("record the start of %q", r.Pipeline), func() error {
		ids, err := s.queries.ids(ctx, s.db, "run_start", values{
			"pipeline": r.Pipeline, "trigger_name": r.Trigger, "hash": r.PipelineHash, "planned_at": planned, "worker": r.WorkerID, "now": s.nowArg(),
		})
		if err == nil && len(ids) != 1 {
			err = fmt.Errorf("the insert returned %d ids, want 1", len(ids))
		}
		if err != nil {
			return err
		}
		id = ids[0]
		return nil
	})
	return id, err
}

// FinishRun implements workqueue.ScheduleStore.
func (s *Store) FinishRun(ctx context.Context, id int64, outcome workqueue.RunOutcome, errText, summary string) error {
	return s.retry(ctx, fmt.Sprintf("record the end of run %d", id), func() error {
		_, err := s.queries.exec(ctx, s.db, "run_finish", values{
			"run": id, "outcome": string(outcome), "error_text": null(errText), "summary": null(summary), "now": s.nowArg(),
		})
		return err
	})
}

// RunsElsewhere implements workqueue.ScheduleStore.
func (s *Store) RunsElsewhere(ctx context.Context, pipeline string, workerID int64) (time.Time, bool, error) {
	var since database.Time
	err := s.retry(ctx, fmt.Sprintf("look for runs of %q", pipeline), func() error {
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
}

func (runRow) TableName() string { return "BotPipelineRuns" }

// Runs implements workqueue.ScheduleStore.
func (s *Store) Runs(ctx context.Context, pipeline string, limit int) ([]workqueue.PipelineRun, error) {
	var rows []runRow
	err := s.retry(ctx, "list runs", func() error {
		rows = nil
		orm := s.listing.WithContext(ctx)
		if pipeline != "" {
			orm = orm.Where(map[string]any{"Pipeline": pipeline})
		}
		return orm.Order(clause.OrderByColumn{Column: clause.Column{Name: "Id"}, Desc: true}).
			Limit(orDefault(limit, 100)).Find(&rows).Error
	})
	runs := make([]workqueue.PipelineRun, len(rows))
	for i, r := range rows {
		runs[i] = workqueue.PipelineRun{
			ID: r.ID, Pipeline: r.Pipeline, Trigger: r.TriggerName, PipelineHash: r.PipelineHash, PlannedAt: r.PlannedAt.Pointer(), WorkerID: r.WorkerID,
			Outcome: workqueue.RunOutcome(r.Outcome), Error: r.Error, Summary: workqueue.JSONText(r.Summary),
			StartedAt: r.StartedAt.Time, FinishedAt: r.FinishedAt.Pointer(),
		}
	}
	return runs, err
}
