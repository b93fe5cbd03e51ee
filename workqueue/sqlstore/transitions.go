package sqlstore

import (
	"context"
	"fmt"

	"gorm.io/gorm"

	"botwork/workqueue"
)

// CancelItem implements workqueue.ItemStore.
func (s *Store) CancelItem(ctx context.Context, id int64, reason string) error {
	return s.transition(ctx, "cancel", id, "", []workqueue.State{workqueue.Ready, workqueue.Pending, workqueue.Assigned},
		func(orm *gorm.DB) *gorm.DB {
			return orm.Updates(map[string]any{
				"State": workqueue.Cancelled, "Error": clean(reason), "ErrorKind": string(workqueue.KindCancelled),
				"FinishedAt": s.nowExpr(), "LeaseExpiresAt": nil,
			})
		})
}

// RepeatItem implements workqueue.ItemStore.
func (s *Store) RepeatItem(ctx context.Context, id int64) error {
	return s.transition(ctx, "repeat", id, "only a finished item can be repeated",
		[]workqueue.State{workqueue.Processed, workqueue.Cancelled},
		func(orm *gorm.DB) *gorm.DB {
			return orm.Updates(map[string]any{
				"State": workqueue.Ready, "RetryCount": 0, "ReleaseCount": 0, "AvailableAt": s.nowExpr(),
				"WorkerId": nil, "LeaseExpiresAt": nil, "AssignedAt": nil, "StartedAt": nil, "FinishedAt": nil,
				"FirstStartedAt": nil, "Output": nil, "Progress": nil, "Step": nil, "LogTail": nil, "Error": nil, "ErrorKind": nil,
			})
		})
}

// DeleteItem implements workqueue.ItemStore; the attempts go with the item.
func (s *Store) DeleteItem(ctx context.Context, id int64) error {
	return s.transition(ctx, "delete", id, "a running item cannot be deleted",
		[]workqueue.State{workqueue.Ready, workqueue.Pending, workqueue.Assigned, workqueue.Processed, workqueue.Cancelled},
		func(orm *gorm.DB) *gorm.DB { return orm.Delete(&itemRow{}) })
}

// transition changes one item if its state is one of from, in one statement.
func (s *Store) transition(ctx context.Context, verb string, id int64, hint string, from []workqueue.State, change func(*gorm.DB) *gorm.DB) error {
	var changed int64
	err := s.retry(ctx, fmt.Sprintf("%s item %d", verb, id), func() error {
		orm := s.orm.WithContext(ctx).Model(&itemRow{}).Where(map[string]any{"Id": id, "State": from, "DeletedAt": nil})
		result := change(orm)
		changed = result.RowsAffected
		return result.Error
	})
	if err != nil || changed > 0 {
		return err
	}
	item, err := s.Item(ctx, id)
	if err != nil {
		return fmt.Errorf("%s item %d: %w", verb, id, err)
	}
	if item.DeletedAt != nil {
		hint = "it has been deleted"
	}
	return &workqueue.TransitionError{ItemID: id, Verb: verb, State: item.State, Hint: hint}
}

// nowExpr is the clock for gorm's updates.
func (s *Store) nowExpr() any { return gorm.Expr(s.dialect.clock, s.nowArg()) }
