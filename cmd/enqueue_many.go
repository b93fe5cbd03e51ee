package cmd

import (
	"context"
	"fmt"
	"slices"

	"botwork/internal/strictyaml"
	"botwork/workqueue"
	"botwork/workqueue/sqlstore"
)

const (
	// enqueueBatch is how many items are written at once: all of them or none.
	enqueueBatch = 1000

	// maxLineFindings ends the reading of an input that is wrong throughout.
	maxLineFindings = 100
)

// enqueueLines reads items from standard input, checks them all, and writes
// them.
func (a *app) enqueueLines(ctx context.Context, defaults workqueue.NewItem, checker *itemChecker, output format) error {
	var (
		items    []workqueue.NewItem
		places   []place
		findings strictyaml.Findings
	)
	err := readLines(a.stdin, func(number int, line []byte) bool {
		at := place{file: "stdin", line: number}
		it, wrong := parseLine(line, defaults, &at)
		if len(wrong) == 0 {
			wrong = checker.check(&it, at)
		}
		findings = append(findings, wrong...)
		items, places = append(items, it), append(places, at)
		if len(findings) >= maxLineFindings {
			findings = append(findings, at.finding("", "too-many", "the lines behind this one were not read", ""))
			return false
		}
		return ctx.Err() == nil
	})
	if err != nil {
		return err
	}
	if len(findings) > 0 {
		return findings
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	return a.withQueues(ctx, items, places, func(store *sqlstore.Store) error {
		return a.enqueueMany(ctx, store, items, places, output)
	})
}

// enqueueMany writes items in batches and shows all that it wrote, even when a
// later batch could not be written. places may be nil.
func (a *app) enqueueMany(ctx context.Context, store *sqlstore.Store, items []workqueue.NewItem, places []place, output format) error {
	bar := a.newProgress("enqueue", len(items))
	var (
		ids    []int64
		failed error
	)
	for batch := range slices.Chunk(items, enqueueBatch) {
		got, err := store.Enqueue(ctx, batch)
		if err != nil {
			failed = fmt.Errorf("%d of %d items are in the queue, the rest is not: %w", len(ids), len(items), err)
			if places != nil {
				failed = fmt.Errorf("%w; go on from line %d", failed, places[len(ids)].line)
			}
			break
		}
		ids = append(ids, workqueue.IDs(got)...)
		bar.add(len(got))
	}
	bar.stop()
	if err := a.showMany(ctx, store, ids, output); err != nil && failed == nil {
		return err
	}
	return failed
}

func (a *app) showMany(ctx context.Context, store *sqlstore.Store, ids []int64, output format) error {
	if output != formatTable {
		// What is in the queue is shown even when the rest was interrupted.
		items, err := itemsByID(context.WithoutCancel(ctx), store, ids)
		if err != nil {
			return err
		}
		return a.print(output, items, nil)
	}
	switch len(ids) {
	case 0:
		fmt.Fprintln(a.stdout, "no items enqueued")
	case 1:
		fmt.Fprintf(a.stdout, "1 item enqueued: id %d\n", ids[0])
	default:
		fmt.Fprintf(a.stdout, "%d items enqueued: ids %d to %d\n", len(ids), slices.Min(ids), slices.Max(ids))
	}
	return nil
}

// itemsByID reads items page by page, in ascending order of their ids.
func itemsByID(ctx context.Context, store workqueue.ItemStore, ids []int64) ([]workqueue.Item, error) {
	wanted := make(map[int64]bool, len(ids))
	for _, id := range ids {
		wanted[id] = true
	}
	items := make([]workqueue.Item, 0, len(ids))
	for before := int64(0); len(items) < len(ids); {
		filter := workqueue.ItemFilter{BeforeID: before, Limit: enqueueBatch}
		if before == 0 {
			filter.BeforeID = slices.Max(ids) + 1
		}
		page, err := store.Items(ctx, filter)
		if err != nil {
			return nil, err
		}
		for _, it := range page {
			if wanted[it.ID] {
				items = append(items, it)
			}
		}
		if len(page) < enqueueBatch {
			break // the rest was deleted meanwhile
		}
		before = page[len(page)-1].ID
	}
	slices.Reverse(items)
	return items, nil
}
