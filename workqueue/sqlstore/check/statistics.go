package check

import (
	"context"
	"fmt"
	"strings"

	"botwork/workqueue"
)

// statistics compares the recorded numbers of ended items with the actual numbers.
func (r *reading) statistics(ctx context.Context) error {
	ended, err := r.db.Ended(ctx)
	if err != nil {
		return err
	}
	r.examined(workqueue.CheckStatistics, "items that have ended", ended.Items)
	for _, c := range ended.Wrong {
		r.add(wrongFigure(c))
	}
	if len(ended.Moved) > 0 {
		result := r.results[workqueue.CheckStatistics]
		result.Notes = append(result.Notes, fmt.Sprintf("not checked: the numbers of queues in which items ended during the count: %s",
			clip(strings.Join(ended.Moved, ", "), 200)))
	}
	return nil
}

// wrongFigure identifies a wrong number by its difference, so that a second check confirms it
// only if the difference is the same.
func wrongFigure(c workqueue.StatisticsCorrection) workqueue.Violation {
	return workqueue.Violation{
		Check: workqueue.CheckStatistics, Queue: &c.Queue, Mark: fmt.Sprintf("%s %+d", c.Lifecycle, c.Kept-c.Counted),
		Found:  fmt.Sprintf("%d %s items by the statistics, %d in BotWorkQueueItems", c.Kept, c.Lifecycle, c.Counted),
		Wanted: "the same number in both",
		Hint: "`botwork queues stats --recount` corrects the statistics: they do not include changes made by hand in SQL, such as a changed State " +
			"or a deleted row; if there were no such changes, report it as a bug",
	}
}
