package sqlstore

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"
	"time"

	"gorm.io/gorm/clause"

	"botwork/workqueue"
)

// FinishCheckout implements workqueue.RobotStore.
func (s *holds) FinishCheckout(ctx context.Context, h workqueue.Hold, end workqueue.RobotEnd) (workqueue.RobotEnded, error) {
	f, err := s.endCheckout(ctx, "finish", h, workqueue.RightRead, func(t taken) (workqueue.Finish, error) {
		took := t.now.Sub(*t.item.StartedAt)
		return t.queue.EndByRobot(&t.item, end, &s.schemas, took, rand.Float64())
	})
	ended := workqueue.RobotEnded{State: f.State, Copied: f.Copy}
	if f.State == workqueue.Ready || f.Copy {
		ended.RetryIn = workqueue.Duration(f.Delay.Round(time.Millisecond)) // rounded as it is stored
	}
	return ended, err
}

// ReleaseCheckout implements workqueue.RobotStore.
func (s *holds) ReleaseCheckout(ctx context.Context, h workqueue.Hold, reason string) error {
	_, err := s.endCheckout(ctx, "release", h, workqueue.RightRead, func(t taken) (workqueue.Finish, error) {
		return t.queue.ReleaseByRobot(&t.item, reason), nil
	})
	return err
}

// DeleteCheckout implements workqueue.RobotStore.
func (s *holds) DeleteCheckout(ctx context.Context, h workqueue.Hold, reason string) error {
	a := workqueue.ActorFrom(ctx)
	a.Reason = cmp.Or(reason, a.Reason)
	_, err := s.endCheckout(workqueue.WithActor(ctx, a), deleting, h, workqueue.RightWrite, func(t taken) (workqueue.Finish, error) {
		return t.queue.DropByRobot(&t.item, reason), nil
	})
	return err
}

// ReleaseFromRobot implements workqueue.RobotStore.
func (s *holds) ReleaseFromRobot(ctx context.Context, id int64, reason string) error {
	return s.retry(ctx, fmt.Sprintf("release item %d", id), func() error {
		return s.tx(ctx, func(tx *sql.Tx) error {
			t, err := s.readHeld(ctx, tx, s.in(ctx, tx), workqueue.Hold{ItemID: id})
			if err != nil {
				return err
			}
			if !t.item.CheckedOut() {
				return &workqueue.TransitionError{ItemID: id, Verb: "release", State: t.item.State, Hint: "no robot holds it"}
			}
			var held struct{ LockKey *string }
			err = s.in(ctx, tx).Model(&itemRow{}).Clauses(clause.Select{Columns: []clause.Column{column("LockKey")}}).Where(map[string]any{"Id": id}).Take(&held).Error
			if err != nil {
				return err
			}
			end, err := s.ends(ctx, nil, []workqueue.Finish{t.queue.ReleaseFromRobot(&t.item, reason)}, false)
			if err != nil {
				return err
			}
			end.values["robot"], end.values["lock_key"] = *t.item.Robot, held.LockKey
			entry := func(items []auditItem) auditEntry {
				return auditEntry{action: workqueue.AuditItemsRelease, kind: workqueue.TargetItem, target: strconv.FormatInt(id, 10), changed: 1, reason: reason, items: items}
			}
			n, err := s.audited(ctx, tx, []int64{id}, changedColumns, entry, func() (int, error) {
				written, err := s.changed(ctx, tx, end)
				if err != nil || !end.more {
					return len(written), err
				}
				return len(written), end.then(tx, written)
			})
			if errors.Is(err, errSetShrank) || err == nil && n == 0 {
				return &workqueue.TransitionError{ItemID: id, Verb: "release", State: workqueue.Blocked, Hint: "its robot has just finished it, or its lease has just ended"}
			}
			return err
		})
	})
}

// deleting is the end of a robot's work that deletes the item. It is in the audit log.
const deleting = "delete"

// endCheckout ends a robot's work on an item with the statement that ends runs of workers. The
// same transaction checks the robot's right.
func (s *holds) endCheckout(ctx context.Context, doing string, h workqueue.Hold, right workqueue.Right,
	decide func(taken) (workqueue.Finish, error)) (workqueue.Finish, error) {
	var f workqueue.Finish
	var queue workqueue.Queue
	err := s.retry(ctx, fmt.Sprintf("%s item %d", doing, h.ItemID), func() error {
		return s.tx(ctx, func(tx *sql.Tx) error {
			t, err := s.holds(ctx, tx, s.in(ctx, tx), h, right)
			if err != nil {
				return err
			}
			queue = t.queue
			if f, err = decide(t); err != nil {
				return err
			}
			end, err := s.ends(ctx, nil, []workqueue.Finish{f}, false)
			if err != nil {
				return err
			}
			end.values["robot"], end.values["lock_key"] = h.Robot, lockArg(h.LockKey)
			write := func() (int, error) {
				written, err := s.changed(ctx, tx, end)
				if errors.Is(err, errSetShrank) || err == nil && len(written) == 0 {
					return 0, workqueue.ErrCheckoutLost
				}
				if err != nil || !end.more {
					return len(written), err
				}
				return len(written), end.then(tx, written)
			}
			if doing != deleting {
				_, err = write()
				return err
			}
			entry := func(items []auditItem) auditEntry { return robotEntry(h.Robot, "", workqueue.Delete, items) }
			_, err = s.audited(ctx, tx, []int64{h.ItemID}, deletedColumns, entry, write)
			return err
		})
	})
	if err != nil {
		return workqueue.Finish{}, err
	}
	if f.State == workqueue.Cancelled && queue.ArchiveLimit != nil {
		// The end is already written, so ignore an error, as Finish does: the next trim removes
		// what is left.
		_, _ = s.trimArchive(ctx, queue.Name, *queue.ArchiveLimit)
	}
	return f, nil
}
