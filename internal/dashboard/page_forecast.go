package dashboard

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"botwork/workqueue/forecast"
)

// forecastPage shows a forecast. It is not live: each costs the server a simulation.
type forecastPage struct {
	Form    whatIf
	Present *forecast.Forecast
	Then    *forecast.Forecast // the what-if; nil: none
	Enough  *forecast.Enough
	Earlier *forecast.Accuracy
	Refused []string // why there is no what-if
	Again   string   // the address of the page
	Groups  []drainGroup
	Lanes   []workerLane
	Late    []lateItem
}

// Shown is the what-if if there is one, else the present.
func (v *forecastPage) Shown() *forecast.Forecast {
	if v.Then != nil {
		return v.Then
	}
	return v.Present
}

// drainGroup is a table of when groups of items are empty.
type drainGroup struct {
	Title string
	Rows  []drainRow
	More  int // rows that are left out
}

type drainRow struct {
	Name, Link    string
	Present, Then forecast.Drain
	Lane, IfSo    lane
	Difference    string
}

type lateItem struct {
	forecast.Item
	Link   string
	Before *float64 // how likely it is at present, beside a what-if; nil: not among those that may be late
}

// mostRows is how many rows a table of a forecast has at most.
const mostRows = 40

func (d *Dashboard) showForecast(r *http.Request, p *page) (string, error) {
	p.Title, p.Section = "Forecast", "forecast"
	given := r.URL.Query()
	if short := withoutEmpty(given); len(short) != len(given) {
		return "", &redirect{to: withQuery("/forecast", short)} // what a form sends has many empty fields
	}
	v := &forecastPage{Form: readWhatIf(given), Again: withQuery("/forecast", given)}
	ask := d.asking(r)
	answer, err := d.askForecast(ask, p.Caller, v)
	if failed := failureOf(err); failed != nil {
		p.Data = failed
		return "simulating", nil
	}
	if err != nil {
		return "", err
	}
	v.Present, v.Then, v.Enough = answer.Present, answer.WhatIf, answer.Enough
	if v.Earlier, err = askAccuracy(ask, p.Caller); err != nil {
		return "", err
	}
	p.Again = ask.late.Load() || ask.old.Load()
	if v.Present == nil {
		return "simulating", nil
	}
	v.Form.offer(v.Present)
	v.Groups, v.Lanes, v.Late = v.drains(), v.lanes(), v.late()
	p.Data = v
	return "forecast", nil
}

// askForecast asks what the form says. If that cannot be answered, it is the present, and
// v.Refused says why. It waits for a what-if, but not for the present.
func (d *Dashboard) askForecast(ask *asking, c caller, v *forecastPage) (*forecast.Answer, error) {
	question, faults := v.Form.question(time.Now())
	query := url.Values{}
	if !question.Until.IsZero() {
		query.Set("until", question.Until.UTC().Format(time.RFC3339))
	}
	answer := &forecast.Answer{}
	if len(faults) == 0 && (question.MeetDeadlines || !question.Change.IsZero()) {
		_, err := d.ask(ask.r, http.MethodPost, "/forecast", nil, question, answer)
		refused := (*problem)(nil)
		if err == nil || !errors.As(err, &refused) || refused.Status != http.StatusUnprocessableEntity {
			return answer, err
		}
		for _, e := range refused.Errors {
			faults = append(faults, e.Message)
		}
		if len(faults) == 0 {
			faults = []string{refused.Detail}
		}
	}
	v.Refused, answer = faults, &forecast.Answer{}
	err := ask.patient(c).now("/forecast", query, answer)
	if refused := (*problem)(nil); len(faults) > 0 && errors.As(err, &refused) && refused.Status == http.StatusUnprocessableEntity {
		err = ask.patient(c).now("/forecast", nil, answer) // the time cannot be used, either
	}
	return answer, err
}

// withoutEmpty returns the parameters that have a value.
func withoutEmpty(q url.Values) url.Values {
	short := url.Values{}
	for name, all := range q {
		if kept := slices.DeleteFunc(slices.Clone(all), func(v string) bool { return v == "" }); len(kept) > 0 {
			short[name] = kept
		}
	}
	return short
}

func withQuery(path string, q url.Values) string {
	if len(q) == 0 {
		return path
	}
	return path + "?" + q.Encode()
}

func (v *forecastPage) drains() []drainGroup {
	then := &forecast.Forecast{}
	if v.Then != nil {
		then = v.Then
	}
	due := []string{"status", "pending", "status", "assigned", "status", "running"}
	items := func(name string) func(string) string {
		return func(value string) string { return address("/items", append([]string{name, value}, due...)...) }
	}
	return []drainGroup{
		v.group("Band", v.Present.Bands, then.Bands, items("band")),
		v.group("Queue", v.Present.Queues, then.Queues, func(name string) string { return "/queues/" + segment(name) }),
		v.group("Pipeline", v.Present.Pipelines, then.Pipelines, items("pipeline")),
	}
}

func (v *forecastPage) group(title string, present, then []forecast.Drain, link func(name string) string) drainGroup {
	g := drainGroup{Title: title, More: max(len(present)-mostRows, 0)}
	for _, now := range present[:min(len(present), mostRows)] {
		row := drainRow{Name: now.Name, Link: link(now.Name), Present: now, Lane: v.drainLane(v.Present, &now)}
		if i := slices.IndexFunc(then, func(d forecast.Drain) bool { return d.Name == now.Name }); i >= 0 {
			row.Then = then[i]
			row.IfSo, row.Difference = v.drainLane(v.Then, &then[i]), differenceText(now.Empty.P50, then[i].Empty.P50)
		}
		g.Rows = append(g.Rows, row)
	}
	return g
}

// differenceText says how much later the second time is.
func differenceText(now, then *time.Time) string {
	switch {
	case now == nil && then == nil:
		return "not in this time"
	case now == nil:
		return "sooner"
	case then == nil:
		return "later"
	}
	switch d := then.Sub(*now).Round(time.Second); {
	case d < 0:
		return span(d) + " sooner"
	case d > 0:
		return span(d) + " later"
	}
	return "the same"
}

func (v *forecastPage) late() []lateItem {
	before := map[int64]float64{}
	for i := range v.Present.Late {
		before[v.Present.Late[i].ID] = v.Present.Late[i].Missed
	}
	var all []lateItem
	for _, it := range v.Shown().Late {
		one := lateItem{Item: it, Link: fmt.Sprintf("/items/%d", it.ID)}
		if missed, ok := before[it.ID]; ok && v.Then != nil {
			one.Before = &missed
		}
		all = append(all, one)
	}
	return all
}

// mostLate is how many late items are shown without a click.
const mostLate = 20

// FirstLate are the items that may be late and are shown.
func (v *forecastPage) FirstLate() []lateItem { return v.Late[:min(len(v.Late), mostLate)] }

// OtherLate are the items that may be late and are folded.
func (v *forecastPage) OtherLate() []lateItem { return v.Late[min(len(v.Late), mostLate):] }

// Unlisted is how many items may be late that the API does not list.
func (v *forecastPage) Unlisted() int { return v.Shown().MayBeLate - len(v.Late) }

// EnoughText says how much capacity would meet the deadlines.
func (v *forecastPage) EnoughText() string {
	e := v.Enough
	if e.Deadlines == 0 {
		return "No waiting item has a deadline."
	}
	parts := []string{fmt.Sprintf("%s a deadline. %s would miss it with a probability of more than %s.", plural(int64(e.Deadlines), "waiting item has", "waiting items have"), number(int64(e.Missed)), percent(1-e.Probability))}
	if e.Impossible > 0 {
		parts = append(parts, fmt.Sprintf("No capacity helps %s of them: it is too late, or no live worker may run them.", number(int64(e.Impossible))))
	}
	if e.Missed == e.Impossible {
		return strings.Join(append(parts, "The others are met with these workers."), " ")
	}
	more := func(n *int, one, many string) string {
		if n == nil {
			return "no number of " + many + " that was tried"
		}
		return plural(int64(*n), one, many)
	}
	return strings.Join(append(parts, fmt.Sprintf("Enough for the others: %s like %s with %s, or %s on each of the present workers.",
		more(e.Workers, "more worker", "more workers"), e.Like, plural(int64(e.WorkerSlots), "slot", "slots"), more(e.Slots, "more slot", "more slots"))), " ")
}
