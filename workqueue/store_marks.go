package workqueue

import "context"

// MarkStore reads by what queues, workers and runs differ from an earlier reading.
type MarkStore interface {
	// Marks returns the marks of all queues, of all workers, and of so many of the latest runs of system
	// pipelines, the latest first, by one statement.
	Marks(ctx context.Context, runs int) (Marks, error)
}

// Marks are what is compared to find out what has changed.
type Marks struct {
	Queues  []QueueMark
	Workers []WorkerMark
	Runs    []RunMark
}

// QueueMark is what changes when a queue is changed, paused or resumed.
type QueueMark struct {
	Name     string
	Revision int64
	Paused   bool
}

// WorkerMark is what changes when a worker starts, drains, stops or is lost.
type WorkerMark struct {
	ID    int64
	Name  string
	State WorkerState
	Gone  bool // see [Worker.Gone]
}

// RunMark is what changes when a run of a system pipeline ends.
type RunMark struct {
	ID       int64
	Pipeline string
	Outcome  RunOutcome
}
