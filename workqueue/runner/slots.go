package runner

import (
	"errors"
	"slices"

	"botwork/workqueue"
)

// slots counts the slots in which a worker's items run. All running pipelines share them. The
// line of claimed items decides which item is next. board.mu guards them.
type slots struct {
	capacity int
	reserved int // of these: kept free for priorities above HighPriority

	free  int
	stuck int // occupied by handlers that ignore their cancellation
	use   map[string]channelUse
}

// need is the slots and the channel that an item needs. If only priority is set, it is one
// slot and no channel.
type need struct {
	priority  int
	expedited bool   // it comes before all items that are not expedited
	cost      int    // slots; 0: 1
	channel   string // "": none
	most      int    // items of the channel at a time; 0: as many as fit
}

func (n need) size() int { return max(n.cost, 1) }

// before reports whether an item with need n is more urgent than one with need other.
func (n need) before(other need) bool {
	if n.expedited != other.expedited {
		return n.expedited
	}
	return n.priority > other.priority
}

// channelUse counts the items of a channel that has a maximum; most is 0 if the maximum was
// removed while they run.
type channelUse struct{ running, stuck, most int }

// errAllStuck is the error of a worker whose slots are all stuck.
var errAllStuck = errors.New("all slots are stuck: their handlers ignore that they were cancelled; " +
	"restart this worker, and bound what the handlers do")

func newSlots(capacity, reserved int) slots {
	return slots{capacity: capacity, reserved: reserved, free: capacity, use: map[string]channelUse{}}
}

// resize changes the slots. Running items keep theirs: free is negative while they need more than
// the new capacity, and no item starts until enough of them have ended.
func (s *slots) resize(capacity, reserved int, channels workqueue.Channels) {
	s.free += capacity - s.capacity
	s.capacity, s.reserved = capacity, reserved
	for name, u := range s.use {
		u.most = channels[name].Max
		s.use[name] = u
	}
}

// occupy occupies the slots that n needs; there must be room for it.
func (s *slots) occupy(n need) {
	s.free -= n.size()
	if n.most > 0 {
		s.count(n, 1, 0)
	}
}

// release frees the slots that n occupies.
func (s *slots) release(n need) {
	s.free += n.size()
	if n.most > 0 {
		s.count(n, -1, 0)
	}
}

func (s *slots) count(n need, running, stuck int) {
	u := s.use[n.channel]
	if running > 0 { // n may be older than the present maximum when it ends
		u.most = n.most
	}
	s.use[n.channel] = channelUse{running: u.running + running, stuck: u.stuck + stuck, most: u.most}
}

// fullChannels returns the channels that run their maximum of items. Channels whose items are
// all stuck are not among them: an item that waits for one must be refused.
func (s *slots) fullChannels() (names []string) {
	for name, u := range s.use {
		if u.most > 0 && u.running >= u.most && u.stuck < u.most {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// plain returns for how many one-slot items of a priority there is room.
func (s *slots) plain(priority int) int { return max(s.free-s.kept(priority), 0) }

// room reports whether enough slots are free.
func (s *slots) room(n need) bool { return n.size() <= s.free-s.kept(n.priority) }

// full reports whether the item's channel runs its maximum of items.
func (s *slots) full(n need) bool { return n.most > 0 && s.use[n.channel].running >= n.most }

// kept returns how many slots items of a priority may not use. At least one slot that is not
// stuck is for all items: otherwise passes would assign less urgent items to a worker that can
// never run them.
func (s *slots) kept(priority int) int {
	if priority > workqueue.HighPriority {
		return 0
	}
	return max(min(s.reserved, s.capacity-s.stuck-1), 0)
}

// overtakePriority returns the lowest priority that may overtake an item for which there is no
// room. Only items that may use the reserved slots may overtake an expedited item.
func (s *slots) overtakePriority(n need) int {
	switch {
	case !n.expedited:
		return n.priority + 1
	case s.kept(n.priority) > 0:
		return workqueue.HighPriority + 1
	default:
		return anything
	}
}

// blockedByStuck reports whether there is no room for n until a stuck handler returns.
func (s *slots) blockedByStuck(n need) bool {
	return n.size() > s.capacity-s.stuck-s.kept(n.priority) || n.most > 0 && s.use[n.channel].stuck >= n.most
}

// markStuck records that the slots of n are stuck, or with more = -1 that they are about to
// become free.
func (s *slots) markStuck(n need, more int) {
	s.stuck += more * n.size()
	if n.most > 0 {
		s.count(n, 0, more)
	}
}
