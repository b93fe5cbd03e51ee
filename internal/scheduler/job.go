package scheduler

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/rs/zerolog"

	"botwork/internal/cron"
)

// Overlap says what a firing does while a run of the same pipeline goes on.
type Overlap string

// The ways to deal with overlap; "" means OverlapSkip.
const (
	OverlapSkip  Overlap = "skip"
	OverlapQueue Overlap = "queue" // at most one firing waits
)

// Scope says how many workers fire an instant.
type Scope string

// The scopes; "" means ScopeEachWorker.
const (
	ScopeEachWorker Scope = "each-worker"
	ScopeOnce       Scope = "once" // one in the whole cluster
)

// The triggers of a run, as in its record.
const (
	TriggerCron    = "cron"
	TriggerEvery   = "every"
	TriggerAtStart = "atStart"
	TriggerCatchUp = "catchUp"
	TriggerRequest = "request"

	// TriggerWake starts a run because there is new work.
	TriggerWake = "wake"

	// TriggerStranded starts a run because abandoned items were found.
	TriggerStranded = "stranded"
)

// Start says why a run starts, and for which instant.
type Start struct {
	Trigger string

	// PlannedAt is the schedule's instant in UTC; zero for a request, and for a run at start that
	// has no instant.
	PlannedAt time.Time
}

// MarshalZerologObject adds the fields by which a firing is known in the log.
func (s Start) MarshalZerologObject(e *zerolog.Event) {
	e.Str("trigger", s.Trigger)
	if !s.PlannedAt.IsZero() {
		e.Time("planned_at", s.PlannedAt)
	}
}

// Job is a pipeline with its trigger.
type Job struct {
	Name string // of the pipeline; the schedule's name in every record

	// Schedule is nil for a pipeline that runs only at start or on request. TriggerName is
	// TriggerCron or TriggerEvery, whichever it was made from.
	Schedule    *cron.Schedule
	TriggerName string

	AtStart bool
	Overlap Overlap
	Scope   Scope

	// CatchUp is how old a missed instant may be to be run after all; 0 runs
	// none.
	CatchUp time.Duration

	Work
}

// Work is what a job does when it fires; it may change while the schedule stays.
type Work struct {
	// Hash is that of the pipeline's text, which each run records; "" is none.
	Hash string

	// Run does the work and reports what it did. Its context ends, with workqueue.ErrDraining as the
	// cause, when Stop has waited long enough. The text of its error is
	// recorded and logged, so it must hold no secrets.
	Run func(ctx context.Context, start Start) (Report, error)

	// Tick is called when a planned instant is due during a run, and starts no other run: the run
	// may do what that one would have done. It returns at once; nil where runs have no use for
	// it.
	Tick func()

	// Leave asks a run that TriggerWake started, and that waits for more work, to
	// end: a planned instant is due. It returns at once; nil where no such runs are.
	Leave func()
}

// Report says what a run did, for the log.
type Report struct {
	// Idle is true for a run that found nothing to do. It is logged at debug level.
	Idle bool

	// Counts are added to the log line; may be nil.
	Counts zerolog.LogObjectMarshaler
}

// validate fills in the defaults and refuses what makes no sense.
func (j *Job) validate() error {
	if j.Overlap == "" {
		j.Overlap = OverlapSkip
	}
	if j.Scope == "" {
		j.Scope = ScopeEachWorker
	}
	var errs []error
	if j.Name == "" {
		errs = append(errs, errors.New("name is empty"))
	}
	if j.Run == nil {
		errs = append(errs, errors.New("run is nil"))
	}
	if j.Overlap != OverlapSkip && j.Overlap != OverlapQueue {
		errs = append(errs, fmt.Errorf("overlap is %q, want skip or queue", string(j.Overlap)))
	}
	if j.Scope != ScopeEachWorker && j.Scope != ScopeOnce {
		errs = append(errs, fmt.Errorf("scope is %q, want each-worker or once", string(j.Scope)))
	}
	if j.CatchUp < 0 {
		errs = append(errs, fmt.Errorf("catchUp is %v, want 0 or more", j.CatchUp))
	}
	if j.Schedule != nil && j.TriggerName != TriggerCron && j.TriggerName != TriggerEvery {
		errs = append(errs, fmt.Errorf("trigger is %q, want cron or every for a schedule", j.TriggerName))
	}
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("schedule %q: %w", j.Name, err)
	}
	return nil
}
