package cmd

import (
	"context"
	"errors"
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
	lines, err := a.readItems(ctx, defaults, checker)
	if err != nil {
		return err
	}
	store, err := a.openStore(ctx)
	if err != nil && len(lines.findings) > 0 {
		return lines.findings // which the database has nothing to do with
	}
	if err != nil {
		return err
	}
	err = lines.checkQueues(ctx, store)
	if err == nil {
		err = a.enqueueMany(ctx, store, lines.items, lines.places, output)
	}
	return errors.Join(err, store.Close())
}

// itemLines are the items of standard input.
type itemLines struct {
	items  []workqueue.NewItem
	places []place

	// unread tells of an item that its line could not be read as one.
	unread   []bool
	findings strictyaml.Findings
}

// full tells that there are enough findings, of which it makes the last one.
func (l *itemLines) full(at place, wereNot string) bool {
	if len(l.findings) < maxLineFindings {
		return false
	}
	l.findings = append(l.findings, at.finding("", "too-many", "the lines behind this one were not "+wereNot, ""))
	return true
}

func (a *app) readItems(ctx context.Context, defaults workqueue.NewItem, checker *itemChecker) (*itemLines, error) {
	var l itemLines
	err := readLines(a.stdin, func(number int, line []byte) bool {
		at := place{file: "stdin", line: number}
		it, wrong := parseLine(line, defaults, &at)
		unread := len(wrong) > 0
		if !unread {
			wrong = checker.check(&it, at)
		}
		l.findings = append(l.findings, wrong...)
		l.items, l.places, l.unread = append(l.items, it), append(l.places, at), append(l.unread, unread)
		return !l.full(at, "read") && ctx.Err() == nil
	})
	if err == nil {
		err = ctx.Err()
	}
	return &l, err
}

// checkQueues asks the items' queues and returns all that was found.
func (l *itemLines) checkQueues(ctx context.Context, store workqueue.QueueStore) error {
	checker, err := newQueueChecker(ctx, store)
	if err != nil {
		return err
	}
	for i := range l.items {
		if len(l.findings) > maxLineFindings {
			break // it says so already
		}
		if l.unread[i] {
			continue
		}
		found := checker.check(l.items[i], l.places[i])
		l.findings = append(l.findings, found...)
		if len(found) > 0 && l.full(l.places[i], "checked") {
			break
		}
	}
	l.findings.Sort()
	return l.findings.Err()
}

// enqueueMany writes items in batches and shows all that it wrote, even when a
// later batch could not be written. places may be nil.
func (a *app) enqueueMany(ctx context.Context, store *sqlstore.Store, items []workqueue.NewItem, places []place, output format) error {
	bar := a.newProgress("enqueue", len(items))
	var (
		results []workqueue.Enqueued
		failed  error
	)
	for batch := range slices.Chunk(items, enqueueBatch) {
		got, err := store.Enqueue(ctx, batch)
		if err != nil {
			failed = fmt.Errorf("%d of %d items are in the queue, the rest is not: %w", len(results), len(items), err)
			if places != nil {
				failed = fmt.Errorf("%w; go on from line %d", failed, places[len(results)].line)
			}
			break
		}
		results = append(results, got...)
		bar.add(len(got))
	}
	bar.stop()
	if err := a.showMany(ctx, store, results, output); err != nil && failed == nil {
		return err
	}
	return failed
}
