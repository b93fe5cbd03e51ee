package bench

import (
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"botwork/internal/database"
	"botwork/internal/testdb"
)

func TestGuard(t *testing.T) {
	testdb.Each(t, func(t *testing.T, e testdb.Engine) {
		t.Parallel()
		progress := &counter{}
		o := GuardOptions{Common: common(t, e, progress), Items: 50, For: 40 * time.Millisecond, Capacity: 2}
		o.Repeat = 1
		r, err := Guard(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		wantPositive(t, r, guarded...)
		if r.Lost == nil || *r.Lost != 0 || *r.RanTwice != 0 {
			t.Errorf("report %+v, want none lost, none twice", r)
		}
		if got := progress.sum(); got != o.Work() {
			t.Errorf("progress of %d, want %d", got, o.Work())
		}
		o.Against = &r
		r.Figures[RobotsShare] = Spread{Median: math.MaxFloat64}
		if _, err := Guard(t.Context(), o); !errors.Is(err, ErrDrift) || !strings.Contains(err.Error(), string(RobotsShare)) {
			t.Errorf("compared with a much faster one: error %v, want one of %s", err, RobotsShare)
		}
	})
}

func TestDrift(t *testing.T) {
	report := func(smallest, median, largest float64) Report {
		return Report{Scenario: "guard", Engine: "sqlite", Figures: map[Figure]Spread{DrainShare: {median, smallest, largest}}}
	}
	before := report(0.38, 0.40, 0.42)
	for name, test := range map[string]struct {
		now   Report
		drift bool
	}{
		"faster":                              {report(0.5, 0.5, 0.5), false},
		"the same":                            {before, false},
		"four percent slower":                 {report(0.384, 0.384, 0.384), false},
		"six percent slower":                  {report(0.37, 0.376, 0.38), true},
		"slower, with one round as before":    {report(0.3, 0.35, 0.40), false},
		"slower, with one round nearly so":    {report(0.3, 0.35, 0.399), true},
		"faster in the worst round of before": {report(0.375, 0.381, 0.39), false},
	} {
		if err := test.now.drift(before); errors.Is(err, ErrDrift) != test.drift || err != nil != test.drift {
			t.Errorf("%s: error %v, want drift: %t", name, err, test.drift)
		}
	}
}

// A report that cannot be compared is refused before anything is measured.
func TestGuardRefusesReports(t *testing.T) {
	shares := func() map[Figure]Spread {
		figures := map[Figure]Spread{}
		for _, of := range guarded {
			figures[of] = Spread{1, 1, 1}
		}
		return figures
	}
	incomplete := shares()
	delete(incomplete, RobotsShare)
	o := GuardOptions{Common: Common{Driver: database.SQLite}, Items: 50}
	for want, before := range map[string]Report{
		`"" on "" with 0 items`:         {},
		`"limit" on "sqlite" with 50`:   {Scenario: "limit", Engine: "sqlite", N: 50, Figures: shares()},
		`"guard" on "postgres" with 50`: {Scenario: "guard", Engine: "postgres", N: 50, Figures: shares()},
		`want guard on sqlite with 50`:  {Scenario: "guard", Engine: "sqlite", N: 20, Figures: shares()},
		"has no " + string(RobotsShare): {Scenario: "guard", Engine: "sqlite", N: 50, Figures: incomplete},
	} {
		o.Against = &before
		if _, err := Guard(t.Context(), o); err == nil || errors.Is(err, ErrDrift) || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}
