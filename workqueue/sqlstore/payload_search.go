package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"botwork/workqueue"
)

// searchPage is how many items one statement of a search by payload reads.
const searchPage = 500

// errEnough ends a search.
var errEnough = errors.New("found enough")

// payloadSearch looks for items by their payloads, the newest first. The database selects the
// items by the rest of the filter, and Go evaluates the expression: the engines compare JSON
// values in different ways, and do not see what is sealed.
type payloadSearch struct {
	*itemLists
	filter *workqueue.PayloadFilter

	looked, unreadable int
	last               int64 // the id of the last item that was looked at
	cut                bool  // there are items beyond the bound
}

// search calls found for the items that match, until it returns false, there are no more, or the
// search has looked at as many items as one call may. page returns a statement for the items that the
// rest of the filter selects below an id; 0 is no bound. Rows are read one at a time, because
// payloads may be large.
func (s *itemLists) search(ctx context.Context, doing string, f workqueue.ItemFilter, page func(below int64) *gorm.DB, found func(row *itemRow) bool) (*payloadSearch, error) {
	p := &payloadSearch{itemLists: s, filter: f.Payload, last: f.BeforeID}
	for {
		more := false
		err := s.retry(ctx, doing, func() (err error) {
			more, err = p.page(ctx, page(p.last), found) // a retry continues after the last row
			return err
		})
		if err != nil || !more {
			return p, err
		}
	}
}

// page looks at the next items, and reports whether there may be more.
func (p *payloadSearch) page(ctx context.Context, orm *gorm.DB, found func(row *itemRow) bool) (more bool, err error) {
	rows, err := orm.Order(clause.OrderByColumn{Column: column("Id"), Desc: true}).Limit(searchPage).Rows()
	if err != nil {
		return false, err
	}
	n := 0
	err = eachRow(rows, func() error {
		if p.looked == p.payloadSearch {
			p.cut = true
			return errEnough
		}
		var row itemRow
		if err := p.listing.WithContext(ctx).ScanRows(rows, &row); err != nil {
			return err
		}
		n, p.last = n+1, row.ID
		p.looked++
		matches, readable := p.matches(p.filter, &row)
		if !readable {
			p.unreadable++
		}
		if matches && !found(&row) {
			return errEnough
		}
		return nil
	})
	if errors.Is(err, errEnough) {
		return false, nil
	}
	return n == searchPage && p.last > 1, err
}

// incomplete returns what the search left out, or nil.
func (p *payloadSearch) incomplete() error {
	if !p.cut && p.unreadable == 0 {
		return nil
	}
	e := &workqueue.IncompleteError{Looked: p.looked, Unreadable: p.unreadable}
	if p.cut {
		e.Below = p.last
	}
	return e
}

// matches reports whether the payload of a row, which may be sealed, matches, and whether it is
// readable.
func (s *itemRows) matches(filter *workqueue.PayloadFilter, row *itemRow) (matches, readable bool) {
	it := workqueue.Item{ID: row.ID, Payload: workqueue.JSONText(row.Payload)}
	if !filter.OpensSealed() && workqueue.Sealed(string(it.Payload)) {
		return false, false
	}
	if s.open(&it); it.Unreadable != "" {
		return false, false
	}
	matches, err := filter.Matches(it.Payload)
	return matches, err == nil
}

// payloadColumns are the columns that the test of a payload needs.
func payloadColumns(orm *gorm.DB) *gorm.DB {
	return orm.Model(&itemRow{}).Clauses(clause.Select{Columns: []clause.Column{column("Id"), column(payloadColumn)}})
}

// itemsByPayload is Items for a filter with a payload.
func (s *itemLists) itemsByPayload(ctx context.Context, f workqueue.ItemFilter) ([]workqueue.Item, error) {
	if !f.Sort.NewestFirst() {
		return nil, fmt.Errorf("list items: got a filter by payload and the order %q, want the newest first", f.Sort.By)
	}
	limit := orDefault(f.Limit, 100)
	items := []workqueue.Item{}
	page := func(below int64) *gorm.DB {
		f.BeforeID = below
		return s.selected(ctx, s.shown(s.listing.WithContext(ctx)), f)
	}
	p, err := s.search(ctx, "list items", f, page, func(row *itemRow) bool {
		items = append(items, s.item(row))
		return len(items) < limit
	})
	if err != nil {
		return items, err
	}
	return items, p.incomplete()
}

// countByPayload is CountItems for a filter with a payload.
func (s *itemLists) countByPayload(ctx context.Context, f workqueue.ItemFilter) (n int64, err error) {
	page := func(below int64) *gorm.DB {
		f.BeforeID = below
		return s.selected(ctx, payloadColumns(s.listing.WithContext(ctx)), f)
	}
	p, err := s.search(ctx, "count items", f, page, func(*itemRow) bool { n++; return n != f.CountAtMost })
	if err != nil || f.CountAtMost > 0 && n == f.CountAtMost {
		return n, err
	}
	return n, p.incomplete()
}

// changeableByPayload is changeable for a filter with a payload. It also sets the next page, which
// follows the last item that was looked at, and the number of items that could not be read.
func (s *itemChanges) changeableByPayload(ctx context.Context, f workqueue.ItemFilter, c workqueue.Change, limit int, result *workqueue.ChangeResult) ([]int64, error) {
	var ids []int64
	page := func(below int64) *gorm.DB {
		f.BeforeID = below
		return s.allowed(ctx, payloadColumns(s.listing.WithContext(ctx)), c, &f)
	}
	p, err := s.search(ctx, "list items to "+string(c.Action), f, page, func(row *itemRow) bool {
		ids = append(ids, row.ID)
		return len(ids) < limit
	})
	if err != nil {
		return nil, err
	}
	result.Unreadable = p.unreadable
	if p.cut || len(ids) == limit {
		result.Next = p.last
	}
	return ids, nil
}

// stillMatching returns those of the picked items whose payloads match. Their rows are locked.
func (s *itemChanges) stillMatching(ctx context.Context, tx *sql.Tx, picked []pickedItem, filter *workqueue.PayloadFilter) ([]pickedItem, error) {
	if len(picked) == 0 {
		return nil, nil
	}
	rows, err := payloadColumns(s.in(ctx, tx)).Where(map[string]any{"Id": pickedIDs(picked)}).Rows()
	if err != nil {
		return nil, err
	}
	matching := map[int64]bool{}
	err = eachRow(rows, func() error {
		var row itemRow
		if err := s.orm.WithContext(ctx).ScanRows(rows, &row); err != nil {
			return err
		}
		matching[row.ID], _ = s.matches(filter, &row)
		return nil
	})
	var still []pickedItem
	for _, item := range picked {
		if matching[item.ID] {
			still = append(still, item)
		}
	}
	return still, err
}
