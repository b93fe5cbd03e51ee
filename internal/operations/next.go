package operations

import (
	"slices"
	"time"

	"botwork/pipelines"
)

// ComingRun is one scheduled run, with its time in two zones. JSON field names are part of the
// command line's contract.
type ComingRun struct {
	Pipeline string `json:"pipeline"`
	At       string `json:"at"`      // RFC 3339, UTC
	LocalAt  string `json:"localAt"` // RFC 3339, in the trigger's zone
	Timezone string `json:"timezone"`
	Paused   bool   `json:"paused"` // it will be skipped unless the pipeline is resumed before

	local time.Time
}

// ComingRuns returns up to most scheduled runs of each pipeline, ordered by time: those after start and,
// if until is not zero, before until.
func ComingRuns(from []*pipelines.Pipeline, start, until time.Time, most int) []ComingRun {
	firings := []ComingRun{}
	for _, p := range from {
		if p.Trigger == nil || p.Trigger.Schedule == nil {
			continue
		}
		for at, left := start, most; left > 0; left-- {
			if at = p.Trigger.Schedule.Next(at); at.IsZero() || !until.IsZero() && !at.Before(until) {
				break
			}
			local := at.In(p.Trigger.Location)
			firings = append(firings, ComingRun{
				Pipeline: p.Name, At: at.Format(time.RFC3339Nano), LocalAt: local.Format(time.RFC3339Nano),
				Timezone: p.Trigger.Location.String(), local: local,
			})
		}
	}
	slices.SortStableFunc(firings, func(x, y ComingRun) int { return x.local.Compare(y.local) })
	return firings
}

// Local is its time in the trigger's zone.
func (c *ComingRun) Local() time.Time {
	if !c.local.IsZero() {
		return c.local
	}
	at, err := time.Parse(time.RFC3339Nano, c.LocalAt) // of a server
	if err != nil {
		return time.Time{}
	}
	zone, err := time.LoadLocation(c.Timezone)
	if err != nil || c.Timezone == time.Local.String() { // which is another zone there
		_, offset := at.Zone()
		zone = time.FixedZone(c.Timezone, offset)
	}
	return at.In(zone)
}
