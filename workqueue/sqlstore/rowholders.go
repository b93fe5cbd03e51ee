package sqlstore

import (
	"context"
	"fmt"

	"botwork/workqueue"
)

// RowHolders implements workqueue.WaitingStore.
func (s *waitingStore) RowHolders(ctx context.Context, ids ...int64) ([]workqueue.RowHolder, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	refs := make([]refRow, len(ids))
	for i, id := range ids {
		refs[i].ItemID = id
	}
	batch, err := jsonRows(refs)
	if err != nil {
		return nil, err
	}
	return s.sessions(ctx, "row_holders", values{"rows": batch}, func(h *workqueue.RowHolder, openMs, statement any) []any {
		return []any{&h.ItemID, &h.Session, &h.Host, &h.Program, &h.Login, openMs, statement}
	})
}

// OpenSessions implements workqueue.WaitingStore.
func (s *waitingStore) OpenSessions(ctx context.Context) ([]workqueue.RowHolder, error) {
	return s.sessions(ctx, "open_sessions", nil, func(h *workqueue.RowHolder, openMs, statement any) []any {
		return []any{&h.Session, &h.Host, &h.Program, &h.Login, &h.Transaction, openMs, statement}
	})
}

// sessions reads sessions; columns returns where their columns go.
func (s *waitingStore) sessions(ctx context.Context, query string, v values, columns func(h *workqueue.RowHolder, openMs, statement any) []any) (list []workqueue.RowHolder, err error) {
	end := s.engine.holdersEnd()
	if end == "" {
		return nil, nil
	}
	err = s.retry(ctx, "find who holds rows", func() error {
		list = nil
		rows, err := s.queries.query(ctx, s.db, query, v)
		if err != nil {
			return err
		}
		return eachRow(rows, func() error {
			var h workqueue.RowHolder
			var openMs *int64
			var statement nullText
			if err := rows.Scan(columns(&h, &openMs, &statement)...); err != nil {
				return err
			}
			if openMs != nil {
				h.Open = milliseconds(*openMs)
			}
			h.Statement, h.End = workqueue.PlainStatement(string(statement)), fmt.Sprintf(end, h.Session)
			list = append(list, h)
			return nil
		})
	})
	if refuses(err) {
		return nil, nil
	}
	return list, err
}
