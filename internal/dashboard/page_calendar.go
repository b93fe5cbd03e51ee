package dashboard

import (
	"net/http"
	"strconv"
	"time"
)

// calendarPage is a month of planned and past runs.
type calendarPage struct {
	Filter             *scheduleFilter
	Month              time.Time // its first day
	Earlier, Later     string    // addresses
	Weeks              [][]calendarCell
	Late               bool // the filter asks for late runs, which are not counted by day
	Cut                bool // a day has more runs than are counted
	Empty              bool
	PresentDay, Change string
}

// calendarCell is a day of the calendar.
type calendarCell struct {
	Day    string // such as 2026-01-31
	Number int
	At     time.Time
	Link   string
	Other  bool // of another month
	Today  bool
	Counts []outcomeCount
	Hours  string // of a day on which the clocks change: "23 h"
	Bad    bool   // something failed or was missed
}

// Weekday and MonthName complete the number for those who do not see the table.
func (c calendarCell) Weekday() string { return c.At.Weekday().String() }

// MonthName is documented at Weekday.
func (c calendarCell) MonthName() string { return c.At.Month().String() }

func (d *Dashboard) showCalendar(r *http.Request, p *page) (string, error) {
	p.Title, p.Section, p.Live = "Calendar of runs", "schedules", "runs"
	f, err := d.scheduleFilter(r, "calendar")
	if err != nil {
		return "", err
	}
	now := time.Now().In(f.Zone)
	month := time.Date(now.Year(), now.Month(), 1, 0, 0, 0, 0, time.UTC)
	if text := r.URL.Query().Get("month"); text != "" {
		if month, err = time.Parse("2006-01", text); err != nil || month.Year() < 1901 || month.Year() > 8999 {
			return "", &problem{Status: http.StatusUnprocessableEntity, Detail: "the month cannot be read", Hint: "want a month such as 2026-01"}
		}
		f.Times = []string{"month", text}
	}
	// Weeks begin on Monday.
	first := month.AddDate(0, 0, -(int(month.Weekday())+6)%7)
	end := month.AddDate(0, 1, 0)
	weeks := (int(end.Sub(first)/(24*time.Hour)) + 6) / 7
	var days list[calendarDay]
	var pipelines list[pipeline]
	ask := d.asking(r)
	ask.get("/schedules/calendar", values("pipeline", f.Pipeline, "timezone", f.ZoneName(), "from", first.Format(time.DateOnly), "days", strconv.Itoa(7*weeks)), &days)
	ask.optional("/pipelines", nil, &pipelines)
	if err := ask.wait(); err != nil {
		return "", err
	}
	f.choose(pipelines.Items)
	v := calendarPage{Filter: f, Month: month, Late: f.Outcome == "late", Empty: true, PresentDay: now.Format(time.DateOnly)}
	v.Earlier, v.Later = f.Month(month.AddDate(0, -1, 0).Format("2006-01")), f.Month(end.Format("2006-01"))
	for i := range days.Items {
		one := &days.Items[i]
		at := first.AddDate(0, 0, i)
		c := calendarCell{
			Day: one.Day, Number: at.Day(), At: at, Link: f.Day(one.Day), Other: at.Month() != month.Month(), Today: one.Day == v.PresentDay,
			Counts: one.counts(f),
		}
		if one.change(f.Zone) != "" {
			c.Hours = span(one.Until.Sub(one.From))
		}
		for _, outcome := range []string{"failed", "interrupted", "missed", "expired"} {
			c.Bad = c.Bad || one.Runs[outcome] > 0 && f.wants(outcome)
		}
		v.Cut = v.Cut || one.Cut
		v.Empty = v.Empty && len(c.Counts) == 0
		if i%7 == 0 {
			v.Weeks = append(v.Weeks, nil)
		}
		v.Weeks[i/7] = append(v.Weeks[i/7], c)
	}
	p.Data = &v
	return "calendar", nil
}
