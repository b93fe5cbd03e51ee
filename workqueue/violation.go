package workqueue

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"
)

// The checks of a database, in the order of a report. docs/check.md documents what each
// one looks for and how to fix what it finds.
const (
	CheckItemState    = "item-state"    // columns that contradict the item's state
	CheckLostItem     = "lost-item"     // held by a worker, and not rescued
	CheckAttemptLimit = "attempt-limit" // more attempts than its policy allows
	CheckEndedTwice   = "ended-twice"   // a claim with two ends
	CheckFiredTwice   = "fired-twice"   // a planned instant that ran twice
	CheckOverdue      = "overdue"       // due for a long time, and nothing explains why it waits
	CheckByHand       = "by-hand"       // inserted by hand, and its queue's policies do not hold
	CheckWorker       = "worker"        // an impossible worker's row
	CheckHistory      = "history"       // the database may have lost transactions: a note, not a violation
	CheckStatistics   = "statistics"    // a figure of a queue that differs from its items
	CheckSeries       = "series"        // a figure of the statistics over time that differs from the items
)

// Checks lists the names of all checks in the order of a report.
func Checks() []string {
	return []string{CheckItemState, CheckLostItem, CheckAttemptLimit, CheckEndedTwice, CheckFiredTwice, CheckOverdue, CheckByHand, CheckWorker, CheckHistory, CheckStatistics, CheckSeries}
}

// Violation is one item, worker, queue or schedule for which the database breaks a
// guarantee of the design. JSON field names are part of the command line's contract.
type Violation struct {
	Check string `json:"check"`

	// The subject; nil if it has none of the kind.
	ItemID    *int64     `json:"itemId"`
	Queue     *string    `json:"queue"`    // its name
	Worker    *string    `json:"worker"`   // its name
	Schedule  *string    `json:"schedule"` // a pipeline's name
	PlannedAt *time.Time `json:"plannedAt"`

	Found  string `json:"found"`
	Wanted string `json:"wanted"`
	Hint   string `json:"hint"`

	// Mark distinguishes two violations of one check about one subject, for example
	// by the fence; most need none.
	Mark string `json:"-"`
}

// Subject returns what the violation is about: "item 7", "queue default", "worker
// worker-1", "schedule nightly, planned for 2026-01-31T02:00:00Z".
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

// Key returns the same text for the same violation in two readings. Found may differ
// between them: a time that has advanced is not a different violation.
func (v Violation) Key() string { return v.Check + "|" + v.Subject() + "|" + v.Mark }

// CheckParams are the parameters of a check. The zero value means the defaults.
type CheckParams struct {
	// DueFor is how long an item may be due before a reason for its wait is required;
	// default 10 min.
	DueFor time.Duration

	// LowPeriod is added to DueFor for items of low priority, since they are assigned
	// less often; default 4 h.
	LowPeriod time.Duration

	// BrokenPipelines are those whose files have faults: their items wait.
	BrokenPipelines []string

	// PipelinePolicy returns the policy of the pipeline in an IntegrationConfig, and
	// since when it applies: the zero time means always. An error means that the
	// pipeline is unknown. nil knows none.
	PipelinePolicy func(integrationConfig string) (policy Resilience, since time.Time, err error)
}

// WithDefaults fills in the fields that are not set.
func (p CheckParams) WithDefaults() CheckParams {
	p.DueFor = cmp.Or(p.DueFor, 10*time.Minute)
	p.LowPeriod = cmp.Or(p.LowPeriod, 4*time.Hour)
	return p
}

// CheckResult is the result of one check.
type CheckResult struct {
	Check string `json:"check"`

	// Looked counts the rows that were checked, Of names them: "items".
	Looked int64  `json:"looked"`
	Of     string `json:"of"`

	// Violations counts those in the report. More is set if there are others: a check
	// reports no more than a thousand.
	Violations int  `json:"violations"`
	More       bool `json:"more"`

	// Notes list what could not be checked and why, and other information apart from
	// the violations.
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

// CheckPause is the time between two readings, of which the second confirms the
// first.
const CheckPause = time.Second

// Checker reads a database once and reports what it finds. On an engine without
// snapshots, it may find a change half done.
type Checker interface {
	Check(ctx context.Context, p CheckParams) (CheckReport, error)
}

// ConfirmedCheck reports only violations that two readings find, the second one
// CheckPause after the first. If the first finds none, there is no second.
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

// confirmedBy keeps the violations that the other report contains as well.
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
