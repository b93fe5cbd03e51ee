package enqueue

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"botwork/internal/author/strictyaml"
	"botwork/workqueue"
)

// queueChecker finds what keeps items out of their queues before the first is
// written. The store asks the same when they are.
type queueChecker struct {
	queues  map[string]*workqueue.Queue
	names   []string
	schemas workqueue.Schemas
}

func newQueueChecker(ctx context.Context, store workqueue.QueueStore) (*queueChecker, error) {
	queues, err := store.Queues(ctx)
	if err != nil {
		return nil, err
	}
	c := &queueChecker{queues: map[string]*workqueue.Queue{}}
	for i := range queues {
		c.queues[queues[i].Name] = &queues[i]
		c.names = append(c.names, queues[i].Name)
	}
	return c, nil
}

// largestPayload is the size of the largest payload that any queue takes.
func (c *queueChecker) largestPayload() int64 {
	largest := int64(workqueue.DefaultMaxSize)
	for _, q := range c.queues {
		largest = max(largest, q.PayloadLimit())
	}
	return largest
}

// check returns what the item's queue refuses.
func (c *queueChecker) check(it workqueue.NewItem, at place) strictyaml.Findings {
	name := it.QueueName
	if name == "" {
		name = workqueue.DefaultQueue
	}
	q, ok := c.queues[name]
	if !ok {
		hint := strictyaml.Suggest(name, c.names)
		if hint == "" {
			hint = "known queues: " + strings.Join(c.names, ", ")
		}
		return append(at.faults(it.Validate()), at.finding("queue", "unknown-queue", fmt.Sprintf("there is no queue %q", name), hint))
	}
	return at.faults(q.Prepare(&it, &c.schemas))
}

// faults returns each fault of an item with its position.
func (p place) faults(err error) strictyaml.Findings {
	if err == nil {
		return nil
	}
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		var findings strictyaml.Findings
		for _, e := range joined.Unwrap() {
			findings = append(findings, p.faults(e)...)
		}
		return findings
	}
	key, code := "", "invalid-value"
	if fault, ok := errors.AsType[*workqueue.ItemFault](err); ok {
		key = fault.Field
	}
	switch {
	case key == "pipeline":
		code = "missing-key"
	case key == "payload":
		code = "invalid-payload"
	case key == "naturalKey" && p.line > 0:
		key = "key"
	case key == "deadline" && p.columns["deadlineIn"] > 0:
		key = "deadlineIn"
	}
	return strictyaml.Findings{p.finding(key, code, err.Error(), "")}
}
