package remote

import (
	"context"
	"net/url"
	"time"

	"botwork/internal/doctor"
	"botwork/internal/operations"
	"botwork/pipelines/graph"
	"botwork/workqueue"
)

// Check checks the server's database. The policies of pipelines are those of the server's project.
func (s *Server) Check(ctx context.Context, dueFor time.Duration) (report workqueue.CheckReport, err error) {
	body := struct {
		DueFor  string `json:"dueFor"`
		Timeout string `json:"timeout"`
	}{dueFor.String(), (longTimeout - timeout).String()}
	err = s.patient.Post(ctx, "/check", body, &report)
	return report, s.failed(err)
}

// Doctor examines the server's machine. No check takes longer than limit.
func (s *Server) Doctor(ctx context.Context, limit time.Duration) (report doctor.Report, err error) {
	body := struct {
		Timeout string `json:"timeout"`
	}{limit.String()}
	err = s.patient.Post(ctx, "/doctor", body, &report)
	return report, s.failed(err)
}

// DryPasses plans the passes of a pipeline of the server's project, or of all for "".
func (s *Server) DryPasses(ctx context.Context, pipeline string) ([]operations.DryPass, error) {
	query := url.Values{}
	if pipeline != "" {
		query.Set("pipeline", pipeline)
	}
	passes, err := list[operations.DryPass](ctx, s, query, "assignments", "preview")
	for i := range passes {
		p := &passes[i]
		p.Band = workqueue.EveryPriority
		if p.MinPriority != nil {
			p.Band.Min = *p.MinPriority
		}
		if p.MaxPriority != nil {
			p.Band.Max = *p.MaxPriority
		}
	}
	return passes, err
}

// Chart returns the graph of a pipeline of the server's project, or of the whole project for "".
func (s *Server) Chart(ctx context.Context, pipeline string) (*graph.Chart, error) {
	path := []string{"project", "graph"}
	if pipeline != "" {
		path = []string{"pipelines", pipeline, "graph"}
	}
	chart, err := get[graph.Chart](ctx, s, url.Values{"format": {"json"}}, path...)
	return &chart, err
}
