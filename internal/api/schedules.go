package api

import (
	"context"
	"net/http"
	"time"

	"botwork/internal/operations"
	"botwork/workqueue/access"
)

func (a *API) registerSchedules() {
	register(a, operation{
		id: "schedules-next", method: http.MethodGet, path: "/schedules/next", summary: "List when pipelines will start", needs: access.Viewer,
		doc:     "Runs of paused pipelines are marked: they are skipped unless the pipeline is resumed before.",
		refuses: []int{http.StatusNotFound, http.StatusConflict},
	}, a.nextRuns)
	register(a, operation{
		id: "schedules-calendar", method: http.MethodGet, path: "/schedules/calendar", summary: "Count the planned and past runs of days", needs: access.Viewer,
		doc: "Days are those of a time zone, so one with a change of the clocks has 23 or 25 hours. Planned times count from now on. " +
			"A day with more than 10,000 runs is marked: its failed runs are counted nevertheless.",
	}, a.calendar)
	register(a, operation{
		id: "assignments-preview", method: http.MethodGet, path: "/assignments/preview", summary: "Get what an assignment pass would do now", needs: access.Operator,
		doc: "Plans the AssignTasksToWorker steps of one pipeline, or of all, with the code of a real pass, and changes nothing. " +
			"Scoring rules that use a service send requests to it.",
		refuses: []int{http.StatusNotFound, http.StatusConflict},
	}, a.previewAssignments)
}

type nextQuery struct {
	Pipeline string `query:"pipeline" maxLength:"200" doc:"only of this pipeline"`
	Count    int    `query:"count" minimum:"1" maximum:"2000" default:"5" doc:"how many scheduled runs of each pipeline"`
	From     string `query:"from" maxLength:"100" doc:"start at this time: RFC 3339, or as on the command line, in UTC; now if missing"`
	Until    string `query:"until" maxLength:"100" doc:"only runs before this time, in the same forms"`
}

type nextList struct {
	Body struct {
		Items []operations.ComingRun `json:"items" nullable:"false"`
	}
}

// mostComing bounds the scheduled runs of one answer.
const mostComing = 5000

func (a *API) nextRuns(ctx context.Context, in *nextQuery) (*nextList, error) {
	start, err := moment("query.from", in.From)
	if err != nil {
		return nil, err
	}
	if start.IsZero() {
		start = time.Now()
	} else {
		start = start.Add(-1) // a run at exactly this time counts, too
	}
	until, err := moment("query.until", in.Until)
	if err != nil {
		return nil, err
	}
	project, err := a.load()
	if err != nil {
		return nil, err
	}
	chosen, err := project.Select(in.Pipeline)
	if err != nil {
		return nil, err
	}
	if in.Pipeline != "" && chosen[0].Trigger == nil {
		return nil, problem(http.StatusConflict, operations.CodeNoTrigger, "pipeline %q has no trigger: it runs only for items", chosen[0].Name)
	}
	controls, err := a.store.Controls(ctx)
	if err != nil {
		return nil, err
	}
	out := &nextList{}
	out.Body.Items = operations.ComingRuns(chosen, start, until, min(in.Count, max(mostComing/max(len(chosen), 1), 1)))
	for i := range out.Body.Items {
		_, out.Body.Items[i].Paused = controls.Paused[out.Body.Items[i].Pipeline]
	}
	return out, nil
}

type calendarQuery struct {
	Pipeline string `query:"pipeline" maxLength:"200" doc:"only of this pipeline"`
	Timezone string `query:"timezone" maxLength:"100" doc:"the IANA zone of the days, such as Europe/Lisbon; UTC if missing"`
	From     string `query:"from" maxLength:"10" doc:"the first day, such as 2026-01-31; today if missing"`
	Days     int    `query:"days" minimum:"1" maximum:"62" default:"31" doc:"how many days"`
}

type calendarDays struct {
	Body struct {
		Items []operations.CalendarDay `json:"items" nullable:"false"`
	}
}

func (a *API) calendar(ctx context.Context, in *calendarQuery) (*calendarDays, error) {
	c := operations.CalendarParams{Pipeline: in.Pipeline, Days: in.Days, Now: a.clock(ctx)}
	var err error
	if c.Zone, err = time.LoadLocation(in.Timezone); err != nil || in.Timezone == "Local" {
		return nil, fault("query.timezone", "got %.100q, want an IANA zone such as Europe/Lisbon", in.Timezone)
	}
	c.First = c.Now.In(c.Zone)
	if in.From != "" {
		if c.First, err = time.ParseInLocation(time.DateOnly, in.From, c.Zone); err != nil || c.First.Year() < 1900 || c.First.Year() > 9000 {
			return nil, fault("query.from", "got %.100q, want a day such as 2026-01-31", in.From)
		}
	}
	// A server without a project has no schedules, but may have runs.
	if project, err := a.load(); err == nil {
		for _, p := range project.Catalogue.All() {
			if p.Trigger != nil && (in.Pipeline == "" || p.Name == in.Pipeline) {
				c.Schedules = append(c.Schedules, p)
			}
		}
	}
	out := &calendarDays{}
	out.Body.Items, err = operations.Calendar(ctx, a.store, c)
	return out, err
}

type previewQuery struct {
	Pipeline string `query:"pipeline" maxLength:"200" doc:"only the passes of this pipeline"`
}

type previewList struct {
	Body struct {
		Items []operations.DryPass `json:"items" nullable:"false"`
	}
}

func (a *API) previewAssignments(ctx context.Context, in *previewQuery) (*previewList, error) {
	project, err := a.load()
	if err != nil {
		return nil, err
	}
	chosen, err := project.Select(in.Pipeline)
	if err != nil {
		return nil, err
	}
	passes, err := operations.DryPasses(ctx, a.store, project.Passes(chosen))
	out := &previewList{}
	out.Body.Items = append([]operations.DryPass{}, passes...)
	return out, err
}
