package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"

	"botwork/workqueue"
)

// RobotEnqueue implements workqueue.RobotStore.
func (s *checkouts) RobotEnqueue(ctx context.Context, robot string, part workqueue.BatchPart, items []workqueue.NewItem, take *workqueue.CheckoutOnEnqueue) (workqueue.RobotEnqueued, error) {
	var result workqueue.RobotEnqueued
	if err := workqueue.CheckRobotEnqueue(robot, items, take); err != nil || len(items) == 0 {
		return result, err
	}
	items = slices.Clone(items)
	var queues []string // sorted, so that two calls do not deadlock
	for i := range items {
		items[i].CreatedBy = robot
		if items[i].QueueName == "" {
			items[i].QueueName = workqueue.DefaultQueue
		}
		if !slices.Contains(queues, items[i].QueueName) {
			queues = append(queues, items[i].QueueName)
		}
	}
	slices.Sort(queues)
	err := s.underPolicies(ctx, func() error {
		p, err := s.enqueuePart(ctx, part, items)
		if err != nil {
			return err
		}
		if before, err := s.enqueuedBefore(ctx, p); err != nil || before != nil {
			result = workqueue.RobotEnqueued{Items: before}
			return err
		}
		e, err := s.prepare(ctx, items)
		if err != nil {
			return err
		}
		return s.retry(ctx, "enqueue", func() error {
			return s.tx(ctx, func(tx *sql.Tx) error {
				result = workqueue.RobotEnqueued{}
				policies, err := s.mayEnqueue(ctx, tx, robot, queues, take != nil)
				if err != nil {
					return err
				}
				var limits *claimLimits
				if take != nil && slices.ContainsFunc(policies, limited) {
					// Before the first item is locked, as passes do.
					if limits, err = s.lockLimits(ctx, tx); err != nil {
						return err
					}
				}
				if err := e.insertIn(ctx, tx); err != nil {
					return err
				}
				result.Items = e.results
				if take != nil {
					if result.Checkout, err = s.takeNew(ctx, tx, robot, policies, newIDs(queues, items, e.results), take, limits); err != nil {
						return err
					}
				}
				return s.recordEnqueued(ctx, tx, p, e.results)
			})
		})
	})
	if err != nil {
		return workqueue.RobotEnqueued{}, s.naming(ctx, unanswered(part, err))
	}
	s.readyIf(take == nil) // for workers, if the queues are for workers
	return result, nil
}

// limited reports whether a queue has limits.
func limited(q workqueue.Queue) bool { return q.QueueLimits != (workqueue.QueueLimits{}) }

// mayEnqueue checks the robot's rights in all queues, and returns the queues.
func (s *checkouts) mayEnqueue(ctx context.Context, tx *sql.Tx, robot string, queues []string, take bool) ([]workqueue.Queue, error) {
	policies := make([]workqueue.Queue, len(queues))
	var errs []error
	for i, name := range queues {
		q, err := s.presentQueue(s.in(ctx, tx), name)
		if err != nil {
			return nil, err
		}
		errs = append(errs, q.RobotMay(robot, workqueue.RightWrite))
		if take {
			errs = append(errs, q.RobotMay(robot, workqueue.RightRead), q.CheckRobotConsumer())
		}
		policies[i] = q
	}
	return policies, errors.Join(errs...)
}

// newIDs lists the ids of the new items, by queue.
func newIDs(queues []string, items []workqueue.NewItem, results []workqueue.Enqueued) [][]int64 {
	ids := make([][]int64, len(queues))
	for i, it := range items {
		if !results[i].Existing {
			q := slices.Index(queues, it.QueueName)
			ids[q] = append(ids[q], results[i].ID)
		}
	}
	return ids
}

// takeNew checks out the new items with one lock key.
func (s *checkouts) takeNew(ctx context.Context, tx *sql.Tx, robot string, queues []workqueue.Queue, newIDs [][]int64,
	take *workqueue.CheckoutOnEnqueue, limits *claimLimits) (workqueue.Checkout, error) {
	all := workqueue.Checkout{LockKey: workqueue.NewLockKey()}
	for i, ids := range newIDs {
		if len(ids) == 0 {
			continue
		}
		p := workqueue.CheckoutParams{
			Robot: robot, Queue: queues[i].Name, Max: len(ids), Lease: take.Lease, Filter: workqueue.CheckoutFilter{IDs: ids},
		}
		var taken []workqueue.Item
		var err error
		if limited(queues[i]) {
			taken, err = s.checkoutWithin(ctx, tx, p, all.LockKey, limits)
		} else {
			taken, err = s.checkout(ctx, tx, p, all.LockKey, nil)
		}
		if err != nil {
			return all, fmt.Errorf("check out the new items: %w", err)
		}
		all.Items = append(all.Items, taken...)
	}
	if len(all.Items) == 0 {
		all.LockKey = ""
	}
	slices.SortStableFunc(all.Items, compareTaken)
	return all, nil
}
