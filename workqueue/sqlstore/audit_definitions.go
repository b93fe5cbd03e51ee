package sqlstore

import (
	"context"
	"database/sql"

	"botwork/workqueue"
)

// auditQueue writes that a queue was defined, changed or deleted. was and now are the queue before
// and after; nil: there was none, or is none.
func (s *auditing) auditQueue(ctx context.Context, tx *sql.Tx, action, by string, was, now *workqueue.Queue) error {
	// What changes with every definition is not part of it.
	leaveOut := []string{"id", "name", "revision", "definedBy", "createdAt", "updatedAt"}
	e := auditEntry{action: action, kind: workqueue.TargetQueue, changed: 1, by: by}
	var before, after auditValues
	for _, of := range []struct {
		queue *workqueue.Queue
		into  *auditValues
	}{{was, &before}, {now, &after}} {
		if of.queue == nil {
			continue
		}
		e.target = of.queue.Name
		var err error
		if *of.into, err = rowValues(of.queue, leaveOut...); err != nil {
			return err
		}
	}
	e.before, e.after = differing(before, after)
	return s.audit(ctx, tx, e)
}

// auditTask writes that a task was defined, changed or set inactive. was is nil for a new task.
func (s *auditing) auditTask(ctx context.Context, tx *sql.Tx, by string, was, now *workqueue.TaskRow) error {
	before, err := taskValues(was)
	if err != nil {
		return err
	}
	after, err := taskValues(now)
	if err != nil {
		return err
	}
	e := auditEntry{action: workqueue.AuditTasksDefine, kind: workqueue.TargetTask, target: now.Name, changed: 1, by: by}
	e.before, e.after = differing(before, after)
	return s.audit(ctx, tx, e)
}

// taskValues returns the values of a task. The log has only the hash of its payload, because the
// items of the task may be encrypted.
func taskValues(t *workqueue.TaskRow) (auditValues, error) {
	if t == nil {
		return nil, nil
	}
	v, err := rowValues(t, "name", "definition", "definedBy", "updatedAt", "revision", "settledUntil")
	if err == nil && t.Payload != "" {
		v["payload"] = marker(string(t.Payload), false)
	}
	if err == nil {
		v["estimate"] = valueOf(workqueue.OrNil(workqueue.Duration(t.Estimate)))
	}
	return v, err
}
