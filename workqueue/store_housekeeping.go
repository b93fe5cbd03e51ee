package workqueue

import (
	"context"
	"fmt"
	"time"
)

// HousekeepingStore removes rows that are no longer needed.
//
// Each method except PurgeQueue is one batch: it removes up to limit rows, the oldest
// first, and returns their number. A limit of 0, or one above the bound, means the
// bound: 500 items or 1,000 other rows. The caller repeats the call until it returns
// 0, and can check its context in between.
//
// A batch is a transaction of its own. It skips rows that another process has locked
// and waits for no lock. It touches no item that waits or runs, so claims continue
// meanwhile. Any number of processes may call these methods at the same time. An age
// is exact to the millisecond, by the database's clock: a row that has reached it is
// removed. The attempts and steps of an item are removed with it.
type HousekeepingStore interface {
	// RemoveRetained removes completed items whose RetainUntil has passed.
	RemoveRetained(ctx context.Context, limit int) (removed int, err error)

	// RemoveCompleted removes completed items without a RetainUntil that finished
	// longer ago than their queue's Retain or, if it has none, than age; nil keeps
	// those. An item without a time of its end is kept.
	RemoveCompleted(ctx context.Context, age *time.Duration, limit int) (removed int, err error)

	// RemoveArchived removes archived items that finished longer ago than their
	// queue's ArchiveAge or, if it has none, than age; nil keeps those. An item
	// without a time of its end is kept.
	RemoveArchived(ctx context.Context, age *time.Duration, limit int) (removed int, err error)

	// TrimArchives removes the archived items of each queue beyond its ArchiveLimit
	// or, if it has none, beyond keep; nil keeps those. When a call returns 0, no
	// queue has more than that number.
	TrimArchives(ctx context.Context, keep *int, limit int) (removed int, err error)

	// RemoveDeleted permanently removes logically deleted items when age has passed
	// since their deletion.
	RemoveDeleted(ctx context.Context, age time.Duration, limit int) (removed int, err error)

	// FreeTimedKeys removes from finished items the unique keys whose time has
	// passed. It only frees space: such a key no longer refuses any item.
	FreeTimedKeys(ctx context.Context, limit int) (freed int, err error)

	// RemoveSteps removes records of steps of items that have succeeded: see StepStore.
	RemoveSteps(ctx context.Context, limit int) (removed int, err error)

	// RemoveFirings removes records of planned times. age must be LeastFiringAge or
	// more, so that records are kept while any process may still ask for their
	// planned times. It keeps the latest record of each schedule and worker, and
	// those of a task's windows that are not settled, since the next planned time is
	// computed from them. When the row of a worker is gone, all records of that
	// worker's own schedules are removed.
	RemoveFirings(ctx context.Context, age time.Duration, limit int) (removed int, err error)

	// RemoveRuns removes runs of system pipelines, except active runs and, for each
	// pipeline and worker, the run of the latest planned time. A run whose worker is
	// gone or has restarted is not active. After the runs it removes the requests for
	// runs that are gone.
	RemoveRuns(ctx context.Context, age time.Duration, limit int) (removed int, err error)

	// RemoveWorkers removes the rows of workers that were last seen longer ago than
	// age, that are stopped or have lost their lease, and that hold no item. Items
	// that such a worker ran keep its number; attempts keep its name, too. If the
	// worker returns, it gets a new row.
	RemoveWorkers(ctx context.Context, age time.Duration, limit int) (removed int, err error)

	// RemoveDurations removes the learned durations of keys that have not been
	// updated for longer than age, and of those beyond the latest 100,000; a few more
	// stay if they were updated at the same moment.
	RemoveDurations(ctx context.Context, age time.Duration, limit int) (removed int, err error)

	// RemoveTexts removes texts of pipelines that no worker has had for longer than
	// age, which must be LeastTextAge or longer. Items that ran with such a text keep
	// its hash.
	RemoveTexts(ctx context.Context, age time.Duration, limit int) (removed int, err error)

	// RemoveBatches removes records of batches that are older than age: see
	// BatchStore.
	RemoveBatches(ctx context.Context, age time.Duration, limit int) (removed int, err error)

	// RemoveForecasts removes forecasts that were made longer ago than age.
	RemoveForecasts(ctx context.Context, age time.Duration, limit int) (removed int, err error)

	// RemoveAudit removes entries of the audit log that are older than age, which must
	// be LeastAuditAge or more. The items of an entry count as rows and are removed
	// before it.
	RemoveAudit(ctx context.Context, age time.Duration, limit int) (removed int, err error)

	// PurgeQueue permanently removes one page of a queue's items, the newest first,
	// regardless of the queue's deletion policy. It never removes a running item.
	// Call it again with the result's Next as p.BeforeID until that is 0. ErrNotFound
	// if there is no such queue.
	PurgeQueue(ctx context.Context, p PurgeParams) (PurgeResult, error)
}

// PurgeParams are the parameters of PurgeQueue.
type PurgeParams struct {
	Queue string

	// Lifecycles selects the items in any of these; none means all but LifeActive,
	// which it must not contain.
	Lifecycles []Lifecycle

	BeforeID int64 // 0: from the newest on
	Limit    int   // bounds the page; 0: 500, which is also the maximum

	// Batch names the page, as Change.Batch does.
	Batch BatchPart
}

// PurgeResult is the result of purging one page.
type PurgeResult struct {
	Removed int
	Next    int64 // 0: this was the last page
}

// Validate returns an error if the parameters include running items.
func (p PurgeParams) Validate() error {
	for _, l := range p.Lifecycles {
		if l == LifeActive {
			return fmt.Errorf("purge queue %q: got lifecycle %s, want another: a running item is never removed; hint: cancel it first", p.Queue, l)
		}
	}
	return nil
}
