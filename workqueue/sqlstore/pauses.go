package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"gorm.io/gorm"

	"botwork/internal/database"
	"botwork/workqueue"
)

var _ workqueue.PipelineStore = (*scheduleStore)(nil)

// pauseTries is more than the number of processes that can pause a pipeline in between.
const pauseTries = 10

// PausePipeline implements workqueue.PipelineStore.
func (s *scheduleStore) PausePipeline(ctx context.Context, p workqueue.PipelinePause) (changed bool, err error) {
	v := values{
		"pipeline": p.Pipeline, "paused": true, "reason": clean(clip(p.Reason, reasonLen)), "changed_by": clean(clip(p.By, nameLen)), "now": s.nowArg(),
	}
	err = s.retry(ctx, fmt.Sprintf("pause pipeline %q", p.Pipeline), func() (err error) {
		for range pauseTries {
			changed, err = s.setPipelinePaused(ctx, v, auditEntry{action: workqueue.AuditPipelinePause, reason: p.Reason, by: p.By},
				"pause_pipeline", "pause_pipeline_new")
			if classify(err) != uniqueError {
				return err
			}
		}
		return err
	})
	return changed, err
}

// setPipelinePaused runs statements until one changes the row of the pipeline.
func (s *scheduleStore) setPipelinePaused(ctx context.Context, v values, e auditEntry, statements ...string) (changed bool, err error) {
	e.kind, e.target = workqueue.TargetPipeline, v["pipeline"].(string)
	err = s.tx(ctx, func(tx *sql.Tx) error {
		changed = false
		for _, statement := range statements {
			n, err := s.queries.exec(ctx, tx, statement, v)
			if err != nil {
				return err
			}
			if changed = n > 0; changed {
				return s.audit(ctx, tx, pauseEntry(e, v["paused"].(bool)))
			}
		}
		return nil
	})
	return changed && err == nil, err
}

// ResumePipeline implements workqueue.PipelineStore.
func (s *scheduleStore) ResumePipeline(ctx context.Context, pipeline, by string) (changed bool, err error) {
	v := values{"pipeline": pipeline, "paused": false, "reason": "", "changed_by": clean(clip(by, nameLen)), "now": s.nowArg()}
	err = s.retry(ctx, fmt.Sprintf("resume pipeline %q", pipeline), func() (err error) {
		changed, err = s.setPipelinePaused(ctx, v, auditEntry{action: workqueue.AuditPipelineResume, by: by}, "pause_pipeline")
		return err
	})
	return changed, err
}

// RecordPipelineSave implements workqueue.PipelineStore.
func (s *scheduleStore) RecordPipelineSave(ctx context.Context, p workqueue.PipelineSave) error {
	e := auditEntry{
		action: workqueue.AuditPipelineSave, kind: workqueue.TargetPipeline, target: p.Pipeline, changed: 1, reason: p.Reason, by: p.By,
		after: auditValues{"file": valueOf(p.File), "host": valueOf(p.Host), "hash": valueOf(p.After)},
	}
	if p.Before != "" {
		e.before = auditValues{"hash": valueOf(p.Before)}
	}
	return s.retry(ctx, fmt.Sprintf("record that pipeline %q is saved", p.Pipeline), func() error {
		return s.tx(ctx, func(tx *sql.Tx) error { return s.audit(ctx, tx, e) })
	})
}

// pauseRow is BotPipelinePauses.
type pauseRow struct {
	ID        int64 `gorm:"column:Id;primaryKey"`
	Pipeline  string
	Paused    bool
	Reason    string
	ChangedBy string
	ChangedAt database.Time
}

func (pauseRow) TableName() string { return "BotPipelinePauses" }

// pauseOf returns why runs of a pipeline do not start, or nil.
func (s *scheduleStore) pauseOf(ctx context.Context, pipeline string) (*workqueue.PausedError, error) {
	var row pauseRow
	err := s.listing.WithContext(ctx).Where(map[string]any{"Pipeline": pipeline, "Paused": true}).Take(&row).Error
	if errors.Is(err, gorm.ErrRecordNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return &workqueue.PausedError{PipelinePause: workqueue.PipelinePause{
		Pipeline: pipeline, Reason: row.Reason, By: row.ChangedBy, At: row.ChangedAt.Time,
	}}, nil
}

// Controls implements workqueue.ScheduleStore.
func (s *scheduleStore) Controls(ctx context.Context) (workqueue.Controls, error) {
	var c workqueue.Controls
	err := s.retry(ctx, "read paused pipelines and requested runs", func() error {
		c = workqueue.Controls{Paused: map[string]workqueue.PipelinePause{}}
		rows, err := s.queries.query(ctx, s.db, "schedule_controls", values{"now": s.nowArg()})
		if err != nil {
			return err
		}
		return eachRow(rows, func() error {
			var id int64
			var pipeline, trigger, by, reason string
			var planned, at database.Time
			if err := rows.Scan(&id, &pipeline, &trigger, &planned, &by, &reason, &at); err != nil {
				return err
			}
			if id == 0 {
				c.Paused[pipeline] = workqueue.PipelinePause{Pipeline: pipeline, Reason: reason, By: by, At: at.Time}
				return nil
			}
			c.Requests = append(c.Requests, workqueue.RunRequest{
				ID: id, Pipeline: pipeline, Trigger: trigger, PlannedAt: planned.Pointer(), State: workqueue.RequestPending, By: by, At: at.Time,
			})
			return nil
		})
	})
	return c, err
}
