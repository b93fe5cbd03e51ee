package workqueue

import (
	"context"
	"time"
)

// RunCounter counts runs and records of planned times, for summaries of days.
type RunCounter interface {
	// CountRuns counts the runs of each outcome that the filter selects by pipeline, outcomes and
	// start. It reads at most most rows, the latest ones; more reports that there are others.
	CountRuns(ctx context.Context, f RunFilter, most int) (counts map[RunOutcome]int, more bool, err error)

	// CountFirings does the same for the records of planned times of pipelines, by their planned time.
	CountFirings(ctx context.Context, f FiringFilter, most int) (counts map[FiringOutcome]int, more bool, err error)
}

// ScheduleStore records the firings of schedules and the runs of system pipelines.
type ScheduleStore interface {
	// ClaimFiring records that the schedule fires for this planned time. Among all
	// calls with the same (Schedule, PlannedAt, Worker) exactly one gets Won. No call
	// wins a planned time that is still in the future by the database's clock: Early
	// is then the time until it. No call wins while the pipeline is paused.
	ClaimFiring(ctx context.Context, f Firing) (FiringClaim, error)

	// RecordFirings records missed or skipped firings with their reasons. Planned
	// times that have a record keep it.
	RecordFirings(ctx context.Context, fs []Firing) error

	// SkipFiring records that a firing that this worker claimed was skipped after
	// all. It changes nothing if the firing has a run.
	SkipFiring(ctx context.Context, f Firing) error

	// LastFiring returns the planned time of the latest record of the schedule, or
	// the zero time if there is none. Backfills do not count.
	LastFiring(ctx context.Context, schedule, worker string) (time.Time, error)

	// Firings lists records, the latest planned time first.
	Firings(ctx context.Context, f FiringFilter) ([]Firing, error)

	// StartRun records that a system pipeline starts and returns the run's id. If the
	// pipeline is paused, it records nothing and returns a *PausedError.
	StartRun(ctx context.Context, r PipelineRun) (int64, error)

	// StartRequested takes a request for this worker and records the start of its run,
	// which names the request; all of it or nothing. Started is false if another worker
	// was faster, the request has expired, the pipeline is paused, or, for a backfill,
	// the schedule has fired the planned time; in the last case the request is refused.
	// If once is true, the planned time counts as fired in the whole cluster.
	StartRequested(ctx context.Context, r PipelineRun, once bool, recordedBy string) (id int64, started bool, err error)

	// FinishRun records how the run ended. The first end counts.
	FinishRun(ctx context.Context, id int64, end RunEnd) error

	// RunsElsewhere reports whether a run of the pipeline is active under a live
	// worker other than this one, and since when.
	RunsElsewhere(ctx context.Context, pipeline string, workerID int64) (since time.Time, running bool, err error)

	// Runs lists runs, the latest first.
	Runs(ctx context.Context, f RunFilter) ([]PipelineRun, error)

	// Controls returns what people asked of schedules.
	Controls(ctx context.Context) (Controls, error)
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

// FiringFilter selects records. Zero fields select all.
type FiringFilter struct {
	Schedule string
	Outcomes []FiringOutcome

	// Pipelines leaves out the records of scheduled tasks.
	Pipelines bool

	// Since and Until bound the planned time: from Since on, before Until.
	Since, Until time.Time

	// Limit bounds the list; 0 means 100.
	Limit int
}

// FiringClaim is the answer to ClaimFiring.
type FiringClaim struct {
	Won   bool
	Early time.Duration // above 0: not due yet, claim again after this time

	// Paused is why nothing was claimed, if the pipeline is paused.
	Paused *PausedError
}

// Controls are what people asked of schedules.
type Controls struct {
	// Paused are the paused pipelines, by name.
	Paused map[string]PipelinePause

	// Requests are the next requested runs, at most one of each pipeline: a run that a
	// person waits for, or else the earliest planned time of a backfill. Requests of
	// paused pipelines are among them.
	Requests []RunRequest
}
