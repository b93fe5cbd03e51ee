package workqueue

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// PipelineStore pauses system pipelines and records the runs that people ask for.
type PipelineStore interface {
	// PausePipeline pauses a pipeline: no worker starts a run of it after the call has
	// returned; active runs continue. Changed is false if it was paused already: then
	// the first pause stays as it is. At is ignored; it is the database's clock.
	PausePipeline(ctx context.Context, p PipelinePause) (changed bool, err error)

	// ResumePipeline ends a pause and records who did it. Changed is false if the
	// pipeline was not paused.
	ResumePipeline(ctx context.Context, pipeline, by string) (changed bool, err error)

	// RequestRuns records requests for runs of a pipeline and returns their ids. For a
	// backfill these are the ids of the planned times that have no run, no fired record
	// and no other request, in the order of these times; the others are left out, and so
	// are times that have not come. If the pipeline is paused, it records nothing and
	// returns a *PausedError; if no active worker is alive, ErrNoWorker.
	RequestRuns(ctx context.Context, n NewRunRequests) ([]int64, error)

	// RunRequests lists requests, the latest first.
	RunRequests(ctx context.Context, f RequestFilter) ([]RunRequest, error)

	// RecordPipelineSave records in the audit log that the file of a pipeline has been
	// replaced. The file itself is not in the database.
	RecordPipelineSave(ctx context.Context, p PipelineSave) error
}

// PipelineSave is a change of the file of a pipeline on one machine.
type PipelineSave struct {
	Pipeline string
	File     string // its path in the pipelines folder
	Host     string // whose pipelines folder it is
	Before   string // the hash of the text that is replaced; "" for a new file
	After    string // the hash of the new text
	Reason   string
	By       string
}

// PipelinePause is a pause of a system pipeline: a row of BotPipelinePauses.
type PipelinePause struct {
	Pipeline string    `json:"pipeline"`
	Reason   string    `json:"reason"` // "" if none was given
	By       string    `json:"by"`
	At       time.Time `json:"at"`
}

// String describes the pause, without the name of the pipeline.
func (p PipelinePause) String() string {
	text := fmt.Sprintf("paused by %s at %s", p.By, p.At.UTC().Format(time.RFC3339))
	if p.Reason != "" {
		text += ": " + p.Reason
	}
	return text
}

// PausedError is returned when a run of a paused pipeline was not started.
type PausedError struct{ PipelinePause }

func (e *PausedError) Error() string {
	return fmt.Sprintf("pipeline %q is %s", e.Pipeline, e.PipelinePause)
}

// ErrNoWorker is returned when no active worker is alive.
var ErrNoWorker = errors.New("no active worker is alive")

// NewRunRequests ask for runs of a pipeline.
type NewRunRequests struct {
	Pipeline string
	By       string

	// PlannedAt are the planned times of a backfill; none means one run now.
	PlannedAt []time.Time

	// Within is how long a worker may take to start the run; then the request expires.
	Within time.Duration

	// Batch names the call: a repeated one requests nothing more and returns the ids of the first.
	Batch BatchPart
}

// RequestState is what became of a request.
type RequestState string

// The states of a request.
const (
	RequestPending RequestState = "pending"
	RequestStarted RequestState = "started"
	RequestRefused RequestState = "refused" // the schedule has fired the planned time of the backfill
	RequestExpired RequestState = "expired" // no worker started it in time
)

// RunRequest is a run that a person asked for: a row of BotRunRequests.
type RunRequest struct {
	ID        int64        `json:"id"`
	Pipeline  string       `json:"pipeline"`
	Trigger   string       `json:"trigger"`   // TriggerRequest or TriggerBackfill
	PlannedAt *time.Time   `json:"plannedAt"` // of a backfill
	State     RequestState `json:"state"`
	By        string       `json:"requestedBy"`
	At        time.Time    `json:"requestedAt"`
	ExpiresAt time.Time    `json:"expiresAt"`
	WorkerID  *int64       `json:"workerId"`
	RunID     *int64       `json:"runId"`
	StartedAt *time.Time   `json:"startedAt"`
}

// RequestFilter selects requests. Zero fields select all.
type RequestFilter struct {
	ID       int64
	Pipeline string

	// Since and Until bound the time of the request, PlannedSince and PlannedUntil the
	// planned time: from the first on, before the second.
	Since, Until               time.Time
	PlannedSince, PlannedUntil time.Time

	// Limit bounds the list; 0 means 100.
	Limit int
}
