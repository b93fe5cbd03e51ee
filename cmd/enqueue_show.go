package cmd

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"botwork/workqueue"
	"botwork/workqueue/sqlstore"
)

// enqueuedItem is what `enqueue --output json` prints of an item: its fields,
// and behind them whether it was there already.
type enqueuedItem struct {
	workqueue.Item
	Existing bool
}

// MarshalJSON hangs the answer on what the item itself writes.
func (e enqueuedItem) MarshalJSON() ([]byte, error) {
	item, err := e.Item.MarshalJSON()
	if err != nil {
		return nil, err
	}
	return fmt.Appendf(item[:len(item)-1], `,"existing":%t}`, e.Existing), nil
}

// showOne shows what became of one item.
func (a *app) showOne(ctx context.Context, store workqueue.ItemStore, asked *workqueue.NewItem, made workqueue.Enqueued, output format) error {
	item, err := store.Item(ctx, made.ID)
	if errors.Is(err, workqueue.ErrNotFound) {
		// A worker was faster, and its queue keeps nothing.
		return a.print(output, made, func() { fmt.Fprintf(a.stdout, "item %d: it was in the queue and is deleted already\n", made.ID) })
	}
	if err != nil {
		return err
	}
	return a.print(output, enqueuedItem{item, made.Existing}, func() {
		if made.Existing {
			fmt.Fprintf(a.stdout, "item %d was there already, with the same %s: %s, priority %d, queue %s\n",
				item.ID, sameness(asked, &item), item.Lifecycle, item.Priority, item.QueueName)
			return
		}
		fmt.Fprintf(a.stdout, "item %d: %s, priority %d, queue %s, due %s\n",
			item.ID, item.State, item.Priority, item.QueueName, instant(&item.AvailableAt))
	})
}

// sameness says what an item that was there already has in common with the one
// that was asked for.
func sameness(asked *workqueue.NewItem, found *workqueue.Item) string {
	if asked.UniqueFor == 0 || found.NaturalKey != nil && *found.NaturalKey == asked.NaturalKey {
		return "key"
	}
	return "queue, pipeline and payload"
}

// showMany shows what became of many items.
func (a *app) showMany(ctx context.Context, store *sqlstore.Store, results []workqueue.Enqueued, output format) error {
	made := map[int64]bool{}
	var ids []int64
	existing := 0
	for _, r := range results {
		if r.Existing {
			existing++
			continue
		}
		made[r.ID] = true
		ids = append(ids, r.ID)
	}
	if output != formatTable {
		// What is in the queue is shown even when the rest was interrupted.
		items, err := itemsByID(context.WithoutCancel(ctx), store, workqueue.IDs(results))
		if err != nil {
			return err
		}
		list := make([]enqueuedItem, len(items))
		for i, it := range items {
			list[i] = enqueuedItem{it, !made[it.ID]}
		}
		return a.print(output, list, nil)
	}
	text := "no items enqueued"
	switch len(ids) {
	case 0:
	case 1:
		text = fmt.Sprintf("1 item enqueued: id %d", ids[0])
	default:
		text = fmt.Sprintf("%d items enqueued: ids %d to %d", len(ids), slices.Min(ids), slices.Max(ids))
	}
	switch existing {
	case 0:
	case 1:
		text += "; 1 was there already"
	default:
		text += fmt.Sprintf("; %d were there already", existing)
	}
	fmt.Fprintln(a.stdout, text)
	return nil
}

// itemsByID reads items, each once, in ascending order of their ids. What was
// deleted meanwhile is not there; what is hidden is.
func itemsByID(ctx context.Context, store workqueue.ItemStore, ids []int64) ([]workqueue.Item, error) {
	ids = slices.Compact(slices.Sorted(slices.Values(ids)))
	items := make([]workqueue.Item, 0, len(ids))
	for len(ids) > 0 {
		// A page reaches from the highest id that is left as far down as there are
		// ids that it can hold, and no farther: what was there already may be
		// millions of rows away from what is new.
		top := ids[len(ids)-1]
		first, _ := slices.BinarySearch(ids, top-enqueueBatch+1)
		low := ids[first]
		page, err := store.Items(ctx, workqueue.ItemFilter{
			BeforeID: top + 1, Limit: int(top - low + 1), Lifecycles: workqueue.Lifecycles(),
		})
		if err != nil {
			return nil, err
		}
		for _, it := range page {
			if _, wanted := slices.BinarySearch(ids[first:], it.ID); wanted {
				items = append(items, it)
			}
		}
		ids = ids[:first]
	}
	slices.Reverse(items)
	return items, nil
}
