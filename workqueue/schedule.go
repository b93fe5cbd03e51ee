package workqueue

import (
	"context"
	"time"
)

// ScheduleStore records the firings of schedules and the runs of system pipelines.
type ScheduleStore interface {
	// ClaimFiring records that the schedule fires for this planned time. Among all
	// calls with the same (Schedule, PlannedAt, Worker) exactly one gets Won. No call
	// wins a planned time that is still in the future by the database's clock: Early
	// is then the time until it.
	ClaimFiring(ctx context.Context, f Firing) (FiringClaim, error)

	// RecordFirings records missed or skipped firings with their reasons. Planned
	// times that have a record keep it.
	RecordFirings(ctx context.Context, fs []Firing) error

	// LastFiring returns the planned time of the latest record of the schedule, or
	// the zero time if there is none.
	LastFiring(ctx context.Context, schedule, worker string) (time.Time, error)

	// Firings lists the records of a schedule (all schedules for ""), the latest
	// planned time first.
	Firings(ctx context.Context, schedule string, limit int) ([]Firing, error)

	// StartRun records that a system pipeline starts and returns the run's id.
	StartRun(ctx context.Context, r PipelineRun) (int64, error)

	// FinishRun records how the run ended.
	FinishRun(ctx context.Context, id int64, outcome RunOutcome, errText, summary string) error

	// RunsElsewhere reports whether a run of the pipeline is active under a live
	// worker other than this one, and since when.
	RunsElsewhere(ctx context.Context, pipeline string, workerID int64) (since time.Time, running bool, err error)

	// Runs lists the runs of a pipeline (all for ""), the latest first.
	Runs(ctx context.Context, pipeline string, limit int) ([]PipelineRun, error)
}

// FiringOutcome is what happened at a planned time.
type FiringOutcome string

// The outcomes of a firing.
const (
	Fired   FiringOutcome = "fired"
	Missed  FiringOutcome = "missed"  // no worker was running at the time
	Skipped FiringOutcome = "skipped" // a worker was running and had a reason not to fire
)

// Firing is a row of BotScheduleFirings.
type Firing struct {
	Schedule  string    `json:"schedule"` // the pipeline's name
	PlannedAt time.Time `json:"plannedAt"`

	// Worker is the worker's name for a schedule that fires on each worker, "" for
	// one that fires once in the cluster.
	Worker     string        `json:"worker"`
	Outcome    FiringOutcome `json:"outcome"`
	Reason     string        `json:"reason"`
	RecordedBy string        `json:"recordedBy"` // a worker's name
	RecordedAt time.Time     `json:"recordedAt"` // by the database's clock
}

// FiringClaim is the answer to ClaimFiring.
type FiringClaim struct {
	Won   bool
	Early time.Duration // above 0: not due yet, claim again after this time
}

// RunOutcome is how a run of a system pipeline ended.
type RunOutcome string

// The outcomes of a run. A run that is active, or whose process died, is
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

	// PipelineHash is the hash of the text that ran, as in Item.
	PipelineHash *string `json:"pipelineHash"`

	PlannedAt  *time.Time `json:"plannedAt"`
	WorkerID   *int64     `json:"workerId"`
	Outcome    RunOutcome `json:"outcome"`
	Error      *string    `json:"error"`
	Summary    JSONText   `json:"summary"`
	StartedAt  time.Time  `json:"startedAt"`
	FinishedAt *time.Time `json:"finishedAt"`
}
