package storetest

import (
	"errors"
	"slices"
	"time"

	"botwork/workqueue"
)

func holdTests() []test {
	return []test{
		{"an invalid hold", holdLost},
		{"an expired lease", holdLate},
		{"a hold of a finished or deleted item", holdOver},
		{"the lease is extended", holdExtend},
		{"progress", holdProgress},
		{"data that other robots may read", holdHidden},
		{"rights", holdRights},
		{"revoked rights", holdRightsRevoked},
	}
}

func holdLost(x *fixture) {
	x.robots(nil)
	it, h := x.takeOne()
	_, other := x.takeOne()
	for name, wrong := range map[string]workqueue.Hold{
		"another key":    {Robot: ann, ItemID: it.ID, Fence: it.Fence, LockKey: other.LockKey},
		"no key":         {Robot: ann, ItemID: it.ID, Fence: it.Fence},
		"the key's hash": {Robot: ann, ItemID: it.ID, Fence: it.Fence, LockKey: workqueue.LockKeyHash(h.LockKey)},
		"another robot":  {Robot: "bob", ItemID: it.ID, Fence: it.Fence, LockKey: h.LockKey},
		"no robot":       {ItemID: it.ID, Fence: it.Fence, LockKey: h.LockKey},
		"an older fence": {Robot: ann, ItemID: it.ID, Fence: it.Fence - 1, LockKey: h.LockKey},
		"a later fence":  {Robot: ann, ItemID: it.ID, Fence: it.Fence + 1, LockKey: h.LockKey},
		"another item":   {Robot: ann, ItemID: other.ItemID, Fence: it.Fence, LockKey: h.LockKey},
		"no such item":   {Robot: ann, ItemID: 4711, Fence: it.Fence, LockKey: h.LockKey},
		"no item":        {Robot: ann},
	} {
		for _, c := range x.robotCalls() {
			if err := c.do(wrong); !errors.Is(err, workqueue.ErrLeaseLost) {
				x.Errorf("%s with %s: error %v, want ErrLeaseLost", c.name, name, err)
			}
		}
		x.wantSame(it)
	}
	if n := len(x.attempts(it.ID)); n != 0 {
		x.Errorf("%d attempts are recorded, want none", n)
	}
	for _, c := range x.robotCalls()[:3] { // the last of them finishes the item
		if err := c.do(h); err != nil {
			x.Errorf("%s with the right hold: %v", c.name, err)
		}
	}
}

func holdLate(x *fixture) {
	x.robots(nil)
	for _, lease := range []string{longAgo, "NULL"} {
		it, h := x.takeOne()
		x.exec(1, `UPDATE "BotWorkQueueItems" SET "LeaseExpiresAt" = %s WHERE "Id" = %d`, lease, it.ID)
		late := x.show(it.ID)
		for _, c := range x.robotCalls() {
			if err := c.do(h); !errors.Is(err, workqueue.ErrLeaseLost) {
				x.Errorf("%s when the lease is %s: error %v, want ErrLeaseLost", c.name, lease, err)
			}
		}
		x.wantSame(late)
	}
}

func holdOver(x *fixture) {
	x.robots(nil)
	for _, end := range x.robotCalls()[2:] {
		it, h := x.takeOne()
		if err := end.do(h); err != nil {
			x.Errorf("%s: %v", end.name, err)
		}
		before, err := x.Store.Item(x.ctx, it.ID)
		deleted := errors.Is(err, workqueue.ErrNotFound)
		if deleted != (end.name == "delete") {
			x.Errorf("after %s: item %d, %v", end.name, it.ID, err)
		}
		for _, c := range x.robotCalls() {
			err := c.do(h)
			if c.name == end.name && err != nil {
				x.Errorf("%s again: error %v, want the first result", c.name, err)
			} else if c.name != end.name && !errors.Is(err, workqueue.ErrLeaseLost) {
				x.Errorf("%s after %s: error %v, want ErrLeaseLost", c.name, end.name, err)
			}
		}
		if !deleted {
			x.wantSame(before)
		}
	}
}

func holdExtend(x *fixture) {
	x.robots(func(q *workqueue.Queue) { q.Checkout = workqueue.Duration(2 * time.Hour) })
	it, h := x.takeOne()
	extend := func(requested, want time.Duration) {
		x.Helper()
		// The start times of items taken before and after it are bounds for the database's clock.
		before, _ := x.takeOne()
		until, err := x.Store.ExtendCheckout(x.ctx, h, requested)
		if err != nil {
			x.Fatal(err)
		}
		after, _ := x.takeOne()
		if until.Before(before.StartedAt.Add(want)) || until.After(after.StartedAt.Add(want)) {
			x.Errorf("extended by %s between %s and %s: it ends at %s", requested, before.StartedAt, after.StartedAt, until)
		}
		now := x.show(it.ID)
		if !now.LeaseExpiresAt.Equal(until) {
			x.Errorf("the lease ends at %s, want %s", now.LeaseExpiresAt, until)
		}
		now.LeaseExpiresAt = it.LeaseExpiresAt
		if asJSON(now) != asJSON(it) {
			x.Errorf("more than the lease has changed: %s", asJSON(now))
		}
		x.wantClean("the lease's end", &until)
	}
	extend(3*time.Hour, 3*time.Hour)
	extend(time.Minute, time.Minute)
	extend(0, 2*time.Hour)
	for _, lease := range []time.Duration{-1, workqueue.MaxCheckoutLease + 1} {
		if _, err := x.Store.ExtendCheckout(x.ctx, h, lease); err == nil {
			x.Errorf("extended by %s, want an error", lease)
		}
	}
}

func holdProgress(x *fixture) {
	x.robots(nil)
	it, h := x.takeOne()
	progress := func(note workqueue.RobotNote, text string, percent string) {
		x.Helper()
		if err := x.Store.RobotProgress(x.ctx, h, note); err != nil {
			x.Fatal(err)
		}
		if got := x.show(it.ID); deref(got.Progress) != text || deref(got.ProgressPercent) != percent {
			x.Errorf("progress %q, %s %%; want %q, %s", deref(got.Progress), deref(got.ProgressPercent), text, percent)
		}
	}
	zero, all := 0, 100
	progress(workqueue.RobotNote{Text: "started"}, "started", "NULL")
	progress(workqueue.RobotNote{Percent: &zero}, "started", "0")
	progress(workqueue.RobotNote{Text: "done\x00", Percent: &all}, "done\uFFFD", "100")
	for _, percent := range []int{-1, 101} {
		if err := x.Store.RobotProgress(x.ctx, h, workqueue.RobotNote{Percent: &percent}); err == nil {
			x.Errorf("progress of %d %% was accepted, want an error", percent)
		}
	}
	if err := x.Store.ReleaseCheckout(x.ctx, h, "later"); err != nil {
		x.Fatal(err)
	}
	if got := x.attempts(it.ID); len(got) != 1 || deref(got[0].Progress) != "done\uFFFD" {
		x.Errorf("attempts %s, want one with the progress", asJSON(got))
	}
	if again, _ := x.takeID(it.ID); again.Progress != nil || again.ProgressPercent != nil {
		x.Errorf("taken again with the progress %q, want none", deref(again.Progress))
	}
}

func holdHidden(x *fixture) {
	x.robots(nil)
	secret := form(1)
	secret.Metadata = map[string]string{"customer": "4711"}
	id := x.enqueueForms(secret)[0]
	read := func(h workqueue.Hold) workqueue.Item {
		x.Helper()
		it, err := x.Store.RobotItem(x.ctx, h)
		if err != nil {
			x.Fatal(err)
		}
		return it
	}
	bob := workqueue.Hold{Robot: "bob", ItemID: id}
	if it := read(bob); asJSON(it) != asJSON(x.show(id)) {
		x.Errorf("waiting: %s, want all data", asJSON(it))
	}
	taken, h := x.takeID(id)
	x.exec(1, `UPDATE "BotWorkQueueItems" SET "Output" = '{"early":1}' WHERE "Id" = %d`, id)
	if it := read(h); it.Payload != taken.Payload || it.Metadata != `{"customer":"4711"}` || it.Output != `{"early":1}` {
		x.Errorf("the robot with the hold reads %s, want all data", asJSON(it))
	}
	wrong := h
	wrong.LockKey = "guessed"
	for _, h := range []workqueue.Hold{bob, {Robot: ann, ItemID: id}, wrong, {Robot: "bob", ItemID: id, Fence: h.Fence, LockKey: h.LockKey}} {
		if it := read(h); it.Payload != "" || it.Metadata != "" || it.Output != "" || it.State != workqueue.Blocked || deref(it.Robot) != ann {
			x.Errorf("%+v reads %s, want the robot that holds it and no data", h, asJSON(it))
		}
	}
	x.endLease(id)
	if it := read(h); it.Payload != "" {
		x.Errorf("after the end of the lease it reads %s, want no payload", asJSON(it))
	}
	if _, err := x.Store.RobotItem(x.ctx, workqueue.Hold{Robot: ann, ItemID: 4711}); !errors.Is(err, workqueue.ErrNotFound) {
		x.Errorf("an item that does not exist: %v, want ErrNotFound", err)
	}
	x.exec(1, `UPDATE "BotWorkQueueItems" SET "DeletedAt" = %s, "State" = 3 WHERE "Id" = %d`, longAgo, id)
	if _, err := x.Store.RobotItem(x.ctx, h); !errors.Is(err, workqueue.ErrNotFound) {
		x.Errorf("a deleted item: %v, want ErrNotFound", err)
	}
}

// wantAccess checks the error of a call without the right.
func (x *fixture) wantAccess(what string, err error, robot string, right workqueue.Right) {
	x.Helper()
	refused, ok := errors.AsType[*workqueue.AccessError](err)
	if !ok || refused.Robot != robot || refused.Queue != forms || refused.Right != right || refused.Hint == "" {
		x.Errorf("%s: error %v, want an *AccessError of %s for the right %s", what, err, robot, right)
	}
}

// openCalls returns the calls that need no lock key, with the rights that they need.
func (x *fixture) openCalls(robot string, id int64) []robotCall {
	p := workqueue.CheckoutParams{Robot: robot, Queue: forms, Lease: leaseTime}
	keyed := form(1)
	keyed.NaturalKey = "k"
	priority := 3
	return []robotCall{
		{"peek", workqueue.RightRead, func(workqueue.Hold) error { _, err := x.Store.PeekItems(x.ctx, p); return err }},
		{"item", workqueue.RightRead, func(workqueue.Hold) error {
			_, err := x.Store.RobotItem(x.ctx, workqueue.Hold{Robot: robot, ItemID: id})
			return err
		}},
		{"enqueue", workqueue.RightWrite, func(workqueue.Hold) error {
			_, err := x.Store.RobotEnqueue(x.ctx, robot, workqueue.BatchPart{}, []workqueue.NewItem{keyed}, nil)
			return err
		}},
		{"change", workqueue.RightWrite, func(workqueue.Hold) error {
			return x.Store.RobotChange(x.ctx, robot, id, workqueue.RobotChange{Priority: &priority})
		}},
		{"delete by key", workqueue.RightWrite, func(workqueue.Hold) error {
			_, err := x.Store.RobotDelete(x.ctx, robot, forms, "k", "")
			return err
		}},
		{"checkout", workqueue.RightRead, func(workqueue.Hold) error { _, err := x.Store.Checkout(x.ctx, p); return err }},
	}
}

func holdRights(x *fixture) {
	x.private(workqueue.QueueRobot{Robot: "reader", Read: true}, workqueue.QueueRobot{Robot: "writer", Write: true},
		workqueue.QueueRobot{Robot: "both", Read: true, Write: true})
	id := x.enqueueForms(form(2))[0]
	rights := map[string][]workqueue.Right{
		"reader": {workqueue.RightRead}, "writer": {workqueue.RightWrite}, "both": {workqueue.RightRead, workqueue.RightWrite}, "neither": nil,
	}
	before := x.show(id)
	for robot, has := range rights {
		for _, c := range x.openCalls(robot, id) {
			if !slices.Contains(has, c.right) {
				x.wantAccess(c.name+" by "+robot, c.do(workqueue.Hold{}), robot, c.right)
			}
		}
	}
	x.wantSame(before)
	if items, err := x.Store.Items(x.ctx, workqueue.ItemFilter{QueueName: forms}); err != nil || len(items) != 1 {
		x.Errorf("%d items exist, %v; want no refused one", len(items), err)
	}
	for _, robot := range []string{"reader", "writer", "both"} {
		id := x.enqueueForms(form(2))[0]
		for _, c := range x.openCalls(robot, id) {
			if slices.Contains(rights[robot], c.right) {
				if err := c.do(workqueue.Hold{}); err != nil {
					x.Errorf("%s by %s: %v", c.name, robot, err)
				}
			}
		}
	}
	// Enqueueing with a checkout needs both rights.
	for robot, right := range map[string]workqueue.Right{"reader": workqueue.RightWrite, "writer": workqueue.RightRead} {
		_, err := x.Store.RobotEnqueue(x.ctx, robot, workqueue.BatchPart{}, []workqueue.NewItem{form(1)}, &workqueue.CheckoutOnEnqueue{})
		x.wantAccess("enqueue with checkout by "+robot, err, robot, right)
	}
}

func holdRightsRevoked(x *fixture) {
	both := workqueue.QueueRobot{Robot: ann, Read: true, Write: true}
	for _, right := range []workqueue.Right{workqueue.RightRead, workqueue.RightWrite} {
		for _, revoked := range []struct {
			name string
			do   func()
		}{
			{"by a definition", func() {
				x.private(workqueue.QueueRobot{Robot: ann, Read: right != workqueue.RightRead, Write: right != workqueue.RightWrite})
			}},
			{"by hand", func() {
				column := map[workqueue.Right]string{workqueue.RightRead: "CanRead", workqueue.RightWrite: "CanWrite"}[right]
				x.exec(1, `UPDATE "BotQueueRobots" SET "%s" = '0' WHERE "Robot" = '%s'`, column, ann)
			}},
		} {
			x.private(both)
			it, h := x.takeOne()
			waits := x.enqueueForms(form(2))[0]
			revoked.do()
			for _, c := range slices.Concat(x.robotCalls(), x.openCalls(ann, waits)) {
				if c.right == right {
					x.wantAccess(c.name+" after a right was revoked "+revoked.name, c.do(h), ann, right)
				}
			}
			x.wantSame(it)
			x.private(both)
			if err := x.Store.DeleteCheckout(x.ctx, h, ""); err != nil {
				x.Errorf("after the rights were granted again: %v", err)
			}
		}
	}
}
