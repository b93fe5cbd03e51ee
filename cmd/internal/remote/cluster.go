package remote

import (
	"context"
	"encoding/json"
	"errors"
	"net/url"
	"strconv"
	"time"

	"botwork/client"
	"botwork/internal/operations"
	"botwork/workqueue"
	"botwork/workqueue/learned"
)

// Version is the answer of GET /version.
type Version struct {
	Version string    `json:"version"`
	Now     time.Time `json:"now"` // of the database's clock
	Caller  string    `json:"caller"`
	Role    string    `json:"role"`
	Queues  []string  `json:"queues"`
}

// Version returns the server's version, and who the token is.
func (s *Server) Version(ctx context.Context) (Version, error) {
	return get[Version](ctx, s, nil, "version")
}

// Now returns the time of the database's clock.
func (s *Server) Now(ctx context.Context) (time.Time, error) {
	v, err := s.Version(ctx)
	return v.Now, err
}

// Queue returns a queue.
func (s *Server) Queue(ctx context.Context, name string) (workqueue.Queue, error) {
	return get[workqueue.Queue](ctx, s, nil, "queues", name)
}

// Queues lists the queues by name.
func (s *Server) Queues(ctx context.Context) ([]workqueue.Queue, error) {
	return all[workqueue.Queue](ctx, s, "queues")
}

// DeletedQueues lists the queues that were deleted although settings define them.
func (s *Server) DeletedQueues(ctx context.Context) ([]workqueue.DeletedQueue, error) {
	return all[workqueue.DeletedQueue](ctx, s, "deleted-queues")
}

// PauseQueue pauses a queue.
func (s *Server) PauseQueue(ctx context.Context, name string) (changed bool, err error) {
	changed, err = s.api.PauseQueue(ctx, name, reason(ctx, ""))
	return changed, s.failed(err)
}

// ResumeQueue ends the pause of a queue.
func (s *Server) ResumeQueue(ctx context.Context, name string) (changed bool, err error) {
	changed, err = s.api.ResumeQueue(ctx, name, reason(ctx, ""))
	return changed, s.failed(err)
}

// Statistics counts the items of a queue, or of all of them for "".
func (s *Server) Statistics(ctx context.Context, queue string) ([]workqueue.QueueStatistics, error) {
	if queue != "" {
		one, err := get[workqueue.QueueStatistics](ctx, s, nil, "queues", queue, "stats")
		return []workqueue.QueueStatistics{one}, err
	}
	all, err := get[struct {
		Queues []workqueue.QueueStatistics `json:"queues"`
	}](ctx, s, nil, "stats", "queues")
	return all.Queues, err
}

// Workers lists all workers by name.
func (s *Server) Workers(ctx context.Context) ([]workqueue.Worker, error) {
	return all[workqueue.Worker](ctx, s, "workers")
}

// SetWorker changes the settings of a worker; reset first removes those that were set before.
func (s *Server) SetWorker(ctx context.Context, name string, reset bool, o workqueue.WorkerOverrides) (w workqueue.Worker, err error) {
	err = s.api.Patch(ctx, escaped([]string{"workers", name}), struct {
		Reset         bool                `json:"reset,omitempty"`
		Capacity      *int                `json:"capacity,omitempty"`
		ReservedSlots *int                `json:"reservedSlots,omitempty"`
		Labels        map[string]any      `json:"labels,omitempty"`
		Channels      *workqueue.Channels `json:"channels,omitempty"`
		Queues        *[]string           `json:"queues,omitempty"`
		Reason        string              `json:"reason,omitempty"`
	}{reset, o.Capacity, o.ReservedSlots, o.Labels, o.Channels, o.Queues, reason(ctx, "")}, &w)
	return w, s.failed(err)
}

// DrainWorker drains a worker until its process ends.
func (s *Server) DrainWorker(ctx context.Context, name, _ string) error {
	return s.failed(s.api.DrainWorker(ctx, name, true, reason(ctx, "")))
}

// RequestDrain drains a worker until it is resumed.
func (s *Server) RequestDrain(ctx context.Context, name string) error {
	return s.failed(s.api.DrainWorker(ctx, name, false, reason(ctx, "")))
}

// ResumeWorker ends a drain.
func (s *Server) ResumeWorker(ctx context.Context, name string) (changed bool, err error) {
	changed, err = s.api.ResumeWorker(ctx, name, reason(ctx, ""))
	return changed, s.failed(err)
}

// LearnedDurations lists how long runs take.
func (s *Server) LearnedDurations(ctx context.Context, f learned.Filter) ([]operations.Duration, error) {
	query := url.Values{"limit": {strconv.Itoa(f.Limit)}}
	for name, value := range durationFields(f) {
		query.Set(name, value)
	}
	return list[operations.Duration](ctx, s, query, "durations")
}

// ForgetDurations forgets how long runs took.
func (s *Server) ForgetDurations(ctx context.Context, f learned.Filter) (int, error) {
	body := map[string]any{"all": f == learned.Filter{}, "reason": reason(ctx, "")}
	for name, value := range durationFields(f) {
		body[name] = value
	}
	var answer struct {
		Forgotten int `json:"forgotten"`
	}
	err := s.api.Post(ctx, "/durations/forget", body, &answer)
	return answer.Forgotten, s.failed(err)
}

// durationFields are the fields of a filter that are set, by their names in the API.
func durationFields(f learned.Filter) map[string]string {
	fields := map[string]string{}
	if f.Kind != "" {
		fields["kind"] = string(f.Kind)
	}
	if f.Pipeline != "" {
		fields["pipeline"] = f.Pipeline
	}
	if f.Name != "" {
		fields[map[learned.Kind]string{learned.OfTask: "task", learned.OfKey: "key"}[f.Kind]] = f.Name
	}
	return fields
}

// ViewTasks lists the scheduled tasks by name.
func (s *Server) ViewTasks(ctx context.Context) ([]operations.Task, error) {
	tasks, err := all[operations.Task](ctx, s, "tasks")
	for i := range tasks {
		tasks[i].Restore()
	}
	return tasks, err
}

// ViewTask returns a task with its next windows.
func (s *Server) ViewTask(ctx context.Context, name string, most int) (operations.TaskDetails, error) {
	d, err := get[operations.TaskDetails](ctx, s, url.Values{"count": {strconv.Itoa(most)}}, "tasks", name)
	d.Restore()
	return d, err
}

// RunTask creates the items of a task now.
func (s *Server) RunTask(ctx context.Context, name string, scopes []string, _ string) ([]operations.ScopedItem, error) {
	var answer struct {
		Items []operations.ScopedItem `json:"items"`
	}
	body := map[string]any{"reason": reason(ctx, "")}
	if len(scopes) > 0 {
		body["scopes"] = scopes
	}
	err := s.api.Post(ctx, "/tasks/"+url.PathEscape(name)+"/run", body, &answer)
	return answer.Items, s.failed(err)
}

// FindRuns lists runs, the latest first.
func (s *Server) FindRuns(ctx context.Context, f operations.RunFilter) ([]operations.Run, error) {
	runs := []operations.Run{}
	for run, err := range s.api.Runs(ctx, client.RunQuery{Pipeline: f.Pipeline, Outcomes: f.Outcomes, Since: f.Since, Until: f.Until, Limit: f.Limit}) {
		if err != nil {
			return nil, s.failed(err)
		}
		one, err := decoded[operations.Run]([]json.RawMessage{run.JSON})
		if err != nil {
			return nil, err
		}
		one[0].Numbers = numbersOf(one[0].Numbers)
		runs = append(runs, one[0])
	}
	return runs, nil
}

// RunByID returns a run.
func (s *Server) RunByID(ctx context.Context, id int64) (operations.Run, error) {
	run, err := get[operations.Run](ctx, s, nil, "runs", strconv.FormatInt(id, 10))
	run.Numbers = numbersOf(run.Numbers)
	return run, err
}

// numbersOf returns nil for null.
func numbersOf(text json.RawMessage) json.RawMessage {
	if string(text) == "null" {
		return nil
	}
	return text
}

// Runs returns the run of an id, or the latest that the filter selects by pipeline and outcome.
func (s *Server) Runs(ctx context.Context, f workqueue.RunFilter) ([]workqueue.PipelineRun, error) {
	var views []operations.Run
	if f.ID != 0 {
		view, err := s.RunByID(ctx, f.ID)
		if errors.Is(err, workqueue.ErrNotFound) {
			return nil, nil
		}
		if err != nil {
			return nil, err
		}
		views = append(views, view)
	} else {
		by := operations.RunFilter{Pipeline: f.Pipeline, Limit: f.Limit}
		for _, o := range f.Outcomes {
			by.Outcomes = append(by.Outcomes, string(o))
		}
		var err error
		if views, err = s.FindRuns(ctx, by); err != nil {
			return nil, err
		}
	}
	workers, err := s.Workers(ctx)
	runs := make([]workqueue.PipelineRun, len(views))
	for i := range views {
		runs[i] = runOf(&views[i], workers)
	}
	return runs, err
}

// runOf returns the row of a run.
func runOf(v *operations.Run, workers []workqueue.Worker) workqueue.PipelineRun {
	run := workqueue.PipelineRun{
		ID: *v.ID, Pipeline: v.Pipeline, PipelineHash: v.Hash, PlannedAt: v.PlannedAt, Outcome: workqueue.RunOutcome(v.Outcome), FailedStep: v.FailedStep, Error: v.Error,
		FinishedAt: v.FinishedAt, RequestedBy: v.RequestedBy, RequestID: v.RequestID,
	}
	if v.Outcome == operations.Interrupted {
		run.Outcome = workqueue.RunRunning
	}
	if v.Trigger != nil {
		run.Trigger = *v.Trigger
	}
	if v.StartedAt != nil {
		run.StartedAt = *v.StartedAt
	}
	run.Summary = workqueue.JSONText(v.Numbers)
	for i := range workers {
		if v.Worker != nil && workers[i].Name == *v.Worker {
			run.WorkerID = &workers[i].ID
		}
	}
	return run
}

// RequestRuns asks the workers to run a pipeline now.
func (s *Server) RequestRuns(ctx context.Context, n workqueue.NewRunRequests) ([]int64, error) {
	id, err := s.api.RunPipeline(ctx, n.Pipeline, reason(ctx, ""))
	return []int64{id}, s.failed(err)
}

// RunRequests returns the request of an id.
func (s *Server) RunRequests(ctx context.Context, f workqueue.RequestFilter) ([]workqueue.RunRequest, error) {
	request, err := get[workqueue.RunRequest](ctx, s, nil, "run-requests", strconv.FormatInt(f.ID, 10))
	if errors.Is(err, workqueue.ErrNotFound) {
		return nil, nil
	}
	return []workqueue.RunRequest{request}, err
}

// Pipelines lists the pipelines of the server's project, and the errors in its files.
func (s *Server) Pipelines(ctx context.Context) (PipelineList, error) {
	return get[PipelineList](ctx, s, nil, "pipelines")
}

// Pipeline returns a pipeline of the server's project and the text of its file.
func (s *Server) Pipeline(ctx context.Context, name string) (view operations.Pipeline, text string, err error) {
	if view, err = get[operations.Pipeline](ctx, s, nil, "pipelines", name); err != nil {
		return view, "", err
	}
	view.Paused = nil // only the list has it
	file, err := get[struct {
		Text string `json:"text"`
	}](ctx, s, nil, "pipelines", name, "text")
	return view, file.Text, err
}

// Controls returns the paused pipelines of the server's project.
func (s *Server) Controls(ctx context.Context) (c workqueue.Controls, err error) {
	all, err := s.Pipelines(ctx)
	if p, ok := errors.AsType[*Error](err); ok && p.Problem.Code == "no-project" {
		return c, nil
	}
	c.Paused = all.Paused()
	return c, err
}

// PausePipeline pauses a system pipeline.
func (s *Server) PausePipeline(ctx context.Context, p workqueue.PipelinePause) (changed bool, err error) {
	changed, err = s.api.PausePipeline(ctx, p.Pipeline, reason(ctx, p.Reason))
	return changed, s.failed(err)
}

// ResumePipeline ends the pause of a system pipeline.
func (s *Server) ResumePipeline(ctx context.Context, name, _ string) (changed bool, err error) {
	changed, err = s.api.ResumePipeline(ctx, name, reason(ctx, ""))
	return changed, s.failed(err)
}
