package sqlstore

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"

	"gorm.io/gorm/clause"

	"botwork/workqueue"
)

// purgeColumns are the columns of a pickedRow.
const purgeColumns = `"Id", "Fence", "State", CASE WHEN "DeletedAt" IS NULL THEN 0 ELSE 1 END AS "Hidden", ` +
	`(SELECT COUNT(*) FROM "BotWorkItemAttempts" a WHERE a."ItemId" = "BotWorkQueueItems"."Id") AS "Attempts"`

// purgeRow is an item of one page of a purge.
type purgeRow struct {
	ID       int64 `gorm:"column:Id"`
	Fence    int64
	State    int
	Hidden   int
	Attempts int
}

// PurgeQueue implements workqueue.HousekeepingStore.
func (s *housekeepingStore) PurgeQueue(ctx context.Context, p workqueue.PurgeParams) (workqueue.PurgeResult, error) {
	var result workqueue.PurgeResult
	if err := p.Validate(); err != nil {
		return result, err
	}
	if _, err := s.Queue(ctx, p.Queue); err != nil {
		return result, err
	}
	part := batchPart{p.Batch, workqueue.BatchPurge, ""}
	operation := cmp.Or(p.Batch.Key, workqueue.NewBatchKey())
	if found, err := s.recorded(ctx, part, &result); err != nil || found {
		return result, err
	}
	doing, limit := fmt.Sprintf("purge queue %q", p.Queue), bounded(p.Limit, cleanItems)
	err := s.cleanTx(ctx, doing, func(tx *sql.Tx) error {
		result = workqueue.PurgeResult{}
		page, err := s.purgeable(ctx, tx, p, limit)
		if err != nil {
			return err
		}
		batch := limitAttempts(page)
		if n := len(batch); n > 0 && (n == limit || n < len(page)) {
			result.Next = batch[n-1].ItemID
		}
		if result.Removed, err = s.purge(ctx, tx, p, batch, operation); err != nil {
			return err
		}
		return s.record(ctx, tx, part, result.Removed, result)
	})
	if err != nil {
		return workqueue.PurgeResult{}, unanswered(part.BatchPart, err)
	}
	return result, nil
}

// purge removes the items of a page and writes that to the audit log.
func (s *housekeepingStore) purge(ctx context.Context, tx *sql.Tx, p workqueue.PurgeParams, page []pickedRow, operation string) (int, error) {
	ids := make([]int64, len(page))
	for i, r := range page {
		ids[i] = r.ItemID
	}
	if _, err := s.places(ctx, tx, ids); err != nil { // locks the items
		return 0, err
	}
	entry := func(items []auditItem) auditEntry {
		return auditEntry{
			action: workqueue.AuditQueuesPurge, kind: workqueue.TargetQueue, target: p.Queue, changed: len(items), operation: operation, items: items,
			filter: workqueue.ItemFilter{QueueName: p.Queue, Lifecycles: p.Lifecycles}.Text(),
		}
	}
	return s.audited(ctx, tx, ids, deletedColumns, entry, func() (int, error) { return s.remove(ctx, tx, page) })
}

func (s *housekeepingStore) purgeable(ctx context.Context, tx *sql.Tx, p workqueue.PurgeParams, limit int) ([]pickedRow, error) {
	var rows []purgeRow
	orm := s.orm.WithContext(ctx)
	orm.Statement.ConnPool = tx
	filter := workqueue.ItemFilter{QueueName: p.Queue, Lifecycles: p.Lifecycles, BeforeID: p.BeforeID}
	err := s.narrow(ctx, orm.Model(&itemRow{}).Select(purgeColumns), filter).
		Where(clause.Neq{Column: column("State"), Value: workqueue.Blocked}).
		Order(clause.OrderByColumn{Column: column("Id"), Desc: true}).Limit(limit).Find(&rows).Error
	page := make([]pickedRow, len(rows))
	for i, r := range rows {
		page[i] = pickedRow{refRow: refRow{ItemID: r.ID, ItemFence: r.Fence}, OldState: r.State, Hidden: r.Hidden, attempts: r.Attempts}
	}
	return page, err
}
