package sqlstore

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync"
	"time"

	"botwork/workqueue"
)

// policyAge is how long the cached policies of queues are used. Statements that insert items
// repeat the revision of the policy, so a change by the program takes effect at once. This
// limits how long a change by hand in SQL goes unnoticed.
const policyAge = 10 * time.Second

// policies caches the queues.
type policies struct {
	*connection

	mu     sync.Mutex
	queues map[string]workqueue.Queue
	read   time.Time
}

// queue returns a queue's policy, or *workqueue.UnknownQueueError.
func (p *policies) queue(ctx context.Context, name string) (workqueue.Queue, error) {
	if q, ok := p.recent(name); ok {
		return q, nil
	}
	if err := p.readPolicies(ctx); err != nil {
		return workqueue.Queue{}, err
	}
	if q, ok := p.recent(name); ok {
		return q, nil
	}
	return workqueue.Queue{}, &workqueue.UnknownQueueError{Queue: name, Known: p.queueNames()}
}

// readPolicies reads all queues again.
func (p *policies) readPolicies(ctx context.Context) error {
	var queues []workqueue.Queue
	err := p.retry(ctx, "read the queues", func() (err error) {
		queues, err = findQueues(p.listing.WithContext(ctx))
		return err
	})
	if err != nil {
		return err
	}
	byName := make(map[string]workqueue.Queue, len(queues))
	for _, q := range queues {
		byName[q.Name] = q
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.queues, p.read = byName, time.Now()
	return nil
}

func (p *policies) recent(name string) (workqueue.Queue, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	q, ok := p.queues[name]
	return q, ok && time.Since(p.read) < policyAge
}

// lastQueue returns a queue as it was last read, however long ago.
func (p *policies) lastQueue(name string) (workqueue.Queue, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	q, ok := p.queues[name]
	return q, ok
}

func (p *policies) queueNames() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Sorted(maps.Keys(p.queues))
}

// naming adds the existing queues to an error about an unknown queue. It reads them, so do not
// call it inside a transaction.
func (p *policies) naming(ctx context.Context, err error) error {
	unknown, ok := errors.AsType[*workqueue.UnknownQueueError](err)
	if !ok || unknown.Known != nil {
		return err
	}
	if err := p.readPolicies(ctx); err != nil {
		return err
	}
	unknown.Known = p.queueNames()
	return err
}
