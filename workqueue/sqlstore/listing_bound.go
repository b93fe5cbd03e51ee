package sqlstore

import (
	"context"
	"database/sql"
	"errors"

	"gorm.io/gorm"

	"botwork/workqueue"
)

// mostInStates is how many items an index of states may have to be read instead of the newest items: to count so many costs
// little, and to look at them about as much as to look at the same number of the newest.
const mostInStates = 100_000

// bounded returns the filter with the ids that its bound LookAt allows, and what that leaves out; nil is nothing.
func (s *itemLists) bounded(ctx context.Context, f workqueue.ItemFilter) (workqueue.ItemFilter, *workqueue.IncompleteError, error) {
	most := f.LookAt
	if most <= 0 || len(f.IDs) > 0 || f.NaturalKey != "" || f.Failed != (workqueue.TimeRange{}) || f.Deadline != (workqueue.TimeRange{}) {
		return f, nil, nil
	}
	var first, beyond int64
	few := false
	err := s.retry(ctx, "find the newest items", func() (err error) {
		if first, beyond, err = s.idRange(ctx); err != nil {
			return err
		}
		if f.BeforeID > 0 {
			beyond = min(beyond, f.BeforeID)
		}
		if beyond-most > first {
			few, err = s.inFewStates(ctx, &f, min(most, mostInStates))
		}
		return err
	})
	if err != nil || few || beyond-most <= first {
		return f, nil, err
	}
	f.FromID = max(f.FromID, beyond-most)
	return f, &workqueue.IncompleteError{Looked: int(most), Below: f.FromID}, nil
}

// idRange returns the first id of all items and the one after the last.
func (s *itemLists) idRange(ctx context.Context) (first, beyond int64, err error) {
	var low, high sql.NullInt64
	// Engines find each of them in the index at once, but not always both in the same statement.
	for text, id := range map[string]*sql.NullInt64{"MIN(?)": &low, "MAX(?)": &high} {
		if err := s.listing.WithContext(ctx).Model(&itemRow{}).Select(text, column("Id")).Row().Scan(id); err != nil {
			return 0, 0, err
		}
	}
	return low.Int64, high.Int64 + 1, nil
}

// inFewStates reports whether the states of the filter have an index with no more items than these.
func (s *itemLists) inFewStates(ctx context.Context, f *workqueue.ItemFilter, most int64) (bool, error) {
	parts := s.parts(f)
	if len(parts) == 0 {
		return false, nil
	}
	// Without the conditions of the filter, whose columns are not in the index.
	names := []string{"Id"}
	ids := s.union(ctx, parts, func() *gorm.DB { return s.columns(ctx, names) }, names).Limit(int(most) + 1)
	var n int64
	err := s.listing.WithContext(ctx).Table("(?) AS counted", ids).Count(&n).Error
	return n <= most, err
}

// leftOut adds what a bound left out to the error of a search, which may have left something out itself.
func leftOut(err error, cut *workqueue.IncompleteError) error {
	own, ok := errors.AsType[*workqueue.IncompleteError](err)
	switch {
	case cut == nil, err != nil && !ok:
		return err
	case ok:
		if own.Below == 0 {
			own.Below = cut.Below
		}
		return own
	default:
		return cut
	}
}
