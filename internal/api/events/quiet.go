package events

import (
	"sync"
	"time"
)

// Change is what may have happened.
type Change int

// The changes that [Hub.Quiet] knows of.
const (
	Failures     Change = iota // items have failed, wait for a retry, were cancelled, or were taken from a lost worker
	QueueChanges               // queues were created, changed, paused or deleted
	RunFailures                // runs of system pipelines have failed
)

// topicOf is the topic whose readings show a change.
var topicOf = map[Change]Topic{Failures: Items, QueueChanges: Queues, RunFailures: Runs}

// readLately is how old the last reading of a topic may be. It is longer than all topics take by turns.
const readLately = 30 * time.Second

// diary is what the readings have shown, and when. It is safe for concurrent use.
type diary struct {
	mu      sync.Mutex
	began   map[Topic]time.Time // after the first reading, with which later ones are compared
	read    map[Topic]time.Time // after the last one
	changed map[Change]time.Time
}

// compared notes that a topic was read, and what has changed since the reading before.
func (d *diary) compared(t Topic, changes ...Change) {
	d.mu.Lock()
	defer d.mu.Unlock()
	now := time.Now()
	if d.began == nil {
		d.began, d.read, d.changed = map[Topic]time.Time{}, map[Topic]time.Time{}, map[Change]time.Time{}
	}
	if d.began[t].IsZero() {
		d.began[t] = now
	}
	d.read[t] = now
	for _, c := range changes {
		d.changed[c] = now
	}
}

// forget drops all notes, because nothing is read any more.
func (d *diary) forget() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.began, d.read, d.changed = nil, nil, nil
}

func (d *diary) quiet(since time.Time, changes []Change) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, c := range changes {
		t := topicOf[c]
		began := d.began[t]
		if began.IsZero() || began.After(since) || time.Since(d.read[t]) > readLately || d.changed[c].After(since) {
			return false
		}
	}
	return true
}

// Quiet reports whether the hub knows that nothing of this has happened since a time, by the clock of
// this process. It is false while no client follows the topic, since nothing is read then. A change is
// known some seconds after it was made.
func (h *Hub) Quiet(since time.Time, changes ...Change) bool {
	return h.source.diary.quiet(since, changes)
}
