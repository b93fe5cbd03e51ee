package sqlstore

import (
	"context"
	"errors"
	"time"

	sqlfiles "botwork/sql"
	"botwork/workqueue"
)

// mixedTimes rejects an item whose times can only be compared by the database's clock. It reads
// the clock into now if it is zero.
func (s *enqueuing) mixedTimes(ctx context.Context, it *workqueue.NewItem, now *time.Time, read func(doing string, do func(runner) error) error) error {
	if it.TaskName != "" || !it.MixesTimes() {
		return nil
	}
	if now.IsZero() {
		err := read("enqueue: read the database's clock", func(on runner) (err error) {
			*now, err = s.clock(ctx, on)
			return err
		})
		if err != nil {
			return err
		}
	}
	return it.PastFault(*now)
}

// bounded reports whether the statement leaves the row out if its deadline has passed. An item of
// a task may be late: its task has checked its window.
func (r *newItemRow) bounded() bool {
	return r.cells[sqlfiles.DeadlineCell] != nil && r.cells[sqlfiles.TaskCell] == nil
}

// passed returns the error for the first item whose deadline has passed, nil if there is none.
// It is called when rows were left out. The clock is later than that of the insert, so that it
// finds what the insert found.
func (e *enqueue) passed(ctx context.Context, on runner) error {
	var now time.Time
	for i := range e.rows {
		if !e.rows[i].bounded() {
			continue
		}
		if now.IsZero() {
			var err error
			if now, err = e.s.clock(ctx, on); err != nil {
				return err
			}
		}
		if err := e.rows[i].item.PastFault(now); err != nil {
			return &workqueue.BadItemError{Index: e.indexes[i], Of: len(e.results), Err: err}
		}
	}
	return nil
}

// refusedItem returns the error of a refused item without the name of the statement, which its text
// repeats.
func refusedItem(err error) error {
	if bad, ok := errors.AsType[*workqueue.BadItemError](err); ok {
		return bad
	}
	return err
}
