package workqueue

import "context"

// BatchStore does what commands do in batches, each part exactly once.
type BatchStore interface {
	// EnqueueBatch is Enqueue under a name: when the part has been enqueued before, it
	// returns the results of that time and enqueues nothing. *BatchMismatchError when
	// the part was made of other items, *UnansweredError when it is not known whether
	// the items are in the queue.
	EnqueueBatch(ctx context.Context, part BatchPart, items []NewItem) ([]Enqueued, error)

	// EachBatchRecord calls each with the parts of a batch in the order of their
	// numbers. There are none of a batch that is unknown, or older than BatchAge.
	EachBatchRecord(ctx context.Context, key string, each func(BatchRecord) error) error
}
