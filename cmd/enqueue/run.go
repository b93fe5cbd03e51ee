package enqueue

import (
	"context"
	"errors"
	"fmt"
	"io"

	"botwork/cmd/internal/batch"
	"botwork/cmd/internal/cli"
	"botwork/internal/author/strictyaml"
	"botwork/internal/newitems"
	"botwork/workqueue"
)

// enqueueRun enqueues the items of a source in batches.
type enqueueRun struct {
	app    *command
	store  workqueue.BatchStore
	key    string
	source itemSource

	earlier map[int64]bool // the parts that an earlier command has enqueued
	done    enqueuedItems

	// The next batch.
	part  int64
	items []workqueue.NewItem
	lines []int // of the items; 0: from a flag
	bytes int
	held  *heldItem
}

// heldItem is an item that did not fit into a batch.
type heldItem struct {
	item workqueue.NewItem
	line int
}

// all enqueues batches until there are no more, or ctx ends. It waits for the current batch,
// so that the reported numbers are correct.
func (r *enqueueRun) all(ctx context.Context, wrote func(n int)) error {
	longer, stop := batch.WithGrace(ctx, batch.Grace)
	defer stop()
	for {
		err := r.fill()
		if err == nil {
			err = ctx.Err()
		}
		if err == nil && len(r.items) == 0 {
			return nil
		}
		var got []workqueue.Enqueued
		if err == nil {
			got, err = batch.Enqueue(longer, r.app.App.App, r.store, workqueue.BatchPart{Key: r.key, Part: r.part}, r.items)
		}
		if err != nil {
			return r.broken(err)
		}
		r.done.add(got, r.bytes)
		if r.earlier[r.part] {
			r.done.countEarlier(got)
		}
		wrote(len(got))
	}
}

// lookUp finds the parts of the batch that an earlier command has enqueued.
func (r *enqueueRun) lookUp(ctx context.Context) error {
	r.earlier = map[int64]bool{}
	return r.store.EachBatchRecord(ctx, r.key, func(part workqueue.BatchRecord) error {
		r.earlier[part.Part] = true
		return nil
	})
}

// fill builds the next batch. It depends only on the items, so that the same input results in
// the same batches.
func (r *enqueueRun) fill() error {
	clear(r.items)
	r.items, r.lines, r.bytes = r.items[:0], r.lines[:0], 0
	r.part++
	most, mostBytes := enqueueBatch, enqueueBytes
	if r.source.together {
		most, mostBytes = allOrNone, allOrNoneBytes
	}
	for len(r.items) < most {
		next := r.held
		if r.held = nil; next == nil {
			it, line, err := r.source.next()
			if errors.Is(err, io.EOF) {
				return nil
			}
			if err != nil {
				return err
			}
			next = &heldItem{it, line}
		}
		size := len(next.item.Payload) + len(next.item.IntegrationConfig)
		for key, value := range next.item.Metadata {
			size += len(key) + len(value)
		}
		for _, tag := range next.item.Tags {
			size += len(tag)
		}
		if len(r.items) > 0 && r.bytes+size > mostBytes {
			r.held = next
			return r.tooMany()
		}
		r.items, r.lines, r.bytes = append(r.items, next.item), append(r.lines, next.line), r.bytes+size
	}
	if r.source.total > len(r.items) {
		return r.tooMany()
	}
	return nil
}

// tooMany returns an error if the items must be enqueued together and do not fit.
func (r *enqueueRun) tooMany() error {
	if !r.source.together {
		return nil
	}
	return fmt.Errorf("got %d items with conflict: fail, which are enqueued in one transaction, want at most %d items and %d MB of texts; "+
		"hint: split the input", r.source.total, allOrNone, allOrNoneBytes>>20)
}

// broken adds the progress and how to continue to err.
func (r *enqueueRun) broken(err error) error {
	said := fmt.Sprintf("%d of %d items are in the queue", r.done.count, r.source.total)
	if refused := r.refused(err); len(refused) > 0 {
		for _, f := range refused {
			fmt.Fprintln(r.app.Stderr, f)
		}
		if r.done.count == 0 {
			return fmt.Errorf("no item was enqueued: %s", cli.Count(len(refused), "refused line"))
		}
		return fmt.Errorf("%s, the others are not: %s", said, cli.Count(len(refused), "refused line"))
	}
	from, upTo := r.firstAndLastLine()
	lines := from > 0
	again := "the same command with --batch " + r.key
	if lines {
		again = "the same command and input with --batch " + r.key
	}
	if _, unknown := errors.AsType[*workqueue.UnansweredError](err); unknown {
		which := fmt.Sprintf("the next %d", len(r.items))
		if lines {
			which += fmt.Sprintf(" (lines %d to %d)", from, upTo)
		}
		return fmt.Errorf("at least %s; it is unknown whether %s are, because the %s did not answer: %w; "+
			"hint: `botwork items batch %s` shows it, and %s enqueues only the missing items", said, which, r.app.Answerer(), err, r.key, again)
	}
	said += ", the others are not"
	if lines {
		return fmt.Errorf("%s: %w; continue from line %d, or repeat %s: no item is enqueued twice", said, err, from, again)
	}
	return fmt.Errorf("%s: %w; hint: %s enqueues the others", said, err, again)
}

// firstAndLastLine returns the lines of the batch; 0: its items are from a flag, or there are none.
func (r *enqueueRun) firstAndLastLine() (from, upTo int) {
	if len(r.lines) == 0 {
		return 0, 0
	}
	return r.lines[0], r.lines[len(r.lines)-1]
}

// refused returns the errors that the database returned for lines of the batch, with their
// positions; nil for other errors.
func (r *enqueueRun) refused(err error) strictyaml.Findings {
	if from, _ := r.firstAndLastLine(); from == 0 {
		return nil
	}
	at := func(index int) newitems.Place { return newitems.Place{File: "stdin", Line: r.lines[index]} }
	if conflict, ok := errors.AsType[*workqueue.ConflictError](err); ok {
		var findings strictyaml.Findings
		for _, c := range conflict.Conflicts {
			text := c.String()
			if c.ItemID == 0 {
				text = fmt.Sprintf("line %d has the same %s", r.lines[c.Earlier], c.What)
			}
			findings = append(findings, at(c.Index).Finding("", "key-in-use", text, ""))
		}
		return findings
	}
	if bad, ok := errors.AsType[*workqueue.BadItemError](err); ok {
		return newitems.Faults(at(bad.Index), bad.Err)
	}
	return nil
}
