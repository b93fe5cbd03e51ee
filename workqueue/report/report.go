package report

import (
	"fmt"
	"strings"
	"time"

	"botwork/workqueue"
)

// Params select what a report is about.
type Params struct {
	// Since and Until are the stretch of time; the zero Until is now, by the database's clock.
	Since, Until time.Time

	// Queue and Pipeline select failures: "" is any. Queue also selects the queue whose limits
	// are checked, and Pipeline the system pipeline whose runs are.
	Queue, Pipeline string

	// Zone is where days begin, for the comparison with the day before; nil is UTC.
	Zone *time.Location
}

// Report is what went wrong in a stretch of time. JSON field names are part of the command
// line's contract.
type Report struct {
	Since time.Time `json:"since"`
	Until time.Time `json:"until"`

	// BeforeSince and BeforeUntil are the stretch that the failures are compared with: the
	// same one a day before, or so many days before that the two do not overlap.
	BeforeSince time.Time `json:"beforeSince"`
	BeforeUntil time.Time `json:"beforeUntil"`

	Queue    string `json:"queue"`    // "": all
	Pipeline string `json:"pipeline"` // "": all

	// Failed counts all failures, of all groups.
	Failed Counts `json:"failed"`

	// Failures are the groups of failures, those with the most items first.
	Failures []Group `json:"failures"`

	// Gone is the number of groups of the day before that have no failure now; nil: unknown,
	// because not all failures were read.
	Gone *int `json:"gone"`

	Runs    []Runs   `json:"runs"`
	Workers []Worker `json:"workers"`
	Queues  []Queue  `json:"queues"`

	// Bounds describe what was left out because there was too much of it; none: the report is
	// complete.
	Bounds []string `json:"bounds"`

	zone *time.Location
}

// Counts are numbers of failures. An item that failed several times counts once in Items.
type Counts struct {
	Items    int `json:"items"`    // that failed at least once
	GivenUp  int `json:"givenUp"`  // of those: that ended without success
	Attempts int `json:"attempts"` // failed attempts; without those of items that were deleted for good
	Deleted  int `json:"deleted"`  // of the items: that were deleted after they had failed

	// ItemsBefore is Items of the day before; nil: unknown, because not all failures were read.
	ItemsBefore *int `json:"itemsBefore"`
}

// Quiet reports whether there is nothing to tell.
func (r *Report) Quiet() bool {
	return len(r.Failures)+len(r.Runs)+len(r.Workers)+len(r.Queues)+len(r.Bounds) == 0
}

// Headline is the report in one line, fit for the subject of a mail.
func (r *Report) Headline() string {
	var parts []string
	add := func(n int, one, many string) {
		if n > 0 {
			parts = append(parts, plural(n, one, many))
		}
	}
	add(r.Failed.Items, "item failed", "items failed")
	runs := 0
	for i := range r.Runs {
		runs += r.Runs[i].Count
	}
	add(runs, "run with a problem", "runs with problems")
	add(len(r.Workers), "worker lost", "workers lost")
	add(len(r.Queues), "queue at its limits", "queues at their limits")
	if len(parts) == 0 {
		return "nothing failed"
	}
	return strings.Join(parts, ", ")
}

// plural writes a number with its noun.
func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return thousands(n) + " " + many
}

// thousands writes a number with commas.
func thousands(n int) string {
	text := fmt.Sprint(n)
	for at := len(text) - 3; at > 0; at -= 3 {
		text = text[:at] + "," + text[at:]
	}
	return text
}

// dayBefore returns the stretch a day before, or as many days before as the stretch is long.
func (p *Params) dayBefore() (since, until time.Time) {
	days := 1
	for p.Since.In(p.Zone).AddDate(0, 0, days).Before(p.Until) {
		days++
	}
	return p.Since.In(p.Zone).AddDate(0, 0, -days), p.Until.In(p.Zone).AddDate(0, 0, -days)
}

// check returns an error for a stretch that is empty.
func (p *Params) check() error {
	if p.Since.IsZero() || !p.Since.Before(p.Until) {
		return fmt.Errorf("report from %s until %s: want an earlier start", p.Since.Format(time.RFC3339), p.Until.Format(time.RFC3339))
	}
	return nil
}

// failed reports whether a failure is one for a report: what a user or a rule cancelled is not.
func failed(f *workqueue.Failure) bool {
	return !f.Rescued && f.Kind != "" && f.Kind != workqueue.KindCancelled
}
