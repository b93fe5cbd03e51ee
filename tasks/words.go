package tasks

import (
	"fmt"
	"time"

	"botwork/internal/cron"
)

// Words describes in a sentence when the windows open and how long they stay open: "once a month from
// day 25 Europe/Lisbon, within 5 days". A cron expression that has no short sentence is shown as it is.
// The nil Schedule is that of a task that runs on request only.
func (s *Schedule) Words() string {
	if s == nil || s.Active != nil && !*s.Active {
		return "on request"
	}
	zone := s.Timezone
	switch zone {
	case "":
		zone = "UTC"
	case "Local": // each machine has its own
		zone = "local time"
	}
	plan, err := s.Compile()
	if err != nil {
		return s.String()
	}
	switch w := plan.windows.(type) {
	case cronWindows:
		text := cron.Words(s.Cron, zone)
		if text == "" {
			text = "cron " + s.Cron + ", " + zone
		}
		if w.tolerance > 0 {
			text += ", within " + toleranceWords(tolerance{rest: w.tolerance})
		}
		return text
	case calendarWindows:
		return w.words(zone)
	}
	return s.String()
}

func (c calendarWindows) words(zone string) string {
	text := ""
	switch c.execute {
	case Daily:
		text = fmt.Sprintf("once a day from %02d:%02d %s", c.clock/time.Hour, c.clock%time.Hour/time.Minute, zone)
	case Weekly:
		text = fmt.Sprintf("once a week from %s %s", time.Weekday((c.day+1)%7), zone)
	default:
		text = fmt.Sprintf("once a month from day %d %s", c.day, zone)
		if c.day > 28 {
			text = fmt.Sprintf("once a month from day %d, or the last day, %s", c.day, zone)
		}
	}
	if c.whole {
		return text + ", until the " + c.unitName() + " ends"
	}
	return text + ", within " + toleranceWords(c.tolerance)
}

func toleranceWords(t tolerance) string {
	count := func(n int, one string) string {
		if n == 1 {
			return "1 " + one
		}
		return fmt.Sprintf("%d %ss", n, one)
	}
	switch {
	case t.rest == 0:
		return count(t.days, "day")
	case t.days == 0 && t.rest%time.Hour == 0:
		return count(int(t.rest/time.Hour), "hour")
	case t.days == 0 && t.rest%time.Minute == 0:
		return count(int(t.rest/time.Minute), "minute")
	}
	return t.length().String()
}
