package workqueue

import "time"

// WorkerState is whether a worker accepts items.
type WorkerState string

// The states of a worker.
const (
	WorkerActive   WorkerState = "active"   // accepts items
	WorkerDraining WorkerState = "draining" // finishes its items and accepts no more
	WorkerStopped  WorkerState = "stopped"  // its process has shut down normally
)

// Worker is a row of BotWorkers: one process on one machine. The name is permanent;
// the instance id is new at every start. Times are UTC by the database's clock.
type Worker struct {
	ID         int64    `json:"id"`
	Name       string   `json:"name"`
	InstanceID string   `json:"instanceId"`
	Host       string   `json:"host"`
	PID        int      `json:"pid"`
	ProcessKey string   `json:"-"` // as in the WorkerSpec; it is meaningless to users
	Version    string   `json:"version"`
	Capacity   int      `json:"capacity"`   // slots, as all settings with a person's overrides
	StuckSlots int      `json:"stuckSlots"` // of those: their handler was cancelled but has not stopped
	Labels     JSONText `json:"labels"`

	// ReservedSlots of the slots are kept for items above HighPriority. Channels are
	// the channels that the worker runs, and Queues the queues that it serves, as
	// JSON; "" means all of them. ParseChannels and ParseServed read them.
	ReservedSlots int      `json:"reservedSlots"`
	Channels      JSONText `json:"channels"`
	Queues        JSONText `json:"queues"`

	// Overrides are the settings that a person set, as JSON: WorkerOverrides; "" if
	// there are none. Reported are those of the process then, else nil.
	Overrides JSONText        `json:"overrides"`
	Reported  *WorkerSettings `json:"reported"`

	// DrainRequestedAt is since when the worker must not take items, also after a
	// restart; nil: it may.
	DrainRequestedAt *time.Time `json:"drainRequestedAt"`

	State      WorkerState `json:"state"`
	StartedAt  time.Time   `json:"startedAt"`
	LastSeenAt time.Time   `json:"lastSeenAt"`

	// AvailableSince is when a run last ended here; nil: none has ended since
	// StartedAt.
	AvailableSince *time.Time `json:"availableSince"`

	// Gate is why the worker takes no new items now: its machine is short of a resource,
	// such as "cpu 97% over 90%"; nil: it takes items.
	Gate *string `json:"gate"`

	// LeaseExpiresAt is when the worker counts as gone unless it sends another
	// heartbeat.
	LeaseExpiresAt *time.Time `json:"leaseExpiresAt"`
}

// Settings returns the settings of the worker, with a person's overrides.
func (w *Worker) Settings() WorkerSettings {
	return WorkerSettings{Capacity: w.Capacity, ReservedSlots: w.ReservedSlots, Labels: w.Labels, Channels: w.Channels, Queues: w.Queues}
}

// Gone reports whether the worker did not stop normally and its lease has expired. now is
// the time by the database's clock.
func (w *Worker) Gone(now time.Time) bool {
	return w.State != WorkerStopped && (w.LeaseExpiresAt == nil || w.LeaseExpiresAt.Before(now))
}

// Gated returns why a live, active worker takes no new items; "" if it takes them. now is
// the time by the database's clock.
func (w *Worker) Gated(now time.Time) string {
	if w.Gate == nil || w.State != WorkerActive || w.Gone(now) {
		return ""
	}
	return *w.Gate
}

// WorkerLoad is an assignment pass's view of a worker.
type WorkerLoad struct {
	WorkerID int64
	Name     string
	Capacity int // slots that are not stuck
	Reserved int // slots that are kept for high items

	// Labels are its own, Channels and Queues those that it runs, "" for all; as
	// JSON.
	Labels, Channels, Queues JSONText

	// Fault is what cannot be read of the settings that a person set for the worker; nil
	// for nothing.
	Fault error

	// AvailableSince is the latest of these times: when the worker started, when an
	// item of it ended, and when it was assigned an item that it still holds.
	AvailableSince time.Time

	// Held is the work that it holds, by priority, the largest first.
	Held []HeldWork
}

// HeldWork are items of one priority and channel that a worker holds.
type HeldWork struct {
	Priority int
	Running  bool // else assigned and not started
	Channel  string
	Count    int

	// Estimate is the sum of the remaining time that the items are expected to take.
	// For an assigned item, that is the estimate of the pass that assigned it, or the
	// pass's default. For a running item, it is the rest of that estimate. An item
	// that has run longer than its estimate is expected to take as long again as it
	// has run: an item with an estimate of 1 ms that has run for 3 s has 3 s left.
	Estimate time.Duration
}
