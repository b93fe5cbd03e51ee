package enqueue

import (
	"cmp"
	"context"
	"slices"

	"botwork/workqueue"
)

// enqueuedItems holds the results of a command, as far as the output needs them.
type enqueuedItems struct {
	count, existing int
	earlier         int   // the new items that an earlier command with the same batch key created
	first, last     int64 // new items, in the order of the input; 0: there are none
	low, high       int64 // their ids

	keepIDs bool
	ranges  []idRange
}

// idRange is a range of consecutive ids.
type idRange struct {
	low, high int64
	existing  bool
	bytes     int32 // approximate size of the texts of one item
}

func (e *enqueuedItems) add(results []workqueue.Enqueued, bytes int) {
	average := int32(bytes / max(len(results), 1))
	start := len(e.ranges)
	for _, r := range results {
		e.count++
		if r.Existing {
			e.existing++
		} else {
			if e.first == 0 {
				e.first, e.low = r.ID, r.ID
			}
			e.last, e.low, e.high = r.ID, min(e.low, r.ID), max(e.high, r.ID)
		}
		if !e.keepIDs {
			continue
		}
		// Ranges of two batches are not joined: their items may differ in size.
		if last := len(e.ranges) - 1; last >= start && !r.Existing && !e.ranges[last].existing && e.ranges[last].high+1 == r.ID {
			e.ranges[last].high = r.ID
			continue
		}
		e.ranges = append(e.ranges, idRange{r.ID, r.ID, r.Existing, average})
	}
}

// countEarlier records that an earlier command created these items.
func (e *enqueuedItems) countEarlier(results []workqueue.Enqueued) {
	for _, r := range results {
		if !r.Existing {
			e.earlier++
		}
	}
}

// made returns the number of new items.
func (e *enqueuedItems) made() int { return e.count - e.existing }

// itemLister lists items.
type itemLister interface {
	Items(ctx context.Context, f workqueue.ItemFilter) ([]workqueue.Item, error)
}

// each reads every item once, in ascending order of ids, in pages. Items that were deleted
// meanwhile are missing; hidden items are included. After a page that cannot be read, unread has
// the reason, and noted is called for the other items.
func (e *enqueuedItems) each(ctx context.Context, store itemLister, show func(it workqueue.Item, existing bool) error,
	noted func(workqueue.Enqueued) error) (unread, err error) {
	// If a new item was also found as an existing one, it counts as new.
	slices.SortStableFunc(e.ranges, func(a, b idRange) int {
		if c := cmp.Compare(a.low, b.low); c != 0 || a.existing == b.existing {
			return c
		}
		if b.existing {
			return -1
		}
		return 1
	})
	shown := int64(0)
	for i := 0; i < len(e.ranges); {
		low := max(e.ranges[i].low, shown+1)
		if low > e.ranges[i].high {
			i++
			continue
		}
		// A page starts at the lowest remaining id and has only as many ids as fit, because existing
		// items may be millions of rows away from the new ones.
		most := int64(min(enqueueBatch, max(enqueueBytes/(int(e.ranges[i].bytes)+1), 1)))
		top := min(e.ranges[i].high, low+most-1)
		for n := i + 1; n < len(e.ranges) && top == max(top, e.ranges[n-1].high) && e.ranges[n].high < low+most; n++ {
			top = max(top, e.ranges[n].high)
		}
		var items []workqueue.Item
		if unread == nil {
			items, unread = readPage(ctx, store, low, top)
		}
		if unread == nil {
			err = showPage(items, e.ranges[i:], low, show)
		} else {
			err = notePage(e.ranges[i:], low, top, noted)
		}
		if err != nil {
			return unread, err
		}
		shown = top
	}
	return unread, nil
}

// readPage reads the items from low to top, the newest first.
func readPage(ctx context.Context, store itemLister, low, top int64) ([]workqueue.Item, error) {
	ctx, cancel := context.WithTimeout(ctx, readBackFor)
	defer cancel()
	return store.Items(ctx, workqueue.ItemFilter{BeforeID: top + 1, Limit: int(top - low + 1), Lifecycles: workqueue.Lifecycles()})
}

// showPage shows the items from low on that are in the ranges.
func showPage(items []workqueue.Item, ranges []idRange, low int64, show func(workqueue.Item, bool) error) error {
	for _, it := range slices.Backward(items) {
		for len(ranges) > 0 && ranges[0].high < it.ID {
			ranges = ranges[1:]
		}
		if it.ID < low || len(ranges) == 0 || it.ID < ranges[0].low {
			continue // another command created it
		}
		if err := show(it, ranges[0].existing); err != nil {
			return err
		}
	}
	return nil
}

// notePage calls noted for each id from low to top that is in the ranges.
func notePage(ranges []idRange, low, top int64, noted func(workqueue.Enqueued) error) error {
	for _, r := range ranges {
		for low = max(low, r.low); low <= min(top, r.high); low++ {
			if err := noted(workqueue.Enqueued{ID: low, Existing: r.existing}); err != nil {
				return err
			}
		}
	}
	return nil
}
