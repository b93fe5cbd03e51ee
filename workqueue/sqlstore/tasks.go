package sqlstore

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"botwork/internal/database"
	"botwork/workqueue"
)

var _ workqueue.TaskStore = (*taskStore)(nil)

// taskStore defines tasks, and makes their items when they are due.
type taskStore struct {
	*connection
	*notices
	*enqueuing
	*bookkeeping
	*auditing
	*scheduleStore
}

// Tasks implements workqueue.TaskStore.
func (s *taskStore) Tasks(ctx context.Context) ([]workqueue.TaskRow, error) {
	var tasks []workqueue.TaskRow
	err := s.retry(ctx, "list tasks", func() (err error) {
		tasks, err = s.tasks(ctx, s.db)
		return err
	})
	return tasks, err
}

func (s *taskStore) tasks(ctx context.Context, on runner) ([]workqueue.TaskRow, error) {
	rows, err := s.queries.query(ctx, on, "tasks", nil)
	if err != nil {
		return nil, err
	}
	var tasks []workqueue.TaskRow
	err = eachRow(rows, func() error {
		var t workqueue.TaskRow
		var topic, description, schedule, scope, payload, resilience, notification, definition, by nullText
		var estimate sql.NullInt64
		var updated, settled database.Time
		err := rows.Scan(&t.Name, &topic, &description, &t.Active, &t.QueueName, &t.Pipeline, &t.Importance, &schedule, &scope,
			&payload, &resilience, &estimate, &notification, &definition, &by, &updated, &t.Revision, &settled)
		t.Topic, t.Description, t.Definition, t.DefinedBy = string(topic), string(description), string(definition), string(by)
		t.ScheduleConfig, t.Scope, t.Payload = workqueue.JSONText(schedule), workqueue.JSONText(scope), workqueue.JSONText(payload)
		t.ResilienceConfig, t.NotificationConfig = workqueue.JSONText(resilience), workqueue.JSONText(notification)
		t.Estimate, t.UpdatedAt, t.SettledUntil = milliseconds(estimate.Int64), updated.Time, settled.Time
		tasks = append(tasks, t)
		return err
	})
	return tasks, err
}

// TaskFirings implements workqueue.TaskStore.
func (s *taskStore) TaskFirings(ctx context.Context, since []workqueue.TaskSince) ([]workqueue.Firing, error) {
	if len(since) == 0 {
		return nil, nil
	}
	type row struct{ Name, Since string }
	list := make([]row, len(since))
	for i, t := range since {
		list[i] = row{workqueue.TaskSchedule(t.Task), t.From.UTC().Format(s.engine.dialect().jsonTime)}
	}
	batch, err := jsonRows(list)
	if err != nil {
		return nil, err
	}
	var firings []workqueue.Firing
	err = s.retry(ctx, "read the records of tasks", func() error {
		firings = nil
		rows, err := s.queries.query(ctx, s.db, "task_firings", values{"rows": batch})
		if err != nil {
			return err
		}
		return eachRow(rows, func() error {
			var f workqueue.Firing
			var planned, recorded database.Time
			err := rows.Scan(&f.Schedule, &planned, &f.Worker, &f.Outcome, &f.Reason, &f.RecordedBy, &recorded)
			f.PlannedAt, f.RecordedAt = planned.Time, recorded.Time
			firings = append(firings, f)
			return err
		})
	})
	return firings, err
}

// TaskScopesBusy implements workqueue.TaskStore.
func (s *taskStore) TaskScopesBusy(ctx context.Context, task string) (map[string]time.Time, error) {
	var busy map[string]time.Time
	err := s.retry(ctx, fmt.Sprintf("find items of task %q", task), func() error {
		busy = map[string]time.Time{}
		rows, err := s.queries.query(ctx, s.db, "task_scopes_busy", values{"task": task})
		if err != nil {
			return err
		}
		return eachRow(rows, func() error {
			var scope string
			var since database.Time
			err := rows.Scan(&scope, &since)
			// A row written by hand may have '' instead of NULL: both mean no scope.
			if first, twice := busy[scope]; !twice || since.Before(first) {
				busy[scope] = since.Time
			}
			return err
		})
	})
	return busy, err
}

// SettleTask implements workqueue.TaskStore.
func (s *taskStore) SettleTask(ctx context.Context, task string, closed []workqueue.Firing, until time.Time) error {
	batch, err := s.firingRows(closed)
	if err != nil {
		return err
	}
	return s.retry(ctx, fmt.Sprintf("settle task %q", task), func() (err error) {
		for range recordTries {
			err = s.tx(ctx, func(tx *sql.Tx) error {
				if len(closed) > 0 {
					if _, err := s.queries.exec(ctx, tx, "firing_notes", values{"rows": batch, "now": s.nowArg()}); err != nil {
						return err
					}
				}
				_, err := s.queries.exec(ctx, tx, "task_settle", values{"task": task, "until": s.engine.timeArg(until)})
				return err
			})
			if classify(err) != uniqueError {
				return err
			}
		}
		return err
	})
}
