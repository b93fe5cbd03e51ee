package sqlstore

import (
	"context"
	"database/sql"
	"fmt"
	"slices"

	"botwork/workqueue"
)

// claimedRows are the rows that a statement has claimed for a worker.
type claimedRows struct {
	items []workqueue.Item

	// large are rows whose texts were too large to return with the other rows: a worker must
	// not load 50 MB that its queue does not allow.
	large []itemRow
}

// claimed reads the rows that a statement has claimed for a worker.
func (s *itemRows) claimed(rows *sql.Rows, workerID int64) (claimedRows, error) {
	var c claimedRows
	row := claimedBy(workerID)
	pointers := row.claimed()
	err := eachRow(rows, func() error {
		if err := rows.Scan(pointers...); err != nil {
			return err
		}
		c.add(s, &row)
		return nil
	})
	return c, err
}

func (c *claimedRows) add(s *itemRows, row *itemRow) {
	s.history.sawItem(row.ID)
	if row.LeftOut != nil {
		c.large = append(c.large, *row)
		return
	}
	c.items = append(c.items, s.item(row))
}

// complete reads the large texts that the items' queues allow, and returns the items in
// the order in which their worker starts them.
func (c *claimedRows) complete(ctx context.Context, s *itemRows, on runner, queries *queries) ([]workqueue.Item, error) {
	items := c.items
	for i := range c.large {
		it, found, err := s.largeItem(ctx, on, queries, c.large[i])
		if err != nil {
			return nil, fmt.Errorf("read the large texts of item %d: %w", c.large[i].ID, err)
		}
		if found { // else the lease was lost meanwhile
			items = append(items, it)
		}
	}
	slices.SortStableFunc(items, func(a, b workqueue.Item) int { return workqueue.CompareStarts(&a, &b) })
	return items, nil
}

// completed does the same after the claim was committed. It also returns an item whose texts
// cannot be read, so that its attempt fails instead of its lease expiring.
func (s *itemRows) completed(ctx context.Context, c *claimedRows) []workqueue.Item {
	for _, row := range c.large {
		one := claimedRows{large: []itemRow{row}}
		err := s.retry(ctx, "read large texts", func() error {
			items, err := one.complete(ctx, s, s.db, s.queries)
			c.items = append(c.items, items...)
			return err
		})
		if err != nil {
			it := s.item(&row)
			it.Unreadable = err.Error()
			c.items = append(c.items, it)
		}
	}
	slices.SortStableFunc(c.items, func(a, b workqueue.Item) int { return workqueue.CompareStarts(&a, &b) })
	return c.items
}

// largeItem returns a claimed item with those large texts that its queue allows.
func (s *itemRows) largeItem(ctx context.Context, on runner, queries *queries, row itemRow) (it workqueue.Item, found bool, err error) {
	rows, err := queries.query(ctx, on, "large", values{"id": row.ID, "fence": row.Fence})
	if err != nil {
		return it, false, err
	}
	var payloadBytes, configBytes *int64
	var config *string
	err = eachRow(rows, func() error {
		found = true
		return rows.Scan(&payloadBytes, &configBytes, &config, &row.Payload, &row.Output)
	})
	if err != nil || !found {
		return it, false, err
	}
	if config != nil {
		row.IntegrationConfig = nullText(*config)
	}
	it = s.item(&row)
	switch {
	case payloadBytes != nil && row.Payload == "":
		it.Oversized = fmt.Sprintf("the payload has about %d bytes", *payloadBytes)
	case config == nil:
		it.Oversized = fmt.Sprintf("the pipeline has about %d bytes", orZero(configBytes))
	}
	return it, true, nil
}
