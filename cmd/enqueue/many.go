package enqueue

import (
	"context"
	"errors"
	"fmt"
	"io"

	"botwork/cmd/internal/cli"
	"botwork/internal/author/strictyaml"
	"botwork/workqueue"
)

const (
	// enqueueBatch is how many items are written at once: all of them or none. Of large
	// ones fewer are, enqueueBytes of payload and other text.
	enqueueBatch = 1000
	enqueueBytes = 4 << 20

	// lineRest is how much of a line there may be beside the payload.
	lineRest = 1 << 20

	// maxLineFindings ends the reading of an input that is wrong throughout.
	maxLineFindings = 100
)

// lineChecker checks the lines of standard input, one after the other.
type lineChecker struct {
	defaults workqueue.NewItem
	items    *itemChecker
	queues   *queueChecker // nil: the database does not answer
	findings strictyaml.Findings
}

// enqueueLines checks all items of standard input, and then writes them.
func (a *command) enqueueLines(ctx context.Context, defaults workqueue.NewItem, checker *itemChecker, o enqueueOptions) error {
	check := lineChecker{defaults: defaults, items: checker}
	store, opened := a.OpenStore(ctx)
	if opened == nil {
		defer func() { _ = store.Close() }()
		if check.queues, opened = newQueueChecker(ctx, store); opened != nil {
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
		return err // which the database has nothing to do with
	}
	if opened != nil {
		return opened
	}
	if err := lines.rewind(); err != nil {
		return err
	}
	return a.enqueueMany(ctx, store, lineSource(lines, defaults), o)
}

// read checks the lines until there are too many findings, and keeps those that it has read.
func (c *lineChecker) read(ctx context.Context, r io.Reader, lines *spool) error {
	limit := int64(workqueue.DefaultMaxSize)
	if c.queues != nil {
		limit = c.queues.largestPayload()
	}
	var kept error
	err := readLines(r, limit+lineRest, func(line inputLine) bool {
		at := place{file: "stdin", line: line.number}
		if len(c.findings) == 0 && !line.tooLong {
			kept = lines.add(line.number, line.text)
		}
		wereNot := c.check(line, &at, limit)
		if len(c.findings) >= maxLineFindings {
			c.findings = append(c.findings, at.finding("", "too-many", "the lines after this one were not "+wereNot, ""))
			return false
		}
		return kept == nil && ctx.Err() == nil
	})
	return errors.Join(kept, err, ctx.Err())
}

// check adds what is wrong with a line, and returns what it did last with it.
func (c *lineChecker) check(line inputLine, at *place, limit int64) string {
	if line.tooLong {
		at.columns = nil
		c.findings = append(c.findings, at.finding("", "too-long", fmt.Sprintf(
			"the line is longer than %d bytes, want a payload of at most %d (%s) and %d for the rest", limit+lineRest, limit, workqueue.SizeText(limit), lineRest),
			"store the data elsewhere and refer to it, or raise maxPayload in the queue's definition"))
		return "read"
	}
	it, wrong := parseLine(line.text, c.defaults, at)
	unread := len(wrong) > 0
	if !unread {
		wrong = c.items.check(&it, *at)
	}
	c.findings = append(c.findings, wrong...)
	if unread || c.queues == nil || len(c.findings) >= maxLineFindings {
		return "read"
	}
	c.findings = append(c.findings, c.queues.check(it, *at)...)
	return "checked"
}

// itemSource returns items one after the other, and io.EOF behind the last.
type itemSource struct {
	total int
	next  func() (it workqueue.NewItem, line int, err error) // line 0: it is of no line
}

// lineSource returns the items of lines that were checked.
func lineSource(lines *spool, defaults workqueue.NewItem) itemSource {
	return itemSource{lines.lines, func() (workqueue.NewItem, int, error) {
		line, err := lines.next()
		if err != nil {
			return workqueue.NewItem{}, 0, err
		}
		at := place{file: "stdin", line: line.number}
		// What the item keeps of the text is a copy: setKey makes strings of it.
		it, findings := parseLine(line.text, defaults, &at)
		return it, line.number, findings.Err()
	}}
}

// sameSource returns the same item again and again.
func sameSource(it workqueue.NewItem, count int) itemSource {
	left := count
	return itemSource{count, func() (workqueue.NewItem, int, error) {
		if left == 0 {
			return it, 0, io.EOF
		}
		left--
		return it, 0, nil
	}}
}

// enqueueOptions say how items are written and shown.
type enqueueOptions struct {
	output cli.Format
	batch  string // the key of the batch
	again  bool   // a person has given the key: an earlier command may have done a part
}

// enqueueMany writes items in batches and shows all that it wrote, even when a
// later batch could not be written.
func (a *command) enqueueMany(ctx context.Context, store cli.Store, source itemSource, o enqueueOptions) error {
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
