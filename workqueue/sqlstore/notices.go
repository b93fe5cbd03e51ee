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
	*connection

	name string // distinguishes this process's notices from those of others

	mu        sync.Mutex
	listeners map[*listener]struct{}
	local     map[int64]bool // workers of this process
}

// listener is one call of Listen.
type listener struct {
	report func(workqueue.Notice)
}

// Listen implements workqueue.WaitingStore.
func (s *notices) Listen(ctx context.Context, report func(workqueue.Notice), trouble func(error)) error {
	l := &listener{report: report}
	s.addListener(l)
	defer s.removeListener(l)
	s.engine.listen(ctx, s, report, trouble)
	<-ctx.Done()
	return nil
}

func (s *notices) addListener(l *listener) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.listeners == nil {
		s.listeners = map[*listener]struct{}{}
	}
	s.listeners[l] = struct{}{}
}

func (s *notices) removeListener(l *listener) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.listeners, l)
}

// registered records a worker of this process, which needs no notice of items that are assigned
// to it.
func (s *notices) registered(id int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.local == nil {
		s.local = map[int64]bool{}
	}
	s.local[id] = true
}

// send sends a notice to the listeners of this process.
func (s *notices) send(notice workqueue.Notice) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for l := range s.listeners {
		l.report(notice)
	}
}

// ready sends a notice of due items in a band. Call it after the change that made them due is
// committed.
func (s *notices) ready(band workqueue.Band) {
	n := workqueue.Notice{Band: band}
	s.send(n)
	s.engine.notify(s, n)
}

// readyIf calls ready for items whose priorities are unknown.
func (s *notices) readyIf(some bool) {
	if some {
		s.ready(workqueue.EveryPriority)
	}
}

// ended sends the listeners of this process a notice that runs in these queues have ended. Call it
// after the ends are committed. Other processes see freed limits at their next look.
func (s *notices) ended(queues ...string) {
	queues = slices.DeleteFunc(slices.Compact(slices.Sorted(slices.Values(queues))), func(q string) bool { return q == "" })
	if len(queues) > 0 {
		s.send(workqueue.Notice{Ended: queues})
	}
}

// readyRows sends a notice of inserted items, unless all of them become due later.
func (s *notices) readyRows(rows []newItemRow) {
	if n, some := noticeOfRows(rows); some {
		s.send(n)
		s.engine.notify(s, n)
	}
}

// noticeOfRows returns the notice of the rows that are due, or soon will be, and whether any is.
func noticeOfRows(rows []newItemRow) (n workqueue.Notice, some bool) {
	n.Soon = true
	for i := range rows {
		r := &rows[i]
		if !r.due && !r.soon {
			continue
		}
		if !some {
			n.Band, some = workqueue.Band{Min: r.prio, Max: r.prio}, true
		}
		n.Band = workqueue.Band{Min: min(n.Band.Min, r.prio), Max: max(n.Band.Max, r.prio)}
		n.Soon = n.Soon && !r.due
	}
	return n, some
}

// readyAgain sends a notice of items that are tried again soon, and of those that a run has
// released. Those that a worker gives back before they begin are for others.
func (s *notices) readyAgain(finishes []workqueue.Finish) {
	again, others := false, false
	for i := range finishes {
		if f := &finishes[i]; (f.State == workqueue.Ready || f.Copy) && f.Delay <= workqueue.SoonDue {
			again, others = again || !f.Returned(), true
		}
	}
	n := workqueue.Notice{Band: workqueue.EveryPriority, Soon: true}
	if again {
		s.send(n)
	}
	if others {
		s.engine.notify(s, n)
	}
}

// notifyAssigned sends other workers a notice that a pass has assigned items to them.
func (s *notices) notifyAssigned(holders map[int64]bool) {
	n := workqueue.Notice{Band: workqueue.EveryPriority}
	s.mu.Lock()
	for id := range holders {
		if !s.local[id] {
			n.Workers = append(n.Workers, id)
		}
	}
	s.mu.Unlock()
	if len(n.Workers) > 0 {
		s.engine.notify(s, n)
	}
}

// localWorkers returns the workers of this process as a JSON list.
func (s *notices) localWorkers() (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return jsonRows(append([]int64{}, slices.Sorted(maps.Keys(s.local))...))
}

// notifyListeners sends a notice and reports whether any process listens. except is nil or
// lists workers that do not need the notice.
func (s *notices) notifyListeners(ctx context.Context, on runner, payload string, except *string) (bool, error) {
	listens := false
	rows, err := s.queries.query(ctx, on, "notify", values{"payload": payload, "own": except})
	if err == nil {
		err = eachRow(rows, func() error { listens = true; return nil })
	}
	return listens, err
}
