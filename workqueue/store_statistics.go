package workqueue

import "context"

// StatisticsStore keeps figures of the queues. What has ended is not counted but
// kept: each transaction that moves items into or out of an end, or that ends a
// run, writes down by how much, and reading sums few rows however many items
// there are. A change by hand in SQL is not seen: see RecountStatistics.
type StatisticsStore interface {
	// Statistics returns the figures of each queue by name, also of those that
	// never had an item; of one alone when queue is not "": ErrNotFound when there
	// is none of that name. Items that have not ended are counted: that costs
	// what these are, whatever has ended. The figures are read by two statements,
	// between which an item may end.
	Statistics(ctx context.Context, queue string) ([]QueueStatistics, error)

	// CompactStatistics sums up what is kept of the past, so that reading stays
	// cheap: it takes up to limit rows (0: 10,000) in small transactions that wait
	// for nobody, and returns how many that were. Fewer than limit means that
	// nothing is left for now. No figure changes by it. Any number of processes
	// may call it at once; once a minute, until fewer come back, is enough.
	CompactStatistics(ctx context.Context, limit int) (taken int, err error)

	// RecountStatistics counts all items that have ended or are deleted, and sets
	// right what was kept, exactly, while others go on changing items; on SQL
	// Server these wait until it has counted. It reads every item, in ranges of
	// ids, and calls progress, unless it is nil, behind each. What happened in the
	// windows stays as it is. When another recount ended meanwhile, nothing is
	// corrected: ErrRecounted.
	RecountStatistics(ctx context.Context, progress func(done, of int64)) ([]StatisticsCorrection, error)
}

// StatisticsCorrection is a number that a recount has set right.
type StatisticsCorrection struct {
	Queue     string    `json:"queue"`
	Lifecycle Lifecycle `json:"lifecycle"` // completed, archived or deleted
	Kept      int64     `json:"kept"`
	Counted   int64     `json:"counted"`
}
