package enqueue

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"botwork/cmd/internal/cli"
	"botwork/internal/author/strictyaml"
	"botwork/workqueue"
)

// queueChecker checks items against their queues before the first one is enqueued. The store
// repeats the checks.
type queueChecker struct {
	queues  map[string]*workqueue.Queue
	names   []string
	schemas workqueue.Schemas

	// clock returns the time of the database's clock when the check began.
	clock func() (time.Time, error)
}

func newQueueChecker(ctx context.Context, store cli.Store) (*queueChecker, error) {
	queues, err := store.Queues(ctx)
	if err != nil {
		return nil, err
	}
	c := &queueChecker{
		queues: map[string]*workqueue.Queue{},
		clock:  sync.OnceValues(func() (time.Time, error) { return store.Now(ctx) }),
	}
	for i := range queues {
		c.queues[queues[i].Name] = &queues[i]
		c.names = append(c.names, queues[i].Name)
	}
	return c, nil
}

// largestPayload is the maximum payload size of all queues.
func (c *queueChecker) largestPayload() int64 {
	largest := int64(workqueue.DefaultMaxSize)
	for _, q := range c.queues {
		largest = max(largest, q.PayloadLimit())
	}
	return largest
}

// check returns the reasons why the item's queue rejects it.
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
	if findings := at.faults(q.Prepare(&it, &c.schemas)); len(findings) > 0 {
		return findings
	}
	return at.faults(c.past(&it))
}

// past returns an error if the item's deadline, or its time to finish by, has passed. If the
// database does not answer, enqueueing reports it.
func (c *queueChecker) past(it *workqueue.NewItem) error {
	if startBy, startIn := it.Ends(); startBy.IsZero() && startIn == 0 {
		return nil
	}
	now, err := c.clock()
	if err != nil {
		return nil //nolint:nilerr // see above
	}
	return it.PastFault(now)
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
	case key == "finishBy" && p.columns["finishIn"] > 0:
		key = "finishIn"
	}
	return strictyaml.Findings{p.finding(key, code, err.Error(), "")}
}
