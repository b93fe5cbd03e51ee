package dashboard

import (
	"net/http"
	"time"

	"botwork/workqueue"
)

// run is a run of a system pipeline, or a planned time that did not take place.
type run struct {
	ID         *int64     `json:"id"`
	Pipeline   string     `json:"pipeline"`
	Outcome    string     `json:"outcome"`
	Trigger    string     `json:"trigger"`
	PlannedAt  *time.Time `json:"plannedAt"`
	StartedAt  *time.Time `json:"startedAt"`
	FinishedAt *time.Time `json:"finishedAt"`
	LateMs     *int64     `json:"lateMs"`
	TookMs     *int64     `json:"tookMs"`
	Worker     *string    `json:"worker"`
	FailedStep *string    `json:"failedStep"`
	Error      *string    `json:"error"`
	Reason     *string    `json:"reason"`
	ItemsMade  *int64     `json:"itemsMade"`
}

// time returns when the run began, or should have.
func (n run) time() time.Time {
	switch {
	case n.StartedAt != nil:
		return *n.StartedAt
	case n.PlannedAt != nil:
		return *n.PlannedAt
	}
	return time.Time{}
}

// At is time for templates.
func (n run) At() time.Time { return n.time() }

func (n run) what() string {
	switch {
	case n.Error != nil:
		return *n.Error
	case n.Reason != nil:
		return *n.Reason
	}
	return n.Outcome
}

// What returns why the run failed or did not take place.
func (n run) What() string {
	if n.Error == nil && n.Reason == nil {
		return ""
	}
	return n.what()
}

// Late is how long after its planned time the run started; 0: it was on time.
func (n run) Late() time.Duration {
	if n.LateMs == nil {
		return 0
	}
	late := time.Duration(*n.LateMs) * time.Millisecond
	if late <= workqueue.RunOnTime {
		return 0
	}
	return late
}

// Made is how many items the run has created; 0: none, or not known.
func (n run) Made() int64 {
	if n.ItemsMade == nil {
		return 0
	}
	return *n.ItemsMade
}

// Backfill is the page that offers to run a planned time that did not take place; "" for others.
func (n run) Backfill() string {
	if n.PlannedAt == nil || n.Outcome != "missed" && n.Outcome != "skipped" {
		return ""
	}
	return backfillLink(n.Pipeline, *n.PlannedAt, n.PlannedAt.Add(time.Second))
}

func backfillLink(pipeline string, from, to time.Time) string {
	return address("/pipelines/"+segment(pipeline)+"/backfill", "from", instant(from), "to", instant(to))
}

// instant writes a time for a parameter.
func instant(at time.Time) string { return at.UTC().Format(time.RFC3339Nano) }

type runsPage struct {
	Filter *scheduleFilter
	Next   []nextRun
	Later  int64 // starts after those of Next
	Runs   []run
	More   string // the address of the next page
}

// mostNext is how many of the next starts the list shows.
const mostNext = 12

func (d *Dashboard) listRuns(r *http.Request, p *page) (string, error) {
	p.Title, p.Section, p.Live = "Schedules and runs", "schedules", "runs"
	f, err := d.scheduleFilter(r, "list")
	if err != nil {
		return "", err
	}
	v := runsPage{Filter: f}
	var next list[nextRun]
	var runs list[run]
	var pipelines list[pipeline]
	ask := d.asking(r)
	ask.paced(p.Caller).refusable("/schedules/next", values("pipeline", f.Pipeline), &next)
	ask.optional("/pipelines", nil, &pipelines)
	ask.paced(p.Caller).get("/runs", f.query("since", f.Since, "until", r.URL.Query().Get("until"), "limit", "50"), &runs)
	if err := ask.wait(); err != nil {
		return "", err
	}
	v.Filter.choose(pipelines.Items)
	if f.Outcome == "" {
		v.Next = next.Items[:min(len(next.Items), mostNext)]
		v.Later = int64(len(next.Items) - len(v.Next))
	}
	v.Runs, v.More = runs.Items, nextPage(r, runs.Next)
	p.Data = &v
	return "runs", nil
}
