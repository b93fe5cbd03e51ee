package sqlstore

import (
	"context"
	"fmt"

	"botwork/internal/database"
)

// scanner reads the current row, like the method Scan of sql.Rows.
type scanner = func(to ...any) error

// ask is a named statement and the function that reads its rows.
type ask struct {
	name   string
	values values
	row    func(scan scanner) error // nil: rows are ignored
}

// together runs several statements in their order.
func (v *assignView) together(ctx context.Context, asks ...ask) error {
	if v.s.engine.oneRoundTrip(v.on) && len(asks) > 1 {
		_, err := v.queries.together(ctx, asks...)
		if err != nil {
			return fmt.Errorf("read for a pass: %w", err)
		}
		return nil
	}
	for _, a := range asks {
		rows, err := v.queries.query(ctx, v.on, a.name, a.values)
		if err == nil {
			err = eachRow(rows, func() error { return a.row(rows.Scan) })
		}
		if err != nil {
			return fmt.Errorf("read %s: %w", a.name, err)
		}
	}
	return nil
}

// together runs statements of PostgreSQL as one transaction in one round trip. It returns how
// many rows each has changed.
func (q *queries) together(ctx context.Context, asks ...ask) (changed []int64, err error) {
	questions := make([]database.BatchQuery, len(asks))
	for i, a := range asks {
		b, err := q.bind(ctx, q.db, a.name, a.values)
		if err != nil {
			return nil, err
		}
		questions[i] = database.BatchQuery{Text: b.text, Args: b.args, Row: a.row}
	}
	if err := database.QueryBatch(ctx, q.db, questions); err != nil {
		return nil, err
	}
	changed = make([]int64, len(questions))
	for i := range questions {
		changed[i] = questions[i].Changed
	}
	return changed, nil
}
