package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"

	"botwork/workqueue"
)

// RobotChange implements workqueue.RobotStore.
func (s *holds) RobotChange(ctx context.Context, robot string, id int64, c workqueue.RobotChange) error {
	return s.changeAs(ctx, workqueue.Hold{Robot: robot, ItemID: id}, c, func(tx *sql.Tx) (taken, error) {
		t, err := s.readHeld(ctx, tx, s.in(ctx, tx), workqueue.Hold{Robot: robot, ItemID: id})
		if err == nil {
			err = t.queue.RobotMay(robot, workqueue.RightWrite)
		}
		if err == nil && t.item.DeletedAt != nil {
			err = workqueue.ErrNotFound
		}
		return t, err
	}, func(ctx context.Context, tx *sql.Tx, t *taken, v values) (int, error) {
		n, err := s.queries.exec(ctx, tx, "robot_change", v)
		if err == nil && n == 0 {
			err = workqueue.RefuseRobot("change", &t.item)
		}
		return int(n), err
	})
}

// ChangeCheckout implements workqueue.RobotStore.
func (s *holds) ChangeCheckout(ctx context.Context, h workqueue.Hold, c workqueue.RobotChange) error {
	return s.changeAs(ctx, h, c, func(tx *sql.Tx) (taken, error) {
		return s.holds(ctx, tx, s.in(ctx, tx), h, workqueue.RightWrite)
	}, func(ctx context.Context, tx *sql.Tx, _ *taken, v values) (int, error) {
		v["robot"], v["lock_key"], v["now"] = h.Robot, lockArg(h.LockKey), s.nowArg()
		ids, err := s.queries.ids(ctx, tx, "checkout_change", v)
		if err == nil && len(ids) == 0 {
			if _, err = s.holds(ctx, tx, s.in(ctx, tx), h, workqueue.RightWrite); err == nil {
				err = s.passedOver(h.ItemID)
			}
		}
		return len(ids), err
	})
}

// changeAs changes an item for a robot. read returns the item if the robot may change it, and write
// runs the statement, which repeats that.
func (s *holds) changeAs(ctx context.Context, h workqueue.Hold, c workqueue.RobotChange, read func(tx *sql.Tx) (taken, error),
	write func(ctx context.Context, tx *sql.Tx, t *taken, v values) (int, error)) error {
	robot, id := h.Robot, h.ItemID
	doing := fmt.Sprintf("change item %d", id)
	if err := workqueue.CheckRobot(robot); err != nil {
		return fmt.Errorf("%s: %w", doing, err)
	}
	var unique string // the key that the item would take
	err := s.retry(ctx, doing, func() error {
		return s.tx(ctx, func(tx *sql.Tx) error {
			t, err := read(tx)
			if err != nil {
				return err
			}
			v, err := s.robotChangeValues(&t, c)
			if err != nil {
				return err
			}
			if c.NaturalKey != nil {
				unique = t.queue.UniqueKey(clean(*c.NaturalKey))
				v["sets_key"], v["unique_key"] = 1, null(unique)
			}
			if _, err := s.places(ctx, tx, []int64{id}); err != nil { // locks the item
				return err
			}
			entry := func(items []auditItem) auditEntry { return robotEntry(robot, "", workqueue.Update, items) }
			_, err = s.audited(ctx, tx, []int64{id}, robotColumns(c), entry, func() (int, error) { return write(ctx, tx, &t, v) })
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

// robotEntry returns the entry of the audit log for items that a robot has changed.
func robotEntry(robot, reason string, a workqueue.Action, items []auditItem) auditEntry {
	e := operation{reason: reason}.entry(a, items)
	e.robot = robot
	return e
}

// robotColumns are the columns that the audit log records of a robot's change.
func robotColumns(c workqueue.RobotChange) []string {
	columns := slices.Clone(changedColumns)
	for _, set := range []struct {
		sets   bool
		column string
	}{{c.Metadata != nil, metadataColumn}, {c.Tags != nil, "Tags"}, {c.Priority != nil, "Priority"}, {c.NaturalKey != nil, "NaturalKey"}} {
		if set.sets {
			columns = append(columns, set.column)
		}
	}
	return columns
}

// robotChangeValues are the parameters of a robot's change, but for the unique key. The metadata
// of an encrypted item is sealed.
func (s *holds) robotChangeValues(t *taken, c workqueue.RobotChange) (values, error) {
	it, err := t.queue.PrepareChange(c)
	if err != nil {
		return nil, err
	}
	v := values{
		"id": t.item.ID, "fence": t.item.Fence, "sets_metadata": 0, "metadata": nil, "sets_tags": 0, "tags": nil,
		"priority": nil, "sets_key": 0, "natural_key": null(it.NaturalKey), "unique_key": nil,
	}
	if c.Metadata != nil {
		text, err := jsonColumn(it.Metadata)
		if err == nil && t.item.Encrypted {
			text, err = s.sealText(text, metadataColumn, t.item.ID)
		}
		if err != nil {
			return nil, fmt.Errorf("metadata: %w", err)
		}
		v["sets_metadata"], v["metadata"] = 1, text
	}
	if c.Tags != nil {
		text, err := jsonColumn(slices.Compact(slices.Sorted(slices.Values(it.Tags))))
		if err != nil {
			return nil, fmt.Errorf("tags: %w", err)
		}
		v["sets_tags"], v["tags"] = 1, text
	}
	if c.Priority != nil {
		v["priority"] = it.Priority
	}
	return v, nil
}

// RobotDelete implements workqueue.RobotStore.
func (s *holds) RobotDelete(ctx context.Context, robot, queue, naturalKey, reason string) (int, error) {
	doing := fmt.Sprintf("delete items %q of queue %q", naturalKey, queue)
	if err := errors.Join(workqueue.CheckRobot(robot), workqueue.CheckNaturalKey(naturalKey)); err != nil {
		return 0, fmt.Errorf("%s: %w", doing, err)
	}
	deleted := 0
	err := s.retry(ctx, doing, func() error {
		err := s.tx(ctx, func(tx *sql.Tx) error {
			q, err := s.presentQueue(s.in(ctx, tx), queue)
			if err != nil {
				return err
			}
			deleted, err = s.deleteByKey(ctx, tx, robot, &q, naturalKey, reason)
			return err
		})
		return s.checkouts.naming(ctx, err)
	})
	return deleted, err
}

// deleteByKey deletes what the robot may delete, and says why it may not when
// that is nothing.
func (s *holds) deleteByKey(ctx context.Context, tx *sql.Tx, robot string, q *workqueue.Queue, key, reason string) (int, error) {
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
	d := deletion{reason: reason, naturalKey: key}
	if q.RobotDeletesOnlyOwn {
		d.author = robot
	}
	deleted := 0
	err = s.keepMoves(ctx, tx, ids, func() error {
		picked, err := s.pick(ctx, tx, workqueue.Change{Action: workqueue.Delete}, ids, nil)
		if err != nil {
			return err
		}
		entry := func(items []auditItem) auditEntry { return robotEntry(robot, reason, workqueue.Delete, items) }
		deleted, err = s.audited(ctx, tx, pickedIDs(picked), deletedColumns, entry, func() (int, error) {
			return s.deletePicked(ctx, tx, picked, d)
		})
		return err
	})
	return deleted, err
}
