package workqueue

import (
	"testing"
	"time"
)

// An item's age counts from the start of its first run; what a claim waited in memory
// before the first run is no part of it, what it waited before a later one is.
func TestWithinCountsFromTheFirstRun(t *testing.T) {
	first := time.Date(2026, 1, 31, 13, 45, 0, 0, time.UTC)
	for name, test := range map[string]struct {
		claimed time.Duration // after first
		waited  time.Duration
		late    bool
	}{
		"the first run, which waited for long":       {0, time.Hour, false},
		"a later run in time":                        {29 * time.Second, 0, false},
		"a later run in time that waited a moment":   {28 * time.Second, time.Second, false},
		"a later run that waited beyond its time":    {28 * time.Second, 2 * time.Second, true},
		"a later run that was claimed beyond it all": {31 * time.Second, 0, true},
	} {
		policy := Resilience{Within: Duration(time.Minute)}
		claimed := first.Add(test.claimed)
		err := policy.tooLate(&Item{FirstStartedAt: &first, StartedAt: &claimed}, test.waited, 31*time.Second)
		if (err != nil) != test.late {
			t.Errorf("%s: %v, want late %t", name, err, test.late)
		}
	}
}
