package tasks

import "testing"

func TestWords(t *testing.T) {
	off := false
	for want, s := range map[string]*Schedule{
		"on request": nil,
		"once a month from day 25 Europe/Lisbon, within 5 days":                {Execute: Monthly, StartAt: "25", StartTolerance: "5", Timezone: "Europe/Lisbon"},
		"once a month from day 31, or the last day, UTC, until the month ends": {Execute: Monthly, StartAt: "31"},
		"once a week from Monday UTC, until the week ends":                     {Execute: Weekly},
		"once a week from Sunday UTC, within 1 day":                            {Execute: Weekly, StartAt: "0", StartTolerance: "0"},
		"once a day from 15:30 UTC, within 90 minutes":                         {Execute: Daily, StartAt: "15:30", StartTolerance: "90m"},
		"once a day from 06:00 UTC, within 4 hours":                            {Execute: "DAILY", StartAt: "6", StartTolerance: "4"},
		"Monday to Friday at 06:00 Europe/Lisbon, within 2 hours":              {Cron: "0 6 * * mon-fri", StartTolerance: "2h", Timezone: "Europe/Lisbon"},
		"every 5 minutes":        {Cron: "*/5 * * * *"},
		"cron 0 0 13 * fri, UTC": {Cron: "0 0 13 * fri"},
	} {
		if got := s.Words(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	if got := (&Schedule{Execute: "dayly"}).Words(); got != "dayly" {
		t.Errorf("a schedule that cannot be read: got %q", got)
	}
	if got := (&Schedule{Cron: "* * * * *", Active: &off}).Words(); got != "on request" {
		t.Errorf("a schedule that is not active: got %q", got)
	}
}
