// Package check finds inconsistent data in the database: lost items, claims that ended twice,
// instants that ran twice and similar faults. It reads everything in pages and changes nothing.
package check

import (
	"context"
	"database/sql"
	"fmt"
	"math"
	"time"

	"botwork/workqueue"
)

const (
	// pageSize is how many items, runs or candidates one statement reads.
	pageSize = 5000

	// mostNamed is how many violations of one check are reported.
	mostNamed = 1000

	// lostAfter is how long after the end of a lease an item counts as lost. Once a minute, an
	// assignment pass of any live worker should release it.
	lostAfter = 5 * time.Minute

	// tooFar is longer than any lease.
	tooFar = 24 * time.Hour
)

// Database is what the checks read. They use no transactions.
type Database interface {
	// Read runs a statement of the folder checks and calls row for each row. It retries the
	// statement after transient errors, and calls begin before each try.
	Read(ctx context.Context, statement string, parameters map[string]any, begin func(), row func(*sql.Rows) error) error

	// TimeArg returns a time as a parameter.
	TimeArg(t time.Time) any

	// Ended compares the recorded number of items with each outcome with the actual number.
	Ended(ctx context.Context) (Ended, error)

	// Series compares the statistics over time with the items and their attempts.
	Series(ctx context.Context) (Series, error)

	Now(ctx context.Context) (time.Time, error)
	Queues(ctx context.Context) ([]workqueue.Queue, error)
	Workers(ctx context.Context) ([]workqueue.Worker, error)
	Installation(ctx context.Context) (workqueue.Installation, error)
}

// Ended compares the recorded numbers of ended items with the actual numbers.
type Ended struct {
	Items int64                            // ended items
	Wrong []workqueue.StatisticsCorrection // the recorded numbers that differ
	Moved []string                         // queues that changed during the count and are not compared
}

// Run runs all checks.
func Run(ctx context.Context, db Database, p workqueue.CheckParams) (workqueue.CheckReport, error) {
	r, err := newReading(ctx, db, p)
	if err != nil {
		return workqueue.CheckReport{}, err
	}
	for _, check := range []func(context.Context) error{
		r.loadQueues, r.items, r.lostItems, r.firings, r.runs, r.workers, r.overdue, r.byHand, r.statistics, r.series, r.history,
	} {
		if err := check(ctx); err != nil {
			return workqueue.CheckReport{}, err
		}
	}
	return r.report(), nil
}

// reading is one run of the checks.
type reading struct {
	db  Database
	p   workqueue.CheckParams
	now time.Time // when it started: the checks compute all ages from it

	queues  map[string]workqueue.Resilience
	limits  limitNotes
	results map[string]*workqueue.CheckResult
	found   []workqueue.Violation
}

func newReading(ctx context.Context, db Database, p workqueue.CheckParams) (*reading, error) {
	r := &reading{db: db, p: p.WithDefaults(), results: map[string]*workqueue.CheckResult{}}
	for _, name := range workqueue.Checks() {
		r.results[name] = &workqueue.CheckResult{Check: name, Notes: []string{}}
	}
	now, err := db.Now(ctx)
	r.now = now.UTC()
	return r, err
}

// examined adds to the number of rows that a check has examined.
func (r *reading) examined(check, of string, n int64) {
	r.results[check].Of = of
	r.results[check].Looked += n
}

// add reports a violation.
func (r *reading) add(v workqueue.Violation) {
	result := r.results[v.Check]
	if result.Violations == mostNamed {
		result.More = true
		return
	}
	result.Violations++
	r.found = append(r.found, v)
}

// full reports whether a check has reached its limit of violations.
func (r *reading) full(check string) bool { return r.results[check].More }

// report returns the violations in the order of the checks.
func (r *reading) report() workqueue.CheckReport {
	report := workqueue.CheckReport{At: r.now, Clean: len(r.found) == 0, Violations: []workqueue.Violation{}}
	for _, name := range workqueue.Checks() {
		report.Checks = append(report.Checks, *r.results[name])
		for _, v := range r.found {
			if v.Check == name {
				report.Violations = append(report.Violations, v)
			}
		}
	}
	return report
}

// at returns a time relative to the start of the reading, as a parameter.
func (r *reading) at(ahead time.Duration) any { return r.db.TimeArg(r.now.Add(ahead)) }

// values are a statement's parameters by name.
type values = map[string]any

// read runs a statement of the folder checks and returns its rows.
func read[T any](ctx context.Context, r *reading, name string, v values, scan func(*sql.Rows, *T) error) ([]T, error) {
	var list []T
	err := r.db.Read(ctx, name, v, func() { list = nil }, func(rows *sql.Rows) error {
		var row T
		if err := scan(rows, &row); err != nil {
			return err
		}
		list = append(list, row)
		return nil
	})
	return list, err
}

// count runs a statement that returns one number.
func count(ctx context.Context, r *reading, name string, v values) (int64, error) {
	numbers, err := read(ctx, r, name, v, func(rows *sql.Rows, n *int64) error { return rows.Scan(n) })
	if err != nil || len(numbers) != 1 {
		return 0, err
	}
	return numbers[0], nil
}

// itemRange is the range of ids of a page: above after, up to last.
type itemRange struct {
	after, last            int64
	items, failed, waiting int64
	end                    bool // after the last item: only rows whose item is missing
}

func (p itemRange) values() values { return values{"after_id": p.after, "last_id": p.last} }

// eachPage iterates over all items by id. The last page has no items and ends at the largest
// possible id.
func (r *reading) eachPage(ctx context.Context, do func(itemRange) error) error {
	after := int64(math.MinInt64)
	for {
		pages, err := read(ctx, r, "item_page", values{"after_id": after, "limit_rows": pageSize},
			func(rows *sql.Rows, p *itemRange) error {
				var last sql.NullInt64
				err := rows.Scan(&last, &p.items, &p.failed, &p.waiting)
				p.last, p.end = last.Int64, !last.Valid
				return err
			})
		if err != nil {
			return err
		}
		if len(pages) != 1 {
			return fmt.Errorf("check: item_page returned %d rows, want 1", len(pages))
		}
		page := pages[0]
		page.after = after
		if page.end {
			page.last = math.MaxInt64
		}
		if err := do(page); err != nil || page.end {
			return err
		}
		after = page.last
	}
}

// withLimit adds the page size to a statement's parameters.
func withLimit(v values, limit int) values {
	v["limit_rows"] = limit
	return v
}
