package check

import (
	"context"
	"database/sql"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"botwork/workqueue"
)

// loadQueues reads the policies of the queues.
func (r *reading) loadQueues(ctx context.Context) error {
	queues, err := r.db.Queues(ctx)
	if err != nil {
		return err
	}
	r.queues = make(map[string]workqueue.Resilience, len(queues))
	for _, q := range queues {
		policy, err := workqueue.ParseResilience(q.Resilience)
		if err != nil {
			policy = workqueue.Resilience{} // workers ignore such a policy, too
		}
		r.queues[workqueue.FoldQueueName(q.Name)] = policy
	}
	return nil
}

// failedRow is a row of the statement failed_items.
type failedRow struct {
	id              int64
	state           workqueue.State
	queue           string
	failures        int
	policy          sql.NullString
	pipeline        string
	due, finished   seenTime
	hasError        bool
	earlierFailedAt seenTime
}

// attemptLimits compares the failures of the items of a page with their limits.
func (r *reading) attemptLimits(ctx context.Context, p itemRange) error {
	for {
		rows, err := read(ctx, r, "failed_items", withLimit(p.values(), mostNamed), func(rows *sql.Rows, x *failedRow) error {
			return rows.Scan(&x.id, &x.state, &x.queue, &x.failures, &x.policy, &x.pipeline, &x.due, &x.finished,
				&x.hasError, &x.earlierFailedAt)
		})
		if err != nil {
			return err
		}
		for _, row := range rows {
			r.attemptLimit(row)
		}
		if len(rows) < mostNamed {
			return nil
		}
		p.after = rows[len(rows)-1].id
	}
}

// attemptLimit reports an item that was or will be attempted more often than its policy
// allows. Items whose limit is unknown are counted instead.
func (r *reading) attemptLimit(x failedRow) {
	if x.byHand() {
		return
	}
	limit, source := r.limit(x)
	if limit == 0 || !x.over(limit) {
		return
	}
	v := workqueue.Violation{
		Check: workqueue.CheckAttemptLimit, ItemID: &x.id,
		Wanted: fmt.Sprintf("attempts in all: at most %d (%s)", limit, source),
	}
	switch x.state {
	case workqueue.Processed:
		v.Found = fmt.Sprintf("Processed after %d failures: %d attempts", x.failures, x.failures+1)
		v.Hint = "if the limit was lowered or RetryCount was changed by hand, set RetryCount to the correct number; else report it as a bug"
	case workqueue.Cancelled:
		v.Found = fmt.Sprintf("Cancelled after %d failed attempts", x.failures)
		v.Hint = "if the limit was lowered or RetryCount was changed by hand, set RetryCount to the correct number; else report it as a bug"
	default:
		v.Found = fmt.Sprintf("%s with %d failed attempts, so there will be another", x.state, x.failures)
		v.Hint = "if the limit was lowered while the item waited, cancel it (`botwork items cancel`) or let it run once more; " +
			"to allow all attempts again, set RetryCount to 0"
	}
	r.add(v)
}

// over reports whether there are more failures than the limit allows. Limit N allows N attempts
// in all, and an item that is not cancelled has one more attempt than failures.
func (x *failedRow) over(limit int) bool {
	if x.state == workqueue.Cancelled {
		return x.failures > limit
	}
	return x.failures >= limit
}

// byHand reports whether a user gave the item another attempt, or ended it, by setting only
// State. The program itself sets AvailableAt after a failure, clears FinishedAt of waiting
// items, and clears the error of successful items.
func (x *failedRow) byHand() bool {
	if x.state == workqueue.Processed && x.hasError {
		return true
	}
	if final := x.state == workqueue.Processed || x.state == workqueue.Cancelled; !final && x.finished.Valid {
		return true
	}
	return x.earlierFailedAt.Valid && x.due.Valid && !x.due.After(x.earlierFailedAt.Time)
}

// limit returns the item's limit and its source, or 0 if it is unknown.
func (r *reading) limit(x failedRow) (limit int, source string) {
	item, err := workqueue.ParseResilience(workqueue.JSONText(x.policy.String))
	if err == nil && item.Limit > 0 {
		return item.Limit, "from its own ResilienceConfig"
	}
	var pipeline workqueue.Resilience
	var since time.Time
	if x.pipeline != "" { // an item for robots has no pipeline
		if r.p.PipelinePolicy == nil {
			r.limits.unknown(x.pipeline)
			return 0, ""
		}
		if pipeline, since, err = r.p.PipelinePolicy(x.pipeline); err != nil {
			r.limits.unknown(x.pipeline)
			return 0, ""
		}
	}
	queue := r.queues[workqueue.FoldQueueName(x.queue)]
	final := x.state == workqueue.Processed || x.state == workqueue.Cancelled
	last := x.earlierFailedAt
	if final {
		last = x.finished
	}
	effective := pipeline.Or(queue).Or(workqueue.DefaultResilience()).Limit
	switch {
	case last.Valid && last.Before(since):
		if x.over(effective) {
			r.limits.older++
		}
		return 0, ""
	case pipeline.Limit > 0:
		return pipeline.Limit, "from its pipeline"
	case queue.Limit > 0 && final:
		if x.over(effective) {
			r.limits.queue++
		}
		return 0, ""
	case queue.Limit > 0:
		return queue.Limit, fmt.Sprintf("from the queue %s", x.queue)
	}
	return effective, "the default"
}

// limitNotes count the items that could not be checked.
type limitNotes struct {
	unknowns map[string]int // by pipeline
	older    int
	queue    int
}

func (n *limitNotes) unknown(pipeline string) {
	if n.unknowns == nil {
		n.unknowns = map[string]int{}
	}
	name, _, _ := strings.Cut(strings.TrimSpace(pipeline), "\n")
	if len(n.unknowns) < 100 || n.unknowns[name] > 0 {
		n.unknowns[clip(name, 60)]++
	}
}

func (n *limitNotes) report(result *workqueue.CheckResult) {
	for _, name := range slices.Sorted(maps.Keys(n.unknowns)) {
		result.Notes = append(result.Notes, fmt.Sprintf(
			"not checked: %[2]d items of the pipeline %[1]q, which would set their limit but is unknown in this project", name, n.unknowns[name]))
	}
	if n.older > 0 {
		result.Notes = append(result.Notes, fmt.Sprintf(
			"not checked: %d items above the current limit that last failed before their pipeline's file was changed", n.older))
	}
	if n.queue > 0 {
		result.Notes = append(result.Notes, fmt.Sprintf(
			"not checked: %d finished items above the current limit of their queue; their limit at that time is unknown", n.queue))
	}
}
