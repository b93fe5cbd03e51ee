package enqueue

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"botwork/cmd/internal/cli"
	"botwork/workqueue"
)

// enqueuedItem is what `enqueue --output json` prints for an item: its fields, then whether it
// already existed, and when it is expected to start; of many items, only the first and the
// last have the expected start.
type enqueuedItem struct {
	workqueue.Item
	Existing bool
	Expected *expectation
}

// MarshalJSON appends these fields to the item's JSON.
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
	text, err := cli.PlainJSON(more)
	if err != nil {
		return nil, err
	}
	return slices.Concat(item[:len(item)-1], []byte(","), text[1:]), nil
}

// itemGetter returns one item.
type itemGetter interface {
	Item(ctx context.Context, id int64) (workqueue.Item, error)
}

// showOne prints the result of one item.
func (a *command) showOne(ctx context.Context, store itemGetter, expect func(id int64) expectation, asked *workqueue.NewItem, made workqueue.Enqueued, output cli.Format) error {
	item, err := readBack(ctx, store, made.ID)
	if errors.Is(err, workqueue.ErrNotFound) {
		// A worker has already finished the item, and its queue keeps no items.
		return a.Print(output, made, func() { fmt.Fprintf(a.Stdout, "item %d was enqueued and has already been deleted\n", made.ID) })
	}
	if err != nil {
		a.notReadBack(err)
		return a.Print(output, made, func() {
			fmt.Fprintf(a.Stdout, "item %d: %s\n", made.ID, map[bool]string{false: "enqueued", true: "already exists"}[made.Existing])
		})
	}
	if output != cli.FormatTable {
		expected := expect(item.ID)
		return a.Print(output, enqueuedItem{item, made.Existing, &expected}, nil)
	}
	if made.Existing {
		fmt.Fprintf(a.Stdout, "item %d already exists with the same %s: %s, priority %d, queue %s\n",
			item.ID, sameness(asked, &item), item.Status(), item.Priority, item.QueueName)
	} else {
		fmt.Fprintf(a.Stdout, "item %d: %s, priority %d, queue %s, due %s\n",
			item.ID, item.Status(), item.Priority, item.QueueName, a.Instant(&item.AvailableAt))
	}
	if expected := expect(item.ID); expected.Text != "" {
		fmt.Fprintf(a.Stdout, "expected to start: %s\n", expected.Text)
	}
	return nil
}

// readBackFor bounds how long a command reads items that it has enqueued, and that another session
// may hold.
const readBackFor = 10 * time.Second

// readBack reads an item that was enqueued.
func readBack(ctx context.Context, store itemGetter, id int64) (workqueue.Item, error) {
	ctx, cancel := context.WithTimeout(ctx, readBackFor)
	defer cancel()
	return store.Item(ctx, id)
}

// notReadBack reports that enqueued items cannot be shown. The command succeeds, because a script
// would enqueue them again.
func (a *command) notReadBack(err error) {
	a.Complain(fmt.Errorf("enqueued, but cannot be shown: %w; hint: `botwork items show ID` shows an item later", err))
}

// sameness returns what an existing item has in common with the requested one.
func sameness(asked *workqueue.NewItem, found *workqueue.Item) string {
	if asked.UniqueFor == 0 || found.NaturalKey != nil && *found.NaturalKey == asked.NaturalKey {
		return "key"
	}
	return "queue, pipeline and payload"
}

// showMany prints the results of many items.
func (a *command) showMany(ctx context.Context, store cli.Backend, done *enqueuedItems, output cli.Format) error {
	if output != cli.FormatTable {
		return a.listMany(ctx, store, done, output)
	}
	text := "no items enqueued"
	switch done.made() {
	case 0:
	case 1:
		text = fmt.Sprintf("1 item enqueued: id %d", done.first)
	default:
		text = fmt.Sprintf("%d items enqueued: ids %d to %d", done.made(), done.low, done.high)
	}
	if done.earlier > 0 {
		text += fmt.Sprintf("; %d of them by an earlier command with this batch key", done.earlier)
	}
	switch done.existing {
	case 0:
	case 1:
		text += "; 1 already existed"
	default:
		text += fmt.Sprintf("; %d already existed", done.existing)
	}
	fmt.Fprintln(a.Stdout, text)
	if done.made() > 0 {
		expected := a.expectedOf(ctx, store, done)
		a.showFirstAndLast(expected[done.first].Text, expected[done.last].Text)
	}
	return nil
}

// expectedOf returns when the first and the last new item are expected to start.
func (a *command) expectedOf(ctx context.Context, store cli.Backend, done *enqueuedItems) map[int64]expectation {
	if done.made() == 0 {
		return nil
	}
	return a.newStartExpectations(store).firstAndLast(ctx, []int64{done.first, done.last})
}

// listMany prints many items as JSON or YAML. Of items that cannot be read it prints the ids.
func (a *command) listMany(ctx context.Context, store cli.Backend, done *enqueuedItems, output cli.Format) error {
	expected := a.expectedOf(ctx, store, done)
	list := a.NewList(output)
	// The enqueued items are printed even if the command was interrupted.
	unread, err := done.each(context.WithoutCancel(ctx), store, func(it workqueue.Item, existing bool) error {
		one := enqueuedItem{it, existing, nil}
		if e, ok := expected[it.ID]; ok {
			one.Expected = &e
		}
		return list.Add(one)
	}, func(made workqueue.Enqueued) error { return list.Add(made) })
	if unread != nil {
		a.notReadBack(unread)
	}
	return errors.Join(err, list.End())
}

// spanOfTime is how long ago something was, in the reason why a start is unknown.
var spanOfTime = regexp.MustCompile(`[0-9.]+(ms|s|m|h|d)`)

// sameUnknown reports whether two starts are unknown for the same reason: the last item was asked for a little
// later than the first.
func sameUnknown(first, last string) bool {
	return strings.HasPrefix(first, "unknown: ") && spanOfTime.ReplaceAllString(first, "") == spanOfTime.ReplaceAllString(last, "")
}

// showFirstAndLast shows when the first and the last of many items are expected to start.
func (a *command) showFirstAndLast(first, last string) {
	switch {
	case first != "" && (first == last || sameUnknown(first, last)):
		fmt.Fprintf(a.Stdout, "expected to start: %s\n", first)
	case first != last:
		fmt.Fprintf(a.Stdout, "expected to start: the first %s; the last %s\n", cmp.Or(first, "has started"), cmp.Or(last, "has started"))
	}
}
