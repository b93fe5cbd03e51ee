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

// taken is an item as a robot finds it.
type taken struct {
	item  workqueue.Item
	queue workqueue.Queue
	held  bool      // by the hold that was shown
	now   time.Time // by the database's clock
}

// look reads an item that a robot names, and what its queue says of robots.
// orm reads the queue: behind the item, so that a right that was taken away
// before the item was read counts.
func (s *Store) look(ctx context.Context, on runner, orm *gorm.DB, h workqueue.Hold) (taken, error) {
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
	t.queue, err = s.robotQueue(orm, row.QueueName)
	return t, err
}

// lockArg is the parameter of a lock key; NULL matches none.
func lockArg(key string) any {
	if key == "" {
		return nil
	}
	return workqueue.LockKeyHash(key)
}

// holds reads an item for a robot that has to hold it and to have the right.
func (s *Store) holds(ctx context.Context, on runner, orm *gorm.DB, h workqueue.Hold, right workqueue.Right) (taken, error) {
	t, err := s.look(ctx, on, orm, h)
	switch {
	case errors.Is(err, workqueue.ErrNotFound):
		return t, workqueue.ErrCheckoutLost // it was deleted, or never was: there is nothing to hold
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
func (s *Store) RobotItem(ctx context.Context, h workqueue.Hold) (workqueue.Item, error) {
	var t taken
	err := s.retry(ctx, fmt.Sprintf("read item %d", h.ItemID), func() (err error) {
		if t, err = s.look(ctx, s.db, s.listing.WithContext(ctx), h); err != nil {
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
func (s *Store) ExtendCheckout(ctx context.Context, h workqueue.Hold, lease time.Duration) (time.Time, error) {
	if lease != 0 {
		if err := workqueue.CheckCheckoutLease(lease); err != nil {
			return time.Time{}, fmt.Errorf("extend item %d: %w", h.ItemID, err)
		}
	}
	var until database.Time
	err := s.goOn(ctx, "extend", "checkout_extend", h, values{"lease_ms": leaseArg(lease)}, &until)
	return until.Time, err
}

// RobotProgress implements workqueue.RobotStore.
func (s *Store) RobotProgress(ctx context.Context, h workqueue.Hold, note workqueue.RobotNote) error {
	if err := note.Validate(); err != nil {
		return fmt.Errorf("progress of item %d: %w", h.ItemID, err)
	}
	var id int64
	return s.goOn(ctx, "progress of", "checkout_progress", h,
		values{"progress": null(clip(note.Text, reasonLen)), "percent": note.Percent}, &id)
}

// goOn runs a statement that changes an item while its robot goes on with it,
// and scans what it returns. The statement repeats the hold and the right.
func (s *Store) goOn(ctx context.Context, doing, statement string, h workqueue.Hold, v values, into any) error {
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
		return workqueue.ErrCheckoutLost
	})
}
