package pipelines

import (
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

// Equal reports whether two triggers start a pipeline at the same times in the same way.
func (t *Trigger) Equal(other *Trigger) bool {
	a, b := *t, *other
	same := a.Location.String() == b.Location.String()
	a.Schedule, a.Location, b.Schedule, b.Location = nil, nil, nil, nil // computed from the other fields
	return same && a == b
}
