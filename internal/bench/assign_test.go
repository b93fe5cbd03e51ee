package bench

import (
	"errors"
	"testing"

	"botwork/internal/testdb"
)

func TestAssign(t *testing.T) {
	testdb.Each(t, func(t *testing.T, e testdb.Engine) {
		t.Parallel()
		progress := &counter{}
		o := AssignOptions{Common: common(t, e, progress), Items: 200, Workers: 3, Capacity: 2}
		r, err := Assign(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		wantPositive(t, r, ItemsPerSecond, PassSeconds, CPUSecondsPer1000, PeakRSSMb)
		if *r.Lost != 0 || r.RanTwice != nil || progress.sum() != o.Work() {
			t.Errorf("report %+v, progress of %d; want none lost, no runs, %d", r, progress.sum(), o.Work())
		}
	})
}

func TestAssignVerifies(t *testing.T) {
	t.Parallel()
	o := AssignOptions{Common: common(t, testdb.Engines[0], nil), Items: 20, Workers: 1, Capacity: 1}
	o.spoil = func(dsn string, _ *tally) error {
		return alter(dsn, `UPDATE "BotWorkQueueItems" SET "State" = 4, "WorkerId" = NULL WHERE "Id" = 7`)
	}
	if r, err := Assign(t.Context(), o); !errors.Is(err, ErrWrongCount) || *r.Lost != 2 {
		t.Errorf("report %+v, error %v, want one unassigned item in each of two rounds", r, err)
	}
}
