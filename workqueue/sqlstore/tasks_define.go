package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"

	"botwork/workqueue"
)

// errTaskChanged reports that another process wrote a row between the read and the write.
var errTaskChanged = errors.New("a task was changed by another process at the same time")

// DefineTasks implements workqueue.TaskStore.
func (s *taskStore) DefineTasks(ctx context.Context, defs []workqueue.TaskRow, by string) ([]string, error) {
	var changed []string
	err := s.retry(ctx, "define tasks", func() (err error) {
		for range recordTries {
			err = s.tx(ctx, func(tx *sql.Tx) (err error) {
				changed, err = s.defineTasks(ctx, tx, defs, by)
				return err
			})
			// Another process defines the same tasks: read them again.
			if !errors.Is(err, errTaskChanged) && classify(err) != uniqueError {
				return err
			}
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	slices.Sort(changed)
	return changed, nil
}

func (s *taskStore) defineTasks(ctx context.Context, tx *sql.Tx, defs []workqueue.TaskRow, by string) ([]string, error) {
	present, err := s.tasks(ctx, tx)
	if err != nil {
		return nil, err
	}
	type name struct{ Task string }
	var changed []string
	names := make([]name, len(defs))
	for i := range defs {
		names[i] = name{defs[i].Name}
		wrote, err := s.defineTask(ctx, tx, present, &defs[i], by)
		if err != nil {
			return nil, fmt.Errorf("task %q: %w", defs[i].Name, err)
		}
		if wrote {
			changed = append(changed, defs[i].Name)
		}
	}
	batch, err := jsonRows(names)
	if err != nil {
		return nil, err
	}
	rows, err := s.queries.query(ctx, tx, "tasks_left", values{"rows": batch, "by": clip(clean(by), nameLen), "now": s.nowArg()})
	if err != nil {
		return nil, err
	}
	err = eachRow(rows, func() error {
		var left string
		err := rows.Scan(&left)
		changed = append(changed, left)
		return err
	})
	if err != nil || len(changed) == 0 {
		return changed, err
	}
	return changed, s.auditTasks(ctx, tx, present, changed, by)
}

// auditTasks writes an entry of the audit log for each task that was changed. before are the tasks
// as they were.
func (s *taskStore) auditTasks(ctx context.Context, tx *sql.Tx, before []workqueue.TaskRow, changed []string, by string) error {
	after, err := s.tasks(ctx, tx)
	if err != nil {
		return err
	}
	for i := range after {
		now := &after[i]
		if !slices.Contains(changed, now.Name) {
			continue
		}
		var was *workqueue.TaskRow
		if at := slices.IndexFunc(before, func(t workqueue.TaskRow) bool { return t.Name == now.Name }); at >= 0 {
			was = &before[at]
		}
		if err := s.auditTask(ctx, tx, by, was, now); err != nil {
			return err
		}
	}
	return nil
}

// defineTask creates a task, or changes one whose definition differs from the stored one.
func (s *taskStore) defineTask(ctx context.Context, tx *sql.Tx, present []workqueue.TaskRow, def *workqueue.TaskRow, by string) (bool, error) {
	v := values{
		"name": def.Name, "by": clip(clean(by), nameLen), "now": s.nowArg(),
		"topic": null(clip(def.Topic, nameLen)), "description": null(clip(def.Description, reasonLen)), "active": def.Active,
		"queue_name": def.QueueName, "pipeline": clean(def.Pipeline), "importance": def.Importance,
		"schedule_config": null(string(def.ScheduleConfig)), "scope": null(string(def.Scope)), "payload": null(string(def.Payload)),
		"resilience_config": null(string(def.ResilienceConfig)), "notification_config": null(string(def.NotificationConfig)),
		"estimated_duration_ms": nil, "definition": null(def.Definition),
	}
	if def.QueueName == "" {
		v["queue_name"] = workqueue.DefaultQueue
	}
	if def.Estimate > 0 {
		v["estimated_duration_ms"] = ms(def.Estimate)
	}
	i := slices.IndexFunc(present, func(t workqueue.TaskRow) bool { return t.Name == def.Name })
	if i < 0 {
		_, err := s.queries.exec(ctx, tx, "define_task_new", v)
		return true, err
	}
	was := present[i]
	if was.Definition == def.Definition && def.Definition != "" {
		return false, nil
	}
	// Firings that the old definition has missed do not concern a new schedule. Other changes
	// leave them to be recorded.
	settle := 0
	if was.ScheduleConfig != def.ScheduleConfig || was.Scope != def.Scope || was.Active != def.Active {
		settle = 1
	}
	v["revision"], v["settle"] = was.Revision, settle
	n, err := s.queries.exec(ctx, tx, "define_task", v)
	if err == nil && n != 1 {
		err = errTaskChanged
	}
	return true, err
}
