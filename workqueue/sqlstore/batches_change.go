package sqlstore

import (
	"context"
	"database/sql"

	"botwork/workqueue"
)

// changePart returns the part of a batch for a change of items.
func changePart(c workqueue.Change, number int64) batchPart {
	p := batchPart{workqueue.BatchPart{Key: c.Batch.Key, Part: number}, string(c.Action), ""}
	if c.DryRun {
		p.Key = "" // a dry run is not recorded
	}
	return p
}

// changedBefore returns the result of a part that is already done.
func (s *batches) changedBefore(ctx context.Context, p batchPart) (result workqueue.ChangeResult, found bool, err error) {
	found, err = s.recorded(ctx, p, &result)
	return result, found, err
}

func (s *batches) recordChange(ctx context.Context, tx *sql.Tx, p batchPart, result workqueue.ChangeResult) error {
	return s.record(ctx, tx, p, result.Changed, result)
}

// firstClone returns the id of the new item, or 0 if there is none.
func firstClone(r workqueue.ChangeResult) int64 {
	if len(r.Clones) == 0 {
		return 0
	}
	return r.Clones[0]
}
