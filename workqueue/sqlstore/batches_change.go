package sqlstore

import (
	"context"
	"database/sql"

	"botwork/workqueue"
)

// changePart is the part of a batch that a change of items is.
func changePart(c workqueue.Change, number int64) batchPart {
	p := batchPart{workqueue.BatchPart{Key: c.Batch.Key, Part: number}, string(c.Action), ""}
	if c.DryRun {
		p.Key = "" // which is recorded nowhere
	}
	return p
}

// changedBefore is the result of a part that was done before.
func (s *Store) changedBefore(ctx context.Context, p batchPart) (result workqueue.ChangeResult, found bool, err error) {
	if p.Key != "" {
		found, err = s.recorded(ctx, p, &result)
	}
	return result, found, err
}

func (s *Store) recordChange(ctx context.Context, tx *sql.Tx, p batchPart, result workqueue.ChangeResult) error {
	if p.Key == "" {
		return nil
	}
	return s.record(ctx, tx, p, result.Changed, result)
}

// firstClone is the id of the new item; 0: there is none.
func firstClone(r workqueue.ChangeResult) int64 {
	if len(r.Clones) == 0 {
		return 0
	}
	return r.Clones[0]
}
