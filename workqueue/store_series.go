package workqueue

import "context"

// SeriesStore keeps statistics over time: what happened in each minute, hour and day,
// by queue, pipeline, band and worker. Each transaction that changes an item also
// inserts rows that count what it did; FoldSeries adds them to the rows of their
// minute, hour and day, and reading includes those that are not added yet, so a change
// counts as soon as it is committed, and exactly once.
//
// An event is counted in the period of its time in the item: enqueued by CreatedAt,
// started by StartedAt, ends by FinishedAt of the item or the attempt. A start is
// counted when its run ends; until then reading counts the running items. Changes made
// by hand in SQL are not included.
type SeriesStore interface {
	// Series returns the statistics of a time. An unknown queue, pipeline or worker has
	// none.
	Series(ctx context.Context, p SeriesParams) (Series, error)

	// FoldSeries adds up to limit (0: 10,000) of the rows that transactions have
	// inserted to the sums of their periods, and removes rows of periods that are no
	// longer kept. It returns how many rows it has taken; fewer than limit means that
	// nothing is left for now. It changes no figure. Any number of processes may call it
	// at the same time.
	FoldSeries(ctx context.Context, limit int) (taken int, err error)

	// SampleGauges counts the backlog, the slots in use and the slots that workers offer,
	// and reports whether it did: not if another process has already done so in this
	// minute. It reads all unfinished items.
	SampleGauges(ctx context.Context) (sampled bool, err error)
}
