package bench

import (
	"errors"
	"testing"

	"botwork/internal/testdb"
)

func TestEnqueue(t *testing.T) {
	testdb.Each(t, func(t *testing.T, e testdb.Engine) {
		t.Parallel()
		progress := &counter{}
		o := EnqueueOptions{Common: common(t, e, progress), Items: 500, Single: 50}
		r, err := Enqueue(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		wantPositive(t, r, ItemsPerSecond, EnqueuedPerSecond, OneByOnePerSecond, P50Ms, P99Ms, CPUSecondsPer1000, PeakRSSMb)
		if r.Lost == nil || *r.Lost != 0 || r.RanTwice != nil {
			t.Errorf("report %+v, want none lost and no runs", r)
		}
		if got := progress.sum(); got != o.Work() {
			t.Errorf("progress of %d, want %d", got, o.Work())
		}
	})
}

func TestEnqueueVerifies(t *testing.T) {
	t.Parallel()
	o := EnqueueOptions{Common: common(t, testdb.Engines[0], nil), Items: 20, Single: 1}
	o.spoil = func(dsn string, _ *tally) error { return alter(dsn, `DELETE FROM "BotWorkQueueItems" WHERE "Id" = 7`) }
	if r, err := Enqueue(t.Context(), o); !errors.Is(err, ErrWrongCount) || *r.Lost != 2 {
		t.Errorf("report %+v, error %v, want one item lost in each of two rounds", r, err)
	}
}
