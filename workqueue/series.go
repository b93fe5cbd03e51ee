package workqueue

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// Resolution is the length of the periods of the statistics over time.
type Resolution string

// The resolutions.
const (
	ByMinute Resolution = "minute"
	ByHour   Resolution = "hour"
	ByDay    Resolution = "day"
)

// Resolutions returns all of them, the finest first.
func Resolutions() []Resolution { return []Resolution{ByMinute, ByHour, ByDay} }

// Length returns the length of a period; 0 for an unknown resolution.
func (r Resolution) Length() time.Duration {
	switch r {
	case ByMinute:
		return time.Minute
	case ByHour:
		return time.Hour
	case ByDay:
		return 24 * time.Hour
	}
	return 0
}

// Kept returns how long the statistics of this resolution are kept.
func (r Resolution) Kept() time.Duration {
	switch r {
	case ByMinute:
		return 48 * time.Hour
	case ByHour:
		return 90 * 24 * time.Hour
	case ByDay:
		return 3 * 366 * 24 * time.Hour
	}
	return 0
}

// Start returns the start of the period that contains a time. Periods start on the
// minute, the hour and the day of UTC.
func (r Resolution) Start(at time.Time) time.Time { return at.UTC().Truncate(r.Length()) }

// The names of the bands of priorities: see [Band].
const (
	BandHigh   = "high"
	BandMedium = "medium"
	BandLow    = "low"
)

// ResolutionFor returns the periods in which a stretch of this length is shown unless others are
// asked for.
func ResolutionFor(length time.Duration) Resolution {
	switch {
	case length <= 3*time.Hour:
		return ByMinute
	case length <= 14*24*time.Hour:
		return ByHour
	default:
		return ByDay
	}
}

// BandNames returns the names of the bands, the most urgent first.
func BandNames() []string { return []string{BandHigh, BandMedium, BandLow} }

// BandOf returns the name of the band that contains a priority.
func BandOf(priority int) string {
	switch {
	case priority > HighPriority:
		return BandHigh
	case priority >= MediumPriority:
		return BandMedium
	}
	return BandLow
}

// SeriesGroup is what the points of a series are divided by.
type SeriesGroup string

// The groups. "" puts everything into one group.
const (
	GroupNone     SeriesGroup = ""
	GroupQueue    SeriesGroup = "queue"
	GroupPipeline SeriesGroup = "pipeline"
	GroupBand     SeriesGroup = "band"
	GroupWorker   SeriesGroup = "worker"
)

// SeriesGroups returns all of them but GroupNone.
func SeriesGroups() []SeriesGroup {
	return []SeriesGroup{GroupQueue, GroupPipeline, GroupBand, GroupWorker}
}

// maxPoints bounds the periods of one series, and so the memory of its reader.
const maxPoints = 5000

// SeriesParams select statistics over time. Each of Queue, Pipeline, Band and Worker
// is a name; "" means all.
type SeriesParams struct {
	By    Resolution
	From  time.Time // the first period is the one that contains it
	Until time.Time // the last period is the one that contains it

	Queue, Pipeline, Band, Worker string

	Group SeriesGroup

	// CountsOnly reads by one statement: without gauges, and without At and KeptSince.
	CountsOnly bool
}

// Validate returns an error that describes what is wrong.
func (p *SeriesParams) Validate() error {
	switch {
	case p.By.Length() == 0:
		return fmt.Errorf("resolution %q: want minute, hour or day", p.By)
	case p.Band != "" && !slices.Contains(BandNames(), p.Band):
		return fmt.Errorf("band %q: want %s", p.Band, strings.Join(BandNames(), ", "))
	case p.Group != GroupNone && !slices.Contains(SeriesGroups(), p.Group):
		return fmt.Errorf("group %q: want queue, pipeline, band or worker", p.Group)
	case p.From.IsZero() || p.Until.IsZero() || p.Until.Before(p.From):
		return fmt.Errorf("period %s to %s: want a start and an end after it", p.From.Format(time.RFC3339), p.Until.Format(time.RFC3339))
	case p.periods() > maxPoints:
		return fmt.Errorf("%d periods of one %s: want at most %d; hint: a coarser resolution or a shorter time", p.periods(), p.By, maxPoints)
	}
	return nil
}

func (p *SeriesParams) periods() int {
	return int(p.By.Start(p.Until).Sub(p.By.Start(p.From))/p.By.Length()) + 1
}

// Starts returns the starts of all periods, the earliest first.
func (p *SeriesParams) Starts() []time.Time {
	starts := make([]time.Time, p.periods())
	for i := range starts {
		starts[i] = p.By.Start(p.From).Add(time.Duration(i) * p.By.Length())
	}
	return starts
}

// Series are statistics over time. JSON field names are part of the command line's
// contract.
type Series struct {
	By    Resolution  `json:"by"`
	Group SeriesGroup `json:"group"`

	// At is when they were read, by the database's clock, UTC. The last period may not
	// be over.
	At time.Time `json:"at"`

	// KeptSince is the start of the first period that is still kept.
	KeptSince time.Time `json:"keptSince"`

	// Points are all periods of each group, by group and start. Groups without any
	// event in the whole time are left out, except if there is no group.
	Points []SeriesPoint `json:"points"`

	// Totals are the sums of each group over the whole time, in the order of Points.
	Totals []SeriesPoint `json:"totals"`
}
