package pipelines

import (
	"time"

	"botwork/internal/cron"
)

// Overlap says what happens when a pipeline comes due while its last run goes on.
type Overlap string

// The overlaps. OverlapSkip is the default.
const (
	OverlapSkip  Overlap = "skip"  // the firing is skipped, and recorded as such
	OverlapQueue Overlap = "queue" // it runs when the last run has ended
)

// Scope says who fires.
type Scope string

// The scopes. ScopeOnce is the default.
const (
	ScopeOnce       Scope = "once"        // one worker of the cluster for each planned instant
	ScopeEachWorker Scope = "each-worker" // every worker
)

// The kinds of steps that give items to workers and run them. Their priorities
// say which items wake a pipeline.
const (
	AssignHandler  = "AssignTasksToWorker"
	ExecuteHandler = "ExecuteWorkItems"
)

// Trigger says when a system pipeline starts. At least one of Schedule, AtStart
// and Wake is set.
type Trigger struct {
	// Cron is the expression as it was written, "" if there is none; Every is
	// the interval, 0 if there is none. At most one of them is given.
	Cron  string
	Every time.Duration

	// Schedule is what Cron or Every plans; nil when only AtStart or Wake starts it.
	Schedule *cron.Schedule

	// AtStart starts the pipeline once whenever a process starts.
	AtStart bool

	// Wake starts the pipeline as soon as there are items that it would assign or
	// run; Scope is ScopeEachWorker then.
	Wake bool

	// Location is the zone of the cron expression.
	Location *time.Location
	DST      cron.DST

	Overlap Overlap
	Scope   Scope

	// CatchUp is how old a missed firing may be to be made up for; 0 means
	// that missed firings are only recorded.
	CatchUp time.Duration
}

// Equal tells whether two triggers plan the same in the same way.
func (t *Trigger) Equal(other *Trigger) bool {
	a, b := *t, *other
	same := a.Location.String() == b.Location.String()
	a.Schedule, a.Location, b.Schedule, b.Location = nil, nil, nil, nil // made of the other fields
	return same && a == b
}
