package remote

import (
	"context"
	"net/url"
	"strconv"
	"time"

	"botwork/internal/author/strictyaml"
	"botwork/internal/operations"
	"botwork/workqueue"
)

// PipelineList are the pipelines of the server's project.
type PipelineList struct {
	Items    []operations.Pipeline `json:"items"`
	Findings []strictyaml.Finding  `json:"findings"` // errors and warnings in the files
}

// Paused returns the pauses by the names of the pipelines.
func (l *PipelineList) Paused() map[string]workqueue.PipelinePause {
	paused := map[string]workqueue.PipelinePause{}
	for i := range l.Items {
		if p := &l.Items[i]; p.Paused != nil {
			paused[p.Name] = *p.Paused
		}
	}
	return paused
}

// Coming lists the scheduled runs of a pipeline of the server's project, or of all for "", from start
// on; the zero start is now.
func (s *Server) Coming(ctx context.Context, pipeline string, start time.Time, most int) ([]operations.ComingRun, error) {
	query := url.Values{"count": {strconv.Itoa(most)}}
	if pipeline != "" {
		query.Set("pipeline", pipeline)
	}
	if !start.IsZero() {
		query.Set("from", timeText(start))
	}
	return list[operations.ComingRun](ctx, s, query, "schedules", "next")
}

// Backfill lists the planned times of a pipeline from first on and before end, and asks the workers to
// run those that did not run, unless it is a dry run. The error has the code not-confirmed if many or
// unknown runs need to be confirmed.
func (s *Server) Backfill(ctx context.Context, pipeline string, first, end time.Time, dry, confirmed bool) ([]operations.BackfillTime, error) {
	body := struct {
		From    string `json:"from"`
		To      string `json:"to"`
		DryRun  bool   `json:"dryRun,omitempty"`
		Confirm bool   `json:"confirm,omitempty"`
		Reason  string `json:"reason,omitempty"`
	}{timeText(first), timeText(end), dry, confirmed, reason(ctx, "")}
	var answer struct {
		Items []operations.BackfillTime `json:"items"`
	}
	err := s.api.Post(ctx, "/pipelines/"+url.PathEscape(pipeline)+"/backfill", body, &answer)
	return answer.Items, s.failed(err)
}

// Diff compares the file of a pipeline of the server's project with the version whose hash begins with
// from; "" is the previous version.
func (s *Server) Diff(ctx context.Context, name, from string) (operations.Diff, error) {
	query := url.Values{}
	if from != "" {
		query.Set("from", from)
	}
	return get[operations.Diff](ctx, s, query, "pipelines", name, "diff")
}

// Versions lists the versions of a pipeline that workers have loaded, the most recently used first.
func (s *Server) Versions(ctx context.Context, name string, limit int) ([]operations.Version, error) {
	return list[operations.Version](ctx, s, url.Values{"limit": {strconv.Itoa(limit)}}, "pipelines", name, "versions")
}
