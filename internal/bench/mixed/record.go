package mixed

import (
	"sort"
	"time"
)

// End is how a run ended, as its handler recorded it.
type End byte

// The ends of a run.
const (
	Done    End = iota // successful
	Failed             // the first run of a Fails item ends so
	Snoozed            // the first run of a Snoozes item ends so
	Cut                // its context was cancelled before
)

// Run is one run of an item. Began is the time of the first line of its handler, Ended
// that of the last.
type Run struct {
	Worker       int // from 0
	Began, Ended time.Duration
	End          End
}

// Life is an item and everything that happened to it.
type Life struct {
	Item

	// Called and Returned are the times when the call that enqueued the item started and
	// returned. The item's times in the database, by the database's clock, are between
	// them.
	Called, Returned time.Duration

	// CancelCalled and CancelReturned are the same for the call that cancelled the item;
	// 0 if it was not cancelled.
	CancelCalled, CancelReturned time.Duration

	Runs []Run // in the order in which they started
}

// Record has everything that happened in a measurement.
type Record struct {
	Lives   []Life
	Workers int
	Slots   int           // of each worker
	Up      time.Duration // when the last worker had started
	Over    time.Duration // when the last item had ended
}

const (
	// rounding is how much earlier than its handler's clock an item may become due,
	// because databases store milliseconds.
	rounding = 2 * time.Millisecond

	// startSlack is the longest accepted time between a worker's last check of an item
	// and the first line of its handler, on a machine that is busy.
	startSlack = 20 * time.Millisecond

	// LowEvery is how often each worker is asked to run the pipeline of low items, unless
	// a run of it is active.
	LowEvery = time.Second
)

// The lowest priorities of the bands; lower priorities are low.
const high, medium = 1001, 500

// wait is a time in which an item could have started.
type wait struct {
	priority int
	due      time.Duration
	until    time.Duration // a run started, or the item was cancelled or expired
	began    bool
}

// eligible returns when the item could first start: it is due and the workers are
// running. A low item is eligible only when the next request of its pipeline is due as
// well.
func (w wait) eligible(up time.Duration) time.Duration {
	at := max(w.due, up)
	if w.priority < medium {
		at += LowEvery
	}
	return at
}

// waits lists the waits of an item. It leaves out the waits after a cancelled run, and
// those of a run that repeats completed work, because they have no due time.
func (l *Life) waits(over time.Duration) []wait {
	var list []wait
	next := wait{priority: l.Priority, due: l.Returned}
	if l.Kind == Ahead {
		next.due += l.After
	}
	for _, r := range l.Runs {
		next.until = l.withdrawn(r.Began)
		next.began = next.until == r.Began
		list = append(list, next)
		if r.End != Failed && r.End != Snoozed {
			return list
		}
		next.due = r.Ended + l.After
	}
	next.until, next.began = l.withdrawn(over), false
	return append(list, next)
}

// withdrawn returns the earliest of the given time and the times after which the item
// must not start.
func (l *Life) withdrawn(at time.Duration) time.Duration {
	if l.CancelCalled > 0 {
		at = min(at, l.CancelCalled)
	}
	if l.Kind == Expires {
		at = min(at, l.Called+l.After)
	}
	return at
}

// SortRuns sorts the runs, which several workers recorded.
func (l *Life) SortRuns() {
	sort.SliceStable(l.Runs, func(i, k int) bool { return l.Runs[i].Began < l.Runs[k].Began })
}
