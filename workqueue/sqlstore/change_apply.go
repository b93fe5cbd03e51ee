package sqlstore

import (
	"context"
	"database/sql"

	"botwork/internal/database"
	"botwork/workqueue"
)

// apply changes those of the items that the action is allowed for and that the filter, unless
// it is nil, still selects: all of them or, with an error, none. It records the part, with
// next as the page that follows, and writes the audit log.
func (s *itemChanges) apply(ctx context.Context, c workqueue.Change, ids []int64, f *workqueue.ItemFilter, part batchPart, next int64, o operation) (n int, err error) {
	err = s.tx(ctx, func(tx *sql.Tx) error {
		n = 0
		return s.keepMoves(ctx, tx, ids, func() error {
			picked, err := s.pick(ctx, tx, c, ids, f)
			if err != nil {
				return err
			}
			if len(picked) > 0 {
				if n, err = s.actAudited(ctx, tx, c, picked, o); err != nil {
					return err
				}
			}
			if n == 0 && part.Part < 0 {
				return nil // the item stays as it is, and no record may say otherwise
			}
			return s.recordChange(ctx, tx, part, workqueue.ChangeResult{Changed: n, Next: next, Top: ids[0] + 1})
		})
	})
	if err != nil {
		return 0, err
	}
	return n, nil
}

// pickedItem is an item as a change finds it just before it is changed. Its fields have the
// names of their columns.
type pickedItem struct {
	ID         int64 `gorm:"column:Id"`
	QueueName  string
	State      workqueue.State
	Fence      int64
	WorkerID   *int64 `gorm:"column:WorkerId"`
	RetryCount int
	NaturalKey *string
	UniqueKey  *string
	DeletedAt  database.Time
}

// pickedRow is the item inside the JSON parameter of the statement that changes it.
func (p *pickedItem) pickedRow() pickedRow {
	row := pickedRow{refRow: refRow{ItemID: p.ID, ItemFence: p.Fence}, OldState: int(p.State)}
	if p.DeletedAt.Valid {
		row.Hidden = 1
	}
	return row
}

// pick returns those of the items that the action is allowed for and that the filter, unless
// it is nil, still selects, in the order of their ids.
//
// keepMoves has locked the items before, so that they stay as pick reads them until the
// transaction ends, and still match the filter when they are changed:
//
//   - SQLite has one writer, and it is this transaction.
//   - PostgreSQL gives each statement its own snapshot, so pick sees all that was committed
//     before the rows were locked (FOR UPDATE), and nothing can be committed after that.
//   - On SQL Server the rows have update locks until the end of the transaction (UPDLOCK,
//     ROWLOCK), and pick reads what was committed last, with row versions as well.
//
// Nothing but the filter relies on these locks. The statement that changes the items repeats
// the state and the fence of each: on a server that ignores lock hints, an item that moved on
// after it was picked stays as it is.
func (s *itemChanges) pick(ctx context.Context, tx *sql.Tx, c workqueue.Change, ids []int64, f *workqueue.ItemFilter) ([]pickedItem, error) {
	var picked []pickedItem
	err := s.allowed(ctx, s.in(ctx, tx).Model(&itemRow{}), c, f).Where(map[string]any{"Id": ids}).
		Order(ascending("Id")).Find(&picked).Error
	if err != nil || f == nil || f.Payload == nil {
		return picked, err
	}
	return s.stillMatching(ctx, tx, picked, f.Payload)
}
