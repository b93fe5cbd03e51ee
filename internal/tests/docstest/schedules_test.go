package docstest

import (
	"strings"
	"testing"
	"time"
	_ "time/tzdata" // the zones of the documents, on every machine

	"botwork/internal/cron"
)

// TestScheduleTables executes each row of the tables in docs/schedules.md that
// show when an expression fires.
func TestScheduleTables(t *testing.T) {
	const day, minute = "2006-01-02 15:04", "2006-01-02 15:04 MST"
	for _, tab := range read(t, "docs/schedules.md").tablesWith(t, "cron", "timezone", "dst", "after", "fires at") {
		for _, r := range tab.rows {
			spec, dst, fires := code(r.cells[0]), cron.DST(code(r.cells[2])), strings.Split(r.cells[4], ", ")
			zone, err := time.LoadLocation(r.cells[1])
			if err != nil {
				t.Errorf("line %d: %v", r.line, err)
				continue
			}
			after, err := time.ParseInLocation(day, r.cells[3], zone)
			if err != nil {
				t.Errorf("line %d: %v", r.line, err)
				continue
			}
			schedule, err := cron.Parse(spec, zone, dst)
			if err != nil {
				t.Errorf("line %d: %v", r.line, err)
				continue
			}
			var got []string
			for at := after; len(got) < len(fires); {
				at = schedule.Next(at)
				got = append(got, at.In(zone).Format(minute))
			}
			if strings.Join(got, ", ") != strings.Join(fires, ", ") {
				t.Errorf("line %d: %s in %s with dst %s fires at\n\t%s, documented\n\t%s", r.line, spec, zone, dst, strings.Join(got, ", "), r.cells[4])
			}
		}
	}
}

// TestIntervalTable executes the rows about `every`.
func TestIntervalTable(t *testing.T) {
	for _, tab := range read(t, "docs/schedules.md").tablesWith(t, "every", "after", "fires at") {
		for _, r := range tab.rows {
			d, err := time.ParseDuration(code(r.cells[0]))
			if err != nil {
				t.Errorf("line %d: %v", r.line, err)
				continue
			}
			schedule, err := cron.Every(d)
			if err != nil {
				t.Errorf("line %d: %v", r.line, err)
				continue
			}
			at, err := time.Parse("2006-01-02 15:04:05", r.cells[1])
			if err != nil {
				t.Errorf("line %d: %v", r.line, err)
				continue
			}
			var got []string
			for range strings.SplitSeq(r.cells[2], ", ") {
				at = schedule.Next(at)
				got = append(got, at.Format("15:04:05"))
			}
			if strings.Join(got, ", ") != r.cells[2] {
				t.Errorf("line %d: every %s fires at %s, documented %s", r.line, d, strings.Join(got, ", "), r.cells[2])
			}
		}
	}
}
