package workqueue

import "context"

// WaitingStore looks at what waits, without the assignment lock.
type WaitingStore interface {
	// Waits tells whether an item of the band waits for a worker and is due, of a
	// queue that is not paused and that workers take from.
	Waits(ctx context.Context, band Band) (bool, error)
}
