package sqlstore

import (
	"context"
	"errors"
	"fmt"
	"time"

	"gorm.io/gorm"

	"botwork/internal/database"
	"botwork/workqueue"
)

// holds serves robots that hold an item: they extend the lease, report progress, end the item or change it.
type holds struct {
	*connection
	*itemRows
	*bookkeeping
	*archive
	*queueStore
	*auditing
	*leaseStore
	*itemChanges
	*checkouts
}

// taken is an item as a robot sees it.
type taken struct {
	item  workqueue.Item
	queue workqueue.Queue
	held  bool      // by the hold that the robot presented
	now   time.Time // by the database's clock
}

// readHeld reads an item that a robot names, and its queue. orm reads the queue after the item,
// so that a right that was revoked before the item was read is respected.
func (s *holds) readHeld(ctx context.Context, on runner, orm *gorm.DB, h workqueue.Hold) (taken, error) {
	var t taken
	rows, err := s.queries.query(ctx, on, "checkout_item", values{
		"id": h.ItemID, "robot": h.Robot, "fence": h.Fence, "lock_key": lockArg(h.LockKey), "now": s.nowArg(),
	})
	if err != nil {
		return t, err
	}
	var row itemRow
	var now database.Time
	found := false
	err = eachRow(rows, func() error {
		found = true
		return rows.Scan(append(row.whole(), &row.Due, &t.held, &now)...)
	})
	if err != nil {
		return t, err
	}
	if !found {
		return t, workqueue.ErrNotFound
	}
	t.item, t.now = s.item(&row), now.Time
	t.queue, err = s.presentQueue(orm, row.QueueName)
	return t, err
}

// lockArg returns the parameter for a lock key; NULL matches none.
func lockArg(key string) any {
	if key == "" {
		return nil
	}
	return workqueue.LockKeyHash(key)
}

// holds reads an item for a robot that must hold it and must have the right.
func (s *holds) holds(ctx context.Context, on runner, orm *gorm.DB, h workqueue.Hold, right workqueue.Right) (taken, error) {
	t, err := s.readHeld(ctx, on, orm, h)
	switch {
	case errors.Is(err, workqueue.ErrNotFound):
		return t, workqueue.ErrCheckoutLost // it was deleted or never existed
	case err != nil:
		return t, err
	}
	if err := t.queue.RobotMay(h.Robot, right); err != nil {
		return t, err
	}
	if !t.held {
		return t, workqueue.ErrCheckoutLost
	}
	return t, nil
}

// RobotItem implements workqueue.RobotStore.
func (s *holds) RobotItem(ctx context.Context, h workqueue.Hold) (workqueue.Item, error) {
	var t taken
	err := s.retry(ctx, fmt.Sprintf("read item %d", h.ItemID), func() (err error) {
		if t, err = s.readHeld(ctx, s.db, s.listing.WithContext(ctx), h); err != nil {
			return err
		}
		if err := t.queue.RobotMay(h.Robot, workqueue.RightRead); err != nil {
			return err
		}
		if t.item.DeletedAt != nil {
			return workqueue.ErrNotFound
		}
		return nil
	})
	if err != nil {
		return workqueue.Item{}, err
	}
	if t.item.CheckedOut() && !t.held {
		t.item.Hide()
	}
	return t.item, nil
}

// ExtendCheckout implements workqueue.RobotStore.
func (s *holds) ExtendCheckout(ctx context.Context, h workqueue.Hold, lease time.Duration) (time.Time, error) {
	if lease != 0 {
		if err := workqueue.CheckCheckoutLease(lease); err != nil {
			return time.Time{}, fmt.Errorf("extend item %d: %w", h.ItemID, err)
		}
	}
	var until database.Time
	err := s.changeHeld(ctx, "extend", "checkout_extend", h, values{"lease_ms": leaseArg(lease)}, &until)
	return until.Time, err
}

// RobotProgress implements workqueue.RobotStore.
func (s *holds) RobotProgress(ctx context.Context, h workqueue.Hold, note workqueue.RobotNote) error {
	if err := note.Validate(); err != nil {
		return fmt.Errorf("progress of item %d: %w", h.ItemID, err)
	}
	var id int64
	return s.changeHeld(ctx, "progress of", "checkout_progress", h,
		values{"progress": null(clip(note.Text, reasonLen)), "percent": note.Percent}, &id)
}

// changeHeld runs a statement that changes an item that its robot holds, and scans the
// returned row. The statement checks that the robot holds the item and may change it.
func (s *holds) changeHeld(ctx context.Context, doing, statement string, h workqueue.Hold, v values, into any) error {
	v["id"], v["robot"], v["fence"], v["lock_key"], v["now"] = h.ItemID, h.Robot, h.Fence, lockArg(h.LockKey), s.nowArg()
	return s.retry(ctx, fmt.Sprintf("%s item %d", doing, h.ItemID), func() error {
		rows, err := s.queries.query(ctx, s.db, statement, v)
		if err != nil {
			return err
		}
		changed := false
		err = eachRow(rows, func() error {
			changed = true
			return rows.Scan(into)
		})
		if err != nil || changed {
			return err
		}
		if _, err := s.holds(ctx, s.db, s.listing.WithContext(ctx), h, workqueue.RightRead); err != nil {
			return err
		}
		return s.passedOver(h.ItemID)
	})
}

// passedOver is the error of a statement that did not change an item although its robot holds it:
// another session holds the row, or a moment ago the robot did not hold the item.
func (s *holds) passedOver(id int64) error {
	if s.engine.dialect().passesOver {
		return &workqueue.LockedError{Items: []int64{id}}
	}
	return workqueue.ErrCheckoutLost
}
