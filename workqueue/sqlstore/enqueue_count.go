package sqlstore

import (
	"context"

	sqlfiles "botwork/sql"
	"botwork/workqueue"
)

// readClock sets the time of the insert. Where Go counts the items, it is read before, so
// that they are counted in the period of their CreatedAt.
func (e *enqueue) readClock(ctx context.Context, on runner) error {
	if e.now = e.s.nowArg(); e.now != nil || !e.countsInGo() {
		return nil
	}
	now, err := e.s.clock(ctx, on)
	e.now = e.s.engine.timeArg(now)
	return err
}

func (e *enqueue) countsInGo() bool {
	d := e.s.engine.dialect()
	return !d.enqueueCounts && !d.countsByID
}

// count counts the inserted items for the statistics over time, unless the insert has done so.
func (e *enqueue) count(ctx context.Context, on runner, ids []int64) error {
	if e.s.engine.dialect().countsByID {
		return e.s.keepEnqueued(ctx, on, ids...)
	}
	if !e.countsInGo() {
		return nil
	}
	// Most items of a batch are alike.
	type group struct {
		queue, config string
		priority      int
	}
	counts := map[group]int64{}
	var last group
	var same int64
	for i := range e.rows {
		row := &e.rows[i]
		queue, _ := row.cells[sqlfiles.QueueCell].(string)
		config, _ := row.cells[sqlfiles.ConfigCell].(string)
		if g := (group{queue, config, row.prio}); g != last {
			counts[last] += same
			last, same = g, 0
		}
		same++
	}
	counts[last] += same
	t := seriesTally{}
	for g, n := range counts {
		if n > 0 {
			k := seriesKey{
				queue: g.queue, pipeline: seriesPipeline(g.config), band: workqueue.BandOf(g.priority),
				event: workqueue.EventEnqueued, bucket: workqueue.NoDurationBucket,
			}
			sums := t[k]
			sums.events += n
			t[k] = sums
		}
	}
	return e.s.keepSeriesAt(ctx, on, t, e.now)
}
