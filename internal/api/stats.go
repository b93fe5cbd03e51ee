package api

import (
	"context"
	"net/http"
	"time"

	"botwork/internal/api/auth"
	"botwork/workqueue"
	"botwork/workqueue/access"
	"botwork/workqueue/report"
)

func (a *API) registerStats() {
	register(a, operation{
		id: "stats-get", method: http.MethodGet, path: "/stats", summary: "Get what was done over time: counts, waits, run times, backlog", needs: access.Viewer, bound: true,
		doc: "Without `by`, a time of up to 3 hours is divided by minute, up to 14 days by hour, more by day. Days are those of UTC. " +
			"Minutes are kept for 48 hours, hours for 90 days, days for 3 years. A caller that is bound to queues must name one.",
		refuses: []int{http.StatusNotFound},
	}, a.getStats)
	register(a, operation{
		id: "report-get", method: http.MethodGet, path: "/report", summary: "Report what failed in a stretch of time", needs: access.Viewer,
		doc:     "Failures are grouped by pipeline, step, error kind and message, and compared with the day before. The report reads at most 50,000 failed attempts, 50,000 failed items and 10,000 runs.",
		refuses: []int{http.StatusNotFound},
	}, a.getReport)
}

type statsQuery struct {
	StretchQuery
	By       string `query:"by" enum:"minute,hour,day" doc:"the length of a period"`
	Queue    string `query:"queue" maxLength:"200" doc:"only items of this queue"`
	Pipeline string `query:"pipeline" maxLength:"200" doc:"only items of this pipeline"`
	Band     string `query:"band" enum:"high,medium,low" doc:"only items of a band: high (above 1000), medium (500 to 1000) or low"`
	Worker   string `query:"worker" maxLength:"200" doc:"only what this worker did"`
	Group    string `query:"group" enum:"queue,pipeline,band,worker" doc:"divide by this"`
}

type statsBody struct{ Body workqueue.Series }

// defaultStats is how far back the statistics go, and defaultReport the report.
const defaultStats, defaultReport = "24h", "24h"

func (a *API) getStats(ctx context.Context, in *statsQuery) (*statsBody, error) {
	if p := auth.From(ctx); len(p.Queues) > 0 && in.Queue == "" {
		return nil, fault("query.queue", "want one of the queues that the caller is bound to")
	}
	p := workqueue.SeriesParams{
		By: workqueue.Resolution(in.By), Queue: in.Queue, Pipeline: in.Pipeline, Band: in.Band, Worker: in.Worker, Group: workqueue.SeriesGroup(in.Group),
	}
	var err error
	if p.From, p.Until, err = in.times(defaultStats); err != nil {
		return nil, err
	}
	if p.Until.IsZero() {
		p.Until = time.Now()
	}
	if in.By == "" {
		p.By = workqueue.ResolutionFor(p.Until.Sub(p.From))
	}
	if err := p.Validate(); err != nil {
		return nil, fault("query", "%v", err)
	}
	if err := a.knownQueue(ctx, in.Queue); err != nil {
		return nil, err
	}
	if in.Worker != "" {
		if _, err := a.getWorker(ctx, &WorkerPath{in.Worker}); err != nil {
			return nil, err
		}
	}
	s, err := a.store.Series(ctx, p)
	return &statsBody{s}, err
}

// knownQueue refuses a queue that does not exist or that the caller may not use; "" is any.
func (a *API) knownQueue(ctx context.Context, name string) error {
	if name == "" {
		return nil
	}
	if err := mayQueue(ctx, name); err != nil {
		return err
	}
	_, err := a.store.Queue(ctx, name)
	if !isNotFound(err) {
		return err
	}
	queues, listErr := a.store.Queues(ctx)
	if listErr != nil {
		return err
	}
	var names []string
	for _, q := range queues {
		if auth.From(ctx).MayQueue(q.Name) {
			names = append(names, q.Name)
		}
	}
	return notFound("queue", name, names)
}

type reportQuery struct {
	StretchQuery
	Queue    string `query:"queue" maxLength:"200" doc:"only failures of items of this queue, and its limits"`
	Pipeline string `query:"pipeline" maxLength:"200" doc:"only failures of items of this pipeline, or its runs"`
	Timezone string `query:"timezone" maxLength:"100" doc:"the IANA zone where days begin, for the comparison with the day before; UTC if missing"`
}

type reportBody struct{ Body *report.Report }

func (a *API) getReport(ctx context.Context, in *reportQuery) (*reportBody, error) {
	p := report.Params{Queue: in.Queue, Pipeline: in.Pipeline}
	var err error
	if p.Since, p.Until, err = in.times(defaultReport); err != nil {
		return nil, err
	}
	if p.Zone, err = time.LoadLocation(in.Timezone); err != nil {
		return nil, fault("query.timezone", "got %.100q, want an IANA zone such as Europe/Lisbon", in.Timezone)
	}
	if err := a.knownQueue(ctx, in.Queue); err != nil {
		return nil, err
	}
	if now := a.clock(ctx); p.Since.After(now) {
		return nil, fault("query.since", "got %s, want a time before now, %s", p.Since.Format(time.RFC3339), now.UTC().Format(time.RFC3339))
	}
	r, err := report.Make(ctx, a.store, p)
	return &reportBody{r}, err
}
