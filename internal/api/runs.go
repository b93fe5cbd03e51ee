package api

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"botwork/internal/operations"
	"botwork/workqueue"
	"botwork/workqueue/access"
)

func (a *API) registerRuns() {
	register(a, operation{
		id: "runs-list", method: http.MethodGet, path: "/runs", summary: "List the runs of system pipelines, the latest first", needs: access.Viewer,
		doc: "The list includes planned times that were missed or skipped, and requested runs that have not started; these have no id.",
	}, a.listRuns)
	register(a, operation{
		id: "runs-get", method: http.MethodGet, path: "/runs/{run}", summary: "Get a run of a system pipeline", needs: access.Viewer, refuses: []int{http.StatusNotFound},
	}, a.getRun)
	register(a, operation{
		id: "requests-get", method: http.MethodGet, path: "/run-requests/{request}", summary: "Get a request to run a system pipeline", needs: access.Viewer, refuses: []int{http.StatusNotFound},
		doc: "Its state is pending, started (with the id of the run), expired or refused.",
	}, a.getRunRequest)
}

type runsQuery struct {
	StretchQuery
	Pipeline string   `query:"pipeline" maxLength:"200" doc:"only of this pipeline"`
	Outcome  []string `query:"outcome" maxItems:"20" doc:"only with these outcomes, with commas: running, succeeded, failed, interrupted, late, missed, skipped, pending, expired, refused"`
	Failed   bool     `query:"failed" doc:"short for outcome=failed,interrupted,missed,expired"`
	Ends     string   `query:"endsAfter" maxLength:"100" doc:"only runs that have not ended, or that ended at this time or later; leaves out what is no run"`
	Limit    int      `query:"limit" minimum:"1" maximum:"500" default:"50" doc:"at most this many"`
}

type runList struct {
	Paged
	Body struct {
		Items []operations.Run `json:"items" nullable:"false"`
		Next  *string          `json:"next" doc:"the URL of the next page; null on the last one"`
	}
}

func (a *API) listRuns(ctx context.Context, in *runsQuery) (*runList, error) {
	f := operations.RunFilter{Pipeline: in.Pipeline, Outcomes: in.Outcome, Limit: in.Limit + 1}
	var err error
	if f.Since, f.Until, err = in.times(""); err != nil {
		return nil, err
	}
	if f.EndsAfter, err = moment("query.endsAfter", in.Ends); err != nil {
		return nil, err
	}
	for _, o := range f.Outcomes {
		if err := oneOf("query.outcome", o, operations.RunOutcomes()); err != nil {
			return nil, err
		}
	}
	if in.Failed {
		f.Outcomes = append(f.Outcomes, operations.FailedRuns()...)
	}
	runs, err := operations.FindRuns(ctx, a.store, f)
	if err != nil {
		return nil, err
	}
	out := &runList{}
	out.Body.Items = runs
	if len(runs) <= in.Limit {
		return out, nil
	}
	// The pages meet between two times: what has the same time as the first of the next page is
	// left to that page, unless nothing else is on this one.
	before := runs[in.Limit].At()
	page := runs[:in.Limit]
	for len(page) > 0 && page[len(page)-1].At().Equal(before) {
		page = page[:len(page)-1]
	}
	until := before.Add(time.Millisecond)
	if len(page) == 0 {
		page, until = runs[:in.Limit], before
	}
	out.Body.Items = page
	failed := ""
	if in.Failed {
		failed = "true"
	}
	out.Body.Next = out.nextPage("/runs", url.Values{}, "pipeline", in.Pipeline, "outcome", strings.Join(in.Outcome, ","), "failed", failed, "endsAfter", timeText(f.EndsAfter),
		"since", timeText(f.Since), "until", timeText(until), "limit", fmt.Sprint(in.Limit))
	return out, nil
}

// timeText writes a time for a parameter; "" for the zero time.
func timeText(at time.Time) string {
	if at.IsZero() {
		return ""
	}
	return at.UTC().Format(time.RFC3339Nano)
}

type runPath struct {
	Run int64 `path:"run" minimum:"1" doc:"the run's id"`
}

type runBody struct{ Body operations.Run }

func (a *API) getRun(ctx context.Context, in *runPath) (*runBody, error) {
	run, err := operations.RunByID(ctx, a.store, in.Run)
	if isNotFound(err) {
		return nil, problem(http.StatusNotFound, "not-found", "there is no run %d, or it is no longer kept", in.Run)
	}
	return &runBody{run}, err
}

type requestPath struct {
	Request int64 `path:"request" minimum:"1" doc:"the request's id"`
}

type requestBody struct{ Body workqueue.RunRequest }

func (a *API) getRunRequest(ctx context.Context, in *requestPath) (*requestBody, error) {
	requests, err := a.store.RunRequests(ctx, workqueue.RequestFilter{ID: in.Request, Limit: 1})
	if err != nil {
		return nil, err
	}
	if len(requests) == 0 {
		return nil, problem(http.StatusNotFound, "not-found", "there is no request %d, or it is no longer kept", in.Request)
	}
	return &requestBody{requests[0]}, nil
}
