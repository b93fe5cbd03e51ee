package sqlstore

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"botwork/workqueue"
)

// policyAge is how long the queues' policies are believed without looking
// again. Statements that insert items repeat the revision of the policy that
// they were made by, so that a change by the program counts at once; this
// bounds how long one by hand goes unseen.
const policyAge = 10 * time.Second

// policies keeps the queues as they were read last.
type policies struct {
	mu     sync.Mutex
	queues map[string]workqueue.Queue
	read   time.Time
}

// queue returns a queue's policy, or *workqueue.UnknownQueueError.
func (s *Store) queue(ctx context.Context, name string) (workqueue.Queue, error) {
	if q, ok := s.policies.recent(name); ok {
		return q, nil
	}
	if err := s.readPolicies(ctx); err != nil {
		return workqueue.Queue{}, err
	}
	if q, ok := s.policies.recent(name); ok {
		return q, nil
	}
	return workqueue.Queue{}, &workqueue.UnknownQueueError{Queue: name, Known: s.policies.names()}
}

// readPolicies reads all queues again.
func (s *Store) readPolicies(ctx context.Context) error {
	var queues []workqueue.Queue
	err := s.retry(ctx, "read the queues", func() (err error) {
		queues, err = findQueues(s.listing.WithContext(ctx))
		return err
	})
	if err != nil {
		return err
	}
	byName := make(map[string]workqueue.Queue, len(queues))
	for _, q := range queues {
		byName[q.Name] = q
	}
	s.policies.mu.Lock()
	defer s.policies.mu.Unlock()
	s.policies.queues, s.policies.read = byName, time.Now()
	return nil
}

func (p *policies) recent(name string) (workqueue.Queue, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	q, ok := p.queues[name]
	return q, ok && time.Since(p.read) < policyAge
}

// last is a queue as it was read last, however long ago.
func (p *policies) last(name string) (workqueue.Queue, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	q, ok := p.queues[name]
	return q, ok
}

func (p *policies) names() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Sorted(maps.Keys(p.queues))
}
