package doctor

import (
	"context"
	"database/sql"
	"fmt"
	"time"
)

// lateEvaluation is how long after the last evaluation of notifications the next one is late: some
// process evaluates them each minute.
const lateEvaluation = 5 * time.Minute

// notifications reports whether the rules of notifications are evaluated.
func (d *Doctor) notifications(ctx context.Context) []Result {
	var agoMs *int64
	var runsMs int64
	err := d.query(ctx, "notifications", func(rows *sql.Rows) error { return rows.Scan(&agoMs, &runsMs) })
	if err != nil {
		return d.queryFailed(ctx, err)
	}
	ago := time.Duration(-1)
	if agoMs != nil {
		ago = max(time.Duration(*agoMs)*time.Millisecond, 0)
	}
	return evaluateNotifications(d.o.NotificationRules, ago, time.Duration(runsMs)*time.Millisecond)
}

// evaluateNotifications judges when the rules were evaluated: ago, below 0 for never. A live worker has
// been running for runs; 0: none.
func evaluateNotifications(rules int, ago, runs time.Duration) []Result {
	when := "they were never evaluated"
	if ago >= 0 {
		when = fmt.Sprintf("they were evaluated %s ago", ago.Round(time.Second))
	}
	switch {
	case rules == 0:
		return ok("the settings have no rules")
	case runs < lateEvaluation:
		return ok(fmt.Sprintf("%d rules; %s, and no worker has been running for %s", rules, when, lateEvaluation))
	case ago < 0 || ago >= lateEvaluation:
		return fault(fmt.Sprintf("%d rules, but %s although a worker runs: no messages are sent", rules, when),
			"the log of that worker shows why: `could not evaluate the notifications`; a worker with other settings may have no rules")
	}
	return ok(fmt.Sprintf("%d rules; %s", rules, when))
}
