package bench

import (
	"errors"
	"fmt"
)

// Report is what a scenario measured. Its JSON form is part of the command
// line's contract and has the same fields for every scenario; what a scenario does
// not measure is null. Figures are medians of the rounds.
type Report struct {
	Scenario string `json:"scenario"`
	Engine   string `json:"engine"`

	// N is how many items a round handles, Repeat how many rounds were measured.
	N      int `json:"n"`
	Repeat int `json:"repeat"`

	ItemsPerSecond    *float64 `json:"itemsPerSecond"`
	EnqueuedPerSecond *float64 `json:"enqueuedPerSecond"` // in bulk
	P50Ms             *float64 `json:"p50Ms"`
	P95Ms             *float64 `json:"p95Ms"`
	P99Ms             *float64 `json:"p99Ms"`

	// CPUSecondsPer1000 is the CPU time of this program for a thousand items,
	// PeakRSSMb the largest memory of one of its processes; a database server's
	// are not in it.
	CPUSecondsPer1000 *float64 `json:"cpuSecondsPer1000"`
	PeakRSSMb         *float64 `json:"peakRssMb"`

	// Lost counts items of all rounds that did not end as Processed, RanTwice
	// those that ran more than once. Both must be 0; nil where nothing runs.
	Lost     *int `json:"lost"`
	RanTwice *int `json:"ranTwice"`

	// Figures are all figures with their spread, those above and those of the
	// scenario alone.
	Figures map[Figure]Spread `json:"figures"`
}

// ErrWrongCount says that the items did not run exactly once each.
var ErrWrongCount = errors.New("items were lost or ran twice")

// newReport sums up the rounds.
func (c Common) newReport(scenario string, n int, rounds []Sample) Report {
	r := Report{Scenario: scenario, Engine: string(c.Driver), N: n, Repeat: len(rounds), Figures: spreads(rounds)}
	for figure, field := range map[Figure]**float64{
		ItemsPerSecond: &r.ItemsPerSecond, EnqueuedPerSecond: &r.EnqueuedPerSecond,
		P50Ms: &r.P50Ms, P95Ms: &r.P95Ms, P99Ms: &r.P99Ms,
		CPUSecondsPer1000: &r.CPUSecondsPer1000, PeakRSSMb: &r.PeakRSSMb,
	} {
		if s, ok := r.Figures[figure]; ok {
			*field = &s.Median
		}
	}
	return r
}

// count puts what was found of the items into the report. Its error wraps
// ErrWrongCount.
func (r *Report) count(c Count) error {
	r.Lost, r.RanTwice = &c.Lost, &c.RanTwice
	return c.Err()
}

// Count is what became of items.
type Count struct {
	Items    int // that were enqueued
	Lost     int // that did not end well, or never ran
	RanTwice int // that ran more often than they had to
}

func (c *Count) add(other Count) {
	c.Items += other.Items
	c.Lost += other.Lost
	c.RanTwice += other.RanTwice
}

// Err is nil when each item ran exactly once.
func (c Count) Err() error {
	if c.Lost == 0 && c.RanTwice == 0 {
		return nil
	}
	return fmt.Errorf("%w: of %d items %d were lost and %d ran more often than once", ErrWrongCount, c.Items, c.Lost, c.RanTwice)
}
