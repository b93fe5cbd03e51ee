package bench

import (
	"errors"
	"strings"
	"testing"

	"botwork/internal/database"
	"botwork/internal/testdb"
)

func TestDrainRunsEachItemOnce(t *testing.T) {
	testdb.Each(t, func(t *testing.T, e testdb.Engine) {
		t.Parallel()
		progress := &counter{}
		o := DrainOptions{Common: common(t, e, progress), Items: 1100, Capacity: 4}
		r, err := Drain(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		if r.Lost == nil || *r.Lost != 0 || *r.RanTwice != 0 || r.N != 1100 || r.Repeat != 1 {
			t.Errorf("report %+v, want one round of 1100 items, none lost, none twice", r)
		}
		wantPositive(t, r, ItemsPerSecond, EnqueuedPerSecond, CPUSecondsPer1000, PeakRSSMb, P99Ms)
		if *r.P99Ms < *r.P50Ms || r.Figures[P50Ms].Median != *r.P50Ms {
			t.Errorf("report %+v: impossible figures", r)
		}
		if got := progress.sum(); got != o.Work() || got != 2*1100 {
			t.Errorf("progress of %d, want %d", got, o.Work())
		}
	})
}

// TestDrainVerifies checks that the verification finds items that are not Processed in
// the database and items that ran again.
func TestDrainVerifies(t *testing.T) {
	tests := map[string]struct {
		spoil          func(dsn string, ran *tally) error
		lost, ranTwice int
		example        string
	}{
		"an item was deleted": {func(dsn string, _ *tally) error {
			return alter(dsn, `DELETE FROM "BotWorkQueueItems" WHERE "Id" = 7`)
		}, 1, 0, "1 of"},
		"an end was not written": {func(dsn string, _ *tally) error {
			return alter(dsn, `UPDATE "BotWorkQueueItems" SET "State" = 1, "FinishedAt" = NULL WHERE "Id" = 7`)
		}, 1, 0, "item 7: state Blocked, 1 runs"},
		"an item is Processed but never ran": {func(_ string, ran *tally) error { ran.times[7] = 0; return nil }, 1, 0, "item 7: state Processed, 0 runs"},
		"an item ran twice":                  {func(_ string, ran *tally) error { ran.note(7); return nil }, 0, 1, "item 7: state Processed, 2 runs"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := DrainOptions{Common: common(t, testdb.Engines[0], nil), Items: 20, Capacity: 2}
			rounds := 0
			o.spoil = func(dsn string, ran *tally) error {
				if rounds++; rounds == 1 { // the warm-up round is counted here as well
					return tt.spoil(dsn, ran)
				}
				return nil
			}
			r, err := Drain(t.Context(), o)
			if !errors.Is(err, ErrWrongCount) || !strings.Contains(err.Error(), tt.example) {
				t.Errorf("error %v, want ErrWrongCount with %q", err, tt.example)
			}
			if r.Lost == nil || *r.Lost != tt.lost || *r.RanTwice != tt.ranTwice {
				t.Errorf("report %+v, want %d lost and %d twice", r, tt.lost, tt.ranTwice)
			}
		})
	}
}

func alter(dsn, statement string) error {
	db, err := database.Open(database.SQLite, dsn)
	if err != nil {
		return err
	}
	_, err = db.Exec(statement)
	return errors.Join(err, db.Close())
}
