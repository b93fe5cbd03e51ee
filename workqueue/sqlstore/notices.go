package sqlstore

import (
	"context"
	"maps"
	"slices"
	"sync"

	"botwork/workqueue"
)

// notices notify listeners of items that are ready: this process at once, other processes
// if the engine supports notices.
type notices struct {
	name string // distinguishes this process's notices from those of others

	mu        sync.Mutex
	listeners map[*listener]struct{}
	own       map[int64]bool // workers of this process
}

// listener is one call of Listen.
type listener struct {
	tell func(workqueue.Notice)
}

// Listen implements workqueue.WaitingStore.
func (s *Store) Listen(ctx context.Context, tell func(workqueue.Notice), trouble func(error)) error {
	l := &listener{tell: tell}
	s.notices.add(l)
	defer s.notices.remove(l)
	s.engine.listen(ctx, s, tell, trouble)
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

// registered records a worker of this process: it needs no notice of what it is assigned.
func (n *notices) registered(id int64) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.own == nil {
		n.own = map[int64]bool{}
	}
	n.own[id] = true
}

// tell sends a notice to the listeners of this process.
func (n *notices) tell(notice workqueue.Notice) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for l := range n.listeners {
		l.tell(notice)
	}
}

// ready notifies of due items of a band, after the change that made them due is committed.
func (s *Store) ready(band workqueue.Band) {
	n := workqueue.Notice{Band: band}
	s.notices.tell(n)
	s.engine.notify(s, n)
}

// readyIf is ready for items of which the priorities are not known.
func (s *Store) readyIf(some bool) {
	if some {
		s.ready(workqueue.EveryPriority)
	}
}

// readyRows is ready for inserted items. There is no notice for items that are due later:
// the check of each second finds them.
func (s *Store) readyRows(rows []newItemRow) {
	var band workqueue.Band
	some := false
	for i := range rows {
		if r := &rows[i]; !r.due {
			continue
		} else if !some {
			band, some = workqueue.Band{Min: r.prio, Max: r.prio}, true
		} else {
			band = workqueue.Band{Min: min(band.Min, r.prio), Max: max(band.Max, r.prio)}
		}
	}
	if some {
		s.ready(band)
	}
}

// given notifies other workers of what a pass has assigned to them.
func (s *Store) given(holders map[int64]bool) {
	n := workqueue.Notice{Band: workqueue.EveryPriority}
	s.notices.mu.Lock()
	for id := range holders {
		if !s.notices.own[id] {
			n.Workers = append(n.Workers, id)
		}
	}
	s.notices.mu.Unlock()
	if len(n.Workers) > 0 {
		s.engine.notify(s, n)
	}
}

// ownWorkers are the workers of this process, as a JSON list.
func (n *notices) ownWorkers() (string, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	return jsonRows(append([]int64{}, slices.Sorted(maps.Keys(n.own))...))
}

// someoneListens sends a notice; false if there is no listener. own is nil, or names
// workers that do not need it.
func (s *Store) someoneListens(ctx context.Context, payload string, own *string) (bool, error) {
	listens := false
	rows, err := s.queries.query(ctx, s.db, "notify", values{"payload": payload, "own": own})
	if err == nil {
		err = eachRow(rows, func() error { listens = true; return nil })
	}
	return listens, err
}
