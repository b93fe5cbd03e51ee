package dashboard

import (
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

func berlin(t *testing.T) *time.Location {
	t.Helper()
	zone, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	return zone
}

// dayOf returns the scale of a day in Berlin.
func dayOf(t *testing.T, year int, month time.Month, day int) timeline {
	zone := berlin(t)
	return timeline{From: time.Date(year, month, day, 0, 0, 0, 0, zone), Until: time.Date(year, month, day+1, 0, 0, 0, 0, zone), Zone: zone}
}

// On the days on which the clocks change, the scale has 23 and 25 hours, and what follows the change is
// where its hour is.
func TestTimelineOfDaysWithAChange(t *testing.T) {
	for _, c := range []struct {
		name     string
		scale    timeline
		hours    string
		noon     string // where 12:00 is
		change   string
		at       time.Time // 02:30, the second one in autumn
		expected string
	}{
		{"calm", dayOf(t, 2026, 3, 28), "00 01 02 03 04 05 06 07 08 09 10 11 12 13 14 15 16 17 18 19 20 21 22 23", "50.000%", "",
			time.Date(2026, 3, 28, 1, 30, 0, 0, time.UTC), "10.417%"},
		{"spring", dayOf(t, 2026, 3, 29), "00 01 03 04 05 06 07 08 09 10 11 12 13 14 15 16 17 18 19 20 21 22 23", "47.826%",
			"the clocks go forward by 1 h, to 03:00; the day has 23 h", time.Date(2026, 3, 29, 1, 30, 0, 0, time.UTC), "10.870%"}, // 03:30
		{"autumn", dayOf(t, 2026, 10, 25), "00 01 02 02 03 04 05 06 07 08 09 10 11 12 13 14 15 16 17 18 19 20 21 22 23", "52.000%",
			"the clocks go back by 1 h, to 02:00; the day has 25 h", time.Date(2026, 10, 25, 1, 30, 0, 0, time.UTC), "14.000%"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var hours []string
			noon := ""
			for _, at := range c.scale.hours() {
				hours = append(hours, at.In(c.scale.Zone).Format("15"))
				if at.In(c.scale.Zone).Hour() == 12 {
					noon = c.scale.place(at)
				}
			}
			if got := strings.Join(hours, " "); got != c.hours {
				t.Errorf("the hours are %s, want %s", got, c.hours)
			}
			if noon != c.noon {
				t.Errorf("noon is at %s, want %s", noon, c.noon)
			}
			if got := c.scale.place(c.at); got != c.expected {
				t.Errorf("%v is at %s, want %s", c.at.In(c.scale.Zone), got, c.expected)
			}
			day := calendarDay{From: c.scale.From, Until: c.scale.Until}
			if got := day.change(c.scale.Zone); got != c.change {
				t.Errorf("the change is %q, want %q", got, c.change)
			}
		})
	}
}

func TestTimelineRows(t *testing.T) {
	s := dayOf(t, 2026, 3, 28)
	at := func(minutes int) time.Time { return s.From.Add(time.Duration(minutes) * time.Minute) }
	bar := func(outcome string, from, to int) timelineBar {
		return timelineBar{Outcome: outcome, Start: at(from), End: at(to), Count: 1}
	}
	bars := []timelineBar{bar("succeeded", 0, 120), bar("succeeded", 60, 180), bar("failed", 130, 140), bar("succeeded", 300, 310)}
	if rows := s.arrange(bars); rows != 2 || bars[0].Row != 0 || bars[1].Row != 1 || bars[2].Row != 0 || bars[3].Row != 0 {
		t.Errorf("%d rows: %+v", rows, bars)
	}
	// A pipeline that runs each minute becomes one bar; what failed in between stays on its own.
	var each []timelineBar
	for i := range 24 * 60 {
		outcome := "succeeded"
		if i == 700 {
			outcome = "failed"
		}
		each = append(each, timelineBar{Outcome: outcome, Start: at(i), End: at(i).Add(time.Second), Count: 1})
	}
	joined := s.join(each)
	if len(joined) != 2 || joined[0].Count != 1439 || joined[1].Outcome != "failed" || joined[1].Count != 1 {
		t.Errorf("got %+v", joined)
	}
	if rows := s.arrange(joined); rows != 2 {
		t.Errorf("the failed run is in one of %d rows, want 2", rows)
	}
	// A long run is not joined, and neither is what is far away.
	if got := s.join([]timelineBar{bar("succeeded", 0, 1), bar("succeeded", 2, 90), bar("succeeded", 600, 601)}); len(got) != 3 {
		t.Errorf("got %+v", got)
	}
	var many []timelineBar
	for range 3 * mostStacked {
		many = append(many, bar("running", 0, 600))
	}
	if rows := s.arrange(many); rows != mostStacked {
		t.Errorf("%d rows, want at most %d", rows, mostStacked)
	}
}

func TestTimelineBars(t *testing.T) {
	s := dayOf(t, 2026, 3, 28)
	s.Now = s.From.Add(12 * time.Hour)
	at := func(hours float64) *time.Time {
		at := s.From.Add(time.Duration(hours * float64(time.Hour))).UTC()
		return &at
	}
	why := "no worker <ran>"
	for name, c := range map[string]struct {
		run  run
		end  time.Time
		text string
	}{
		"ended":       {run{Outcome: "succeeded", StartedAt: at(1), FinishedAt: at(1.5)}, *at(1.5), "Succeeded: 01:00:00 to 01:30:00, took 30 min"},
		"running":     {run{Outcome: "running", StartedAt: at(11)}, s.Now, "Running since 11:00:00"},
		"interrupted": {run{Outcome: "interrupted", StartedAt: at(11)}, *at(11), "Interrupted since 11:00:00"},
		"missed":      {run{Outcome: "missed", PlannedAt: at(2), Reason: &why}, *at(2), "Missed: 02:00:00: no worker <ran>"},
		"before":      {run{Outcome: "succeeded", StartedAt: at(-2), FinishedAt: at(1)}, *at(1), "Succeeded: 2026-03-27 22:00:00 to 01:00:00, took 3 h"},
	} {
		b := s.bar(&c.run)
		if !b.End.Equal(c.end) || b.Text != c.text {
			t.Errorf("%s: got %v and %q, want %v and %q", name, b.End, b.Text, c.end, c.text)
		}
	}
	l := timelineLane{Pipeline: "a<b", Bars: []timelineBar{s.bar(&run{Outcome: "missed", PlannedAt: at(2), Reason: &why})}, Rows: 1}
	s.draw(&l)
	if svg := string(l.SVG); strings.Contains(svg, "<ran>") || strings.Contains(svg, "a<b") || !strings.Contains(svg, `class="now"`) || !strings.Contains(svg, "is-missed") {
		t.Errorf("the drawing is %s", svg)
	}
}

// Filters combine: a link that changes one of them keeps the others.
func TestScheduleFilter(t *testing.T) {
	d := &Dashboard{}
	f, err := d.scheduleFilter(httptest.NewRequest("GET", "/schedules?pipeline=a+b&outcome=skipped&zone=Europe/Berlin", nil), "list")
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string][2]string{
		"all":        {f.All(), "/schedules?pipeline=a+b&zone=Europe%2FBerlin"},
		"troubles":   {f.Troubles(), "/schedules?failed=1&pipeline=a+b&zone=Europe%2FBerlin"},
		"everywhere": {f.Everywhere(), "/schedules?outcome=skipped&zone=Europe%2FBerlin"},
		"day":        {f.Day("2026-01-31"), "/schedules/day?day=2026-01-31&outcome=skipped&pipeline=a+b&zone=Europe%2FBerlin"},
		"month":      {f.CalendarView(), "/schedules/calendar?outcome=skipped&pipeline=a+b&zone=Europe%2FBerlin"},
		"list":       {f.ListView(), "/schedules?outcome=skipped&pipeline=a+b&zone=Europe%2FBerlin"},
	} {
		if c[0] != c[1] {
			t.Errorf("%s is %s, want %s", name, c[0], c[1])
		}
	}
	r := httptest.NewRequest("GET", "/schedules?failed=1&pipeline=x", nil)
	r.Header.Set("Cookie", "botwork-zone=Europe/Berlin")
	if f, err = d.scheduleFilter(r, "day"); err != nil || !f.Failed() || f.Chosen || f.ZoneName() != "Europe/Berlin" || f.wants("skipped") || !f.wants("missed") {
		t.Errorf("got %+v, %v", f, err)
	}
	for _, name := range []string{"Local", "Nowhere/Town", "../../etc/passwd"} {
		if _, err := d.scheduleFilter(httptest.NewRequest("GET", "/schedules?zone="+name, nil), "day"); err == nil {
			t.Errorf("the zone %s is known", name)
		}
		r.Header.Set("Cookie", "botwork-zone="+name)
		if f, err := d.scheduleFilter(r, "day"); err != nil || f.ZoneName() != "UTC" {
			t.Errorf("a cookie with the zone %s: got %v, %v; want UTC", name, f.Zone, err)
		}
	}
}

// The first start after a change of the clocks is marked, also if it is the first of the list.
func TestClocksBeforeTheFirstRow(t *testing.T) {
	zone := berlin(t)
	at := func(day int) coming {
		at := time.Date(2026, 3, day, 2, 30, 0, 0, zone)
		_, offset := at.Zone()
		return coming{At: at.UTC(), LocalAt: at.In(time.FixedZone("", offset)), Timezone: "Europe/Berlin"}
	}
	winter, summer := time.Date(2026, 3, 28, 12, 0, 0, 0, time.UTC), time.Date(2026, 3, 29, 12, 0, 0, 0, time.UTC)
	if got := withClocks([]coming{at(30), at(31)}, winter); got[0].Clocks != "clocks go forward by 1 h before" || got[1].Clocks != "" {
		t.Errorf("got %+v", got)
	}
	if got := withClocks([]coming{at(30), at(31)}, summer); got[0].Clocks != "" || got[1].Clocks != "" {
		t.Errorf("after the change: got %+v", got)
	}
	if got := withClocks([]coming{at(28), at(30)}, winter.Add(-48*time.Hour)); got[0].Clocks != "" || got[1].Clocks != "clocks go forward by 1 h before" {
		t.Errorf("in the list: got %+v", got)
	}
	other := []coming{at(30), at(31)}
	other[0].Timezone, other[1].Timezone = "Local", "Local"
	if got := withClocks(other, winter); got[0].Clocks != "" {
		t.Errorf("a zone that is not known here: got %+v", got)
	}
}
