package sqlstore

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"time"

	"gorm.io/gorm/clause"

	"botwork/internal/database"
	"botwork/workqueue"
)

// RequestRuns implements workqueue.PipelineStore.
func (s *scheduleStore) RequestRuns(ctx context.Context, n workqueue.NewRunRequests) ([]int64, error) {
	batch, trigger, err := s.requestRows(n.PlannedAt)
	if err != nil {
		return nil, err
	}
	add := values{
		"rows": batch, "pipeline": n.Pipeline, "trigger_name": trigger, "requested_by": clean(clip(n.By, nameLen)),
		"expire_ms": ms(n.Within), "now": s.nowArg(),
	}
	part := batchPart{n.Batch, workqueue.BatchRequest, requestDigest(n.Pipeline, batch)}
	var ids []int64
	if found, err := s.recorded(ctx, part, &ids); err != nil || found {
		return ids, err
	}
	var refused error
	err = s.retry(ctx, fmt.Sprintf("request runs of %q", n.Pipeline), func() (err error) {
		for range recordTries {
			err = s.tx(ctx, func(tx *sql.Tx) error {
				if _, err := s.queries.exec(ctx, tx, "request_expire", values{"pipeline": n.Pipeline, "now": s.nowArg()}); err != nil {
					return err
				}
				var err error
				if ids, err = s.queries.ids(ctx, tx, "request_add", add); err != nil || len(ids) == 0 {
					return err
				}
				if err := s.audit(ctx, tx, requestEntry(n, ids)); err != nil {
					return err
				}
				return s.record(ctx, tx, part, len(ids), ids)
			})
			if classify(err) != uniqueError {
				break
			}
			// Another process has requested one of the times: query again, then it is excluded. Or
			// another call has done this part of a batch.
			if found, err := s.recorded(ctx, part, &ids); err != nil || found {
				return err
			}
		}
		if err == nil && len(ids) == 0 {
			refused, err = s.whyRefused(ctx, n.Pipeline)
		}
		return err
	})
	if err != nil {
		return nil, unanswered(n.Batch, err)
	}
	return ids, refused
}

// requestDigest returns the SHA-256 of what is requested.
func requestDigest(pipeline, batch string) string {
	sum := sha256.Sum256([]byte(pipeline + "\x00" + batch))
	return hex.EncodeToString(sum[:])
}

// requestEntry returns the entry of the audit log for requested runs.
func requestEntry(n workqueue.NewRunRequests, ids []int64) auditEntry {
	e := auditEntry{
		action: workqueue.AuditPipelineRun, kind: workqueue.TargetPipeline, target: n.Pipeline, changed: len(ids), by: n.By,
		after: auditValues{"requests": valueOf(ids)},
	}
	if len(n.PlannedAt) > 0 {
		e.action = workqueue.AuditBackfill
		e.after["plannedFrom"], e.after["plannedTo"] = valueOf(slices.MinFunc(n.PlannedAt, time.Time.Compare).UTC()), valueOf(slices.MaxFunc(n.PlannedAt, time.Time.Compare).UTC())
	}
	return e
}

// requestRows returns the planned times as a JSON parameter, and the trigger of their runs.
func (s *scheduleStore) requestRows(planned []time.Time) (batch, trigger string, err error) {
	type row struct{ Instant *string }
	rows, trigger := []row{{}}, workqueue.TriggerRequest
	if len(planned) > 0 {
		rows, trigger = nil, workqueue.TriggerBackfill
	}
	seen := map[string]bool{}
	for _, at := range planned {
		text := at.UTC().Format(s.engine.dialect().jsonTime)
		if !seen[text] {
			seen[text] = true
			rows = append(rows, row{&text})
		}
	}
	batch, err = jsonRows(rows)
	return batch, trigger, err
}

// whyRefused returns why no request was recorded; nil if all planned times have run.
func (s *scheduleStore) whyRefused(ctx context.Context, pipeline string) (reason, err error) {
	paused, err := s.pauseOf(ctx, pipeline)
	if err != nil {
		return nil, err
	}
	if paused != nil {
		return paused, nil
	}
	var alive bool
	rows, err := s.queries.query(ctx, s.db, "request_workers", values{"now": s.nowArg()})
	if err != nil {
		return nil, err
	}
	if err := eachRow(rows, func() error { return rows.Scan(&alive) }); err != nil || alive {
		return nil, err
	}
	return workqueue.ErrNoWorker, nil
}

// errNotStarted rolls back a request that another worker has taken, or whose pipeline is paused.
var errNotStarted = errors.New("the request was not started")

// StartRequested implements workqueue.ScheduleStore.
func (s *scheduleStore) StartRequested(ctx context.Context, r workqueue.PipelineRun, once bool, recordedBy string) (id int64, started bool, err error) {
	request := *r.RequestID
	err = s.retry(ctx, fmt.Sprintf("start requested run %d of %q", request, r.Pipeline), func() error {
		return s.tx(ctx, func(tx *sql.Tx) error {
			id = 0
			n, err := s.queries.exec(ctx, tx, "request_start", values{"request": request, "worker": r.WorkerID, "now": s.nowArg()})
			if err != nil {
				return err
			}
			if n == 0 {
				return errNotStarted
			}
			if once && r.PlannedAt != nil {
				free, err := s.fireBackfill(ctx, tx, r, recordedBy)
				if err != nil {
					return err
				}
				if !free {
					return s.endRequest(ctx, tx, request, workqueue.RequestRefused, nil)
				}
			}
			if id, err = s.startRun(ctx, tx, r); err != nil {
				return err
			}
			if id == 0 {
				return errNotStarted
			}
			return s.endRequest(ctx, tx, request, workqueue.RequestStarted, &id)
		})
	})
	if errors.Is(err, errNotStarted) || classify(err) == uniqueError { // another process has recorded the planned time just now
		return 0, false, nil
	}
	return id, err == nil && id != 0, err
}

// fireBackfill records that a planned time of the whole cluster has fired. It returns false if its
// schedule has fired it.
func (s *scheduleStore) fireBackfill(ctx context.Context, tx *sql.Tx, r workqueue.PipelineRun, recordedBy string) (free bool, err error) {
	planned := s.engine.timeArg(*r.PlannedAt)
	n, err := s.queries.exec(ctx, tx, "firing_backfill", values{
		"schedule": r.Pipeline, "planned_at": planned, "recorded_by": recordedBy, "now": s.nowArg(),
	})
	if err != nil || n > 0 {
		return n > 0, err
	}
	var outcome string
	rows, err := s.queries.query(ctx, tx, "request_instant", values{"schedule": r.Pipeline, "planned_at": planned})
	if err != nil {
		return false, err
	}
	err = eachRow(rows, func() error { return rows.Scan(&outcome) })
	return outcome != string(workqueue.Fired), err
}

func (s *scheduleStore) endRequest(ctx context.Context, tx *sql.Tx, request int64, state workqueue.RequestState, run *int64) error {
	_, err := s.queries.exec(ctx, tx, "request_end", values{"request": request, "state": string(state), "run": run})
	return err
}

// requestRow is BotRunRequests.
type requestRow struct {
	ID          int64 `gorm:"column:Id;primaryKey"`
	Pipeline    string
	TriggerName string
	PlannedAt   database.Time
	State       string
	RequestedBy string
	RequestedAt database.Time
	ExpiresAt   database.Time
	WorkerID    *int64 `gorm:"column:WorkerId"`
	RunID       *int64 `gorm:"column:RunId"`
	StartedAt   database.Time

	Over bool `gorm:"->"` // it has expired
}

func (requestRow) TableName() string { return "BotRunRequests" }

// RunRequests implements workqueue.PipelineStore.
func (s *scheduleStore) RunRequests(ctx context.Context, f workqueue.RequestFilter) ([]workqueue.RunRequest, error) {
	var rows []requestRow
	err := s.retry(ctx, "list requested runs", func() error {
		rows = nil
		orm := s.listing.WithContext(ctx).Model(&requestRow{}).
			Select("*, CASE WHEN ? <= "+s.engine.dialect().clock+` THEN 1 ELSE 0 END AS "Over"`, column("ExpiresAt"), s.nowArg())
		if f.ID != 0 {
			orm = orm.Where(map[string]any{"Id": f.ID})
		}
		if f.Pipeline != "" {
			orm = orm.Where(map[string]any{"Pipeline": f.Pipeline})
		}
		orm = s.between(orm, "RequestedAt", f.Since, f.Until)
		orm = s.between(orm, "PlannedAt", f.PlannedSince, f.PlannedUntil)
		return orm.Order(clause.OrderByColumn{Column: clause.Column{Name: "Id"}, Desc: true}).Limit(orDefault(f.Limit, 100)).Find(&rows).Error
	})
	requests := make([]workqueue.RunRequest, len(rows))
	for i, r := range rows {
		requests[i] = workqueue.RunRequest{
			ID: r.ID, Pipeline: r.Pipeline, Trigger: r.TriggerName, PlannedAt: r.PlannedAt.Pointer(), State: workqueue.RequestState(r.State),
			By: r.RequestedBy, At: r.RequestedAt.Time, ExpiresAt: r.ExpiresAt.Time, WorkerID: r.WorkerID, RunID: r.RunID, StartedAt: r.StartedAt.Pointer(),
		}
		if r.Over && requests[i].State == workqueue.RequestPending {
			requests[i].State = workqueue.RequestExpired
		}
	}
	return requests, err
}
