package enqueue

import (
	"context"
	"errors"
	"fmt"
	"io"

	"botwork/cmd/internal/batch"
	"botwork/workqueue"
)

// enqueueRun writes the items of a source, batch by batch.
type enqueueRun struct {
	app    *command
	store  workqueue.BatchStore
	key    string
	source itemSource

	earlier map[int64]bool // the parts that an earlier command has written
	done    enqueuedItems

	// The batch that is written next.
	part       int64
	items      []workqueue.NewItem
	bytes      int
	from, upTo int // lines; 0: there are none
	held       *heldItem
}

// heldItem is an item that had no room in a batch.
type heldItem struct {
	item workqueue.NewItem
	line int
}

// all writes batch by batch until there are no more, or ctx ends. A batch that is under
// way then is waited for, so that what is said of it is true.
func (r *enqueueRun) all(ctx context.Context, wrote func(n int)) error {
	longer, stop := batch.Outlive(ctx, batch.Grace)
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
			got, err = batch.Enqueue(longer, r.app.App, r.store, workqueue.BatchPart{Key: r.key, Part: r.part}, r.items)
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

// lookUp finds the parts of the batch that an earlier command has written.
func (r *enqueueRun) lookUp(ctx context.Context) error {
	r.earlier = map[int64]bool{}
	return r.store.EachBatchRecord(ctx, r.key, func(part workqueue.BatchRecord) error {
		r.earlier[part.Part] = true
		return nil
	})
}

// fill makes the next batch; it depends on the items alone, so that the same input makes
// the same batches.
func (r *enqueueRun) fill() error {
	clear(r.items)
	r.items, r.bytes, r.from, r.upTo = r.items[:0], 0, 0, 0
	r.part++
	for len(r.items) < enqueueBatch {
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
		if len(r.items) > 0 && r.bytes+size > enqueueBytes {
			r.held = next
			return nil
		}
		if len(r.items) == 0 {
			r.from = next.line
		}
		r.items, r.bytes, r.upTo = append(r.items, next.item), r.bytes+size, next.line
	}
	return nil
}

// broken adds to err how far the writing came, and how to go on.
func (r *enqueueRun) broken(err error) error {
	said := fmt.Sprintf("%d of %d items are in the queue", r.done.count, r.source.total)
	lines := r.from > 0
	again := "the same command with --batch " + r.key
	if lines {
		again = "the same command and input with --batch " + r.key
	}
	if _, unknown := errors.AsType[*workqueue.UnansweredError](err); unknown {
		which := fmt.Sprintf("the next %d", len(r.items))
		if lines {
			which += fmt.Sprintf(" (lines %d to %d)", r.from, r.upTo)
		}
		return fmt.Errorf("at least %s; whether %s are is unknown, since the database did not answer: %w; "+
			"hint: `botwork items batch %s` shows it, and %s enqueues what is missing, nothing twice", said, which, err, r.key, again)
	}
	said += ", the rest is not"
	if lines {
		return fmt.Errorf("%s: %w; continue from line %d, or give %s: what is in the queue is not enqueued twice", said, err, r.from, again)
	}
	return fmt.Errorf("%s: %w; hint: %s enqueues the rest", said, err, again)
}
