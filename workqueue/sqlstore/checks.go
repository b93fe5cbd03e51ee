package sqlstore

import (
	"context"
	"database/sql"
	"maps"
	"slices"
	"time"

	"botwork/workqueue"
	"botwork/workqueue/sqlstore/check"
)

var _ workqueue.Checker = (*Store)(nil)

// Check implements workqueue.Checker: it reads the whole database in pages and changes nothing.
func (s *Store) Check(ctx context.Context, p workqueue.CheckParams) (workqueue.CheckReport, error) {
	return check.Run(ctx, checkedStore{s}, p)
}

// checkedStore adapts a Store to check.Database.
type checkedStore struct{ *Store }

func (s checkedStore) TimeArg(t time.Time) any { return s.engine.timeArg(t) }

func (s checkedStore) Read(ctx context.Context, statement string, v map[string]any, begin func(), row func(*sql.Rows) error) error {
	return s.retry(ctx, "check: read "+statement, func() error {
		begin()
		rows, err := s.checks.query(ctx, s.readers, statement, v)
		if err != nil {
			return err
		}
		return eachRow(rows, func() error { return row(rows) })
	})
}

// Ended reads both numbers at one moment on SQLite and PostgreSQL. On SQL Server that would
// block all writers: there it reads the recorded numbers again after counting, and leaves out
// queues in which items have ended meanwhile.
func (s checkedStore) Ended(ctx context.Context) (ended check.Ended, err error) {
	err = s.retry(ctx, "check: count ended items", func() error {
		return s.engine.snapshot(ctx, s.connection, func(on runner) (err error) {
			ended, err = s.ended(ctx, on, func() {})
			return err
		})
	})
	return ended, err
}

// ended reads the recorded numbers, counts the items, calls counted, and reads the recorded
// numbers again.
func (s checkedStore) ended(ctx context.Context, on runner, counted func()) (check.Ended, error) {
	seen := recount{counted: map[statKey]int64{}}
	var err error
	if seen.kept, err = s.keptSums(ctx, on); err != nil {
		return check.Ended{}, err
	}
	rows, err := s.checks.query(ctx, on, "ended_count", nil)
	if err != nil {
		return check.Ended{}, err
	}
	if err := s.countEnds(rows, seen.counted); err != nil {
		return check.Ended{}, err
	}
	counted()
	after, err := s.keptSums(ctx, on)
	if err != nil {
		return check.Ended{}, err
	}
	var ended check.Ended
	for _, n := range seen.counted {
		ended.Items += n
	}
	moved := movedQueues(seen.kept, after)
	ended.Wrong = slices.DeleteFunc(seen.corrections(), func(c workqueue.StatisticsCorrection) bool { return moved[c.Queue] })
	ended.Moved = slices.Sorted(maps.Keys(moved))
	return ended, nil
}

// movedQueues returns the queues in which an item has ended, or has left its end state, between
// two reads of the statistics. Events only increase, and a level that changes without an event
// decreases, so two changes never cancel each other out.
func movedQueues(before, after map[statKey]statSums) map[string]bool {
	moved := map[string]bool{}
	for _, keys := range []map[statKey]statSums{before, after} {
		for k := range keys {
			if k.kind != statFailed && k.kind != statRecount && before[k] != after[k] {
				moved[k.queue] = true
			}
		}
	}
	return moved
}
