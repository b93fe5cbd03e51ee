package workqueue

import "time"

// WorkerState is what a worker is ready to do.
type WorkerState string

// The states of a worker.
const (
	WorkerActive   WorkerState = "active"   // takes items
	WorkerDraining WorkerState = "draining" // finishes what it has, takes none
	WorkerStopped  WorkerState = "stopped"  // its process has ended in good order
)

// Worker is a row of BotWorkers: one process on one machine. The name lasts;
// the instance id is new at every start. Times are UTC by the database's clock.
type Worker struct {
	ID         int64    `json:"id"`
	Name       string   `json:"name"`
	InstanceID string   `json:"instanceId"`
	Host       string   `json:"host"`
	PID        int      `json:"pid"`
	ProcessKey string   `json:"-"` // as in the WorkerSpec; it says nothing to people
	Version    string   `json:"version"`
	Capacity   int      `json:"capacity"`   // slots
	StuckSlots int      `json:"stuckSlots"` // of those: their handler was cancelled and does not stop
	Labels     JSONText `json:"labels"`

	// ReservedSlots of the slots are kept for items above HighPriority. Channels
	// are what an item of each channel takes, and Queues those that are served,
	// as JSON; "" stands for all of them. ParseChannels and ParseServed read them.
	ReservedSlots int      `json:"reservedSlots"`
	Channels      JSONText `json:"channels"`
	Queues        JSONText `json:"queues"`

	State      WorkerState `json:"state"`
	StartedAt  time.Time   `json:"startedAt"`
	LastSeenAt time.Time   `json:"lastSeenAt"`

	// AvailableSince is when a run ended here last; nil: none has since StartedAt.
	AvailableSince *time.Time `json:"availableSince"`

	// LeaseExpiresAt is when the worker counts as gone unless it beats again.
	LeaseExpiresAt *time.Time `json:"leaseExpiresAt"`
}

// WorkerLoad is what an assignment pass knows of a worker.
type WorkerLoad struct {
	WorkerID int64
	Name     string
	Capacity int // slots that are not stuck
	Reserved int // slots that are kept for high items

	// Labels are its own, Channels and Queues what it takes, "" for all; as JSON.
	Labels, Channels, Queues JSONText

	// AvailableSince is the latest of when it started, when an item of it ended,
	// and when it was given one that it still holds.
	AvailableSince time.Time

	// Held is what it holds, by priority, the largest first.
	Held []HeldWork
}

// HeldWork are items of one priority and channel that a worker holds.
type HeldWork struct {
	Priority int
	Running  bool // else assigned and not started
	Channel  string
	Count    int

	// Estimate sums the time that they are still expected to take: of an item that
	// is assigned, what the pass that assigned it expected, or the pass's default; of
	// one that runs, what is left of that. One that has run longer than that is
	// expected to take as long again as it has run: of an item of 1 ms that has run
	// for 3 s, 3 s are left.
	Estimate time.Duration
}
