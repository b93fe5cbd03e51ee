package bench

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"botwork/handlers"
	"botwork/internal/bench/mixed"
	"botwork/internal/testdb"
	"botwork/workqueue"
	"botwork/workqueue/sqlstore"
)

func TestMixed(t *testing.T) {
	testdb.Each(t, func(t *testing.T, e testdb.Engine) {
		t.Parallel()
		progress := &counter{}
		o := MixedOptions{
			Common: common(t, e, progress), For: 300 * time.Millisecond, Scale: 0.001, Seed: 1, Workers: 2, Capacity: 2,
			Allowance: 100 * time.Millisecond,
		}
		r, err := Mixed(t.Context(), o)
		if err != nil && !errors.Is(err, ErrWrongStart) { // a test does not judge when items start
			t.Fatal(err)
		}
		if *r.Lost != 0 || *r.RanTwice != 0 || r.N == 0 || r.Repeat != 1 {
			t.Errorf("report %+v, want one round, none lost, none twice", r)
		}
		wantPositive(t, r, ItemsPerSecond, CPUSecondsPer1000, PeakRSSMb, UtilisationAtOncePercent, DrawnHigh, DrawnLow, DrawnLongestMs, RunsOfHandler)
		sum := 0.0
		for _, f := range []Figure{ItemsRan, ItemsExpired, ItemsCancelled} {
			sum += r.Figures[f].Median
		}
		if sum != float64(r.N) {
			t.Errorf("%v items ran, expired or were cancelled, want %d", sum, r.N)
		}
		for _, w := range wrongStarts {
			if _, ok := r.Figures[w.figure]; !ok {
				t.Errorf("%s is not measured", w.figure)
			}
		}
		if got := progress.sum(); got != o.Work() || got != r.N {
			t.Errorf("progress of %d, want %d", got, r.N)
		}
	})
}

// TestMixedCountsWhatWasLostOrRanTwice compares states in the database with recorded
// runs.
func TestMixedCountsWhatWasLostOrRanTwice(t *testing.T) {
	t.Parallel()
	good, cut := mixed.Run{End: mixed.Done}, mixed.Run{End: mixed.Cut}
	life := func(kind mixed.Kind, runs ...mixed.Run) mixed.Life {
		return mixed.Life{Item: mixed.Item{Kind: kind}, Runs: runs}
	}
	cancelled := func(runs ...mixed.Run) mixed.Life {
		l := life(mixed.Cancelled, runs...)
		l.CancelReturned = time.Second
		return l
	}
	tests := map[string]struct {
		life           mixed.Life
		state          workqueue.State
		lost, ranTwice int
	}{
		"ran":                                   {life(mixed.Plain, good), workqueue.Processed, 0, 0},
		"ran after a failure":                   {life(mixed.Fails, mixed.Run{End: mixed.Failed}, good), workqueue.Processed, 0, 0},
		"ran twice":                             {life(mixed.Plain, good, good), workqueue.Processed, 0, 1},
		"is Processed but never ran":            {life(mixed.Plain), workqueue.Processed, 1, 0},
		"ran, and its end was not written":      {life(mixed.Plain, good), workqueue.Blocked, 1, 0},
		"still waits":                           {life(mixed.Plain), workqueue.Ready, 1, 0},
		"given up without a reason":             {life(mixed.Plain), workqueue.Cancelled, 1, 0},
		"given up at its deadline":              {life(mixed.Expires), workqueue.Cancelled, 0, 0},
		"given up while it ran":                 {life(mixed.Expires, cut), workqueue.Cancelled, 1, 0},
		"cancelled":                             {cancelled(), workqueue.Cancelled, 0, 0},
		"cancelled while it ran":                {cancelled(cut), workqueue.Cancelled, 0, 0},
		"cancelled but Processed":               {cancelled(good), workqueue.Processed, 1, 0},
		"was over before it was cancelled":      {life(mixed.Cancelled, good), workqueue.Processed, 0, 0},
		"cancelled, but not by the measurement": {life(mixed.Cancelled), workqueue.Cancelled, 1, 0},
		"cancelled but still waits":             {cancelled(), workqueue.Ready, 1, 0},
	}
	c := common(t, testdb.Engines[0], nil)
	err := c.inStore(t.Context(), func(store *sqlstore.Store, dsn string) error {
		for name, tt := range tests {
			made, err := store.Enqueue(t.Context(), []workqueue.NewItem{mixedItem(tt.life.Item)})
			if err != nil {
				return err
			}
			id := made[0].ID
			if err := alter(dsn, fmt.Sprintf(`UPDATE "BotWorkQueueItems" SET "State" = %d, "FinishedAt" = %s WHERE "Id" = %d`,
				tt.state, map[bool]string{true: `"CreatedAt"`, false: "NULL"}[tt.state == workqueue.Processed || tt.state == workqueue.Cancelled], id)); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
			m := &mixedRound{o: MixedOptions{Common: c}, dsn: dsn, ids: []int64{id}, lives: []mixed.Life{tt.life}}
			count, err := m.count(t.Context(), Sample{})
			if err != nil || count != (Count{Items: 1, Lost: tt.lost, RanTwice: tt.ranTwice}) {
				t.Errorf("%s: count %+v, error %v, want %d lost and %d twice", name, count, err, tt.lost, tt.ranTwice)
			}
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

// TestInterruptedMixedEndsItsProcesses checks that an interrupted measurement ends its
// processes before it removes their scratch database.
func TestInterruptedMixedEndsItsProcesses(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	c := common(t, testdb.Engines[0], nil)
	calls := 0
	c.Progress = func(int) {
		if calls++; calls == 2 { // the first items are enqueued before the workers start
			cancel()
		}
	}
	o := MixedOptions{Common: c, For: time.Second, Scale: 0.001, Seed: 1, Workers: 2, Capacity: 2}
	if _, err := Mixed(ctx, o); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want context.Canceled", err)
	}
}

func TestWrongStartsOfAllRoundsAreAnError(t *testing.T) {
	if err := wrongStart([]Sample{{Inversions: 0, StartsBeforeDue: 0}, {}}); err != nil {
		t.Errorf("no wrong start: error %v", err)
	}
	err := wrongStart([]Sample{{Inversions: 2}, {Inversions: 1, StartsAfterCancel: 4}})
	if !errors.Is(err, ErrWrongStart) || !strings.Contains(err.Error(), "4 after they were cancelled, 3 before a more urgent item") {
		t.Errorf("error %v, want both counts", err)
	}
}

// TestMixedLedger checks that the measurement reads what the handlers of the workers
// wrote, and that only the first run of an item in any process fails or snoozes.
func TestMixedLedger(t *testing.T) {
	m := &mixedRound{o: MixedOptions{Workers: 2}, dir: t.TempDir(), zero: wallClock(), ids: []int64{7, 8, 9}, lives: make([]mixed.Life, 3)}
	run := func(worker int, id int64, kind string, takes time.Duration, ctx context.Context) error {
		l, err := openMixedLedger(m.ledgerOf(worker))
		if err != nil {
			t.Fatal(err)
		}
		call := &handlers.Call{ItemID: id, Payload: map[string]any{"takes": int(takes), "kind": kind, "after": 5_000_000}}
		_, ran := l.Handle(ctx, call)
		if err := l.close(); err != nil {
			t.Fatal(err)
		}
		if err := m.readLedger(worker, map[int64]*mixed.Life{7: &m.lives[0], 8: &m.lives[1], 9: &m.lives[2]}); err != nil {
			t.Fatal(err)
		}
		return ran
	}
	var snooze *handlers.SnoozeError
	if err := run(0, 7, "snoozes", time.Microsecond, t.Context()); !errors.As(err, &snooze) || snooze.After != 5*time.Millisecond {
		t.Errorf("the first run: %v, want a snooze of 5ms", err)
	}
	if err := run(1, 7, "snoozes", time.Microsecond, t.Context()); err != nil {
		t.Errorf("the second run: %v", err)
	}
	if err := run(0, 8, "fails", time.Microsecond, t.Context()); !errors.Is(err, errByChance) {
		t.Errorf("the first run: %v, want a failure", err)
	}
	ended, end := context.WithCancel(t.Context())
	end()
	if err := run(1, 9, "plain", time.Hour, ended); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled run: %v", err)
	}
	for i, want := range [][]mixed.End{{mixed.Snoozed, mixed.Done}, {mixed.Failed}, {mixed.Cut}} {
		var got []mixed.End
		for _, r := range m.lives[i].Runs {
			got = append(got, r.End)
			if r.Began < 0 || r.Ended < r.Began || time.Since(m.zero) < r.Ended {
				t.Errorf("a run from %s to %s", r.Began, r.Ended)
			}
		}
		if len(got) != len(want) || got[0] != want[0] || got[len(got)-1] != want[len(want)-1] {
			t.Errorf("item %d: ends %v, want %v", m.ids[i], got, want)
		}
	}
	m.o.Workers, m.ids = 1, []int64{1}
	if err := m.readRuns(); err == nil || !strings.Contains(err.Error(), "was not enqueued") {
		t.Errorf("a run of an unknown item: error %v", err)
	}
	if err := (&mixedRound{o: m.o, dir: filepath.Join(m.dir, "none")}).readRuns(); err == nil {
		t.Error("a missing ledger: no error")
	}
}
