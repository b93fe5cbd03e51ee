package bench

import (
	"testing"
	"time"

	"botwork/internal/testdb"
)

func TestSoakLosesNothing(t *testing.T) {
	testdb.Each(t, func(t *testing.T, e testdb.Engine) {
		t.Parallel()
		progress := &counter{}
		o := SoakOptions{
			Common: common(t, e, progress), Rate: 100, For: time.Second, Workers: 2, Capacity: 2,
			Failures: 0.2, KillEvery: 400 * time.Millisecond,
		}
		r, err := Soak(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		wantPositive(t, r, ItemsPerSecond, Kills, PeakRSSMb)
		if r.N != 100 || *r.Lost != 0 || *r.RanTwice != 0 || progress.sum() != 100 {
			t.Errorf("report %+v, progress of %d; want 100 items, none lost, none twice", r, progress.sum())
		}
	})
}

// TestRepeatsAreJudged checks that only a kill between two runs explains the second one.
func TestRepeatsAreJudged(t *testing.T) {
	at := func(ms int) time.Time { return time.UnixMilli(int64(ms)) }
	type runs = map[int64][]placed
	for name, tt := range map[string]struct {
		runs                   runs
		unexplained, explained int
		longest                time.Duration
	}{
		"each ran once":                   {runs{1: {{0, at(10)}}, 2: {{1, at(20)}}}, 0, 0, 0},
		"again after its kill":            {runs{1: {{0, at(90)}, {1, at(300)}}}, 0, 1, 20 * time.Millisecond},
		"recorded in another order":       {runs{1: {{1, at(300)}, {0, at(90)}}}, 0, 1, 20 * time.Millisecond},
		"again before the kill":           {runs{1: {{0, at(10)}, {1, at(50)}}}, 1, 0, 0},
		"again in the same process":       {runs{1: {{0, at(10)}, {0, at(50)}}}, 1, 0, 0},
		"the process was never killed":    {runs{1: {{1, at(10)}, {0, at(20)}}}, 1, 0, 0},
		"a kill explains one of two":      {runs{1: {{0, at(90)}, {1, at(300)}, {2, at(400)}}}, 1, 1, 20 * time.Millisecond},
		"while the killed one was dying":  {runs{1: {{0, at(90)}, {1, at(105)}}}, 0, 1, 20 * time.Millisecond},
		"two items, each after that kill": {runs{1: {{0, at(90)}, {1, at(300)}}, 2: {{0, at(60)}, {1, at(301)}}}, 0, 2, 50 * time.Millisecond},
	} {
		r := repeats{kills: map[int]kill{0: {began: at(100), dead: at(110)}}, runs: tt.runs}
		unexplained, explained, longest := r.judge()
		if unexplained != tt.unexplained || explained != tt.explained || longest != tt.longest {
			t.Errorf("%s: %d unexplained, %d explained, at most %s before; want %d, %d, %s",
				name, unexplained, explained, longest, tt.unexplained, tt.explained, tt.longest)
		}
	}
}
