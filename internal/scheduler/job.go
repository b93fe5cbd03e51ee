package scheduler

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/rs/zerolog"

	"botwork/internal/cron"
	"botwork/workqueue"
)

// Overlap is how a firing is handled while a run of the same pipeline is active.
type Overlap string

// The values of Overlap; "" means OverlapSkip.
const (
	OverlapSkip  Overlap = "skip"
	OverlapQueue Overlap = "queue" // at most one firing waits
)

// Scope is which workers fire an instant: each of them, or only one.
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
	TriggerRequest = workqueue.TriggerRequest

	// TriggerBackfill starts a run for a planned time that did not run, because a person asked
	// for it.
	TriggerBackfill = workqueue.TriggerBackfill

	// TriggerWake starts a run because there is new work.
	TriggerWake = "wake"

	// TriggerStranded starts a run because abandoned items were found.
	TriggerStranded = "stranded"
)

// Start is the reason for a run, and its instant.
type Start struct {
	Trigger string

	// PlannedAt is the schedule's instant in UTC; zero for a request, and for a run at start that
	// has no instant.
	PlannedAt time.Time

	// By is the user who asked for the run; "" if it was not requested.
	By string
}

// MarshalZerologObject adds the fields that identify a firing in the log.
func (s Start) MarshalZerologObject(e *zerolog.Event) {
	e.Str("trigger", s.Trigger)
	if !s.PlannedAt.IsZero() {
		e.Time("planned_at", s.PlannedAt)
	}
	if s.By != "" {
		e.Str("requested_by", s.By)
	}
}

// Job is a pipeline with its trigger.
type Job struct {
	Name string // of the pipeline; the schedule's name in every record

	// Schedule is nil for a pipeline that runs only at start or on request. TriggerName is
	// TriggerCron or TriggerEvery, depending on the pipeline's trigger.
	Schedule    *cron.Schedule
	TriggerName string

	AtStart bool
	Overlap Overlap
	Scope   Scope

	// CatchUp is the maximum age of a missed instant that is still run; 0: none
	// is run.
	CatchUp time.Duration

	Work
}

// Work is the work of a job. It may change independently of the schedule.
type Work struct {
	// Hash is the hash of the pipeline's text, which each run records; "": none.
	Hash string

	// Run does the work and reports what it did. Its context ends, with workqueue.ErrDraining as the
	// cause, when the time limit of Stop is reached. The text of its error is
	// recorded and logged, so it must not contain secrets.
	Run func(ctx context.Context, start Start) (Report, error)

	// Tick is called when a planned instant is due during a run, so that the run can do the work
	// of the next one. It must return at once; nil if it is not needed.
	Tick func()

	// Leave asks a run that TriggerWake started, and that waits for more work, to
	// end, because a planned instant is due. It must return at once; nil if there are no
	// such runs.
	Leave func()

	// Pause is called while a run is active and its pipeline is paused, so that the run starts
	// no more work. It may be called repeatedly, and must return at once; nil if runs do not
	// start work.
	Pause func()
}

// Report is what a run did, for the log and the run's record.
type Report struct {
	// Idle is true for a run that found nothing to do. It is logged at debug level.
	Idle bool

	// Counts are added to the log line; may be nil.
	Counts zerolog.LogObjectMarshaler

	// Summary has the same numbers as a JSON object; "" for none.
	Summary workqueue.JSONText

	// Step is the step that failed; "" for none.
	Step string
}

// validate sets the defaults and returns an error for an invalid job.
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
