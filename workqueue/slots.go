package workqueue

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"sync"
)

// slots are the places in which a worker's items run. All running pipelines
// share them; what frees goes to the waiter with the highest priority, the
// longest waiting among equals. A waiter that needs more than is free holds up
// those behind it, or it would never come to its turn; one that only waits for
// its own channel's maximum holds up nobody.
type slots struct {
	capacity int
	reserved int // of those: kept free for priorities above HighPriority

	mu      sync.Mutex
	free    int
	stuck   int // of those that are not free: no telling when they will be
	use     map[string]channelUse
	waiting []*waiter // in the order of their turns
	arrived uint64
}

// need is what an item asks of the slots. The zero value but for its priority is
// a plain item: one slot, of no channel.
type need struct {
	priority int
	cost     int    // slots; 0: 1
	channel  string // "": none
	most     int    // items of the channel at a time; 0: as many as fit
}

// plain tells that nothing but one slot is needed.
func (n need) plain() bool { return n.size() == 1 && n.most == 0 }

func (n need) size() int { return max(n.cost, 1) }

// channelUse counts the items of a channel that has a maximum.
type channelUse struct{ running, stuck int }

// errAllStuck says that a worker cannot run anything.
var errAllStuck = errors.New("all slots are stuck: their handlers ignore that they were cancelled; " +
	"restart this worker, and bound what the handlers do")

func newSlots(capacity, reserved int) *slots {
	return &slots{capacity: capacity, reserved: reserved, free: capacity, use: map[string]channelUse{}}
}

// waiter stands in line. granted is closed when it has its slots, or when refused
// says that they will not come.
type waiter struct {
	need
	arrived uint64
	granted chan struct{}
	refused bool // read when granted is closed
	left    bool // it stands in line no more
}

// acquire waits for what n needs. It returns ctx's cause when ctx ends first, and
// errAllStuck when no telling how long that would take.
func (s *slots) acquire(ctx context.Context, n need) error {
	if err := context.Cause(ctx); err != nil {
		return err
	}
	w, err := s.enlist(n)
	if w == nil {
		return err
	}
	return s.await(ctx, w)
}

// enlist takes what n needs, if it is there and nobody else's turn: no waiter and
// no error. Else it returns a waiter, for await, or errAllStuck.
func (s *slots) enlist(n need) (*waiter, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.waiting) == 0 && s.fitsLocked(n) {
		s.takeLocked(n)
		return nil, nil
	}
	if s.hopelessLocked(n) {
		return nil, errAllStuck
	}
	s.arrived++
	w := &waiter{need: n, arrived: s.arrived, granted: make(chan struct{})}
	at, _ := slices.BinarySearchFunc(s.waiting, w, (*waiter).compare)
	s.waiting = slices.Insert(s.waiting, at, w)
	s.grantLocked()
	if w.left {
		return nil, nil
	}
	return w, nil
}

// someFree tells whether a slot is free for any plain item, and nobody waits for one.
func (s *slots) someFree() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.waiting) == 0 && s.fitsLocked(need{})
}

// await waits for its turn, as acquire does.
func (s *slots) await(ctx context.Context, w *waiter) error {
	select {
	case <-w.granted:
		if w.refused {
			return errAllStuck
		}
		return nil
	case <-ctx.Done():
		s.mu.Lock()
		defer s.mu.Unlock()
		switch {
		case !w.left:
			s.waiting = slices.DeleteFunc(s.waiting, func(other *waiter) bool { return other == w })
			s.grantLocked() // it may have held up others
		case !w.refused:
			// The grant and the end came together: the slots are ours to give back.
			s.releaseLocked(w.need)
		}
		return context.Cause(ctx)
	}
}

// release gives back what n has taken.
func (s *slots) release(n need) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.releaseLocked(n)
}

func (s *slots) releaseLocked(n need) {
	s.free += n.size()
	if n.most > 0 {
		s.countLocked(n.channel, -1, 0)
	}
	if len(s.waiting) > 0 {
		s.grantLocked()
	}
}

func (s *slots) takeLocked(n need) {
	s.free -= n.size()
	if n.most > 0 {
		s.countLocked(n.channel, 1, 0)
	}
}

func (s *slots) countLocked(channel string, running, stuck int) {
	u := s.use[channel]
	s.use[channel] = channelUse{running: u.running + running, stuck: u.stuck + stuck}
}

// fitsLocked tells whether there is room, as far as slots go and the channel.
func (s *slots) fitsLocked(n need) bool { return s.roomLocked(n) && !s.fullLocked(n) }

func (s *slots) roomLocked(n need) bool { return n.size() <= s.free-s.keptLocked(n) }

// fullLocked tells that the channel has as many items as it may.
func (s *slots) fullLocked(n need) bool { return n.most > 0 && s.use[n.channel].running >= n.most }

// keptLocked is how many slots are kept from it. One slot that is not stuck is for
// everybody: a worker that could run none of the lesser items would be given them
// all the same, pass after pass.
func (s *slots) keptLocked(n need) int {
	if n.priority > HighPriority {
		return 0
	}
	return max(min(s.reserved, s.capacity-s.stuck-1), 0)
}

// hopelessLocked tells that only the end of a stuck handler could make room.
func (s *slots) hopelessLocked(n need) bool {
	return n.size() > s.capacity-s.stuck-s.keptLocked(n) || n.most > 0 && s.use[n.channel].stuck >= n.most
}

// grantLocked gives what is free to those whose turn it is.
func (s *slots) grantLocked() {
	still := s.waiting[:0]
	for i, w := range s.waiting {
		if s.fullLocked(w.need) {
			still = append(still, w)
			continue
		}
		if !s.roomLocked(w.need) {
			still = append(still, s.waiting[i:]...)
			break
		}
		s.takeLocked(w.need)
		w.leave()
	}
	clear(s.waiting[len(still):])
	s.waiting = still
}

func (w *waiter) leave() {
	w.left = true
	close(w.granted)
}

// stick notes that slots are stuck, or with -1 that they are free again soon.
// Nobody is kept waiting for those whose end nobody knows.
func (s *slots) stick(n need, more int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stuck += more * n.size()
	if n.most > 0 {
		s.countLocked(n.channel, 0, more)
	}
	if more < 0 {
		return
	}
	s.waiting = slices.DeleteFunc(s.waiting, func(w *waiter) bool {
		if !s.hopelessLocked(w.need) {
			return false
		}
		w.refused = true
		w.leave()
		return true
	})
	s.grantLocked()
}

// compare orders waiters by their turns.
func (w *waiter) compare(other *waiter) int {
	return cmp.Or(cmp.Compare(other.priority, w.priority), cmp.Compare(w.arrived, other.arrived))
}
