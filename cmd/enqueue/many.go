package enqueue

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"botwork/cmd/internal/cli"
	"botwork/cmd/internal/remote"
	"botwork/internal/author/strictyaml"
	"botwork/internal/newitems"
	"botwork/workqueue"
)

const (
	// enqueueBatch is the maximum number of items in a transaction, and enqueueBytes the maximum
	// size of their payloads and other texts.
	enqueueBatch = 1000
	enqueueBytes = 4 << 20

	// allOrNone and allOrNoneBytes are the same if a key that is in use must fail the command: all
	// items are then enqueued in one transaction.
	allOrNone      = 50_000
	allOrNoneBytes = 64 << 20

	// lineRest is the maximum size of a line without its payload.
	lineRest = 1 << 20

	// maxLineFindings is the number of findings after which the check of the input stops.
	maxLineFindings = 100
)

// lineChecker checks the lines of standard input.
type lineChecker struct {
	defaults workqueue.NewItem
	items    *newitems.Checker
	queues   *newitems.QueueChecker // nil: the database does not answer
	findings strictyaml.Findings

	// conflicts is true if a line fails if its key is in use.
	conflicts bool
}

// enqueueLines checks all items of standard input, and then enqueues them.
func (a *command) enqueueLines(ctx context.Context, defaults workqueue.NewItem, checker *newitems.Checker, o enqueueOptions) error {
	check := lineChecker{defaults: defaults, items: checker}
	store, shut, opened := a.OpenBackend(ctx)
	if opened == nil {
		defer shut()
		if check.queues, opened = newitems.NewQueueChecker(ctx, store); opened != nil {
			return opened
		}
	}
	lines, err := newSpool()
	if err != nil {
		return err
	}
	defer func() { _ = lines.close() }()
	if err := check.read(ctx, a.Stdin, lines); err != nil {
		return err
	}
	check.findings.Sort()
	if err := check.findings.Err(); err != nil {
		return err // these errors do not need the database
	}
	if opened != nil {
		return opened
	}
	if server, ok := store.(*remote.Server); ok {
		if err := a.checkByServer(ctx, server, lines, defaults); err != nil {
			return err
		}
	}
	if err := lines.rewind(); err != nil {
		return err
	}
	source := lineSource(lines, defaults)
	source.together = check.conflicts
	return a.enqueueMany(ctx, store, source, o)
}

// read checks the lines until there are too many findings, and stores the lines that it has read.
func (c *lineChecker) read(ctx context.Context, r io.Reader, lines *spool) error {
	limit := int64(workqueue.DefaultMaxSize)
	if c.queues != nil {
		limit = c.queues.LargestPayload()
	}
	var kept error
	err := newitems.ReadLines(r, limit+lineRest, func(line newitems.InputLine) bool {
		at := newitems.Place{File: "stdin", Line: line.Number}
		if len(c.findings) == 0 && !line.TooLong {
			kept = lines.add(line.Number, line.Text)
		}
		wereNot := c.check(line, &at, limit)
		if len(c.findings) >= maxLineFindings {
			c.findings = append(c.findings, at.Finding("", "too-many", "the lines after this one were not "+wereNot, ""))
			return false
		}
		return kept == nil && ctx.Err() == nil
	})
	if err != nil {
		err = fmt.Errorf("standard input: %w", err)
	}
	return errors.Join(kept, err, ctx.Err())
}

// check adds the findings for a line, and returns "read" or "checked": what later lines are
// not if the check stops here.
func (c *lineChecker) check(line newitems.InputLine, at *newitems.Place, limit int64) string {
	if line.TooLong {
		at.Columns = nil
		c.findings = append(c.findings, at.Finding("", "too-long", fmt.Sprintf(
			"the line is longer than %d bytes, want a payload of at most %d (%s) and %d for the rest", limit+lineRest, limit, workqueue.SizeText(limit), lineRest),
			"store the data elsewhere and add a reference to it, or raise maxPayload in the queue's definition"))
		return "read"
	}
	it, wrong := newitems.ParseLine(line.Text, c.defaults, time.Local, at)
	c.conflicts = c.conflicts || it.Conflict == workqueue.ConflictFail
	unread := len(wrong) > 0
	if !unread {
		wrong = c.items.Check(&it, *at)
	}
	c.findings = append(c.findings, wrong...)
	if unread || c.queues == nil || len(c.findings) >= maxLineFindings {
		return "read"
	}
	c.findings = append(c.findings, c.queues.Check(it, *at)...)
	return "checked"
}

// itemSource returns the next item, or io.EOF after the last one.
type itemSource struct {
	total    int
	together bool                                               // all in one transaction, or none
	next     func() (it workqueue.NewItem, line int, err error) // line 0: not from a line
}

// lineSource returns the items of lines that were checked.
func lineSource(lines *spool, defaults workqueue.NewItem) itemSource {
	return itemSource{total: lines.lines, next: func() (workqueue.NewItem, int, error) {
		line, err := lines.next()
		if err != nil {
			return workqueue.NewItem{}, 0, err
		}
		at := newitems.Place{File: "stdin", Line: line.Number}
		// The item does not refer to the buffer, because setKey copies to strings.
		it, findings := newitems.ParseLine(line.Text, defaults, time.Local, &at)
		return it, line.Number, findings.Err()
	}}
}

// sameSource returns the same item count times.
func sameSource(it workqueue.NewItem, count int) itemSource {
	left := count
	return itemSource{total: count, together: it.Conflict == workqueue.ConflictFail, next: func() (workqueue.NewItem, int, error) {
		if left == 0 {
			return it, 0, io.EOF
		}
		left--
		return it, 0, nil
	}}
}

// enqueueOptions define how items are enqueued and printed.
type enqueueOptions struct {
	output cli.Format
	batch  string // the key of the batch
	again  bool   // the key is from --batch: an earlier command may have enqueued a part
}

// enqueueMany enqueues items in batches and prints all enqueued items, even if a later batch fails.
func (a *command) enqueueMany(ctx context.Context, store cli.Backend, source itemSource, o enqueueOptions) error {
	bar := a.NewProgress("enqueue", source.total)
	run := enqueueRun{app: a, store: store, key: o.batch, source: source}
	if o.again {
		if err := run.lookUp(ctx); err != nil {
			return err
		}
	}
	run.done.keepIDs = o.output != cli.FormatTable
	failed := run.all(ctx, bar.Add)
	bar.Stop()
	if err := a.showMany(ctx, store, &run.done, o.output); err != nil && failed == nil {
		return err
	}
	return failed
}
