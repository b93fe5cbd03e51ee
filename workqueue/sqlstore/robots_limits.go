package sqlstore

import (
	"context"
	"database/sql"

	"botwork/workqueue"
)

// checkoutLimited retries a checkout that returned nothing because the queue has limits. If it
// has none, the error says why there was nothing. Until it returns, no pass and no other
// checkout can claim items.
func (s *checkouts) checkoutLimited(ctx context.Context, p workqueue.CheckoutParams, key string) ([]workqueue.Item, error) {
	q, err := s.presentQueue(s.listing.WithContext(ctx), p.Queue)
	if err != nil {
		return nil, s.naming(ctx, err)
	}
	if err := mayTakeFrom(&q, p.Robot); err != nil || q.QueueLimits == (workqueue.QueueLimits{}) {
		return nil, err
	}
	p.Queue = q.Name // the name as the limits have it
	var items []workqueue.Item
	err = s.tx(ctx, func(tx *sql.Tx) error {
		limits, err := s.lockLimits(ctx, tx)
		if err != nil {
			return err
		}
		items, err = s.checkoutWithin(ctx, tx, p, key, limits)
		return err
	})
	return items, err
}

// checkoutWithin takes the first items that the limits allow.
func (s *checkouts) checkoutWithin(ctx context.Context, tx *sql.Tx, p workqueue.CheckoutParams, key string, limits *claimLimits) ([]workqueue.Item, error) {
	ids, err := s.allowedItems(ctx, tx, p, limits)
	if err != nil || len(ids) == 0 {
		return nil, err
	}
	p.Max, p.Filter.IDs = len(ids), ids
	items, err := s.checkout(ctx, tx, p, key, limits)
	if err != nil {
		return nil, err
	}
	refs := make([]refRow, len(items))
	for i, it := range items {
		refs[i] = refRow{ItemID: it.ID, ItemFence: it.Fence}
	}
	return items, limits.recordClaimed(ctx, refs)
}

// allowedItems picks items that the limits allow, page by page: items whose keys have reached
// their limit must not hide later items.
func (s *checkouts) allowedItems(ctx context.Context, tx *sql.Tx, p workqueue.CheckoutParams, limits *claimLimits) ([]int64, error) {
	var ids []int64
	picked := map[int64]bool{}
	for before := -1; len(ids)+len(limits.Full().Keys) > before; {
		before = len(ids) + len(limits.Full().Keys)
		if !limits.Allows(p.Queue, "") {
			return ids, nil
		}
		page, err := s.peekExcept(ctx, tx, p, limits.Full())
		if err != nil {
			return nil, err
		}
		for _, it := range page {
			key := s.limitKey(it.LimitKey)
			if len(ids) == p.Max || picked[it.ID] || !limits.Allows(p.Queue, key) {
				continue
			}
			limits.Take(p.Queue, key)
			picked[it.ID] = true
			ids = append(ids, it.ID)
		}
		// A full page has items that were picked before, and others: one of those was picked
		// now, or its key has reached its limit.
		if len(ids) == p.Max || len(page) < p.Max {
			break
		}
	}
	return ids, nil
}

// peekExcept lists the first items, except those whose keys have reached their limit.
func (s *checkouts) peekExcept(ctx context.Context, tx *sql.Tx, p workqueue.CheckoutParams, full workqueue.Full) ([]workqueue.Item, error) {
	v, err := s.checkoutValues(p)
	if err != nil {
		return nil, err
	}
	var keys []string
	for _, k := range full.Keys {
		if k.Queue == p.Queue {
			keys = append(keys, k.Key)
		}
	}
	if len(keys) > 0 {
		if v["full_keys"], err = jsonRows(pieces(keys)); err != nil {
			return nil, err
		}
	}
	return s.checkoutItems(ctx, tx, "checkout_peek", v)
}
