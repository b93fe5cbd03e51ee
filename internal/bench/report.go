package bench

import (
	"cmp"
	"errors"
	"fmt"
)

// Report is the result of a scenario. Its JSON form is part of the contract of the
// command line and has the same fields for every scenario; values that a scenario does
// not measure are null. Figures are medians of the rounds.
type Report struct {
	Scenario string `json:"scenario"`
	Engine   string `json:"engine"`

	// N is the number of items in a round, Repeat the number of measured rounds.
	N      int `json:"n"`
	Repeat int `json:"repeat"`

	ItemsPerSecond    *float64 `json:"itemsPerSecond"`
	EnqueuedPerSecond *float64 `json:"enqueuedPerSecond"` // in bulk
	P50Ms             *float64 `json:"p50Ms"`
	P95Ms             *float64 `json:"p95Ms"`
	P99Ms             *float64 `json:"p99Ms"`

	// CPUSecondsPer1000 is the CPU time of this program for a thousand items. PeakRSSMb
	// is the largest memory of one of its processes. Neither includes a database server.
	CPUSecondsPer1000 *float64 `json:"cpuSecondsPer1000"`
	PeakRSSMb         *float64 `json:"peakRssMb"`

	// Lost counts the items of all rounds that did not end as Processed, RanTwice those
	// that ran more than once. Both must be 0; they are nil if the scenario runs no
	// items.
	Lost     *int `json:"lost"`
	RanTwice *int `json:"ranTwice"`

	// Figures has all figures with their spread: the fields above and the figures of the
	// scenario.
	Figures map[Figure]Spread `json:"figures"`
}

// ErrWrongCount reports that not all items ran exactly once.
var ErrWrongCount = errors.New("items were lost or ran twice")

// newReport summarizes the rounds.
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

// count adds the counts of lost and repeated items to the report. Its error wraps
// ErrWrongCount.
func (r *Report) count(c Count) error {
	r.Lost, r.RanTwice = &c.Lost, &c.RanTwice
	return c.Err()
}

// Count has the results of the verification.
type Count struct {
	Items    int // items that were enqueued
	Lost     int // items that did not end successfully, or never ran
	RanTwice int // items that ran more often than necessary

	example string // what happened to one of these items; "": not known
}

func (c *Count) add(other Count) {
	c.Items += other.Items
	c.Lost += other.Lost
	c.RanTwice += other.RanTwice
	c.example = cmp.Or(c.example, other.example)
}

// Err returns nil if each item ran exactly once.
func (c Count) Err() error {
	if c.Lost == 0 && c.RanTwice == 0 {
		return nil
	}
	err := fmt.Errorf("%w: %d of %d items were lost, %d ran more than once", ErrWrongCount, c.Lost, c.Items, c.RanTwice)
	if c.example != "" {
		err = fmt.Errorf("%w; for example %s", err, c.example)
	}
	return err
}
