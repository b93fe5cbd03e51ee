package runner

import (
	"errors"
	"slices"

	"botwork/workqueue"
)

// slots are the places in which a worker's items run. All running pipelines
// share them. They only count; who comes next is for the line of claimed items to
// say. Not safe for concurrent use: the dispatcher's mutex guards them.
type slots struct {
	capacity int
	reserved int // of those: kept free for priorities above HighPriority

	free  int
	stuck int // of those that are not free: no telling when they will be
	use   map[string]channelUse
}

// need is what an item asks of the slots. The zero value but for its priority is
// a plain item: one slot, of no channel.
type need struct {
	priority  int
	expedited bool   // before all priorities
	cost      int    // slots; 0: 1
	channel   string // "": none
	most      int    // items of the channel at a time; 0: as many as fit
}

func (n need) size() int { return max(n.cost, 1) }

// before reports whether an item that needs n is more urgent.
func (n need) before(other need) bool {
	if n.expedited != other.expedited {
		return n.expedited
	}
	return n.priority > other.priority
}

// channelUse counts the items of a channel that has a maximum.
type channelUse struct{ running, stuck, most int }

// errAllStuck says that a worker cannot run anything.
var errAllStuck = errors.New("all slots are stuck: their handlers ignore that they were cancelled; " +
	"restart this worker, and bound what the handlers do")

func newSlots(capacity, reserved int) slots {
	return slots{capacity: capacity, reserved: reserved, free: capacity, use: map[string]channelUse{}}
}

// take takes what n needs; it must fit.
func (s *slots) occupy(n need) {
	s.free -= n.size()
	if n.most > 0 {
		s.count(n, 1, 0)
	}
}

// release gives back what n has taken.
func (s *slots) release(n need) {
	s.free += n.size()
	if n.most > 0 {
		s.count(n, -1, 0)
	}
}

func (s *slots) count(n need, running, stuck int) {
	u := s.use[n.channel]
	s.use[n.channel] = channelUse{running: u.running + running, stuck: u.stuck + stuck, most: n.most}
}

// fullChannels are the channels that have as many items as they may. Those whose
// items are stuck are not among them: an item that waits for them is to be refused.
func (s *slots) fullChannels() (names []string) {
	for name, u := range s.use {
		if u.running >= u.most && u.stuck < u.most {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// plain is how many plain items of a priority have room.
func (s *slots) plain(priority int) int { return max(s.free-s.kept(priority), 0) }

// room reports whether enough slots are free.
func (s *slots) room(n need) bool { return n.size() <= s.free-s.kept(n.priority) }

// full reports whether the channel has as many items as it may.
func (s *slots) full(n need) bool { return n.most > 0 && s.use[n.channel].running >= n.most }

// kept is how many slots are kept from an item of a priority. One slot that is not
// stuck is for everybody: a worker that could run none of the lesser items would be
// given them all the same, pass after pass.
func (s *slots) kept(priority int) int {
	if priority > workqueue.HighPriority {
		return 0
	}
	return max(min(s.reserved, s.capacity-s.stuck-1), 0)
}

// passes is the least priority that need not wait behind an item for which there is no
// room: before an expedited one goes only what may take the slots that are kept from it.
func (s *slots) passes(n need) int {
	switch {
	case !n.expedited:
		return n.priority + 1
	case s.kept(n.priority) > 0:
		return workqueue.HighPriority + 1
	default:
		return anything
	}
}

// hopeless reports whether only the end of a stuck handler could make room.
func (s *slots) hopeless(n need) bool {
	return n.size() > s.capacity-s.stuck-s.kept(n.priority) || n.most > 0 && s.use[n.channel].stuck >= n.most
}

// stick records that the slots of n are stuck, or with -1 that they will be free
// again soon.
func (s *slots) stick(n need, more int) {
	s.stuck += more * n.size()
	if n.most > 0 {
		s.count(n, 0, more)
	}
}
