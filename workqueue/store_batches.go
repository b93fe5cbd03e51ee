package workqueue

import "context"

// BatchStore executes commands in batches, each part exactly once.
type BatchStore interface {
	// EnqueueBatch is Enqueue with a name. If the part has been enqueued before, it
	// returns the results of that call and enqueues nothing. *BatchMismatchError if
	// the part was created from other items; *UnansweredError if it is unknown
	// whether the items are in the queue.
	EnqueueBatch(ctx context.Context, part BatchPart, items []NewItem) ([]Enqueued, error)

	// EachBatchRecord calls each with the parts of a batch in the order of their
	// numbers. A batch that is unknown or older than BatchAge has none.
	EachBatchRecord(ctx context.Context, key string, each func(BatchRecord) error) error
}
