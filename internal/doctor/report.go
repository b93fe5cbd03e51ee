package doctor

import (
	"context"
	"time"
)

// Report is the result of an examination. JSON field names are part of the command line's contract.
type Report struct {
	At       time.Time `json:"at"` // UTC, by this machine's clock
	Version  string    `json:"version"`
	Settings string    `json:"settings"` // the file; "" for none
	Sound    bool      `json:"sound"`    // no fault, nothing skipped
	Counts   Counts    `json:"counts"`
	Results  []Result  `json:"results"`
}

// Counts is the number of results in each state.
type Counts struct {
	OK      int `json:"ok"`
	Warning int `json:"warning"`
	Fault   int `json:"fault"`
	Skipped int `json:"skipped"`
}

// Report makes all checks, each within timeout.
func (d *Doctor) Report(ctx context.Context, timeout time.Duration) Report {
	report := Report{At: time.Now().UTC().Truncate(time.Millisecond)}
	report.Results = d.Examine(ctx, timeout)
	for _, r := range report.Results {
		switch r.State {
		case OK:
			report.Counts.OK++
		case Warning:
			report.Counts.Warning++
		case Fault:
			report.Counts.Fault++
		case Skipped:
			report.Counts.Skipped++
		}
	}
	report.Sound = report.Counts.Fault == 0 && ctx.Err() == nil
	return report
}
