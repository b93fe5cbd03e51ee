package workqueue

import "context"

// StatisticsStore keeps figures of the queues. Finished items are not counted when
// the figures are read: each transaction that finishes an item, moves a finished item
// back or ends a run records the difference, and reading sums a few rows however many
// items there are. Changes made by hand in SQL are not included: see
// RecountStatistics.
type StatisticsStore interface {
	// Statistics returns the figures of each queue by name, including queues that
	// never had an item. If queue is not "", it returns only that queue: ErrNotFound
	// if there is none of that name. Items that are not finished are counted: the
	// cost depends on their number, not on the number of finished ones. The figures
	// are read by two statements, and an item may finish between them.
	Statistics(ctx context.Context, queue string) ([]QueueStatistics, error)

	// CompactStatistics sums up old figures, so that reading stays cheap. It takes up
	// to limit rows (0: 10,000) in small transactions that wait for no lock, and
	// returns their number. Fewer than limit means that nothing is left for now. It
	// changes no figure. Any number of processes may call it at the same time; once a
	// minute, until it returns less than limit, is enough.
	CompactStatistics(ctx context.Context, limit int) (taken int, err error)

	// RecountStatistics counts all items that have finished or are deleted, and
	// corrects the kept figures, exactly, while other processes go on changing items.
	// It reads every item, in ranges of ids, and calls progress, unless it is nil,
	// after each range. On SQL Server it counts again, a few times at most, if items
	// end meanwhile: the error is a *RecountMovedError if those of a queue end during
	// each count. The figures of
	// the windows and those over time stay unchanged, but the check of the latter then
	// compares only what happens after this hour. If another recount finished meanwhile, nothing is
	// corrected: ErrRecounted.
	RecountStatistics(ctx context.Context, progress func(done, of int64)) ([]StatisticsCorrection, error)
}

// StatisticsCorrection is a number that a recount has corrected.
type StatisticsCorrection struct {
	Queue     string    `json:"queue"`
	Lifecycle Lifecycle `json:"lifecycle"` // completed, archived or deleted
	Kept      int64     `json:"kept"`
	Counted   int64     `json:"counted"`
}
