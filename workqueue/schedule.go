package workqueue

import (
	"context"
	"time"
)

// ScheduleStore remembers what schedules did.
type ScheduleStore interface {
	// ClaimFiring records that the schedule fires for this planned instant.
	// Among all that claim the same (Schedule, PlannedAt, Worker) exactly one
	// gets Won. Nobody wins an instant that the database's clock has not
	// reached: Early then says how long it takes.
	ClaimFiring(ctx context.Context, f Firing) (FiringClaim, error)

	// RecordFirings records missed or skipped firings with their reasons.
	// Instants that have a record already keep it.
	RecordFirings(ctx context.Context, fs []Firing) error

	// LastFiring returns the planned instant of the latest record of the
	// schedule, the zero time when there is none.
	LastFiring(ctx context.Context, schedule, worker string) (time.Time, error)

	// Firings lists the records of a schedule (all schedules for ""), the
	// latest planned instant first.
	Firings(ctx context.Context, schedule string, limit int) ([]Firing, error)

	// StartRun records that a system pipeline starts and returns the run's id.
	StartRun(ctx context.Context, r PipelineRun) (int64, error)

	// FinishRun records how it ended.
	FinishRun(ctx context.Context, id int64, outcome RunOutcome, errText, summary string) error

	// RunsElsewhere tells whether a run of the pipeline goes on under a live
	// worker other than this one, and since when.
	RunsElsewhere(ctx context.Context, pipeline string, workerID int64) (since time.Time, running bool, err error)

	// Runs lists the runs of a pipeline (all for ""), the latest first.
	Runs(ctx context.Context, pipeline string, limit int) ([]PipelineRun, error)
}

// FiringOutcome is what became of a planned instant.
type FiringOutcome string

// The outcomes of a firing.
const (
	Fired   FiringOutcome = "fired"
	Missed  FiringOutcome = "missed"  // nobody was there at the time
	Skipped FiringOutcome = "skipped" // somebody was there and had a reason not to
)

// Firing is a row of BotScheduleFirings.
type Firing struct {
	Schedule  string    `json:"schedule"` // the pipeline's name
	PlannedAt time.Time `json:"plannedAt"`

	// Worker is the worker's name for a schedule that each worker fires, ""
	// for one that fires once in the cluster.
	Worker     string        `json:"worker"`
	Outcome    FiringOutcome `json:"outcome"`
	Reason     string        `json:"reason"`
	RecordedBy string        `json:"recordedBy"` // a worker's name
	RecordedAt time.Time     `json:"recordedAt"` // by the database's clock
}

// FiringClaim is the answer to ClaimFiring.
type FiringClaim struct {
	Won   bool
	Early time.Duration // above 0: not due yet, ask again after it
}

// RunOutcome is how a run of a system pipeline ended.
type RunOutcome string

// The outcomes of a run. A run that is going on, or whose process died, is
// RunRunning.
const (
	RunRunning   RunOutcome = "running"
	RunSucceeded RunOutcome = "succeeded"
	RunFailed    RunOutcome = "failed"
)

// PipelineRun is a row of BotPipelineRuns.
type PipelineRun struct {
	ID       int64  `json:"id"`
	Pipeline string `json:"pipeline"`
	Trigger  string `json:"trigger"` // cron, every, atStart, catchUp, wake, stranded, request

	// PipelineHash is that of the text that ran, as Item has it.
	PipelineHash *string `json:"pipelineHash"`

	PlannedAt  *time.Time `json:"plannedAt"`
	WorkerID   *int64     `json:"workerId"`
	Outcome    RunOutcome `json:"outcome"`
	Error      *string    `json:"error"`
	Summary    JSONText   `json:"summary"`
	StartedAt  time.Time  `json:"startedAt"`
	FinishedAt *time.Time `json:"finishedAt"`
}
