package dashboard

import (
	"fmt"
	"html/template"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"time"
)

// Bounds of the timeline of a day. A pipeline that runs each minute has 1,440 runs and planned times.
const (
	laneRuns    = 1500
	lanePlanned = 1500
	mostLanes   = 40
	dayRuns     = 200 // in the table

	// longRun is how long before a day a run may have started that still ran on it.
	longRun = 48 * time.Hour
)

// dayPage is the timeline of a day.
type dayPage struct {
	Filter         *scheduleFilter
	Day            string // such as 2026-01-31
	Name           string // such as Saturday 31 January 2026
	Earlier, Later string // addresses
	Today          string // the address of today; "": this is today
	Month          string // of the calendar
	Change         string // how the clocks change
	Counts         []outcomeCount
	Axis           template.HTML
	Lanes          []timelineLane
	NotShown       int // pipelines
	Runs           []run
	AllRuns        int
	Cut            bool // some lanes do not show all runs
	Quiet          []string
}

func (d *Dashboard) showDay(r *http.Request, p *page) (string, error) {
	p.Title, p.Section = "Runs of a day", "schedules"
	f, err := d.scheduleFilter(r, "day")
	if err != nil {
		return "", err
	}
	asked := r.URL.Query().Get("day")
	if asked != "" {
		f.Times = []string{"day", asked}
	}
	var days list[calendarDay]
	var pipelines list[pipeline]
	var version struct {
		Now time.Time `json:"now"`
	}
	ask := d.asking(r)
	ask.get("/schedules/calendar", values("pipeline", f.Pipeline, "timezone", f.ZoneName(), "from", asked, "days", "1"), &days)
	ask.get("/version", nil, &version)
	ask.optional("/pipelines", nil, &pipelines)
	if err := ask.wait(); err != nil {
		return "", err
	}
	f.choose(pipelines.Items)
	day := days.Items[0]
	t := timeline{From: day.From, Until: day.Until, Now: version.Now, Zone: f.Zone}
	date, err := time.Parse(time.DateOnly, day.Day)
	if err != nil {
		return "", err
	}
	v := dayPage{
		Filter: f, Day: day.Day, Name: date.Format("Monday 2 January 2006"), Change: day.change(f.Zone), Counts: day.counts(f), Axis: t.Axis(),
		Earlier: f.Day(date.AddDate(0, 0, -1).Format(time.DateOnly)), Later: f.Day(date.AddDate(0, 0, 1).Format(time.DateOnly)), Month: f.Month(date.Format("2006-01")),
	}
	if t.isNow() {
		p.Live = "runs"
	} else {
		v.Today = f.Day("")
	}
	if err := d.fillDay(r, &v, &t, pipelines.Items); err != nil {
		return "", err
	}
	p.Data = &v
	return "day", nil
}

// laneAnswers is what the API says about a pipeline on a day.
type laneAnswers struct {
	runs list[run]
	next list[nextRun]
}

// fillDay adds the lanes and the table.
func (d *Dashboard) fillDay(r *http.Request, v *dayPage, t *timeline, all []pipeline) error {
	f := v.Filter
	starts := map[string]string{}
	var names []string
	for i := range all {
		if starts[all[i].Name] = all[i].Starts; all[i].Trigger != nil && (f.Pipeline == "" || f.Pipeline == all[i].Name) {
			names = append(names, all[i].Name)
		}
	}
	if f.Pipeline != "" && len(names) == 0 {
		names = []string{f.Pipeline}
	}
	slices.Sort(names)
	if len(names) > mostLanes {
		v.NotShown, names = len(names)-mostLanes, names[:mostLanes]
	}
	since, until := t.From.UTC().Format(time.RFC3339Nano), t.Until.UTC().Format(time.RFC3339Nano)
	answers := make([]laneAnswers, len(names))
	var before, others list[run]
	ask := d.asking(r)
	for i, name := range names {
		if !t.From.After(t.Now) {
			ask.runs(values("pipeline", name, "outcome", f.Outcome, "since", since, "until", until, "limit", "500"), laneRuns, &answers[i].runs)
		}
		if t.Until.After(t.Now) && f.Outcome == "" && slices.Contains(f.Pipelines, name) {
			from := t.From
			if t.Now.After(from) {
				from = t.Now
			}
			ask.refusable("/schedules/next", values("pipeline", name, "from", from.UTC().Format(time.RFC3339Nano), "until", until, "count", strconv.Itoa(lanePlanned)), &answers[i].next)
		}
	}
	ask.get("/runs", f.query("since", t.From.Add(-longRun).UTC().Format(time.RFC3339Nano), "until", since, "endsAfter", since, "limit", "200"), &before)
	if f.Pipeline == "" {
		// Runs of pipelines that the project no longer has.
		ask.get("/runs", f.query("since", since, "until", until, "limit", "200"), &others)
	}
	if err := ask.wait(); err != nil {
		return err
	}
	gone := map[string]*laneAnswers{}
	for _, n := range others.Items {
		if starts[n.Pipeline] == "" {
			if gone[n.Pipeline] == nil {
				gone[n.Pipeline] = &laneAnswers{}
			}
			gone[n.Pipeline].runs.Items = append(gone[n.Pipeline].runs.Items, n)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(gone)) {
		names, answers = append(names, name), append(answers, *gone[name])
	}
	for i, name := range names {
		earlier := slices.DeleteFunc(slices.Clone(before.Items), func(n run) bool { return n.Pipeline != name || n.Outcome == "interrupted" })
		v.addLane(t, name, starts[name], &answers[i], earlier)
	}
	slices.SortStableFunc(v.Runs, func(a, b run) int { return b.time().Compare(a.time()) })
	v.AllRuns = len(v.Runs)
	v.Runs = v.Runs[:min(len(v.Runs), dayRuns)]
	v.link(t)
	return nil
}

// addLane adds a pipeline to the timeline, or to the pipelines with nothing on the day.
func (v *dayPage) addLane(t *timeline, name, starts string, a *laneAnswers, earlier []run) {
	l := timelineLane{Pipeline: name, Starts: starts, Link: v.Filter.Of(name)}
	if v.Filter.Pipeline == name {
		l.Link = ""
	}
	day := calendarDay{Runs: map[string]int{}, Planned: len(a.next.Items), Cut: a.runs.Next != nil}
	var bars []timelineBar
	for i := range earlier {
		bars = append(bars, t.bar(&earlier[i]))
		day.Runs[earlier[i].Outcome]++
	}
	missed := 0
	for i := range a.runs.Items {
		n := &a.runs.Items[i]
		if n.StartedAt == nil && n.PlannedAt == nil {
			continue // a request waits: it has no time yet
		}
		bars = append(bars, t.bar(n))
		day.Runs[n.Outcome]++
		if n.Outcome == "missed" {
			missed++
		}
	}
	if a.runs.Next != nil {
		v.Cut = true
		l.hidden = a.runs.Items[len(a.runs.Items)-1].time()
		l.Cut = fmt.Sprintf("the latest %s runs are shown, those from %s on", number(int64(len(a.runs.Items))), t.clock(l.hidden))
	}
	if n := len(a.next.Items); n == lanePlanned {
		l.Cut += fmt.Sprintf("the first %s planned starts are shown", number(int64(n)))
	}
	for i := range a.next.Items {
		n := &a.next.Items[i]
		text := "Planned: " + t.clock(n.At)
		if n.Paused {
			text += ", but the pipeline is paused"
		}
		bars = append(bars, timelineBar{Outcome: "planned", Start: n.At, End: n.At, Count: 1, Text: text})
	}
	v.Runs = append(append(v.Runs, a.runs.Items...), earlier...)
	if len(bars) == 0 {
		v.Quiet = append(v.Quiet, name)
		return
	}
	if missed > 0 {
		end := t.Until
		if t.Now.Before(end) {
			end = t.Now
		}
		l.Backfill = backfillLink(name, t.From, end)
	}
	l.Counts = day.counts(v.Filter)
	l.Bars = t.join(bars)
	l.Rows = t.arrange(l.Bars)
	v.Lanes = append(v.Lanes, l)
}

// link makes bars lead to their runs in the table, and draws the lanes.
func (v *dayPage) link(t *timeline) {
	listed := map[int64]bool{}
	for i := range v.Runs {
		if n := &v.Runs[i]; n.ID != nil {
			listed[*n.ID] = true
		}
	}
	for i := range v.Lanes {
		l := &v.Lanes[i]
		for j := range l.Bars {
			b := &l.Bars[j]
			switch {
			case b.Outcome == "planned":
			case b.Count > 1:
				b.Link = l.Link
			case listed[b.run]:
				b.Link = "#run-" + itoa(b.run)
			}
		}
		t.draw(l)
	}
}
