package dashboard

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
)

// zoneCookie is the zone in which the script of the pages shows times, for what the server draws.
const zoneCookie = "botwork-zone"

// scheduleFilter is what the pages about schedules have in common: the list, the day and the calendar
// show the same runs, and a link from one to another keeps the filter.
type scheduleFilter struct {
	View     string // list, day or calendar
	Pipeline string
	Outcome  string // with commas; "": all
	Since    string // of the list: only from this time on; "": all

	Zone   *time.Location
	Chosen bool // the address has the zone, rather than the browser

	Pipelines []string // to choose from
	Times     []string // names and values that say which day or month, or since when the list is
}

// troubles are the outcomes of what did not go well.
const troubles = "failed,interrupted,missed,expired"

// outcomeChoice is an outcome that a reader can choose.
type outcomeChoice struct{ Value, Text string }

var outcomeChoices = []outcomeChoice{
	{"", "all outcomes"}, {troubles, "failed, missed"}, {"succeeded", "succeeded"}, {"failed", "failed"}, {"running", "running"}, {"missed", "missed"}, {"skipped", "skipped"},
	{"interrupted", "interrupted"}, {"late", "late"}, {"pending", "requested"}, {"expired", "request expired"}, {"refused", "request refused"},
}

func (d *Dashboard) scheduleFilter(r *http.Request, view string) (*scheduleFilter, error) {
	q := r.URL.Query()
	f := &scheduleFilter{View: view, Pipeline: q.Get("pipeline"), Outcome: strings.Join(q["outcome"], ",")}
	if f.Outcome == "" && q.Get("failed") != "" {
		f.Outcome = troubles
	}
	if since := q.Get("since"); since != "" && view == "list" {
		f.Since, f.Times = since, []string{"since", since}
	}
	if name := q.Get("zone"); name != "" {
		zone, err := time.LoadLocation(name)
		if err != nil || name == time.Local.String() {
			return f, &problem{Status: http.StatusUnprocessableEntity, Detail: "the time zone is not known", Hint: "want a name such as Europe/Lisbon, or UTC"}
		}
		f.Zone, f.Chosen = zone, true
	} else {
		f.Zone = browserZone(r)
	}
	return f, nil
}

// browserZone returns the zone in which the script of the pages shows times; UTC if there is none.
func browserZone(r *http.Request) *time.Location {
	if c, err := r.Cookie(zoneCookie); err == nil {
		// A name that this server does not know is not the fault of the reader.
		if zone, err := time.LoadLocation(c.Value); err == nil && c.Value != time.Local.String() {
			return zone
		}
	}
	return time.UTC
}

// choose sets the pipelines that the form offers.
func (f *scheduleFilter) choose(all []pipeline) {
	for i := range all {
		if all[i].Trigger != nil {
			f.Pipelines = append(f.Pipelines, all[i].Name)
		}
	}
	if f.Pipeline != "" && !slices.Contains(f.Pipelines, f.Pipeline) {
		f.Pipelines = append(f.Pipelines, f.Pipeline)
	}
	slices.Sort(f.Pipelines)
}

// Choices are the outcomes that the form offers.
func (f *scheduleFilter) Choices() []outcomeChoice {
	if slices.ContainsFunc(outcomeChoices, func(c outcomeChoice) bool { return c.Value == f.Outcome }) {
		return outcomeChoices
	}
	return append(slices.Clone(outcomeChoices), outcomeChoice{f.Outcome, strings.ReplaceAll(f.Outcome, ",", ", ")})
}

// Failed reports whether the page shows what did not go well.
func (f *scheduleFilter) Failed() bool { return f.Outcome == troubles }

// wants reports whether the filter selects an outcome.
func (f *scheduleFilter) wants(outcome string) bool {
	return f.Outcome == "" || slices.Contains(strings.Split(f.Outcome, ","), outcome)
}

// query returns the filter for the operation that lists runs.
func (f *scheduleFilter) query(pairs ...string) url.Values {
	return values(append([]string{"pipeline", f.Pipeline, "outcome", f.Outcome}, pairs...)...)
}

func (f *scheduleFilter) link(path, pipeline, outcome string, pairs ...string) string {
	zone := ""
	if f.Chosen {
		zone = f.Zone.String()
	}
	all := []string{"pipeline", pipeline, "outcome", outcome, "zone", zone}
	if outcome == troubles {
		all[2], all[3] = "failed", "1"
	}
	return address(path, append(all, pairs...)...)
}

// path is the page of the view.
func (f *scheduleFilter) path() string {
	if f.View == "list" {
		return "/schedules"
	}
	return "/schedules/" + f.View
}

// Path is path for templates.
func (f *scheduleFilter) Path() string { return f.path() }

// All, Troubles and Everywhere are this page without a choice of outcomes, with what did not go well,
// and of all pipelines. The other parts of the filter stay.
func (f *scheduleFilter) All() string { return f.link(f.path(), f.Pipeline, "", f.Times...) }

// Troubles is documented at All.
func (f *scheduleFilter) Troubles() string { return f.link(f.path(), f.Pipeline, troubles, f.Times...) }

// Everywhere is documented at All.
func (f *scheduleFilter) Everywhere() string { return f.link(f.path(), "", f.Outcome, f.Times...) }

// Always is the list without a bound of time.
func (f *scheduleFilter) Always() string { return f.link(f.path(), f.Pipeline, f.Outcome) }

// Of is this page for one pipeline.
func (f *scheduleFilter) Of(pipeline string) string {
	return f.link(f.path(), pipeline, f.Outcome, f.Times...)
}

// ListView, DayView and CalendarView are the other pages with the same filter.
func (f *scheduleFilter) ListView() string { return f.link("/schedules", f.Pipeline, f.Outcome) }

// DayView is documented at ListView. From a calendar of another month it leads to today, too: the
// days of the calendar are links.
func (f *scheduleFilter) DayView() string { return f.Day("") }

// CalendarView is documented at ListView.
func (f *scheduleFilter) CalendarView() string { return f.Month("") }

// Day is the page of a day, such as 2026-01-31; "" is today.
func (f *scheduleFilter) Day(day string) string {
	return f.link("/schedules/day", f.Pipeline, f.Outcome, "day", day)
}

// Month is the calendar of a month, such as 2026-01; "" is the present one.
func (f *scheduleFilter) Month(month string) string {
	return f.link("/schedules/calendar", f.Pipeline, f.Outcome, "month", month)
}

// ZoneName is the name of the zone, as the script of the pages knows it.
func (f *scheduleFilter) ZoneName() string { return f.Zone.String() }

// calendarDay is a day with the runs of each outcome.
type calendarDay struct {
	Day     string         `json:"day"`
	From    time.Time      `json:"from"`
	Until   time.Time      `json:"until"`
	Planned int            `json:"planned"`
	Runs    map[string]int `json:"runs"`
	Cut     bool           `json:"cut"`
}

// outcomeCount is how many runs have an outcome.
type outcomeCount struct {
	Look  look
	Count int64
	More  bool // there are more than are counted
}

// countedOutcomes is the order in which counts are shown: the most urgent first.
var countedOutcomes = []string{"failed", "interrupted", "missed", "expired", "refused", "running", "pending", "skipped", "succeeded"}

// counts lists what a day has of the outcomes that the filter selects.
func (c *calendarDay) counts(f *scheduleFilter) (all []outcomeCount) {
	for _, outcome := range countedOutcomes {
		if n := c.Runs[outcome]; n > 0 && f.wants(outcome) {
			all = append(all, outcomeCount{statusLook(outcome), int64(n), c.Cut && (outcome == "succeeded" || outcome == "skipped")})
		}
	}
	if c.Planned > 0 && f.Outcome == "" {
		all = append(all, outcomeCount{statusLook("planned"), int64(c.Planned), false})
	}
	return all
}

// change says how the clocks of the zone change on the day; "" if they do not.
func (c *calendarDay) change(zone *time.Location) string {
	_, before := c.From.In(zone).Zone()
	_, after := c.Until.In(zone).Zone()
	if before == after {
		return ""
	}
	// Find the minute of the change, which is one of every zone that is in use.
	first, last := 0, int(c.Until.Sub(c.From)/time.Minute)
	for first < last {
		at := (first + last) / 2
		if _, now := c.From.Add(time.Duration(at) * time.Minute).In(zone).Zone(); now == before {
			first = at + 1
		} else {
			last = at
		}
	}
	at := c.From.Add(time.Duration(first) * time.Minute)
	way := "forward"
	if after < before {
		way = "back"
	}
	return "the clocks go " + way + " by " + span(time.Duration(after-before)*time.Second) + ", to " + at.In(zone).Format("15:04") + "; the day has " + span(c.Until.Sub(c.From))
}
