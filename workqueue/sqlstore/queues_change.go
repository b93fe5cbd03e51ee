package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"

	"botwork/workqueue"
)

// PauseQueue implements workqueue.QueueStore.
func (s *queueStore) PauseQueue(ctx context.Context, name string) (bool, error) {
	return s.setPaused(ctx, workqueue.AuditQueuesPause, name, true)
}

// ResumeQueue implements workqueue.QueueStore.
func (s *queueStore) ResumeQueue(ctx context.Context, name string) (bool, error) {
	return s.setPaused(ctx, workqueue.AuditQueuesResume, name, false)
}

func (s *queueStore) setPaused(ctx context.Context, action, name string, paused bool) (changed bool, err error) {
	verb := strings.TrimPrefix(action, "queues.")
	err = s.retry(ctx, fmt.Sprintf("%s queue %q", verb, name), func() error {
		changed = false
		err := s.tx(ctx, func(tx *sql.Tx) error {
			n, err := s.queries.exec(ctx, tx, "pause_queue", values{"name": name, "paused": paused, "now": s.nowArg()})
			if changed = n > 0; err != nil || !changed {
				return err
			}
			return s.audit(ctx, tx, pauseEntry(auditEntry{action: action, kind: workqueue.TargetQueue, target: name}, paused))
		})
		if changed || err != nil {
			return err
		}
		_, err = s.queueByName(s.listing.WithContext(ctx), name) // the queue is already in that state, or does not exist
		return err
	})
	s.readyIf(err == nil && changed && !paused)
	return changed, err
}

// pauseEntry completes the entry of a pause, or of its end.
func pauseEntry(e auditEntry, paused bool) auditEntry {
	e.changed, e.before, e.after = 1, auditValues{"paused": valueOf(!paused)}, auditValues{"paused": valueOf(paused)}
	return e
}

// DeleteQueue implements workqueue.QueueStore.
func (s *queueStore) DeleteQueue(ctx context.Context, name string) error {
	if name == workqueue.DefaultQueue {
		return workqueue.ErrDefaultQueue
	}
	err := s.retry(ctx, fmt.Sprintf("delete queue %q", name), func() error {
		return s.tx(ctx, func(tx *sql.Tx) error {
			was, err := s.queueByName(s.in(ctx, tx), name)
			if err != nil {
				return err
			}
			n, err := s.queries.exec(ctx, tx, "delete_queue", values{"name": name})
			if err != nil {
				return err
			}
			if n == 0 {
				return workqueue.ErrNotFound
			}
			for _, statement := range []string{"stat_forget", "series_forget", "series_forget_new", "gauge_forget"} {
				if _, err = s.queries.exec(ctx, tx, statement, values{"queue": name}); err != nil {
					return err
				}
			}
			if was.DefinedBySettings() {
				by := commandName(workqueue.ActorFrom(ctx).Name)
				if _, err = s.queries.exec(ctx, tx, "deleted_queue_add", values{"name": was.Name, "by": by, "now": s.nowArg()}); err != nil {
					return err
				}
			}
			return s.auditQueue(ctx, tx, workqueue.AuditQueuesDelete, "", &was, nil)
		})
	})
	if classify(err) != foreignKeyError {
		return err
	}
	items, counted := s.queueItems(ctx, name)
	if counted != nil || items == 0 { // 0: another table refers to the queue
		return errors.Join(err, counted)
	}
	return &workqueue.QueueNotEmptyError{Queue: name, Items: items}
}

// queueItems counts the items of a queue, up to workqueue.QueueItemsCounted.
func (s *queueStore) queueItems(ctx context.Context, name string) (items int, err error) {
	err = s.retry(ctx, fmt.Sprintf("count the items of queue %q", name), func() error {
		rows, err := s.queries.query(ctx, s.db, "queue_items", values{"name": name, "most": workqueue.QueueItemsCounted})
		if err != nil {
			return err
		}
		return eachRow(rows, func() error { return rows.Scan(&items) })
	})
	return items, err
}
