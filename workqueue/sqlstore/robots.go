package sqlstore

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"botwork/workqueue"
)

// checkouts hands items to robots, and enqueues items for them.
type checkouts struct {
	*connection
	*policies
	*notices
	*itemRows
	*enqueuing
	*queueStore
	*assignStore

	byHandAt atomic.Int64 // when items inserted by hand were last looked for, in Unix nanoseconds
}

// Checkout implements workqueue.RobotStore.
func (s *checkouts) Checkout(ctx context.Context, p workqueue.CheckoutParams) (workqueue.Checkout, error) {
	var taken workqueue.Checkout
	p, err := p.Normal()
	if err != nil {
		return taken, fmt.Errorf("checkout: %w", err)
	}
	err = s.retry(ctx, fmt.Sprintf("check out items of queue %q", p.Queue), func() error {
		if err := s.applyByHand(ctx); err != nil {
			return err
		}
		key := workqueue.NewLockKey()
		items, err := s.checkout(ctx, s.db, p, key, nil)
		if err == nil && len(items) == 0 {
			items, err = s.checkoutLimited(ctx, p, key)
		}
		if err == nil && len(items) > 0 {
			taken = workqueue.Checkout{LockKey: key, Items: items}
		}
		return err
	})
	return taken, err
}

// PeekItems implements workqueue.RobotStore.
func (s *checkouts) PeekItems(ctx context.Context, p workqueue.CheckoutParams) ([]workqueue.Item, error) {
	p, err := p.Normal()
	if err != nil {
		return nil, fmt.Errorf("peek: %w", err)
	}
	var items []workqueue.Item
	err = s.retry(ctx, fmt.Sprintf("peek at the items of queue %q", p.Queue), func() error {
		v, err := s.checkoutValues(p)
		if err != nil {
			return err
		}
		if items, err = s.checkoutItems(ctx, s.db, "checkout_peek", v); err != nil || len(items) > 0 {
			return err
		}
		return s.mayTake(ctx, p.Robot, p.Queue)
	})
	return items, err
}

// checkout runs one statement, which also checks the robot's right. If the queue has limits, it
// returns no items unless the caller has checked the limits.
func (s *checkouts) checkout(ctx context.Context, on runner, p workqueue.CheckoutParams, key string, limits *claimLimits) ([]workqueue.Item, error) {
	v, err := s.checkoutValues(p)
	if err != nil {
		return nil, err
	}
	v["lock_key"], v["lease_ms"], v["limited"] = workqueue.LockKeyHash(key), leaseArg(p.Lease), 0
	if limits != nil {
		v["limited"] = 1
	}
	return s.checkoutItems(ctx, on, "checkout", v)
}

// leaseArg returns the parameter for a lease; NULL means the queue's default.
func leaseArg(lease time.Duration) any {
	if lease == 0 {
		return nil
	}
	return ms(lease)
}

func (s *checkouts) checkoutValues(p workqueue.CheckoutParams) (values, error) {
	type idRow struct {
		ItemID int64 `json:"ItemId"`
	}
	var ids []idRow
	for _, id := range p.Filter.IDs {
		ids = append(ids, idRow{id})
	}
	wants := func(failures int) int {
		if p.Filter.Matches(failures) {
			return 1
		}
		return 0
	}
	v := values{
		"robot": p.Robot, "queue": p.Queue, "limit_rows": p.Max, "natural_key": null(p.Filter.Key), "ids": nil, "tags_any": nil,
		"tries_new": wants(0), "tries_once": wants(1), "tries_again": wants(2), "full_keys": nil, "now": s.nowArg(),
	}
	var errs [4]error
	if len(ids) > 0 {
		v["ids"], errs[0] = jsonRows(ids)
	}
	if len(p.Filter.TagsAny) > 0 {
		v["tags_any"], errs[1] = jsonRows(pieces(tagTexts(p.Filter.TagsAny)))
	}
	v["tags_all"], errs[2] = jsonRows(pieces(tagTexts(p.Filter.TagsAll)))
	v["metadata"], errs[3] = jsonRows(pieces(metadataTexts(p.Filter.Metadata)))
	return v, errors.Join(errs[:]...)
}

// pieceRow is a text that a column must contain, inside a JSON parameter.
type pieceRow struct{ Piece string }

func pieces(texts []string) []pieceRow {
	rows := make([]pieceRow, len(texts))
	for i, text := range texts {
		rows[i] = pieceRow{text}
	}
	return rows
}

// checkoutItems runs a statement that returns whole items, and sorts them in the order in which
// robots take them.
func (s *checkouts) checkoutItems(ctx context.Context, on runner, statement string, v values) ([]workqueue.Item, error) {
	rows, err := s.queries.query(ctx, on, statement, v)
	if err != nil {
		return nil, err
	}
	var items []workqueue.Item
	row := itemRow{Due: true}
	pointers := row.whole()
	err = eachRow(rows, func() error {
		if err := rows.Scan(pointers...); err != nil {
			return err
		}
		items = append(items, s.item(&row))
		return nil
	})
	slices.SortStableFunc(items, compareTaken)
	return items, err
}

// compareTaken orders items as robots take them. No deadline sorts after any deadline.
func compareTaken(a, b workqueue.Item) int {
	deadline := 0
	switch {
	case a.DeadlineAt != nil && b.DeadlineAt != nil:
		deadline = a.DeadlineAt.Compare(*b.DeadlineAt)
	case a.DeadlineAt != nil:
		deadline = -1
	case b.DeadlineAt != nil:
		deadline = 1
	}
	return cmp.Or(cmp.Compare(b.Priority, a.Priority), deadline, cmp.Compare(a.ID, b.ID))
}

// mayTake returns why a robot sees no items in a queue. It returns nil if there are none, or if
// the queue is paused.
func (s *checkouts) mayTake(ctx context.Context, robot, name string) error {
	q, err := s.presentQueue(s.listing.WithContext(ctx), name)
	if err != nil {
		return s.naming(ctx, err)
	}
	return mayTakeFrom(&q, robot)
}

func mayTakeFrom(q *workqueue.Queue, robot string) error {
	return cmp.Or(q.RobotMay(robot, workqueue.RightRead), q.CheckRobotConsumer())
}
