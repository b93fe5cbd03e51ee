package check

import (
	"context"
	"fmt"
	"strings"

	"botwork/workqueue"
)

// statistics compares the recorded number of items with each outcome with the actual
// number.
func (r *reading) statistics(ctx context.Context) error {
	ended, err := r.db.Ended(ctx)
	if err != nil {
		return err
	}
	r.look(workqueue.CheckStatistics, "items that have ended", ended.Items)
	for _, c := range ended.Wrong {
		r.add(wrongFigure(c))
	}
	if len(ended.Moved) > 0 {
		result := r.results[workqueue.CheckStatistics]
		result.Notes = append(result.Notes, fmt.Sprintf("not judged: the figures of queues in which items ended while they were counted: %s",
			clip(strings.Join(ended.Moved, ", "), 200)))
	}
	return nil
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
