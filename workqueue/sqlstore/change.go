package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"botwork/workqueue"
)

// ChangeItem implements workqueue.ItemStore.
func (s *Store) ChangeItem(ctx context.Context, id int64, c workqueue.Change) (clone int64, err error) {
	doing := fmt.Sprintf("%s item %d", c.Action, id)
	part := changePart(c, -id)
	if before, found, err := s.changedBefore(ctx, part); err != nil || found {
		return firstClone(before), err
	}
	changed := 0
	err = s.retry(ctx, doing, func() (err error) {
		if c.DryRun {
			return nil
		}
		if c.Action == workqueue.Clone {
			clone, err = s.clone(ctx, id, c.By, part)
			return err
		}
		changed, err = s.apply(ctx, c, []int64{id}, nil, part, 0)
		return err
	})
	err = unanswered(part.BatchPart, err)
	s.readyIf(err == nil && (clone > 0 || changed > 0 && c.Action.MakesReady()))
	switch {
	case classify(err) == uniqueError:
		if before, found, err := s.changedBefore(ctx, part); err != nil || found {
			return firstClone(before), err // another call has done it in this moment
		}
		return 0, fmt.Errorf("%s: %w", doing, s.duplicateOf(ctx, id))
	case err != nil || clone > 0:
		return clone, err
	case changed > 0:
		if c.Action == workqueue.Cancel || c.Action == workqueue.Archive {
			_ = s.trimAllArchives(ctx) // the change is done; what this leaves, the next one takes
		}
		return 0, nil
	}
	item, err := s.Item(ctx, id)
	switch {
	case errors.Is(err, workqueue.ErrNotFound):
		return 0, fmt.Errorf("%s: %w", doing, workqueue.ErrNotFound)
	case err != nil:
		return 0, fmt.Errorf("%s: %w", doing, err)
	}
	if c.DryRun && c.Allows(&item) {
		return 0, nil
	}
	return 0, c.Refuse(&item)
}

// changePage bounds a page of ChangeItems: SQL Server takes 2,100 parameters
// and locks a table from 5,000 rows on. dryPage bounds one that only counts.
const (
	changePage = 500
	dryPage    = 10_000
)

// ChangeItems implements workqueue.ItemStore.
func (s *Store) ChangeItems(ctx context.Context, f workqueue.ItemFilter, c workqueue.Change) (workqueue.ChangeResult, error) {
	part := changePart(c, c.Batch.Part)
	if before, found, err := s.changedBefore(ctx, part); err != nil || found {
		return before, err
	}
	var result workqueue.ChangeResult
	page := changePage
	if c.DryRun {
		page = dryPage
	}
	limit := min(orDefault(f.Limit, page), page)
	ids, err := s.changeable(ctx, f, c.Action, limit)
	if err != nil || len(ids) == 0 {
		return result, err
	}
	result.Top = ids[0] + 1
	if len(ids) == limit {
		result.Next = ids[limit-1]
	}
	if c.DryRun {
		result.Changed = len(ids)
		return result, nil
	}
	if c.Action == workqueue.Clone {
		err = s.cloneEach(ctx, ids, c, &result)
		s.readyIf(result.Changed > 0)
		return result, err
	}
	err = s.retry(ctx, string(c.Action)+" items", func() error {
		result.Changed, err = s.apply(ctx, c, ids, func(orm *gorm.DB) *gorm.DB { return s.narrow(ctx, orm, f) }, part, result.Next)
		return err
	})
	err = unanswered(part.BatchPart, err)
	s.readyIf(err == nil && result.Changed > 0 && c.Action.MakesReady())
	if c.Action == workqueue.Cancel || c.Action == workqueue.Archive {
		_ = s.trimAllArchives(ctx) // as above
	}
	if classify(err) != uniqueError {
		return result, err
	}
	if before, found, err := s.changedBefore(ctx, part); err != nil || found {
		return before, err // another call has done it in this moment
	}
	// One of them would take a key that another item has by now: the rest goes
	// one by one.
	for _, id := range ids {
		switch _, err := s.ChangeItem(ctx, id, c); {
		case err == nil:
			result.Changed++
		case !passedOver(err, &result):
			return result, err
		}
	}
	return result, nil
}

// passedOver reports whether an item may not be changed or is gone, so that the others
// continue. Items whose key is in use are counted.
func passedOver(err error, result *workqueue.ChangeResult) bool {
	if errors.Is(err, workqueue.ErrNotFound) {
		return true
	}
	if _, ok := errors.AsType[*workqueue.DuplicateError](err); ok {
		result.KeysTaken++
		return true
	}
	_, ok := errors.AsType[*workqueue.TransitionError](err)
	return ok
}

// changeable lists the ids of a page.
func (s *Store) changeable(ctx context.Context, f workqueue.ItemFilter, a workqueue.Action, limit int) ([]int64, error) {
	var ids []int64
	err := s.retry(ctx, "list items to "+string(a), func() error {
		ids = nil
		orm := s.narrow(ctx, s.listing.WithContext(ctx).Model(&itemRow{}), f)
		if !a.TakesDeleted() || !f.Deleted() {
			orm = orm.Where(map[string]any{"DeletedAt": nil})
		}
		return orm.Where(map[string]any{"State": a.From()}).
			Order(clause.OrderByColumn{Column: column("Id"), Desc: true}).Limit(limit).Pluck("Id", &ids).Error
	})
	return ids, err
}

// apply changes the items among ids whose state allows it and that a filter,
// unless it is nil, still picks, all of them or, with an error, none.
//
// It records the part, with next as the page that follows.
func (s *Store) apply(ctx context.Context, c workqueue.Change, ids []int64, filter func(*gorm.DB) *gorm.DB, part batchPart, next int64) (n int, err error) {
	var keys map[int64]string
	if c.Action == workqueue.Repeat || c.Action == workqueue.RunNow {
		if keys, err = s.keysToTake(ctx, ids); err != nil {
			return 0, err
		}
	}
	err = s.tx(ctx, func(tx *sql.Tx) error {
		orm := s.orm.WithContext(ctx)
		orm.Statement.ConnPool = tx
		from := func(states ...workqueue.State) *gorm.DB {
			picked := orm.Model(&itemRow{}).Where(map[string]any{"Id": ids, "State": states})
			if !c.Action.TakesDeleted() {
				picked = picked.Where(map[string]any{"DeletedAt": nil})
			}
			if filter != nil {
				picked = filter(picked)
			}
			return picked
		}
		return s.keepMoves(ctx, tx, ids, func() (err error) {
			if n, err = s.applyTo(ctx, tx, c, len(ids), from, keys); err != nil || n == 0 && part.Part < 0 {
				return err // the item stays as it is, and no record says otherwise
			}
			return s.recordChange(ctx, tx, part, workqueue.ChangeResult{Changed: n, Next: next, Top: ids[0] + 1})
		})
	})
	if err != nil {
		return 0, err
	}
	return n, nil
}

// applyTo changes what from picks of so many ids. Each item is changed by one
// statement, which repeats its state.
func (s *Store) applyTo(ctx context.Context, tx *sql.Tx, c workqueue.Change, ids int, from func(...workqueue.State) *gorm.DB, keys map[int64]string) (int, error) {
	switch c.Action {
	case workqueue.RunNow:
		return s.revive(c.Action, keys, s.dueNow, from)
	case workqueue.Archive:
		return rows(from(c.Action.From()...).Updates(s.ended(c.Reason)))
	case workqueue.Cancel:
		n, err := rows(from(workqueue.Ready, workqueue.Pending, workqueue.Assigned).Updates(s.ended(c.Reason)))
		if err != nil || n == ids {
			return n, err
		}
		running, err := s.cancelRunning(ctx, tx, c.Reason, from)
		return n + running, err
	case workqueue.Repeat:
		return s.revive(c.Action, keys, s.asNew, from)
	case workqueue.Delete:
		logical := s.queuesThat(ctx, map[string]any{"Deletion": string(workqueue.DeletionLogical)})
		n, err := rows(from(c.Action.From()...).
			Where(clause.Expr{SQL: "? IN (?)", Vars: []any{column("QueueName"), logical}}).Updates(s.hidden(ctx, c.Reason)))
		if err != nil || n == ids {
			return n, err
		}
		removed, err := rows(from(c.Action.From()...).
			Where(clause.Expr{SQL: "? NOT IN (?)", Vars: []any{column("QueueName"), logical}}).Delete(&itemRow{}))
		return n + removed, err
	default:
		return 0, fmt.Errorf("action %q: want one of %v", c.Action, workqueue.Actions())
	}
}

func rows(result *gorm.DB) (int, error) { return int(result.RowsAffected), result.Error }

// cancelRunning takes running items from their workers, for good: what their
// runs write afterwards is refused like any late result, and their workers stop
// them when they learn of it. The attempts are noted as failed.
func (s *Store) cancelRunning(ctx context.Context, tx *sql.Tx, reason string, from func(...workqueue.State) *gorm.DB) (int, error) {
	var running []itemRow
	if err := from(workqueue.Blocked).Order(clause.OrderByColumn{Column: column("Id")}).Find(&running).Error; err != nil {
		return 0, err
	}
	notes := map[refRow]attemptRow{}
	var ended []refRow
	for i := range running {
		r := &running[i]
		n, err := rows(from(workqueue.Blocked).Where(map[string]any{"Id": r.ID, "Fence": r.Fence}).Updates(s.ended(reason)))
		if err != nil {
			return 0, err
		}
		if n == 0 {
			continue // it ended or was claimed again just now
		}
		ref := refRow{ItemID: r.ID, ItemFence: r.Fence}
		ended = append(ended, ref)
		notes[ref] = attemptRow{
			refRow: ref, Number: r.RetryCount + 1, Result: "failed", HolderID: r.WorkerID,
			ErrorText: null(reason), Kind: null(string(workqueue.KindCancelled)),
		}
	}
	return len(ended), s.note(ctx, tx, notes, ended)
}

// ended are the columns of an item that a person has ended.
func (s *Store) ended(reason string) map[string]any {
	return map[string]any{
		"State": workqueue.Cancelled, "Error": null(reason), "ErrorKind": string(workqueue.KindCancelled),
		"FinishedAt": s.nowExpr(), "LeaseExpiresAt": nil, "RetainUntil": nil,
	}
}

// dueNow are the columns of an item that is to run as soon as it can.
func (s *Store) dueNow() map[string]any {
	return map[string]any{
		"State": s.waitingState(), "AvailableAt": s.nowExpr(), "Scheduled": false, "FinishedAt": nil, "RetainUntil": nil,
		"DeadlineAt": s.unlessOver("DeadlineAt"), "ExpiresAt": s.unlessOver("ExpiresAt"),
		"WorkerId": nil, "LeaseExpiresAt": nil, "AssignedAt": nil,
	}
}

// waitingState keeps what waits on request Pending; all else becomes Ready.
func (s *Store) waitingState() clause.Expr {
	return gorm.Expr("CASE WHEN ? = 4 THEN 4 ELSE 0 END", column("State"))
}

// unlessOver keeps a bound that lies ahead: one that is over would cancel the
// item at once.
func (s *Store) unlessOver(name string) clause.Expr {
	return gorm.Expr("CASE WHEN ? >= "+s.engine.dialect().clock+" THEN ? END", column(name), s.nowArg(), column(name))
}

// asNew are the columns of an item that begins from zero, but for its fence: for other systems
// it is new work, under a new idempotency key. BegunFence 0
// keeps its last start in the log of starts, which would else take it for given back.
func (s *Store) asNew() map[string]any {
	return map[string]any{
		"State": workqueue.Ready, "RetryCount": 0, "ReleaseCount": 0, "AvailableAt": s.nowExpr(), "Scheduled": false,
		"WorkerId": nil, "LeaseExpiresAt": nil, "AssignedAt": nil, "StartedAt": nil, "FinishedAt": nil,
		"FirstStartedAt": nil, "BegunFence": 0, "Output": nil, "Progress": nil, "ProgressPercent": nil, "Step": nil, "LogTail": nil, "PipelineHash": nil,
		"Error": nil, "ErrorKind": nil, "RetainUntil": nil, "Analytics": nil, "DeletedAt": nil, "DeletedReason": nil,
		"Robot": nil, "LockKey": nil, "RunOrder": 0, "AssignedEstimateMs": nil, "Channel": nil,
		"DeadlineAt": s.unlessOver("DeadlineAt"), "ExpiresAt": s.unlessOver("ExpiresAt"),
		"IdempotencyKey": gorm.Expr(s.engine.dialect().randomKey),
	}
}

// hidden are the columns of a logically deleted item. What waited is over, so
// that the indexes of waiting items hold nothing that is deleted. Its natural
// key is free again, unless the queue counts deleted items.
func (s *Store) hidden(ctx context.Context, reason string) map[string]any {
	waits := gorm.Expr("CASE WHEN ? IN (0, 4, 5) THEN 3 ELSE ? END", column("State"), column("State"))
	counted := s.queuesThat(ctx, map[string]any{"DeletedKeysCount": true})
	return map[string]any{
		"State": waits, "DeletedAt": s.nowExpr(), "DeletedReason": null(clip(reason, reasonLen)), "LeaseExpiresAt": nil,
		"FinishedAt": gorm.Expr("COALESCE(?, ?)", column("FinishedAt"), s.nowExpr()),
		"UniqueKey":  gorm.Expr("CASE WHEN ? IN (?) THEN ? END", column("QueueName"), counted, column("UniqueKey")),
	}
}

// queuesThat is a subquery of the names of queues.
func (s *Store) queuesThat(ctx context.Context, where map[string]any) *gorm.DB {
	return s.orm.WithContext(ctx).Model(&queueRow{}).Select("Name").Where(where)
}

// nowExpr is the clock for gorm's updates.
func (s *Store) nowExpr() clause.Expr { return gorm.Expr(s.engine.dialect().clock, s.nowArg()) }

func column(name string) clause.Column { return clause.Column{Name: name} }
