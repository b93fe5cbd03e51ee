package sqlstore

import (
	"context"
	"errors"
	"fmt"
	"sort"
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

	extensions gathering[extension]
	endings    gathering[ending]
}

// taken is an item as a robot sees it.
type taken struct {
	item  workqueue.Item
	queue workqueue.Queue
	held  bool      // by the hold that the robot presented
	now   time.Time // by the database's clock
}

// holdRow is a checkout inside a JSON parameter.
type holdRow struct {
	refRow
	heldBy
}

// heldBy proves that a robot holds an item. Nil is SQL's NULL, which matches none.
type heldBy struct {
	ByRobot *string `json:",omitempty"`
	ByKey   *string `json:",omitempty"` // the hash of the lock key
}

func holdRowOf(h workqueue.Hold) holdRow {
	row := holdRow{refRow: refRow{ItemID: h.ItemID, ItemFence: h.Fence}, heldBy: heldBy{ByRobot: &h.Robot}}
	if h.LockKey != "" {
		row.ByKey = new(workqueue.LockKeyHash(h.LockKey))
	}
	return row
}

// readHeld reads an item that a robot names, and its queue.
func (s *holds) readHeld(ctx context.Context, on runner, orm *gorm.DB, h workqueue.Hold) (taken, error) {
	found, err := s.readAllHeld(ctx, on, orm, []workqueue.Hold{h})
	if err != nil {
		return taken{}, err
	}
	t, ok := found[h.ItemID]
	if !ok {
		return t, workqueue.ErrNotFound
	}
	return t, nil
}

// readAllHeld reads the items that robots name, each once, and their queues. It returns those that exist, by
// their ids. orm reads the queues after the items, so that a right that was revoked before an item was read is
// respected.
func (s *holds) readAllHeld(ctx context.Context, on runner, orm *gorm.DB, list []workqueue.Hold) (map[int64]taken, error) {
	holds := make([]holdRow, len(list))
	for i, h := range list {
		holds[i] = holdRowOf(h)
	}
	named, err := jsonRows(holds)
	if err != nil {
		return nil, err
	}
	rows, err := s.queries.query(ctx, on, "checkout_items", values{"rows": named, "now": s.nowArg()})
	if err != nil {
		return nil, err
	}
	found := make(map[int64]taken, len(list))
	err = eachRow(rows, func() error {
		var t taken
		var row itemRow
		var now database.Time
		if err := rows.Scan(append(row.whole(), &row.Due, &t.held, &now)...); err != nil {
			return err
		}
		t.item, t.now = s.item(&row), now.Time
		found[t.item.ID] = t
		return nil
	})
	if err != nil {
		return nil, err
	}
	queues := map[string]workqueue.Queue{}
	for id, t := range found {
		q, known := queues[t.item.QueueName]
		if !known {
			if q, err = s.presentQueue(orm, t.item.QueueName); err != nil {
				return nil, err
			}
			queues[t.item.QueueName] = q
		}
		t.queue = q
		found[id] = t
	}
	return found, nil
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
	return t, t.heldWith(h, right)
}

// heldWith returns an error unless the robot holds the item and has the right.
func (t *taken) heldWith(h workqueue.Hold, right workqueue.Right) error {
	if err := t.queue.RobotMay(h.Robot, right); err != nil {
		return err
	}
	if !t.held {
		return workqueue.ErrCheckoutLost
	}
	return nil
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
	e := extension{hold: h, lease: lease}
	err := s.extensions.do(ctx, &e, func() error {
		return s.whileHeld(ctx, "extend", h, func() (bool, error) {
			until, err := s.extend(ctx, lease, []holdRow{holdRowOf(h)})
			e.until = until[h.ItemID]
			return len(until) > 0, err
		})
	})
	if err != nil {
		return time.Time{}, err
	}
	return e.until, nil
}

// extension is a call of ExtendCheckout.
type extension struct {
	hold  workqueue.Hold
	lease time.Duration
	until time.Time
}

// extendTogether extends the leases of several calls, with a statement for each length.
func (s *holds) extendTogether(ctx context.Context, calls []*gathered[extension]) {
	byLease := map[time.Duration][]holdRow{}
	named := map[int64]*gathered[extension]{}
	for _, c := range calls {
		if id := c.call.hold.ItemID; named[id] == nil { // another call for the same item runs by itself
			named[id] = c
			byLease[c.call.lease] = append(byLease[c.call.lease], holdRowOf(c.call.hold))
		}
	}
	for lease, rows := range byLease {
		var until map[int64]time.Time
		err := s.retry(ctx, "extend items", func() (err error) {
			until, err = s.extend(ctx, lease, rows)
			return err
		})
		if err != nil {
			continue
		}
		for id, at := range until {
			named[id].call.until, named[id].settled = at, true
		}
	}
}

// extend runs the statement that extends leases, and returns when those end that it has extended, by item.
func (s *holds) extend(ctx context.Context, lease time.Duration, list []holdRow) (map[int64]time.Time, error) {
	sort.Slice(list, func(i, k int) bool { return list[i].compare(list[k].refRow) < 0 })
	named, err := jsonRows(list)
	if err != nil {
		return nil, err
	}
	rows, err := s.queries.query(ctx, s.db, "checkout_extend", values{"rows": named, "lease_ms": leaseArg(lease), "now": s.nowArg()})
	if err != nil {
		return nil, err
	}
	until := make(map[int64]time.Time, len(list))
	err = eachRow(rows, func() error {
		var ref refRow
		var at database.Time
		if err := rows.Scan(&ref.ItemID, &ref.ItemFence, &at); err != nil {
			return err
		}
		until[ref.ItemID] = at.Time
		return nil
	})
	return until, err
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
	return s.whileHeld(ctx, doing, h, func() (changed bool, err error) {
		rows, err := s.queries.query(ctx, s.db, statement, v)
		if err != nil {
			return false, err
		}
		err = eachRow(rows, func() error {
			changed = true
			return rows.Scan(into)
		})
		return changed, err
	})
}

// whileHeld changes an item that its robot holds, and finds out why if that has changed nothing.
func (s *holds) whileHeld(ctx context.Context, doing string, h workqueue.Hold, change func() (changed bool, err error)) error {
	return s.retry(ctx, fmt.Sprintf("%s item %d", doing, h.ItemID), func() error {
		changed, err := change()
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
