package workqueue

import "testing"

// SQL Server's foreign key takes other spellings of a queue's name; its policy
// must hold for them too.
func TestQueuePolicies(t *testing.T) {
	policies := queuePolicies{"erp": {Limit: 7}, "ERP": {Limit: 8}, "mail": {Limit: 9}}
	for queue, limit := range map[string]int{"erp": 7, "ERP": 8, "mail": 9, "Mail": 9, "mail ": 9, "post": 0} {
		if got := policies.of(queue).Limit; got != limit {
			t.Errorf("of(%q).Limit = %d, want %d", queue, got, limit)
		}
	}
}
