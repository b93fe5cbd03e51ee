package workqueue

import (
	"context"
	"fmt"
	"time"
)

// HousekeepingStore removes what nobody needs any longer. But for PurgeQueue,
// each method is one batch: it removes up to limit rows (0, or more than its
// bound: its bound, 500 items or 1,000 others), the oldest first, and returns
// how many that were, so that the caller looks at its context in between and
// calls again until there are none. A batch is a transaction of its own. It passes
// over rows that somebody else has locked and waits for nobody, and it touches no
// item that waits or runs: claims go on meanwhile. Any number of processes may
// call these methods at the same time. An age counts to the millisecond, by the
// database's clock: what has come to it is removed. Items take their attempts
// with them.
type HousekeepingStore interface {
	// RemoveRetained removes completed items whose RetainUntil is over.
	RemoveRetained(ctx context.Context, limit int) (removed int, err error)

	// RemoveCompleted removes completed items without a RetainUntil that finished
	// longer ago than their queue's Retain or, where it has none, than age; nil
	// keeps those. An item that does not say when it finished is kept.
	RemoveCompleted(ctx context.Context, age *time.Duration, limit int) (removed int, err error)

	// RemoveArchived removes archived items that finished longer ago than their
	// queue's ArchiveAge or, where it has none, than age; nil keeps those. An item
	// that does not say when it finished is kept.
	RemoveArchived(ctx context.Context, age *time.Duration, limit int) (removed int, err error)

	// TrimArchives removes the archived items of each queue beyond its
	// ArchiveLimit or, where it has none, beyond keep; nil keeps those. When it
	// finds no more, each queue has exactly that number at the most.
	TrimArchives(ctx context.Context, keep *int, limit int) (removed int, err error)

	// RemoveDeleted removes logically deleted items for good, so long after their
	// deletion.
	RemoveDeleted(ctx context.Context, age time.Duration, limit int) (removed int, err error)

	// FreeTimedKeys lets finished items go of unique keys whose time is over. It
	// only frees space: such a key refuses nothing any more.
	FreeTimedKeys(ctx context.Context, limit int) (freed int, err error)

	// RemoveFirings removes records of planned instants, which age must keep for as
	// long as any process may still ask for the instant (LeastFiringAge), but for the latest of
	// each schedule and worker, and those of a task's windows that are not settled:
	// from these the next instant is counted. The records of a worker's own
	// schedules go altogether when the worker's row is gone.
	RemoveFirings(ctx context.Context, age time.Duration, limit int) (removed int, err error)

	// RemoveRuns removes runs of system pipelines, but for those that go on, and
	// the one of the latest planned instant of each pipeline and worker, as above.
	// A run whose worker is gone or began anew does not go on.
	RemoveRuns(ctx context.Context, age time.Duration, limit int) (removed int, err error)

	// RemoveWorkers removes the rows of workers that were not seen for so long,
	// are stopped or have lost their lease, and hold no item. Items that such a
	// worker ran keep its number, attempts its name, too. When it comes back it is
	// a new one.
	RemoveWorkers(ctx context.Context, age time.Duration, limit int) (removed int, err error)

	// RemoveDurations removes what was learned of keys of which nothing was learned
	// for so long, and of those beyond the latest 100,000, or a few more that were
	// learned of at the same moment.
	RemoveDurations(ctx context.Context, age time.Duration, limit int) (removed int, err error)

	// RemoveTexts removes texts of pipelines that no worker has had for so long,
	// LeastTextAge or longer. What ran with one keeps its hash.
	RemoveTexts(ctx context.Context, age time.Duration, limit int) (removed int, err error)

	// RemoveBatches removes records of batches that are older: see BatchStore.
	RemoveBatches(ctx context.Context, age time.Duration, limit int) (removed int, err error)

	// PurgeQueue removes one page of a queue's items for good, the newest first,
	// whatever the queue says of deletion; never a running one. Call it again with
	// the result's Next as p.BeforeID until that is 0. ErrNotFound when there is
	// no such queue.
	PurgeQueue(ctx context.Context, p PurgeParams) (PurgeResult, error)
}

// PurgeParams says what to remove of a queue.
type PurgeParams struct {
	Queue string

	// Lifecycles keeps the removal to items in any of these; none means all but
	// LifeActive, which it may not name.
	Lifecycles []Lifecycle

	BeforeID int64 // 0: from the newest on
	Limit    int   // bounds the page; 0: 500, which is the most

	// Batch names the page, as Change.Batch does.
	Batch BatchPart
}

// PurgeResult is what came of a page.
type PurgeResult struct {
	Removed int
	Next    int64 // 0: this was the last page
}

// Validate refuses what no purge may remove.
func (p PurgeParams) Validate() error {
	for _, l := range p.Lifecycles {
		if l == LifeActive {
			return fmt.Errorf("purge queue %q: got lifecycle %s, want another: a running item is never removed; hint: cancel it first", p.Queue, l)
		}
	}
	return nil
}
