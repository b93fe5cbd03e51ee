package bench

import (
	"testing"
	"time"

	"botwork/internal/testdb"
	"botwork/internal/testgroup"
)

func TestEvents(t *testing.T) {
	testgroup.Need(t, testgroup.Processes)
	testdb.Each(t, func(t *testing.T, e testdb.Engine) {
		t.Parallel()
		progress := &counter{}
		o := EventsOptions{Common: common(t, e, progress), Clients: 25, Rate: 50, For: 3 * time.Second}
		o.Repeat = 1
		r, err := Events(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		wantPositive(t, r, SummariesStatementsPerSecond, SummariesPerSecond, FollowedStatementsPerSecond, FollowedPerSecond, AllEventsPerSecond)
		if r.N != 25 || progress.sum() != o.Work() {
			t.Errorf("report %+v and progress %d, want 25 clients and %d", r, progress.sum(), o.Work())
		}
	})
}
