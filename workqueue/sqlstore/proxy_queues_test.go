package sqlstore_test

import (
	"context"

	"botwork/workqueue"
	"botwork/workqueue/sqlstore"
	"botwork/workqueue/storetest"
)

const (
	countQueues     = `SELECT COUNT(*) FROM "BotQueues" WHERE "DefinedBy" = $1`
	countRobots     = `SELECT COUNT(*) FROM "BotQueueRobots" WHERE "Robot" = $1`
	countOverridden = `SELECT COUNT(*) FROM "BotQueues" WHERE "Name" = $1 AND "OverriddenBy" IS NOT NULL`
	countPaused     = `SELECT COUNT(*) FROM "BotQueues" WHERE "Name" = $1 AND "Paused"`
)

// queueMethods are the methods that change queues.
var queueMethods = []method{
	{"DefineQueues", 6, true, func(x *behindProxy) trial {
		by := x.make.Spec(storetest.WorkerOpts{}).Name
		robots := workqueue.QueueAccess{Robots: []workqueue.QueueRobot{{Robot: by, Read: true}}}
		defs := []workqueue.Queue{
			{Name: by + "-1", QueueAccess: robots}, {Name: by + "-2", QueueAccess: robots}, {Name: by + "-3", QueueAccess: robots},
		}
		return trial{func(ctx context.Context, s *sqlstore.Store) error {
			_, err := s.DefineQueues(ctx, defs, by)
			return err
		}, func() int { return x.count(countQueues, by) + x.count(countRobots, by) }}
	}},
	{"RefreshQueues", 2, true, func(x *behindProxy) trial {
		by := x.make.Spec(storetest.WorkerOpts{}).Name
		defs := []workqueue.Queue{{Name: by + "-1"}, {Name: by + "-2"}}
		return trial{func(ctx context.Context, s *sqlstore.Store) error {
			_, _, err := s.RefreshQueues(ctx, defs, by)
			return err
		}, func() int { return x.count(countQueues, by) }}
	}},
	{"CreateQueue", 1, true, func(x *behindProxy) trial {
		name := x.make.Spec(storetest.WorkerOpts{}).Name
		return trial{func(ctx context.Context, s *sqlstore.Store) error {
			return s.CreateQueue(ctx, workqueue.Queue{Name: name}, name)
		}, func() int { return x.count(countQueues, name) }}
	}},
	{"OverrideQueue", 1, true, func(x *behindProxy) trial {
		name := x.queue()
		q, err := x.way.Queue(x.Context(), name)
		if err != nil {
			x.Fatal(err)
		}
		q.PriorityOffset = 7
		return trial{func(ctx context.Context, s *sqlstore.Store) error {
			_, err := s.OverrideQueue(ctx, q, name)
			return err
		}, func() int { return x.count(countOverridden, name) }}
	}},
	{"PauseQueue", 1, false, func(x *behindProxy) trial {
		name := x.queue()
		return trial{func(ctx context.Context, s *sqlstore.Store) error {
			_, err := s.PauseQueue(ctx, name)
			return err
		}, func() int { return x.count(countPaused, name) }}
	}},
	{"ResumeQueue", 1, false, func(x *behindProxy) trial {
		name := x.queue()
		if _, err := x.way.PauseQueue(x.Context(), name); err != nil {
			x.Fatal(err)
		}
		return trial{func(ctx context.Context, s *sqlstore.Store) error {
			_, err := s.ResumeQueue(ctx, name)
			return err
		}, func() int { return 1 - x.count(countPaused, name) }}
	}},
	{"DeleteQueue", 1, true, func(x *behindProxy) trial {
		name := x.queue()
		return trial{func(ctx context.Context, s *sqlstore.Store) error { return s.DeleteQueue(ctx, name) },
			func() int { return 1 - x.count(countQueues, name) }}
	}},
	reading("DeletedQueues", func(ctx context.Context, s *sqlstore.Store, _ workqueue.Item) error {
		_, err := s.DeletedQueues(ctx)
		return err
	}),
	reading("Queue", func(ctx context.Context, s *sqlstore.Store, _ workqueue.Item) error {
		_, err := s.Queue(ctx, workqueue.DefaultQueue)
		return err
	}),
}

// queue defines a queue and returns its name.
func (x *behindProxy) queue() string {
	x.Helper()
	name := x.make.Spec(storetest.WorkerOpts{}).Name
	if _, err := x.way.DefineQueues(x.Context(), []workqueue.Queue{{Name: name}}, name); err != nil {
		x.Fatal(err)
	}
	return name
}
