package plan

import "slices"

// Worker is a worker as the pass found it. Its ID is that of its row.
type Worker struct {
	ID int64

	// Slots is how much it runs at a time: an item uses one slot, or the cost of its
	// channel here. A worker with 0 gets no items.
	Slots int

	// Reserved of the slots are left free by items that are not high; one slot is
	// always available to those.
	Reserved int

	// Channels are the channels that the worker runs, with the cost of an item; nil:
	// every channel, at 1. An item without a channel costs 1 on any worker.
	Channels map[string]Channel

	// Queues are the queues that it serves; nil: all.
	Queues []string

	// AvailableSince orders workers by how long they have been available: lowest
	// first. It is a time in milliseconds.
	AvailableSince int64
}

// Channel is how a worker runs the items of one channel.
type Channel struct {
	Cost int // slots that an item uses, 1 or more
	Max  int // how many items run at a time; 0: as many as fit
}

// cost returns how many slots an item of the channel uses, and how many items of it
// run at a time at most (0: no bound); false if the worker does not run the channel.
func (w *Worker) cost(channel string) (cost, most int, takes bool) {
	if channel == "" || w.Channels == nil {
		return 1, 0, true
	}
	c, ok := w.Channels[channel]
	return max(c.Cost, 1), c.Max, ok
}

// Serves reports whether the worker runs items of the queue.
func (w *Worker) Serves(queue string) bool {
	return w.Queues == nil || slices.Contains(w.Queues, queue)
}

// CanRun reports whether an item of the channel could ever run here, high or not.
func (w *Worker) CanRun(channel string) bool {
	cost, _, takes := w.cost(channel)
	return takes && cost <= w.Slots-w.kept()
}

// kept returns how many slots items that are not high leave free.
func (w *Worker) kept() int { return max(min(w.Reserved, w.Slots-1), 0) }

// Crowded reports whether some of the items that the worker holds and that do not run
// have no slot. Items at or below a priority start in no reserved slot.
func (w *Worker) Crowded(held []Held, high int) bool {
	used, kept := 0, 0
	running := map[string]int{}
	for _, h := range held {
		cost, most, _ := w.cost(h.Channel)
		used += cost * h.Count
		if !h.Running && h.Priority <= high {
			kept = w.kept()
		}
		running[h.Channel] += h.Count
		if most > 0 && running[h.Channel] > most {
			return true
		}
	}
	return used > w.Slots-kept
}

// Held is what a worker already holds: items of one priority and one channel.
type Held struct {
	Worker   int64 // its id
	Priority int
	Channel  string

	// Running items use a slot regardless of their priority; others wait until more
	// urgent items have started.
	Running bool

	Count    int
	Estimate int64 // the sum, in milliseconds
}
