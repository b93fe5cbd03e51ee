package workqueue

import (
	"context"
	"time"
)

// WaitingStore looks at what waits, without the assignment lock.
type WaitingStore interface {
	// Waits tells whether an item of the band waits for a worker and is due, of a
	// queue that is not paused and that workers take from.
	Waits(ctx context.Context, band Band) (bool, error)

	// Ready returns what there is to do for a worker: items of the band that are
	// assigned to it and have not started, or that wait, as Waits has it, or that
	// other workers hold for some seconds and have not started. It is one look along
	// indexes, for a caller that asks each second. Of several answers it gives the
	// first of the order ItemsDue, ItemsAssigned, ItemsWait, ItemsElsewhere. next is how
	// long it is until a scheduled item becomes due, of whatever band and queue; 0: none
	// does within a minute.
	Ready(ctx context.Context, workerID int64, band Band) (r Readiness, next time.Duration, err error)

	// Listen hands over a notice when items become ready or are assigned, until ctx
	// ends; then it returns nil. It is told at once of what this store does itself,
	// and on an engine that carries notices, such as PostgreSQL, of what other
	// processes do. Notices may be lost, come late or twice, and none comes of what
	// a hand changes, nor when a time comes or a run gives an item back: Ready is asked besides. tell must
	// return at once; it is called from several goroutines. trouble is told why
	// the notices of others do not come, and nil when they come again; who cannot
	// have any, on other engines, is told nothing.
	Listen(ctx context.Context, tell func(Notice), trouble func(error)) error
}

// Readiness is what there is to do.
type Readiness int

// The values of Readiness.
const (
	NothingReady   Readiness = iota
	ItemsWait                // for an assignment pass
	ItemsAssigned            // to the worker, and not started
	ItemsDue                 // for an assignment pass: in the last two seconds they have become due, or were made
	ItemsElsewhere           // assigned to another worker for a second, and not started
)

// RecentlyDue and HeldElsewhere are the times that ItemsDue and ItemsElsewhere name. Of
// what was made only the latest hundred items count.
const (
	RecentlyDue   = 2 * time.Second
	HeldElsewhere = time.Second
)

// Notice tells of items that can be worked on now.
type Notice struct {
	// Band spans their priorities; others may lie between.
	Band Band

	// Workers have been given them; none: they wait for an assignment pass.
	Workers []int64

	// Others tells that another process says so: many may hear of it.
	Others bool
}
