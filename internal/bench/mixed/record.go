package mixed

import (
	"cmp"
	"slices"
	"time"
)

// End is how a run ended, in the words of its handler.
type End byte

// The ends.
const (
	Done    End = iota // well
	Failed             // as a run of a Fails item does first
	Snoozed            // as a run of a Snoozes item does first
	Cut                // its context ended before
)

// Run is one run of an item. Began is the first line of its handler, Ended the last.
type Run struct {
	Worker       int // from 0
	Began, Ended time.Duration
	End          End
}

// Life is an item and all that happened to it.
type Life struct {
	Item

	// Called and Returned are when the call began that enqueued it, and when it
	// returned. The database's clock gives the item its times in between.
	Called, Returned time.Duration

	// CancelCalled and CancelReturned are the same of the call that cancelled it;
	// 0 where none did.
	CancelCalled, CancelReturned time.Duration

	Runs []Run // in the order in which they began
}

// Record is all that happened in a measurement.
type Record struct {
	Lives   []Life
	Workers int
	Slots   int           // of each worker
	Up      time.Duration // when the last worker had started
	Over    time.Duration // when the last item had ended
}

const (
	// rounding is how much earlier than its handler's clock says an item may become
	// due, since databases keep milliseconds.
	rounding = 2 * time.Millisecond

	// startSlack is how long after a worker's last look at an item the first line
	// of its handler may run, on a machine that has other things to do.
	startSlack = 20 * time.Millisecond

	// LowEvery is how often each worker is asked to run the pipeline of low items, unless
	// a run of it goes on.
	LowEvery = time.Second
)

// The least priorities of the bands: what is less is low.
const high, medium = 1001, 500

// wait is a time in which an item could have begun.
type wait struct {
	priority int
	due      time.Duration
	until    time.Duration // a run began, or the item was cancelled or given up
	began    bool
}

// eligible is when the item could begin first: it is due and the workers run. A low
// item is eligible when the next request of its pipeline is due as well.
func (w wait) eligible(up time.Duration) time.Duration {
	at := max(w.due, up)
	if w.priority < medium {
		at += LowEvery
	}
	return at
}

// waits lists the waits of an item. Those of a run that was cut off, and of one that
// repeats what was done, are left out: no time was set for them.
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

// withdrawn is the earliest of a time and of those at which the item was to begin no
// more.
func (l *Life) withdrawn(at time.Duration) time.Duration {
	if l.CancelCalled > 0 {
		at = min(at, l.CancelCalled)
	}
	if l.Kind == Expires {
		at = min(at, l.Called+l.After)
	}
	return at
}

// SortRuns puts the runs, which several workers wrote down, in their order.
func (l *Life) SortRuns() {
	slices.SortFunc(l.Runs, func(a, b Run) int { return cmp.Compare(a.Began, b.Began) })
}
