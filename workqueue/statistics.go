package workqueue

import (
	"errors"
	"fmt"
	"strings"
	"time"
)

// ErrRecounted is returned when two recounts ran at the same time and the other one
// has corrected the figures.
var ErrRecounted = errors.New("another recount has finished meanwhile and has corrected the figures")

// RecountMovedError is returned when items of some queues ended during each count of a recount. The
// figures of these queues were not corrected, those of all others were.
type RecountMovedError struct{ Queues []string }

func (e *RecountMovedError) Error() string {
	return fmt.Sprintf("items of the queues %s ended during each count, so their figures were not checked; count again when fewer items end", strings.Join(e.Queues, ", "))
}

// StatisticsWindows returns the lengths of the windows of the figures, the shortest
// first.
func StatisticsWindows() [4]time.Duration {
	return [4]time.Duration{time.Minute, 5 * time.Minute, time.Hour, 24 * time.Hour}
}

// QueueStatistics are the figures of a queue at a time. JSON field names are
// part of the command line's contract.
type QueueStatistics struct {
	// Queue is its name; "" means all queues.
	Queue string `json:"queue"`

	// At is the time by the database's clock, UTC.
	At time.Time `json:"at"`

	// Items counts the items in each lifecycle, all of which have an entry.
	Items map[Lifecycle]int64 `json:"items"`

	// States counts the items that are not deleted by the names of their states, all
	// of which have an entry.
	States map[string]int64 `json:"states"`

	// OldestDueAt is when the item that has waited the longest became due; nil if no
	// due item waits. OldestWaiting is the time since then.
	OldestDueAt   *time.Time `json:"oldestDueAt"`
	OldestWaiting *Duration  `json:"oldestWaiting"`

	// Windows are the events of the latest time, in the order of StatisticsWindows.
	Windows []WindowStatistics `json:"windows"`
}

// NewQueueStatistics returns the figures of an empty queue without events. since is
// the start of each window.
func NewQueueStatistics(queue string, at time.Time, since []time.Time) QueueStatistics {
	q := QueueStatistics{Queue: queue, At: at, Items: map[Lifecycle]int64{}, States: map[string]int64{}}
	for _, l := range Lifecycles() {
		q.Items[l] = 0
	}
	for _, s := range States() {
		q.States[s.String()] = 0
	}
	for i, length := range StatisticsWindows() {
		q.Windows = append(q.Windows, WindowStatistics{Window: Duration(length), Since: since[i], until: at})
	}
	return q
}

// Waits records that items wait that became due at the given time.
func (q *QueueStatistics) Waits(since time.Time) {
	if q.OldestDueAt != nil && !since.Before(*q.OldestDueAt) {
		return
	}
	waiting := Duration(max(q.At.Sub(since), 0))
	q.OldestDueAt, q.OldestWaiting = &since, &waiting
}

// ComputeWindows computes the derived figures after everything was added.
func (q *QueueStatistics) ComputeWindows() {
	for i := range q.Windows {
		q.Windows[i].settle()
	}
}

// OverallStatistics sums up the figures of queues that were read together. It returns
// nil if there are none.
func OverallStatistics(queues []QueueStatistics) *QueueStatistics {
	if len(queues) == 0 {
		return nil
	}
	since := make([]time.Time, len(queues[0].Windows))
	for i, w := range queues[0].Windows {
		since[i] = w.Since
	}
	all := NewQueueStatistics("", queues[0].At, since)
	for i := range queues {
		q := &queues[i]
		for l, n := range q.Items {
			all.Items[l] += n
		}
		for s, n := range q.States {
			all.States[s] += n
		}
		if q.OldestDueAt != nil {
			all.Waits(*q.OldestDueAt)
		}
		for w := range q.Windows {
			all.Windows[w].add(&q.Windows[w])
		}
	}
	all.ComputeWindows()
	return &all
}
