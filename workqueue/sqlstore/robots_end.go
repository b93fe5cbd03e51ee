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

// The ends of a robot's work. A failure and a business error are different ends, so that a repeat
// is recognised.
const (
	finishing  = "finish"
	failing    = "fail"
	mistaking  = "fail for wrong data"
	releasing  = "release"
	postponing = "postpone"
	deleting   = "delete" // in the audit log
)

// FinishCheckout implements workqueue.RobotStore.
func (s *holds) FinishCheckout(ctx context.Context, h workqueue.Hold, end workqueue.RobotEnd) (workqueue.RobotEnded, error) {
	doing := doingOf(end.Kind)
	e := ending{doing: doing, hold: h, end: end}
	err := s.endings.do(ctx, &e, func() (err error) {
		e.ended, err = s.endCheckout(ctx, doing, h, workqueue.RightRead, func(t taken) (workqueue.Finish, error) { return s.finishOf(&t, &end) })
		return err
	})
	if err != nil {
		return workqueue.RobotEnded{}, err
	}
	return e.ended, nil
}

func doingOf(kind workqueue.ErrorKind) string {
	switch kind {
	case workqueue.KindError:
		return failing
	case workqueue.KindBusiness:
		return mistaking
	default:
		return finishing
	}
}

func (s *holds) finishOf(t *taken, end *workqueue.RobotEnd) (workqueue.Finish, error) {
	took := t.now.Sub(*t.item.StartedAt)
	return t.queue.EndByRobot(&t.item, *end, &s.schemas, took, rand.Float64())
}

// ending is a call of FinishCheckout.
type ending struct {
	doing string
	hold  workqueue.Hold
	end   workqueue.RobotEnd
	ended workqueue.RobotEnded
}

// endTogether writes the ends of several calls in one transaction: of those whose robots hold their items.
func (s *holds) endTogether(ctx context.Context, calls []*gathered[ending]) {
	named := map[int64]*gathered[ending]{}
	var holds []workqueue.Hold
	for _, c := range calls {
		if h := c.call.hold; named[h.ItemID] == nil { // another call for the same item runs by itself
			named[h.ItemID] = c
			holds = append(holds, h)
		}
	}
	var written map[int64]writtenEnd
	err := s.retry(ctx, "finish items", func() error {
		return s.tx(ctx, func(tx *sql.Tx) (err error) {
			written, err = s.endAllIn(ctx, tx, named, holds)
			return err
		})
	})
	if err != nil {
		return
	}
	for id, w := range written {
		c := named[id]
		c.call.ended, c.settled = w.ended, true
		s.afterEnd(ctx, &w.queue, w.ended)
	}
}

// writtenEnd is an end that a transaction has written.
type writtenEnd struct {
	ended workqueue.RobotEnded
	queue workqueue.Queue
}

// endAllIn is endTogether in a transaction. It returns what it has written, by item.
func (s *holds) endAllIn(ctx context.Context, tx *sql.Tx, named map[int64]*gathered[ending], holds []workqueue.Hold) (map[int64]writtenEnd, error) {
	found, err := s.readAllHeld(ctx, tx, s.in(ctx, tx), holds)
	if err != nil {
		return nil, err
	}
	var finishes []workqueue.Finish
	all, by := map[int64]writtenEnd{}, map[refRow]heldBy{}
	for _, h := range holds {
		t, exists := found[h.ItemID]
		if !exists || t.heldWith(h, workqueue.RightRead) != nil {
			continue
		}
		f, err := s.finishOf(&t, &named[h.ItemID].call.end)
		if err != nil {
			continue
		}
		row := holdRowOf(h)
		by[row.refRow] = row.heldBy
		finishes = append(finishes, f)
		all[h.ItemID] = writtenEnd{endedBy(&f), t.queue}
	}
	if len(finishes) == 0 {
		return nil, nil
	}
	end, err := s.ends(ctx, nil, by, finishes, false)
	if err != nil {
		return nil, err
	}
	changed, err := s.changed(ctx, tx, end)
	if err == nil && len(changed) != len(finishes) {
		err = errNotAll
	}
	if err == nil && end.more {
		err = end.then(tx, changed)
	}
	if err != nil {
		return nil, err
	}
	for i := range finishes {
		if f := &finishes[i]; !plainSuccess(f) {
			if err := s.keepEnd(ctx, tx, named[f.ItemID].call.doing, named[f.ItemID].call.hold, endedBy(f)); err != nil {
				return nil, err
			}
		}
	}
	return all, nil
}

// afterEnd does what follows the written end of a checkout.
func (s *holds) afterEnd(ctx context.Context, q *workqueue.Queue, e workqueue.RobotEnded) {
	s.leaseStore.ended(q.Name)
	if e.State == workqueue.Cancelled && q.ArchiveLimit != nil {
		// The end is already written, so ignore an error, as Finish does: the next trim removes
		// what is left.
		_, _ = s.trimArchive(ctx, q.Name, *q.ArchiveLimit)
	}
}

// endedBy returns what a robot learns about the end of an item.
func endedBy(f *workqueue.Finish) workqueue.RobotEnded {
	ended := workqueue.RobotEnded{State: f.State, Copied: f.Copy}
	if f.State == workqueue.Ready || f.Copy {
		ended.RetryIn = workqueue.Duration(f.Delay.Round(time.Millisecond)) // rounded as it is stored
	}
	return ended
}

// ReleaseCheckout implements workqueue.RobotStore.
func (s *holds) ReleaseCheckout(ctx context.Context, h workqueue.Hold, reason string) error {
	_, err := s.endCheckout(ctx, releasing, h, workqueue.RightRead, func(t taken) (workqueue.Finish, error) {
		return t.queue.ReleaseByRobot(&t.item, reason), nil
	})
	return err
}

// PostponeCheckout implements workqueue.RobotStore.
func (s *holds) PostponeCheckout(ctx context.Context, h workqueue.Hold, p workqueue.Postponement) (workqueue.RobotEnded, error) {
	return s.endCheckout(ctx, postponing, h, workqueue.RightRead, func(t taken) (workqueue.Finish, error) {
		return t.queue.PostponeByRobot(&t.item, p, t.now)
	})
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
	var queue string
	err := s.retry(ctx, fmt.Sprintf("release item %d", id), func() error {
		return s.tx(ctx, func(tx *sql.Tx) error {
			t, err := s.readHeld(ctx, tx, s.in(ctx, tx), workqueue.Hold{ItemID: id})
			if err != nil {
				return err
			}
			queue = t.queue.Name
			if !t.item.CheckedOut() {
				return &workqueue.TransitionError{ItemID: id, Verb: "release", State: t.item.State, Hint: "no robot holds it"}
			}
			var held struct{ LockKey *string }
			err = s.in(ctx, tx).Model(&itemRow{}).Clauses(clause.Select{Columns: []clause.Column{column("LockKey")}}).Where(map[string]any{"Id": id}).Take(&held).Error
			if err != nil {
				return err
			}
			released := t.queue.ReleaseFromRobot(&t.item, reason)
			released.LogTail = endingLine(ctx, t.now, "item released", reason)
			by := heldBy{ByRobot: t.item.Robot, ByKey: held.LockKey}
			end, err := s.ends(ctx, nil, map[refRow]heldBy{{ItemID: id, ItemFence: released.Fence}: by}, []workqueue.Finish{released}, false)
			if err != nil {
				return err
			}
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
				if now, rerr := s.readHeld(ctx, tx, s.in(ctx, tx), workqueue.Hold{ItemID: id}); rerr == nil && now.item.CheckedOut() && now.item.Fence == t.item.Fence && s.engine.dialect().passesOver {
					return &workqueue.LockedError{Items: []int64{id}}
				}
				return &workqueue.TransitionError{ItemID: id, Verb: "release", State: workqueue.Blocked, Hint: "its robot has just finished it, or its lease has just ended"}
			}
			return err
		})
	})
	if err == nil {
		s.leaseStore.ended(queue)
	}
	return err
}

// endCheckout ends a robot's work on an item with the statement that ends runs of workers. The
// same transaction checks the robot's right. An end that the robot has reported before changes
// nothing and returns the first result.
func (s *holds) endCheckout(ctx context.Context, doing string, h workqueue.Hold, right workqueue.Right,
	decide func(taken) (workqueue.Finish, error)) (workqueue.RobotEnded, error) {
	var ended workqueue.RobotEnded
	var queue workqueue.Queue
	var step endStep
	run := func() error {
		return s.tx(ctx, func(tx *sql.Tx) (err error) {
			ended, queue, step, err = s.endIn(ctx, tx, doing, h, right, decide)
			return err
		})
	}
	err := s.retry(ctx, fmt.Sprintf("%s item %d", doing, h.ItemID), func() error {
		err := run()
		if errors.Is(err, workqueue.ErrCheckoutLost) && step == endHeld {
			err = run() // the same call, sent twice, may have ended it in between
		}
		return err
	})
	if err != nil {
		return workqueue.RobotEnded{}, err
	}
	if step == endWritten {
		s.afterEnd(ctx, &queue, ended)
	}
	return ended, nil
}

// endStep is how far endIn came.
type endStep int

const (
	endNotHeld endStep = iota // or repeated
	endHeld
	endWritten
)

// endIn is endCheckout in a transaction.
func (s *holds) endIn(ctx context.Context, tx *sql.Tx, doing string, h workqueue.Hold, right workqueue.Right,
	decide func(taken) (workqueue.Finish, error)) (ended workqueue.RobotEnded, queue workqueue.Queue, step endStep, err error) {
	t, err := s.holds(ctx, tx, s.in(ctx, tx), h, right)
	if errors.Is(err, workqueue.ErrCheckoutLost) {
		before, found, rerr := s.repeatedEnd(ctx, tx, doing, h, &t.item)
		if rerr != nil || found {
			return before, t.queue, endNotHeld, rerr
		}
		if unknown, uerr := s.endUnknown(ctx, tx, doing, h, &t.item); unknown || uerr != nil {
			return before, t.queue, endNotHeld, cmp.Or(uerr, workqueue.ErrEndUnknown)
		}
	}
	if err != nil {
		return ended, t.queue, endNotHeld, err
	}
	f, err := decide(t)
	if err != nil {
		return ended, t.queue, endHeld, err
	}
	if err := s.writeEnd(ctx, tx, doing, h, f); err != nil {
		return ended, t.queue, endHeld, err
	}
	ended = endedBy(&f)
	if !plainSuccess(&f) {
		err = s.keepEnd(ctx, tx, doing, h, ended)
	}
	return ended, t.queue, endWritten, err
}

// writeEnd writes the end of an item that its robot holds.
func (s *holds) writeEnd(ctx context.Context, tx *sql.Tx, doing string, h workqueue.Hold, f workqueue.Finish) error {
	row := holdRowOf(h)
	end, err := s.ends(ctx, nil, map[refRow]heldBy{row.refRow: row.heldBy}, []workqueue.Finish{f}, false)
	if err != nil {
		return err
	}
	write := func() (int, error) {
		written, err := s.changed(ctx, tx, end)
		if errors.Is(err, errSetShrank) || err == nil && len(written) == 0 {
			if t, rerr := s.readHeld(ctx, tx, s.in(ctx, tx), h); rerr == nil && t.held {
				return 0, s.passedOver(h.ItemID)
			}
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
}
