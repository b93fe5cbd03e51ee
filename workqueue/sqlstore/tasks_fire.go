package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"

	"botwork/workqueue"
)

// fireBatch limits the items that one transaction inserts for tasks.
const fireBatch = 200

// FireTasks implements workqueue.TaskStore.
func (s *taskStore) FireTasks(ctx context.Context, windows []workqueue.TaskWindow, by string) ([]workqueue.TaskItem, error) {
	var made []workqueue.TaskItem
	for batch := range slices.Chunk(windows, fireBatch) {
		items, err := s.fireBatch(ctx, batch, by)
		made = append(made, items...)
		if err != nil {
			return made, err
		}
	}
	return made, nil
}

// scopeKey is a task and a scope value, as in the records of firings.
type scopeKey struct{ schedule, scope string }

func (s *taskStore) fireBatch(ctx context.Context, windows []workqueue.TaskWindow, by string) ([]workqueue.TaskItem, error) {
	type row struct {
		Name, Task, Holder, Instant string
		Closes                      *string
		Author                      string
	}
	var rows []row
	byKey := map[scopeKey]taskItem{}
	for _, w := range windows {
		key := scopeKey{workqueue.TaskSchedule(w.Task), w.Scope}
		if _, twice := byKey[key]; twice {
			continue // the second of two windows in one call would find the item of the first
		}
		byKey[key] = taskItem{TaskWindow: w, index: len(rows)}
		rows = append(rows, row{
			Name: key.schedule, Task: w.Task, Holder: w.Scope, Instant: w.PlannedAt.UTC().Format(s.engine.dialect().jsonTime),
			Closes: s.jsonTime(w.Item.Deadline), Author: clip(clean(by), nameLen),
		})
	}
	batch, err := jsonRows(rows)
	if err != nil {
		return nil, err
	}
	var made []workqueue.TaskItem
	err = s.underPolicies(ctx, func() error {
		for key, it := range byKey {
			if it.insert, err = s.prepare(ctx, []workqueue.NewItem{it.Item}); err != nil {
				return fmt.Errorf("task %q: %w", it.Task, err)
			}
			byKey[key] = it
		}
		return s.retry(ctx, "insert the items of tasks", func() error {
			return s.tx(ctx, func(tx *sql.Tx) (err error) {
				made, err = s.fire(ctx, tx, batch, byKey)
				return err
			})
		})
	})
	if err != nil {
		return nil, err
	}
	s.readyIf(len(made) > 0)
	return made, nil
}

// taskItem is an item of a task that is ready to be inserted.
type taskItem struct {
	workqueue.TaskWindow
	index  int // position in the list of windows
	insert *enqueue
}

// underPolicies inserts prepared items, and repeats that if a queue's policy has changed
// meanwhile, or if another process has just inserted a unique key: the next try finds it.
func (s *enqueuing) underPolicies(ctx context.Context, do func() error) error {
	var err error
	for range enqueueTries {
		err = do()
		switch {
		case errors.Is(err, errPolicyChanged):
			if err := s.readPolicies(ctx); err != nil {
				return err
			}
		case classify(err) != uniqueError:
			return err
		}
	}
	return err
}

// fire records the windows that have no record yet, and inserts their items.
func (s *taskStore) fire(ctx context.Context, tx *sql.Tx, batch string, windows map[scopeKey]taskItem) ([]workqueue.TaskItem, error) {
	rows, err := s.queries.query(ctx, tx, "task_fire", values{"rows": batch, "now": s.nowArg()})
	if err != nil {
		return nil, err
	}
	var won []taskItem
	err = eachRow(rows, func() error {
		var key scopeKey
		if err := rows.Scan(&key.schedule, &key.scope); err != nil {
			return err
		}
		it, ok := windows[key]
		if !ok {
			return fmt.Errorf("unexpected record of %q for %q", key.schedule, key.scope)
		}
		won = append(won, it)
		return nil
	})
	if err != nil || len(won) == 0 {
		return nil, err
	}
	slices.SortStableFunc(won, func(a, b taskItem) int { return a.index - b.index })
	ids, err := s.insertTaskItems(ctx, tx, won)
	if err != nil {
		return nil, err
	}
	made := make([]workqueue.TaskItem, len(won))
	for i, it := range won {
		made[i] = workqueue.TaskItem{
			ID: ids[i], Task: it.Task, Scope: it.Scope, Queue: it.Item.QueueName, Priority: it.insert.rows[0].prio,
			PlannedAt: it.PlannedAt, Deadline: it.Item.Deadline,
		}
	}
	return made, nil
}

// RunTask implements workqueue.TaskStore.
func (s *taskStore) RunTask(ctx context.Context, task string, part workqueue.BatchPart, items []workqueue.ScopedItem) ([]int64, error) {
	var ids []int64
	plain := make([]workqueue.NewItem, len(items))
	for i, it := range items {
		plain[i] = it.Item
	}
	err := s.underPolicies(ctx, func() error {
		p, err := s.enqueuePart(ctx, part, plain)
		if err != nil {
			return fmt.Errorf("task %q: %w", task, err)
		}
		if before, err := s.enqueuedBefore(ctx, p); err != nil || before != nil {
			ids = workqueue.IDs(before)
			return err
		}
		list := make([]taskItem, len(items))
		for i, it := range items {
			insert, err := s.prepare(ctx, []workqueue.NewItem{it.Item})
			if err != nil {
				return fmt.Errorf("task %q: %w", task, err)
			}
			list[i] = taskItem{workqueue.TaskWindow{Task: task, ScopedItem: it}, i, insert}
		}
		return s.retry(ctx, fmt.Sprintf("run task %q", task), func() error {
			return s.tx(ctx, func(tx *sql.Tx) (err error) {
				if ids, err = s.insertTaskItems(ctx, tx, list); err != nil || len(ids) == 0 {
					return err
				}
				err = s.audit(ctx, tx, auditEntry{
					action: workqueue.AuditTasksRun, kind: workqueue.TargetTask, target: task, changed: len(ids), by: items[0].Item.CreatedBy,
					items: createdItems(ids),
				})
				if err != nil {
					return err
				}
				results := make([]workqueue.Enqueued, len(ids))
				for i, id := range ids {
					results[i].ID = id
				}
				return s.recordEnqueued(ctx, tx, p, results)
			})
		})
	})
	if err != nil {
		return nil, unanswered(part, err)
	}
	s.readyIf(len(ids) > 0)
	return ids, nil
}

// createdItems lists new items for the audit log.
func createdItems(ids []int64) []auditItem {
	items := make([]auditItem, len(ids))
	for i, id := range ids {
		items[i] = auditItem{ItemID: id}
	}
	return items
}

// insertTaskItems inserts items and records the task, scope value and window of each. It
// returns their ids in the order of the items.
func (s *taskStore) insertTaskItems(ctx context.Context, tx *sql.Tx, items []taskItem) ([]int64, error) {
	type row struct {
		ItemID  int64 `json:"ItemId"`
		Task    string
		Scope   *string
		Instant *string
	}
	rows := make([]row, len(items))
	ids := make([]int64, len(items))
	for i, it := range items {
		if err := it.insert.write(ctx, tx); err != nil {
			return nil, fmt.Errorf("task %q: %w", it.Task, err)
		}
		ids[i] = it.insert.results[0].ID
		rows[i] = row{ItemID: ids[i], Task: it.Task, Scope: null(it.Scope), Instant: s.jsonTime(it.PlannedAt)}
	}
	batch, err := jsonRows(rows)
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	_, err = s.queries.exec(ctx, tx, "task_items", values{"rows": batch})
	return ids, err
}
