package workqueue

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"
)

// The checks of a database, in the order of a report. What each looks for and
// how to mend what it finds stands in docs/check.md.
const (
	CheckItemState    = "item-state"    // columns that contradict the item's state
	CheckLostItem     = "lost-item"     // held by a worker, and nobody rescues it
	CheckAttemptLimit = "attempt-limit" // more attempts than its policy allows
	CheckEndedTwice   = "ended-twice"   // a claim with two ends
	CheckFiredTwice   = "fired-twice"   // a planned instant that ran twice
	CheckOverdue      = "overdue"       // due for long, and nothing explains why it waits
	CheckWorker       = "worker"        // a worker's row that cannot be
	CheckHistory      = "history"       // the database may have lost transactions: a note, no violation
	CheckStatistics   = "statistics"    // a figure of a queue that is not what is there
)

// Checks lists the names of all checks in the order of a report.
func Checks() []string {
	return []string{CheckItemState, CheckLostItem, CheckAttemptLimit, CheckEndedTwice, CheckFiredTwice, CheckOverdue, CheckWorker, CheckHistory, CheckStatistics}
}

// Violation is one place where the database breaks a promise of the design.
// JSON field names are part of the command line's contract.
type Violation struct {
	Check string `json:"check"`

	// What it is about; nil where it has none of the sort.
	ItemID    *int64     `json:"itemId"`
	Queue     *string    `json:"queue"`    // its name
	Worker    *string    `json:"worker"`   // its name
	Schedule  *string    `json:"schedule"` // a pipeline's name
	PlannedAt *time.Time `json:"plannedAt"`

	Found  string `json:"found"`
	Wanted string `json:"wanted"`
	Hint   string `json:"hint"`

	// Mark tells apart two violations of one check about one thing that are
	// not the same, such as by the fence; most need none.
	Mark string `json:"-"`
}

// Subject names what the violation is about: "item 7", "queue default",
// "worker worker-1", "schedule nightly, planned for 2026-01-31T02:00:00Z".
func (v Violation) Subject() string {
	var parts []string
	if v.ItemID != nil {
		parts = append(parts, fmt.Sprintf("item %d", *v.ItemID))
	}
	if v.Queue != nil {
		parts = append(parts, "queue "+*v.Queue)
	}
	if v.Schedule != nil {
		parts = append(parts, "schedule "+*v.Schedule)
	}
	if v.Worker != nil && v.ItemID == nil {
		parts = append(parts, "worker "+*v.Worker)
	}
	if v.PlannedAt != nil {
		parts = append(parts, "planned for "+v.PlannedAt.UTC().Format(time.RFC3339))
	}
	return strings.Join(parts, ", ")
}

// Key is the same for the same violation in two readings. What was found may
// differ between them: a time that goes on makes no other violation.
func (v Violation) Key() string { return v.Check + "|" + v.Subject() + "|" + v.Mark }

// CheckParams say how to read a database. The zero value means the defaults.
type CheckParams struct {
	// DueFor is how long an item may be due before it has to be explained;
	// default 10 min.
	DueFor time.Duration

	// LowPeriod is what items of low priority get on top of it, since they are
	// assigned less often; default 4 h.
	LowPeriod time.Duration

	// BrokenPipelines are those whose files have mistakes: their items wait.
	BrokenPipelines []string

	// PipelinePolicy tells the policy of the pipeline that an IntegrationConfig
	// means, and since when it says so: the zero time means always. An error
	// says that nobody knows the pipeline. nil knows none.
	PipelinePolicy func(integrationConfig string) (policy Resilience, since time.Time, err error)
}

// WithDefaults fills what is open.
func (p CheckParams) WithDefaults() CheckParams {
	p.DueFor = cmp.Or(p.DueFor, 10*time.Minute)
	p.LowPeriod = cmp.Or(p.LowPeriod, 4*time.Hour)
	return p
}

// CheckResult is what one check came to.
type CheckResult struct {
	Check string `json:"check"`

	// Looked counts what was looked at, Of says what that is: "items".
	Looked int64  `json:"looked"`
	Of     string `json:"of"`

	// Violations counts those in the report. More tells that there are others:
	// a check names no more than a thousand.
	Violations int  `json:"violations"`
	More       bool `json:"more"`

	// Notes say what could not be judged, and why, and what is worth knowing beside the
	// violations.
	Notes []string `json:"notes"`
}

// CheckReport is the result of reading a database.
type CheckReport struct {
	// At is when the reading began, by the database's clock, in UTC.
	At         time.Time     `json:"at"`
	Clean      bool          `json:"clean"`
	Checks     []CheckResult `json:"checks"`
	Violations []Violation   `json:"violations"`
}

// CheckPause is the time between two readings of which the second confirms the
// first.
const CheckPause = time.Second

// Checker reads a database once and reports what it sees. Where the engine
// has no snapshots, that may be half of what somebody is moving.
type Checker interface {
	Check(ctx context.Context, p CheckParams) (CheckReport, error)
}

// ConfirmedCheck reports only what two readings find, the second one a moment
// later. A clean database is read once.
func ConfirmedCheck(ctx context.Context, from Checker, p CheckParams) (CheckReport, error) {
	first, err := from.Check(ctx, p)
	if err != nil || len(first.Violations) == 0 {
		return first, err
	}
	select {
	case <-ctx.Done():
		return CheckReport{}, ctx.Err()
	case <-time.After(CheckPause):
	}
	second, err := from.Check(ctx, p)
	if err != nil {
		return CheckReport{}, err
	}
	return second.confirmedBy(first), nil
}

// confirmedBy keeps the violations that the other report has as well.
func (r CheckReport) confirmedBy(other CheckReport) CheckReport {
	seen := map[string]bool{}
	for _, v := range other.Violations {
		seen[v.Key()] = true
	}
	count := map[string]int{}
	kept := []Violation{}
	for _, v := range r.Violations {
		if seen[v.Key()] {
			kept = append(kept, v)
			count[v.Check]++
		}
	}
	r.Violations, r.Clean = kept, len(kept) == 0
	for i := range r.Checks {
		r.Checks[i].Violations = count[r.Checks[i].Check]
	}
	return r
}
