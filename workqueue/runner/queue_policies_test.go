package runner

import (
	"testing"

	"botwork/workqueue"
)

// SQL Server's foreign key accepts other spellings of a queue's name. The policy
// of the queue applies to them as well.
func TestQueuePolicies(t *testing.T) {
	limit := func(n int) queuePolicy { return queuePolicy{resilience: workqueue.Resilience{Limit: n}} }
	policies := queuePolicies{"erp": limit(7), "ERP": limit(8), "mail": limit(9)}
	for queue, limit := range map[string]int{"erp": 7, "ERP": 8, "mail": 9, "Mail": 9, "mail ": 9, "post": 0} {
		if got := policies.of(queue).resilience.Limit; got != limit {
			t.Errorf("of(%q).Limit = %d, want %d", queue, got, limit)
		}
	}
}
