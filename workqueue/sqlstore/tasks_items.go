package sqlstore

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"

	"botwork/internal/database"
	"botwork/workqueue"
)

// WaitingTaskItems implements workqueue.TaskStore.
func (s *taskStore) WaitingTaskItems(ctx context.Context, state workqueue.State, afterID int64, limit int) ([]workqueue.TaskItem, error) {
	var items []workqueue.TaskItem
	err := s.retry(ctx, "list waiting items of tasks", func() error {
		items = nil
		rows, err := s.queries.query(ctx, s.db, "task_waiting", values{"state": int(state), "after_id": afterID, "limit_rows": limit})
		if err != nil {
			return err
		}
		return eachRow(rows, func() error {
			var it workqueue.TaskItem
			var planned, deadline database.Time
			err := rows.Scan(&it.ID, &it.Task, &it.Scope, &it.Queue, &it.Priority, &planned, &deadline)
			it.PlannedAt, it.Deadline = planned.Time, deadline.Time
			items = append(items, it)
			return err
		})
	})
	return items, err
}

// ReviseTaskItems implements workqueue.TaskStore.
func (s *taskStore) ReviseTaskItems(ctx context.Context, revisions []workqueue.TaskRevision) (int, error) {
	type row struct {
		ItemID                     int64 `json:"ItemId"`
		OldState, OldPrio, NewPrio int
	}
	total, o := 0, operation{key: workqueue.NewBatchKey()}
	for chunk := range slices.Chunk(revisions, writeBatch) {
		rows := make([]row, len(chunk))
		ids := make([]int64, len(chunk))
		for i, r := range chunk {
			rows[i], ids[i] = row{r.ItemID, int(r.State), r.Old, r.New}, r.ItemID
		}
		// Sorted by id, the order in which all statements lock items.
		slices.SortStableFunc(rows, func(a, b row) int { return cmp.Compare(a.ItemID, b.ItemID) })
		batch, err := jsonRows(rows)
		if err != nil {
			return total, err
		}
		n := 0
		err = s.retry(ctx, "revise priorities", func() error {
			return s.tx(ctx, func(tx *sql.Tx) (err error) {
				n, err = s.revise(ctx, tx, ids, batch, o)
				return err
			})
		})
		if err != nil {
			return total, err
		}
		total += n
	}
	return total, nil
}

// revise sets the priorities of a batch of items and writes that to the audit log.
func (s *taskStore) revise(ctx context.Context, tx *sql.Tx, ids []int64, batch string, o operation) (int, error) {
	if _, err := s.places(ctx, tx, ids); err != nil { // locks the items
		return 0, err
	}
	entry := func(items []auditItem) auditEntry { return o.entry(workqueue.Update, items) }
	return s.audited(ctx, tx, ids, revisedColumns, entry, func() (int, error) {
		n, err := s.queries.exec(ctx, tx, "task_revise", values{"rows": batch})
		return int(n), err
	})
}

// revisedColumns are the columns that the audit log records of a revised item.
var revisedColumns = []string{"Id", "Version", "Priority"}

// NotifyTaskFailures implements workqueue.TaskStore.
func (s *taskStore) NotifyTaskFailures(ctx context.Context, limit int, notice func(workqueue.TaskFailure) (workqueue.NewItem, bool)) (int, error) {
	failures, all, err := s.taskFailures(ctx, limit)
	if err != nil || len(all) == 0 {
		return 0, err
	}
	var marked int
	var lost error
	err = s.underPolicies(ctx, func() error {
		lost = nil
		notices := map[int64]*enqueue{}
		for _, f := range failures {
			item, ok := notice(f)
			if !ok {
				continue
			}
			e, err := s.prepare(ctx, []workqueue.NewItem{item})
			if bad := (*workqueue.BadItemError)(nil); errors.As(err, &bad) {
				// The item can never be inserted. Mark the failure anyway, or every call would
				// read it again and it would hide others.
				lost = errors.Join(lost, fmt.Errorf("the notification of item %d is lost: %w", f.ID, err))
				continue
			}
			if err != nil {
				return err
			}
			notices[f.ID] = e
		}
		return s.retry(ctx, "notify about failures of tasks", func() error {
			return s.tx(ctx, func(tx *sql.Tx) (err error) {
				marked, err = s.markFailures(ctx, tx, all, notices)
				return err
			})
		})
	})
	if err != nil {
		return 0, err
	}
	s.readyIf(marked > 0)
	return marked, lost
}

// itemIDRow is an item inside a JSON parameter.
type itemIDRow struct {
	ItemID int64 `json:"ItemId"`
}

// taskFailures lists the cancelled items that were not handled yet, and the notifications for
// those that finally failed.
func (s *taskStore) taskFailures(ctx context.Context, limit int) ([]workqueue.TaskFailure, []itemIDRow, error) {
	var failures []workqueue.TaskFailure
	var all []itemIDRow
	err := s.retry(ctx, "list failures of tasks", func() error {
		failures, all = nil, nil
		rows, err := s.queries.query(ctx, s.db, "task_failures", values{"limit_rows": limit})
		if err != nil {
			return err
		}
		return eachRow(rows, func() error {
			var f workqueue.TaskFailure
			var scope, text, kind nullText
			var planned, deadline, finished database.Time
			var superseded bool
			err := rows.Scan(&f.ID, &f.Task, &scope, &f.Queue, &f.Priority, &planned, &deadline, &f.Pipeline, &text, &kind,
				&f.Attempts, &finished, &superseded)
			f.Scope, f.Error, f.ErrorKind = string(scope), string(text), workqueue.ErrorKind(kind)
			f.PlannedAt, f.Deadline, f.FinishedAt = planned.Time, deadline.Time, finished.Time
			all = append(all, itemIDRow{f.ID})
			if !superseded && f.ErrorKind != workqueue.KindCancelled && f.ErrorKind != "" {
				failures = append(failures, f)
			}
			return err
		})
	})
	return failures, all, err
}

// markFailures marks the items, and inserts the notifications for those that no other process
// has marked.
func (s *taskStore) markFailures(ctx context.Context, tx *sql.Tx, all []itemIDRow, notices map[int64]*enqueue) (int, error) {
	batch, err := jsonRows(all)
	if err != nil {
		return 0, err
	}
	marked, err := s.queries.ids(ctx, tx, "task_notify", values{"rows": batch, "now": s.nowArg()})
	if err != nil {
		return 0, err
	}
	slices.Sort(marked)
	for _, id := range marked {
		if e, ok := notices[id]; ok {
			if err := e.write(ctx, tx); err != nil {
				return 0, err
			}
		}
	}
	return len(marked), nil
}
