package pipelines

import (
	"strings"
	"time"

	"botwork/internal/cron"
)

// Overlap decides what happens when a pipeline is due while its previous run is still
// active.
type Overlap string

// The overlaps. OverlapSkip is the default.
const (
	OverlapSkip  Overlap = "skip"  // the run is skipped, and recorded as skipped
	OverlapQueue Overlap = "queue" // it runs when the previous run has ended
)

// Scope decides which workers run a scheduled pipeline.
type Scope string

// The scopes. ScopeOnce is the default.
const (
	ScopeOnce       Scope = "once"        // one worker of the cluster for each planned instant
	ScopeEachWorker Scope = "each-worker" // every worker
)

// The handlers that assign items to workers and run them. Their priorities decide which
// items wake a pipeline.
const (
	AssignHandler  = "AssignTasksToWorker"
	ExecuteHandler = "ExecuteWorkItems"
)

// Trigger decides when a system pipeline starts. At least one of Schedule, AtStart and Wake
// is set.
type Trigger struct {
	// Cron is the expression as written in the file, "" if none; Every is the interval, 0
	// if none. At most one of them is set.
	Cron  string
	Every time.Duration

	// Schedule is the schedule of Cron or Every; nil if only AtStart or Wake starts the
	// pipeline.
	Schedule *cron.Schedule

	// AtStart starts the pipeline once whenever a process starts.
	AtStart bool

	// Wake starts the pipeline as soon as there are items that it would assign or run;
	// Scope is then ScopeEachWorker.
	Wake bool

	// Location is the zone of the cron expression.
	Location *time.Location
	DST      cron.DST

	Overlap Overlap
	Scope   Scope

	// CatchUp is the maximum age of a missed run that is still started; 0 means that missed
	// runs are only recorded.
	CatchUp time.Duration
}

// Words describes in a sentence what starts the pipeline: "every day at 06:30 Europe/Berlin and when a
// worker starts". An expression that has no short sentence is shown as it is.
func (t *Trigger) Words() string {
	if t == nil {
		return "by hand or by items"
	}
	var parts []string
	switch {
	case t.Cron != "":
		parts = append(parts, t.cronWords())
	case t.Every > 0:
		parts = append(parts, cron.IntervalWords(t.Every))
	}
	if t.AtStart {
		parts = append(parts, "when a worker starts")
	}
	if t.Wake {
		parts = append(parts, "as soon as there are items to run")
	}
	last := len(parts) - 1
	if last < 1 {
		return strings.Join(parts, "")
	}
	return strings.Join(parts[:last], ", ") + " and " + parts[last]
}

func (t *Trigger) cronWords() string {
	zone := "UTC"
	if t.Location != nil {
		zone = zoneWords(t.Location)
	}
	text := cron.Words(t.Cron, zone)
	switch {
	case text == "":
		text = "cron " + t.Cron + ", " + zone
	case !cron.FollowsClock(t.Cron) || zone == "UTC":
		return text // the policy below has no effect
	}
	switch t.DST {
	case cron.Skip:
		text += " (not at a time that the clocks skip)"
	case cron.Last:
		text += " (at the second of two equal times when the clocks go back)"
	case cron.Both:
		text += " (at both of two equal times when the clocks go back)"
	}
	return text
}

// zoneWords names a zone; each machine has its own local one.
func zoneWords(zone *time.Location) string {
	if zone == time.Local {
		return "local time"
	}
	return zone.String()
}

// Equal reports whether two triggers start a pipeline at the same times in the same way.
func (t *Trigger) Equal(other *Trigger) bool {
	a, b := *t, *other
	same := a.Location.String() == b.Location.String()
	a.Schedule, a.Location, b.Schedule, b.Location = nil, nil, nil, nil // computed from the other fields
	return same && a == b
}
