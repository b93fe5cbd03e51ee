package sqlstore_test

import (
	"context"
	"time"

	"botwork/workqueue"
	"botwork/workqueue/sqlstore"
	"botwork/workqueue/storetest"
)

const (
	countTaken  = `SELECT COUNT(*) FROM "BotWorkQueueItems" WHERE "QueueName" = $1 AND "State" = 1 AND "Robot" = $1 AND "Fence" = 1`
	countMade   = `SELECT COUNT(*) FROM "BotWorkQueueItems" WHERE "CreatedBy" = $1`
	countForms  = `SELECT COUNT(*) FROM "BotWorkQueueItems" WHERE "QueueName" = $1`
	countEnded  = `SELECT COUNT(*) FROM "BotWorkQueueItems" WHERE "QueueName" = $1 AND "State" = $2 AND "LockKey" IS NULL`
	countTries  = `SELECT COUNT(*) FROM "BotWorkItemAttempts" WHERE "WorkerName" = $1`
	countKept   = `SELECT COUNT(*) FROM "BotWorkQueueItems" WHERE "QueueName" = $1 AND "LeaseExpiresAt" > now() + INTERVAL '2 hours'`
	countHalf   = `SELECT COUNT(*) FROM "BotWorkQueueItems" WHERE "QueueName" = $1 AND "ProgressPercent" = 50`
	countTagged = `SELECT COUNT(*) FROM "BotWorkQueueItems" WHERE "QueueName" = $1 AND "Tags" = '["t"]'`
)

// forms defines a queue for robots with n items. Its robot has the same name.
func (x *behindProxy) forms(n int) (name string, items []workqueue.NewItem) {
	x.Helper()
	name = x.queue()
	if _, err := x.way.DefineQueues(x.Context(), []workqueue.Queue{{Name: name, Consumer: workqueue.ConsumerRobots}}, name); err != nil {
		x.Fatal(err)
	}
	for range n {
		items = append(items, workqueue.NewItem{QueueName: name, NaturalKey: "k", CreatedBy: name})
	}
	if _, err := x.way.Enqueue(x.Context(), items); err != nil {
		x.Fatal(err)
	}
	return name, items
}

// taken defines a queue for robots with one item, which its robot has taken.
func (x *behindProxy) taken() (name string, h workqueue.Hold) {
	x.Helper()
	name, _ = x.forms(1)
	c, err := x.way.Checkout(x.Context(), workqueue.CheckoutParams{Robot: name, Queue: name, Lease: time.Hour})
	if err != nil || len(c.Items) != 1 {
		x.Fatalf("took %d items, %v; want 1", len(c.Items), err)
	}
	return name, workqueue.Hold{Robot: name, ItemID: c.Items[0].ID, Fence: c.Items[0].Fence, LockKey: c.LockKey}
}

// robotMethods are the methods for robots.
var robotMethods = []method{
	{"Checkout", 3, false, func(x *behindProxy) trial {
		name, _ := x.forms(3)
		return trial{func(ctx context.Context, s *sqlstore.Store) error {
			_, err := s.Checkout(ctx, workqueue.CheckoutParams{Robot: name, Queue: name, Max: 3})
			return err
		}, func() int { return x.count(countTaken, name) }}
	}},
	{"ExtendCheckout", 1, false, func(x *behindProxy) trial {
		name, h := x.taken()
		return trial{func(ctx context.Context, s *sqlstore.Store) error {
			_, err := s.ExtendCheckout(ctx, h, 3*time.Hour)
			return err
		}, func() int { return x.count(countKept, name) }}
	}},
	{"RobotProgress", 1, false, func(x *behindProxy) trial {
		name, h := x.taken()
		half := 50
		return trial{func(ctx context.Context, s *sqlstore.Store) error {
			return s.RobotProgress(ctx, h, workqueue.RobotNote{Percent: &half})
		}, func() int { return x.count(countHalf, name) }}
	}},
	{"FinishCheckout", 2, true, func(x *behindProxy) trial {
		name, h := x.taken()
		return trial{func(ctx context.Context, s *sqlstore.Store) error {
			_, err := s.FinishCheckout(ctx, h, workqueue.RobotEnd{Kind: workqueue.KindBusiness, Error: "wrong"})
			return err
		}, func() int { return x.count(countEnded, name, workqueue.Cancelled) + x.count(countTries, name) }}
	}},
	{"PostponeCheckout", 2, true, func(x *behindProxy) trial {
		name, h := x.taken()
		return trial{func(ctx context.Context, s *sqlstore.Store) error {
			_, err := s.PostponeCheckout(ctx, h, workqueue.Postponement{In: time.Hour})
			return err
		}, func() int { return x.count(countEnded, name, workqueue.Ready) + x.count(countTries, name) }}
	}},
	{"ReleaseCheckout", 2, true, func(x *behindProxy) trial {
		name, h := x.taken()
		return trial{func(ctx context.Context, s *sqlstore.Store) error { return s.ReleaseCheckout(ctx, h, "later") },
			func() int { return x.count(countEnded, name, workqueue.Ready) + x.count(countTries, name) }}
	}},
	{"ReleaseFromRobot", 2, true, func(x *behindProxy) trial {
		name, h := x.taken()
		return trial{func(ctx context.Context, s *sqlstore.Store) error { return s.ReleaseFromRobot(ctx, h.ItemID, "gone") },
			func() int { return x.count(countEnded, name, workqueue.Ready) + x.count(countTries, name) }}
	}},
	{"DeleteCheckout", 1, true, func(x *behindProxy) trial {
		name, h := x.taken()
		return trial{func(ctx context.Context, s *sqlstore.Store) error { return s.DeleteCheckout(ctx, h, "") },
			func() int { return 1 - x.count(countForms, name) }}
	}},
	{"RobotEnqueue", 4, true, func(x *behindProxy) trial {
		// One queue for all trials, because the policies and thus the answers would grow.
		const queue = "taken-at-once"
		if _, err := x.way.DefineQueues(x.Context(), []workqueue.Queue{{Name: queue, Consumer: workqueue.ConsumerRobots}}, queue); err != nil {
			x.Fatal(err)
		}
		x.store.ForgetPolicies()
		name := x.make.Spec(storetest.WorkerOpts{}).Name
		item := workqueue.NewItem{QueueName: queue}
		part := workqueue.BatchPart{Key: workqueue.NewBatchKey(), Part: 1}
		return trial{func(ctx context.Context, s *sqlstore.Store) error {
			_, err := s.RobotEnqueue(ctx, name, part, []workqueue.NewItem{item, item}, &workqueue.CheckoutOnEnqueue{})
			return err
		}, func() int {
			return x.count(countMade, name) + x.count(countMade+` AND "State" = 1 AND "Robot" = $1`, name)
		}}
	}},
	{"RobotChange", 1, true, func(x *behindProxy) trial {
		name, _ := x.forms(0)
		id := x.make.Item(storetest.ItemOpts{Queue: name}).ID
		return trial{func(ctx context.Context, s *sqlstore.Store) error {
			return s.RobotChange(ctx, name, id, workqueue.RobotChange{Tags: &[]string{"t"}})
		}, func() int { return x.count(countTagged, name) }}
	}},
	{"ChangeCheckout", 1, true, func(x *behindProxy) trial {
		name, _ := x.forms(0)
		x.make.Item(storetest.ItemOpts{Queue: name})
		taken, err := x.store.Checkout(x.Context(), workqueue.CheckoutParams{Robot: name, Queue: name})
		if err != nil || len(taken.Items) != 1 {
			x.Fatalf("took %+v, %v, want one item", taken, err)
		}
		h := workqueue.Hold{Robot: name, ItemID: taken.Items[0].ID, Fence: taken.Items[0].Fence, LockKey: taken.LockKey}
		return trial{func(ctx context.Context, s *sqlstore.Store) error {
			return s.ChangeCheckout(ctx, h, workqueue.RobotChange{Tags: &[]string{"t"}})
		}, func() int { return x.count(countTagged, name) }}
	}},
	{"RobotDelete", 3, true, func(x *behindProxy) trial {
		name, _ := x.forms(3)
		return trial{func(ctx context.Context, s *sqlstore.Store) error {
			_, err := s.RobotDelete(ctx, name, name, "k", "")
			return err
		}, func() int { return 3 - x.count(countForms, name) }}
	}},
	{"PeekItems", 0, false, func(x *behindProxy) trial {
		name, _ := x.forms(1)
		return trial{func(ctx context.Context, s *sqlstore.Store) error {
			_, err := s.PeekItems(ctx, workqueue.CheckoutParams{Robot: name, Queue: name})
			return err
		}, func() int { return 0 }}
	}},
	reading("RobotItem", func(ctx context.Context, s *sqlstore.Store, it workqueue.Item) error {
		_, err := s.RobotItem(ctx, workqueue.Hold{Robot: "r", ItemID: it.ID})
		return err
	}),
}
