package sqlstore

import (
	"context"
	"sync"

	"botwork/workqueue"
)

// notices tell who listens of items that have become ready: this process at once.
type notices struct {
	mu        sync.Mutex
	listeners map[*listener]struct{}
}

// listener is one call of Listen.
type listener struct {
	tell func(workqueue.Notice)
}

// Listen implements workqueue.WaitingStore.
func (s *Store) Listen(ctx context.Context, tell func(workqueue.Notice), _ func(error)) error {
	l := &listener{tell: tell}
	s.notices.add(l)
	defer s.notices.remove(l)
	<-ctx.Done()
	return nil
}

func (n *notices) add(l *listener) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.listeners == nil {
		n.listeners = map[*listener]struct{}{}
	}
	n.listeners[l] = struct{}{}
}

func (n *notices) remove(l *listener) {
	n.mu.Lock()
	defer n.mu.Unlock()
	delete(n.listeners, l)
}

// tell hands a notice to the listeners of this process.
func (n *notices) tell(notice workqueue.Notice) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for l := range n.listeners {
		l.tell(notice)
	}
}

// ready tells of items of a band that wait and are due, when what made them so is
// committed.
func (s *Store) ready(band workqueue.Band) {
	s.notices.tell(workqueue.Notice{Band: band})
}

// readyIf is ready for items of which the priorities are not known.
func (s *Store) readyIf(some bool) {
	if some {
		s.ready(workqueue.EveryPriority)
	}
}

// readyRows is ready for items that were inserted. Those that are due later, nobody
// is told of: who looks each second finds them.
func (s *Store) readyRows(rows []newItemRow) {
	var band workqueue.Band
	some := false
	for i := range rows {
		if r := &rows[i]; r.DueAt != nil || r.DelayMs > 0 {
			continue
		} else if !some {
			band, some = workqueue.Band{Min: r.Prio, Max: r.Prio}, true
		} else {
			band = workqueue.Band{Min: min(band.Min, r.Prio), Max: max(band.Max, r.Prio)}
		}
	}
	if some {
		s.ready(band)
	}
}
