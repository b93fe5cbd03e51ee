package newitems

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"botwork/internal/author/strictyaml"
	"botwork/workqueue"
)

// QueueReader is what a QueueChecker reads.
type QueueReader interface {
	Queues(ctx context.Context) ([]workqueue.Queue, error)
	Now(ctx context.Context) (time.Time, error)
}

// QueueChecker checks items against their queues before the first one is enqueued. The store
// repeats the checks.
type QueueChecker struct {
	queues  map[string]*workqueue.Queue
	names   []string
	schemas workqueue.Schemas

	// clock returns the time of the database's clock when the check began.
	clock func() (time.Time, error)
}

// NewQueueChecker returns a checker that knows the queues as they are now.
func NewQueueChecker(ctx context.Context, store QueueReader) (*QueueChecker, error) {
	queues, err := store.Queues(ctx)
	if err != nil {
		return nil, err
	}
	c := &QueueChecker{
		queues: map[string]*workqueue.Queue{},
		clock:  sync.OnceValues(func() (time.Time, error) { return store.Now(ctx) }),
	}
	for i := range queues {
		c.queues[queues[i].Name] = &queues[i]
		c.names = append(c.names, queues[i].Name)
	}
	return c, nil
}

// LargestPayload returns the maximum payload size of all queues.
func (c *QueueChecker) LargestPayload() int64 {
	largest := int64(workqueue.DefaultMaxSize)
	for _, q := range c.queues {
		largest = max(largest, q.PayloadLimit())
	}
	return largest
}

// Check returns the reasons why the item's queue rejects it.
func (c *QueueChecker) Check(it workqueue.NewItem, at Place) strictyaml.Findings {
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
		return append(Faults(at, it.Validate()), at.Finding("queue", "unknown-queue", fmt.Sprintf("there is no queue %q", name), hint))
	}
	if findings := Faults(at, q.Prepare(&it, &c.schemas)); len(findings) > 0 {
		return findings
	}
	return Faults(at, c.past(&it))
}

// past returns an error if the item's deadline, or its time to finish by, has passed. If the
// database does not answer, enqueueing reports it.
func (c *QueueChecker) past(it *workqueue.NewItem) error {
	if startBy, startIn := it.Ends(); startBy.IsZero() && startIn == 0 {
		return nil
	}
	now, err := c.clock()
	if err != nil {
		return nil //nolint:nilerr // see above
	}
	return it.PastFault(now)
}
