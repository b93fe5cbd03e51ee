package cmd

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"botwork/workqueue"
	"botwork/workqueue/sqlstore"
)

// enqueuedItem is what `enqueue --output json` prints of an item: its fields,
// and after them whether it was there already, and when it is expected to start; of many
// items, only the first and the last have that.
type enqueuedItem struct {
	workqueue.Item
	Existing bool
	Expected *expectation
}

// MarshalJSON hangs the answer on what the item itself writes.
func (e enqueuedItem) MarshalJSON() ([]byte, error) {
	item, err := e.Item.MarshalJSON()
	if err != nil {
		return nil, err
	}
	more := struct {
		Existing   bool       `json:"existing"`
		ExpectedAt *time.Time `json:"expectedAt"`
		Expected   *string    `json:"expected"`
	}{Existing: e.Existing}
	if e.Expected != nil && e.Expected.Text != "" {
		more.ExpectedAt, more.Expected = e.Expected.At, &e.Expected.Text
	}
	text, err := plainJSON(more)
	if err != nil {
		return nil, err
	}
	return slices.Concat(item[:len(item)-1], []byte(","), text[1:]), nil
}

// showOne shows what became of one item.
func (a *app) showOne(ctx context.Context, store workqueue.ItemStore, expect func(id int64) expectation, asked *workqueue.NewItem, made workqueue.Enqueued, output format) error {
	item, err := store.Item(ctx, made.ID)
	if errors.Is(err, workqueue.ErrNotFound) {
		// A worker was faster, and its queue keeps nothing.
		return a.print(output, made, func() { fmt.Fprintf(a.stdout, "item %d: it was in the queue and is deleted already\n", made.ID) })
	}
	if err != nil {
		return err
	}
	expected := expect(item.ID)
	return a.print(output, enqueuedItem{item, made.Existing, &expected}, func() {
		if made.Existing {
			fmt.Fprintf(a.stdout, "item %d was there already, with the same %s: %s, priority %d, queue %s\n",
				item.ID, sameness(asked, &item), item.Lifecycle, item.Priority, item.QueueName)
		} else {
			fmt.Fprintf(a.stdout, "item %d: %s, priority %d, queue %s, due %s\n",
				item.ID, item.State, item.Priority, item.QueueName, instant(&item.AvailableAt))
		}
		if expected.Text != "" {
			fmt.Fprintf(a.stdout, "expected to start: %s\n", expected.Text)
		}
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
	var expected map[int64]expectation
	if len(ids) > 0 {
		expected = a.newStartExpectations(store).firstAndLast(ctx, ids)
	}
	if output != formatTable {
		// What is in the queue is shown even when the rest was interrupted.
		items, err := itemsByID(context.WithoutCancel(ctx), store, workqueue.IDs(results))
		if err != nil {
			return err
		}
		list := make([]enqueuedItem, len(items))
		for i, it := range items {
			list[i] = enqueuedItem{it, !made[it.ID], nil}
			if e, ok := expected[it.ID]; ok {
				list[i].Expected = &e
			}
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
	if len(ids) > 0 {
		a.showFirstAndLast(expected[ids[0]].Text, expected[ids[len(ids)-1]].Text)
	}
	return nil
}

// showFirstAndLast shows when the first and the last of many items are expected to start.
func (a *app) showFirstAndLast(first, last string) {
	switch {
	case first == last && first != "":
		fmt.Fprintf(a.stdout, "expected to start: %s\n", first)
	case first != last:
		fmt.Fprintf(a.stdout, "expected to start: the first %s; the last %s\n", cmp.Or(first, "has started"), cmp.Or(last, "has started"))
	}
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
