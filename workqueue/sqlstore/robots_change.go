package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"

	"botwork/workqueue"
)

// waitingStates are the states of items that no worker or robot has claimed.
var waitingStates = []workqueue.State{workqueue.Ready, workqueue.Pending}

// RobotChange implements workqueue.RobotStore.
func (s *Store) RobotChange(ctx context.Context, robot string, id int64, c workqueue.RobotChange) error {
	doing := fmt.Sprintf("change item %d", id)
	if err := workqueue.CheckRobot(robot); err != nil {
		return fmt.Errorf("%s: %w", doing, err)
	}
	var unique string // the key that the item would take
	err := s.retry(ctx, doing, func() error {
		return s.tx(ctx, func(tx *sql.Tx) error {
			t, err := s.look(ctx, tx, s.in(ctx, tx), workqueue.Hold{Robot: robot, ItemID: id})
			if err != nil {
				return err
			}
			if err := t.queue.RobotMay(robot, workqueue.RightWrite); err != nil {
				return err
			}
			if t.item.DeletedAt != nil {
				return workqueue.ErrNotFound
			}
			columns, err := s.changedColumns(&t, c)
			if err != nil {
				return err
			}
			if c.NaturalKey != nil {
				unique = t.queue.UniqueKey(clean(*c.NaturalKey))
				columns["UniqueKey"] = null(unique)
			}
			n, err := rows(s.in(ctx, tx).Model(&itemRow{}).
				Where(map[string]any{"Id": id, "State": waitingStates, "Fence": t.item.Fence, "DeletedAt": nil}).Updates(columns))
			if err == nil && n == 0 {
				return workqueue.RefuseRobot("change", &t.item)
			}
			return err
		})
	})
	if classify(err) != uniqueError {
		return err
	}
	holder, lookErr := s.holder(ctx, map[string]any{"UniqueKey": unique})
	if lookErr != nil || holder == 0 {
		return errors.Join(err, lookErr)
	}
	return fmt.Errorf("%s: %w", doing, &workqueue.DuplicateError{ItemID: holder, What: fmt.Sprintf("natural key %q", *c.NaturalKey)})
}

// changedColumns are the columns that a robot's change sets, but for the unique
// key. The metadata of an encrypted item is sealed.
func (s *Store) changedColumns(t *taken, c workqueue.RobotChange) (map[string]any, error) {
	it, err := t.queue.PrepareChange(c)
	if err != nil {
		return nil, err
	}
	columns := map[string]any{}
	if c.Metadata != nil {
		text, err := jsonColumn(it.Metadata)
		if err == nil && t.item.Encrypted {
			text, err = s.sealText(text, metadataColumn, t.item.ID)
		}
		if err != nil {
			return nil, fmt.Errorf("metadata: %w", err)
		}
		columns["Metadata"] = text
	}
	if c.Tags != nil {
		text, err := jsonColumn(slices.Compact(slices.Sorted(slices.Values(it.Tags))))
		if err != nil {
			return nil, fmt.Errorf("tags: %w", err)
		}
		columns["Tags"] = text
	}
	if c.Priority != nil {
		columns["Priority"] = it.Priority
	}
	if c.NaturalKey != nil {
		columns["NaturalKey"] = null(it.NaturalKey)
	}
	return columns, nil
}

// RobotDelete implements workqueue.RobotStore.
func (s *Store) RobotDelete(ctx context.Context, robot, queue, naturalKey, reason string) (int, error) {
	doing := fmt.Sprintf("delete items %q of queue %q", naturalKey, queue)
	if err := errors.Join(workqueue.CheckRobot(robot), workqueue.CheckNaturalKey(naturalKey)); err != nil {
		return 0, fmt.Errorf("%s: %w", doing, err)
	}
	deleted := 0
	err := s.retry(ctx, doing, func() error {
		return s.tx(ctx, func(tx *sql.Tx) error {
			q, err := s.robotQueue(s.in(ctx, tx), queue)
			if err != nil {
				return err
			}
			deleted, err = s.deleteByKey(ctx, tx, robot, &q, naturalKey, reason)
			return err
		})
	})
	return deleted, s.naming(ctx, err)
}

// deleteByKey deletes what the robot may delete, and says why it may not when
// that is nothing.
func (s *Store) deleteByKey(ctx context.Context, tx *sql.Tx, robot string, q *workqueue.Queue, key, reason string) (int, error) {
	if err := q.RobotMay(robot, workqueue.RightWrite); err != nil {
		return 0, err
	}
	var found []itemRow
	err := s.in(ctx, tx).Where(map[string]any{"QueueName": q.Name, "NaturalKey": clean(key), "DeletedAt": nil}).
		Order(ascending("Id")).Limit(changePage).Find(&found).Error
	if err != nil {
		return 0, err
	}
	refused := error(workqueue.ErrNotFound)
	var ids []int64
	for i := range found {
		it := s.item(&found[i])
		if err := q.MayDelete(robot, &it); err != nil {
			refused = err
			continue
		}
		ids = append(ids, it.ID)
	}
	if len(ids) == 0 {
		return 0, refused
	}
	deleted := 0
	err = s.keepMoves(ctx, tx, ids, func() (err error) {
		which := s.in(ctx, tx).Model(&itemRow{}).
			Where(map[string]any{"Id": ids, "State": workqueue.Delete.From(), "DeletedAt": nil, "NaturalKey": clean(key)})
		if q.RobotDeletesOnlyOwn {
			which = which.Where(map[string]any{"CreatedBy": robot})
		}
		if q.Deletion == workqueue.DeletionLogical {
			deleted, err = rows(which.Updates(s.hidden(ctx, reason)))
		} else {
			deleted, err = rows(which.Delete(&itemRow{}))
		}
		return err
	})
	return deleted, err
}
