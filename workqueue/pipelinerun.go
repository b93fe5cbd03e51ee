package workqueue

import "time"

// RunOutcome is how a run of a system pipeline ended.
type RunOutcome string

// The outcomes of a run. A run that is active, or whose process died, is
// RunRunning.
const (
	RunRunning   RunOutcome = "running"
	RunSucceeded RunOutcome = "succeeded"
	RunFailed    RunOutcome = "failed"
)

// The triggers of runs that a person asked for.
const (
	TriggerRequest  = "request"
	TriggerBackfill = "backfill" // for a planned time that did not run
)

// PipelineRun is a row of BotPipelineRuns.
type PipelineRun struct {
	ID       int64  `json:"id"`
	Pipeline string `json:"pipeline"`
	Trigger  string `json:"trigger"` // cron, every, atStart, catchUp, wake, stranded, request, backfill

	// PipelineHash is the hash of the text that ran, as in Item.
	PipelineHash *string `json:"pipelineHash"`

	PlannedAt  *time.Time `json:"plannedAt"`
	WorkerID   *int64     `json:"workerId"`
	Outcome    RunOutcome `json:"outcome"`
	FailedStep *string    `json:"failedStep"`
	Error      *string    `json:"error"`

	// Summary is a JSON object of the numbers that the run reported, such as
	// {"enqueued":3}; "" if it reported none.
	Summary    JSONText   `json:"summary"`
	StartedAt  time.Time  `json:"startedAt"`
	FinishedAt *time.Time `json:"finishedAt"`

	// RequestedBy is who asked for the run, RequestID the request that started it: see
	// RunRequest. A run of `botwork run --once` has no request.
	RequestedBy *string `json:"requestedBy"`
	RequestID   *int64  `json:"requestId"`
}

// RunOnTime is how late a run may start without counting as late.
const RunOnTime = time.Minute

// Delay returns the time from the planned time to the start. ok is false for a run that had
// no planned time, and for a backfill.
func (r *PipelineRun) Delay() (delay time.Duration, ok bool) {
	if r.PlannedAt == nil || r.Trigger == TriggerBackfill {
		return 0, false
	}
	return r.StartedAt.Sub(*r.PlannedAt), true
}

// Late reports whether the run started more than RunOnTime after its planned time.
func (r *PipelineRun) Late() bool {
	delay, ok := r.Delay()
	return ok && delay > RunOnTime
}

// Interrupted reports whether the process of the run ended before the run. worker is the
// row of the run's worker, nil if it is gone.
func (r *PipelineRun) Interrupted(worker *Worker, now time.Time) bool {
	return r.Outcome == RunRunning && (worker == nil || worker.State == WorkerStopped || worker.Gone(now) || r.StartedAt.Before(worker.StartedAt))
}

// RunEnd is how a run ended.
type RunEnd struct {
	Outcome RunOutcome
	Step    string // the step that failed; "" for none
	Error   string
	Summary JSONText
}

// RunFilter selects runs. Zero fields select all.
type RunFilter struct {
	ID       int64
	Pipeline string
	Outcomes []RunOutcome

	// Since and Until bound the start, PlannedSince and PlannedUntil the planned time:
	// from the first on, before the second.
	Since, Until               time.Time
	PlannedSince, PlannedUntil time.Time

	// EndsAfter leaves out runs that ended before this time; a run that has not ended is not left out.
	EndsAfter time.Time

	// Oldest lists the first runs instead of the latest, the first one first.
	Oldest bool

	// Limit bounds the list; 0 means 100.
	Limit int
}
