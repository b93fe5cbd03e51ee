package sqlstore

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"botwork/workqueue"
)

// statistics compares the recorded number of items with each outcome with the actual
// number. SQLite and PostgreSQL read both at one moment. On SQL Server that would block all
// writers; there the recorded numbers are read again after counting, and queues in which
// items ended meanwhile are not judged.
func (r *reading) statistics(ctx context.Context) error {
	return r.s.retry(ctx, "check: count what has ended", func() error {
		return r.s.engine.snapshot(ctx, r.s, func(on runner) error { return r.figures(ctx, on, func() {}) })
	})
}

// figures reads what is kept, counts, calls counted, and reads what is kept again.
func (r *reading) figures(ctx context.Context, on runner, counted func()) error {
	seen := recount{counted: map[statKey]int64{}}
	var err error
	if seen.kept, err = r.s.keptSums(ctx, on); err != nil {
		return err
	}
	rows, err := r.s.checks.query(ctx, on, "ended_count", nil)
	if err != nil {
		return err
	}
	if err := r.s.countEnds(rows, seen.counted); err != nil {
		return err
	}
	counted()
	after, err := r.s.keptSums(ctx, on)
	if err != nil {
		return err
	}
	var total int64
	for _, n := range seen.counted {
		total += n
	}
	r.look(workqueue.CheckStatistics, "items that have ended", total)
	moved := movedQueues(seen.kept, after)
	for _, c := range seen.corrections() {
		if !moved[c.Queue] {
			r.add(wrongFigure(c))
		}
	}
	if len(moved) > 0 {
		result := r.results[workqueue.CheckStatistics]
		result.Notes = append(result.Notes, fmt.Sprintf("not judged: the figures of queues in which items ended while they were counted: %s",
			clip(strings.Join(slices.Sorted(maps.Keys(moved)), ", "), 200)))
	}
	return nil
}

// movedQueues returns the queues in which an item ended, or left an end, between two
// readings of the statistics. Events are only ever added, and a level that changes without
// an event falls, so no two changes hide each other.
func movedQueues(before, after map[statKey]statSums) map[string]bool {
	moved := map[string]bool{}
	for _, keys := range []map[statKey]statSums{before, after} {
		for k := range keys {
			if k.kind != statFailed && k.kind != statRecount && before[k] != after[k] {
				moved[k.queue] = true
			}
		}
	}
	return moved
}

// wrongFigure identifies a wrong figure by its difference: a second reading confirms it
// only if the difference is the same.
func wrongFigure(c workqueue.StatisticsCorrection) workqueue.Violation {
	return workqueue.Violation{
		Check: workqueue.CheckStatistics, Queue: &c.Queue, Mark: fmt.Sprintf("%s %+d", c.Lifecycle, c.Kept-c.Counted),
		Found:  fmt.Sprintf("%d %s items by the statistics, %d in BotWorkQueueItems", c.Kept, c.Lifecycle, c.Counted),
		Wanted: "as many by the statistics as there are",
		Hint: "`botwork queues stats --recount` sets it right: what a person changes with SQL, such as State or a deleted row, " +
			"the statistics do not see; if nobody did, report it",
	}
}
