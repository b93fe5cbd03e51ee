package plan

import "slices"

// Worker is a worker as the pass found it. Its ID is its row's.
type Worker struct {
	ID int64

	// Slots is how much it runs at a time: an item takes up one slot, or what
	// its channel costs here. 0 takes nothing.
	Slots int

	// Reserved of the slots are left free by items that are not high; one slot is
	// left to those anyway.
	Reserved int

	// Channels are what an item of each channel costs; nil: the worker takes
	// every channel, at 1. An item without a channel costs 1 anywhere.
	Channels map[string]Channel

	// Queues are those that it serves; nil: all.
	Queues []string

	// AvailableSince orders workers by how long they have been available: the
	// least first. It is a time in milliseconds.
	AvailableSince int64
}

// Channel is what a worker says of a sort of items.
type Channel struct {
	Cost int // slots that an item takes, 1 or more
	Max  int // how many items run at a time; 0: as many as fit
}

// cost is how many slots an item of the channel takes, and how many items of it
// run at a time at most (0: no bound); false when the worker does not take it.
func (w *Worker) cost(channel string) (cost, most int, takes bool) {
	if channel == "" || w.Channels == nil {
		return 1, 0, true
	}
	c, ok := w.Channels[channel]
	return max(c.Cost, 1), c.Max, ok
}

// Serves tells whether the worker takes items of the queue.
func (w *Worker) Serves(queue string) bool {
	return w.Queues == nil || slices.Contains(w.Queues, queue)
}

// Takes tells whether an item of the channel could ever run here, high or not.
func (w *Worker) Takes(channel string) bool {
	cost, _, takes := w.cost(channel)
	return takes && cost <= w.Slots-w.kept()
}

// kept is how many slots items that are not high leave free.
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

// Held is what a worker holds already: items of one priority and one channel.
type Held struct {
	Worker   int64 // its id
	Priority int
	Channel  string

	// Running items take up a slot whatever their priority is; others wait
	// behind whatever is more urgent.
	Running bool

	Count    int
	Estimate int64 // the sum, in milliseconds
}
