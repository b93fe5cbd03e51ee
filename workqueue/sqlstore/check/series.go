package check

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"botwork/workqueue"
)

// SeriesKey names a number of events of a queue in an hour.
type SeriesKey struct {
	Queue string
	Hour  time.Time // its start, UTC
	Event string
	Kind  workqueue.ErrorKind // of a failed or cancelled one
}

// SeriesCount is such a number by the statistics and by the items.
type SeriesCount struct {
	SeriesKey
	Kept, Counted int64
}

// Series compares the statistics over time with the items and their attempts.
type Series struct {
	Compared int64 // events
	Wrong    []SeriesCount
	Moved    []string // queues that changed during the count and are not compared

	// Since are the queues of which some items are no longer there as they were counted,
	// with the first hour that can be compared.
	Since map[string]time.Time

	// ByHand are how many items of a queue were inserted without being counted: by SQL.
	ByHand map[string]int64
}

// series compares the statistics over time with a recount.
func (r *reading) series(ctx context.Context) error {
	series, err := r.db.Series(ctx)
	if err != nil {
		return err
	}
	r.examined(workqueue.CheckSeries, "events", series.Compared)
	for _, c := range series.Wrong {
		r.add(wrongCount(c))
	}
	result := r.results[workqueue.CheckSeries]
	note := func(format string, args ...any) {
		result.Notes = append(result.Notes, clip(fmt.Sprintf(format, args...), 400))
	}
	if len(series.Moved) > 0 {
		note("not checked: queues that changed during the count: %s", strings.Join(series.Moved, ", "))
	}
	if len(series.Since) > 0 {
		var parts []string
		for _, queue := range slices.Sorted(maps.Keys(series.Since)) {
			parts = append(parts, queue+" "+series.Since[queue].Format(time.RFC3339))
		}
		note("checked only from these hours on, since earlier items were removed, run again or not counted: %s", strings.Join(parts, ", "))
	}
	for _, queue := range slices.Sorted(maps.Keys(series.ByHand)) {
		note("queue %s: %d items were inserted with SQL and do not count as enqueued", queue, series.ByHand[queue])
	}
	return nil
}

func wrongCount(c SeriesCount) workqueue.Violation {
	what := c.Event
	if c.Kind != "" {
		what += " (" + string(c.Kind) + ")"
	}
	hour := c.Hour.Format(time.RFC3339)
	return workqueue.Violation{
		Check: workqueue.CheckSeries, Queue: &c.Queue, Mark: fmt.Sprintf("%s %s %+d", hour, what, c.Kept-c.Counted),
		Found:  fmt.Sprintf("in the hour from %s, %d %s by the statistics over time, %d by the items", hour, c.Kept, what, c.Counted),
		Wanted: "the same number by both",
		Hint: "the statistics do not include changes made by hand in SQL; after such a change, `botwork queues stats --recount` makes the " +
			"check compare only later hours; if there were no such changes, report it as a bug",
	}
}
