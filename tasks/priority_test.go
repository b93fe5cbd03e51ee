package tasks_test

import (
	"os"
	"regexp"
	"strconv"
	"testing"
	"time"

	"pgregory.net/rapid"

	"botwork/internal/testgroup"
	"botwork/tasks"
)

var morning = time.Date(2026, 11, 21, 8, 0, 0, 0, time.UTC)

func TestPriority(t *testing.T) {
	evening := morning.Add(10 * time.Hour)
	for _, tt := range []struct {
		importance tasks.Importance
		until      time.Time
		after      time.Duration
		want       int
	}{
		{tasks.Low, evening, 0, 200},
		{tasks.Low, evening, 4 * time.Hour, 650},
		{tasks.Low, evening, 8 * time.Hour, 1100},
		{tasks.Normal, evening, 0, 550},
		{tasks.Normal, evening, 4 * time.Hour, 875},
		{tasks.Normal, evening, 8 * time.Hour, 1200},
		{tasks.High, evening, 0, 900},
		{tasks.High, evening, 4 * time.Hour, 1100},
		{tasks.High, evening, 8 * time.Hour, 1300},
		{tasks.High, evening, 9 * time.Hour, 1300},
		{tasks.High, evening, -time.Hour, 900},           // a clock that was set back
		{tasks.Low, morning.Add(tasks.Lead), 0, 1100},    // too short to be revised
		{tasks.Low, morning.Add(tasks.Lead + 1), 0, 200}, // a nanosecond is no span
		{tasks.Low, morning.Add(-time.Hour), 0, 1100},    // it was over before it began
		{tasks.Low, time.Time{}, 12 * time.Hour, 650},    // no deadline: age alone
		{tasks.Low, time.Time{}, tasks.AgeHorizon, 1100}, //
		{tasks.High, time.Time{}, 100 * 365 * 24 * time.Hour, 1300},
		{tasks.Importance(7), evening, 0, 550}, // unknown: normal
	} {
		if got := tasks.Priority(tt.importance, morning, tt.until, morning.Add(tt.after)); got != tt.want {
			t.Errorf("%s, %s after the begin of a window until %v: %d, want %d", tt.importance, tt.after, tt.until, got, tt.want)
		}
	}
}

// drawWindow returns a window of seconds to years; until is zero for none.
func drawWindow(t *rapid.T) (from, until time.Time) {
	from = morning.Add(time.Duration(rapid.Int64Range(-1e9, 1e9).Draw(t, "from")) * time.Second)
	if rapid.Bool().Draw(t, "deadline") {
		until = from.Add(time.Duration(rapid.Int64Range(1, 400*86400).Draw(t, "length")) * time.Second)
	}
	return from, until
}

var importances = []tasks.Importance{tasks.Low, tasks.Normal, tasks.High}

func TestPriorityGrowsAndKeepsTheOrder(t *testing.T) {
	testgroup.Check(t, 25, func(t *rapid.T) {
		from, until := drawWindow(t)
		now := from.Add(time.Duration(rapid.Int64Range(-1e6, 5e7).Draw(t, "now")) * time.Second)
		later := now.Add(time.Duration(rapid.Int64Range(0, 5e7).Draw(t, "later")) * time.Second)
		before := -1
		for _, importance := range importances {
			p := tasks.Priority(importance, from, until, now)
			if p <= before {
				t.Errorf("%s has %d, the importance below it %d", importance, p, before)
			}
			if q := tasks.Priority(importance, from, until, later); q < p {
				t.Errorf("%s falls from %d to %d", importance, p, q)
			}
			if p < 0 || p > tasks.MaxPriority {
				t.Errorf("%s has %d, want 0 to %d", importance, p, tasks.MaxPriority)
			}
			before = p
		}
	})
}

// At any offset of the hourly revisions, and even if one fails, a waiting item is in the high
// band before its window closes.
func TestNothingStarves(t *testing.T) {
	testgroup.Check(t, 25, func(t *rapid.T) {
		from, until := drawWindow(t)
		end := until
		if until.IsZero() {
			end = from.Add(tasks.AgeHorizon + 2*time.Hour + 1)
		}
		phase := time.Duration(rapid.Int64Range(1, int64(time.Hour)).Draw(t, "phase"))
		failing := rapid.IntRange(0, 30).Draw(t, "failing")
		for _, importance := range importances {
			p := tasks.Priority(importance, from, until, from) // as it is made
			left := 0
			for at := from.Add(phase); at.Before(end); at = at.Add(time.Hour) {
				left++
			}
			for at := from.Add(phase); at.Before(end); at = at.Add(time.Hour) {
				if left--; left != failing {
					p = tasks.Priority(importance, from, until, at)
				}
			}
			if p <= 1000 {
				t.Errorf("%s ends with %d in the window %v to %v, revised at minute %s", importance, p, from, until, phase)
			}
		}
	})
}

// The rows in docs/tasks.md match the formula.
func TestWorkedRowsOfTheDocs(t *testing.T) {
	text, err := os.ReadFile("../docs/tasks.md")
	if err != nil {
		t.Fatal(err)
	}
	row := regexp.MustCompile(`(?m)^\| (low|normal|high) \| (\d+) \| (\d+) \| (\d+) \| (\d+) \|$`)
	rows := row.FindAllStringSubmatch(string(text), -1)
	if len(rows) != 3 {
		t.Fatalf("%d worked rows, want one for each importance", len(rows))
	}
	for _, cells := range rows {
		importance, err := tasks.ParseImportance(cells[1])
		if err != nil {
			t.Fatal(err)
		}
		for i, hours := range []int{0, 4, 7, 8} {
			got := tasks.Priority(importance, morning, morning.Add(10*time.Hour), morning.Add(time.Duration(hours)*time.Hour))
			if want := cells[i+2]; want != strconv.Itoa(got) {
				t.Errorf("%s, %d h after 08:00: %d, the docs say %s", importance, hours, got, want)
			}
		}
	}
}
