package workqueue

import (
	"testing"
	"time"
)

// An item's age counts from the start of its first run. The time that a claim waited in memory
// before the first run does not count, but it does before a later run.
func TestWithinCountsFromTheFirstRun(t *testing.T) {
	first := time.Date(2026, 1, 31, 13, 45, 0, 0, time.UTC)
	for name, test := range map[string]struct {
		claimed time.Duration // after first
		waited  time.Duration
		late    bool
	}{
		"the first run, after a long wait":        {0, time.Hour, false},
		"a later run in time":                     {29 * time.Second, 0, false},
		"a later run in time, after a short wait": {28 * time.Second, time.Second, false},
		"a later run that waited too long":        {28 * time.Second, 2 * time.Second, true},
		"a later run that was claimed too late":   {31 * time.Second, 0, true},
	} {
		policy := Resilience{Within: Duration(time.Minute)}
		claimed := first.Add(test.claimed)
		err := policy.tooLate(&Item{FirstStartedAt: &first, StartedAt: &claimed}, test.waited, 31*time.Second)
		if (err != nil) != test.late {
			t.Errorf("%s: %v, want late %t", name, err, test.late)
		}
	}
}
