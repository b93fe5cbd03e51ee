package operations

import (
	"encoding/json"
	"fmt"
	"time"

	"botwork/workqueue"
)

// The outcomes of the list in addition to those of runs, firings and requests.
const (
	// Interrupted is a run whose process has ended before the run.
	Interrupted = "interrupted"

	// Late selects runs that started long after their planned time; they keep their outcome.
	Late = "late"
)

// Run is a run, or a planned or requested run that has not taken place.
type Run struct {
	ID       *int64 `json:"id"` // null: there was no run
	Pipeline string `json:"pipeline"`

	// Outcome is that of a run (running, succeeded, failed, interrupted), of a planned time
	// without a run (missed, skipped) or of a request without one (pending, expired, refused).
	Outcome string `json:"outcome"`

	Trigger     *string         `json:"trigger"`
	PlannedAt   *time.Time      `json:"plannedAt"`
	StartedAt   *time.Time      `json:"startedAt"`
	FinishedAt  *time.Time      `json:"finishedAt"`
	LateMs      *int64          `json:"lateMs"` // from the planned time to the start; null for a backfill
	TookMs      *int64          `json:"tookMs"`
	Worker      *string         `json:"worker"`
	FailedStep  *string         `json:"failedStep"`
	Error       *string         `json:"error"`
	Reason      *string         `json:"reason"` // why there was no run
	ItemsMade   *int            `json:"itemsMade"`
	Numbers     json.RawMessage `json:"numbers"` // what the run reported, by name
	RequestedBy *string         `json:"requestedBy"`
	RequestID   *int64          `json:"requestId"`
	Hash        *string         `json:"pipelineHash"`

	at time.Time // its place in the list
}

// workersByID finds the workers of runs.
type workersByID map[int64]*workqueue.Worker

// name returns the worker's name, its id if its row is gone, or nil for none.
func (w workersByID) name(id *int64) *string {
	if id == nil {
		return nil
	}
	name := fmt.Sprintf("#%d", *id)
	if found := w[*id]; found != nil {
		name = found.Name
	}
	return &name
}

// worker returns the worker of a run, nil if its row is gone.
func (w workersByID) worker(id *int64) *workqueue.Worker {
	if id == nil {
		return nil
	}
	return w[*id]
}

func viewRun(r *workqueue.PipelineRun, workers workersByID, now time.Time) Run {
	v := Run{
		ID: &r.ID, Pipeline: r.Pipeline, Outcome: string(r.Outcome), Trigger: &r.Trigger, PlannedAt: r.PlannedAt, StartedAt: &r.StartedAt,
		FinishedAt: r.FinishedAt, Worker: workers.name(r.WorkerID), FailedStep: r.FailedStep, Error: r.Error,
		RequestedBy: r.RequestedBy, RequestID: r.RequestID, Hash: r.PipelineHash, at: r.StartedAt,
	}
	if delay, ok := r.Delay(); ok {
		v.LateMs = new(delay.Milliseconds())
	}
	if r.FinishedAt != nil {
		v.TookMs = new(r.FinishedAt.Sub(r.StartedAt).Milliseconds())
	}
	if r.Interrupted(workers.worker(r.WorkerID), now) {
		v.Outcome, v.Error = Interrupted, new("its process has ended before the run")
	}
	if r.Outcome != workqueue.RunRunning {
		v.readNumbers(r.Summary)
	}
	return v
}

// readNumbers sets what the run reported. A summary of another form is left out.
func (v *Run) readNumbers(summary workqueue.JSONText) {
	var numbers map[string]int
	if summary != "" && json.Unmarshal([]byte(summary), &numbers) != nil {
		return
	}
	if summary != "" {
		v.Numbers = json.RawMessage(summary)
	}
	// The names of the handlers Enqueue and RunTasks.
	v.ItemsMade = new(numbers["enqueued"] + numbers["created"])
}

// IsLate reports whether it started more than workqueue.RunOnTime after its planned time.
func (v *Run) IsLate() bool {
	return v.LateMs != nil && time.Duration(*v.LateMs)*time.Millisecond > workqueue.RunOnTime
}

func viewFiring(f *workqueue.Firing) Run {
	v := Run{Pipeline: f.Schedule, Outcome: string(f.Outcome), PlannedAt: &f.PlannedAt, Reason: &f.Reason, at: f.PlannedAt}
	if f.Worker != "" {
		v.Worker = &f.Worker
	}
	return v
}

func viewRequest(q *workqueue.RunRequest) Run {
	reasons := map[workqueue.RequestState]string{
		workqueue.RequestPending: "waits for a worker until " + q.ExpiresAt.UTC().Format(time.RFC3339),
		workqueue.RequestExpired: "no worker started it in time",
		workqueue.RequestRefused: "its schedule had already started this planned time",
	}
	return Run{
		Pipeline: q.Pipeline, Outcome: string(q.State), Trigger: &q.Trigger, PlannedAt: q.PlannedAt, Reason: new(reasons[q.State]),
		RequestedBy: &q.By, RequestID: &q.ID, at: q.At,
	}
}

// At is the time by which the list is sorted: of the start, the planned time or the request.
func (v *Run) At() time.Time { return v.at }
