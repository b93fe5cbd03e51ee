package sqlstore

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"gorm.io/gorm/clause"

	"botwork/internal/database"
	"botwork/workqueue"
)

// batches records which parts of a batch are done, so that none is done twice.
type batches struct {
	*connection
}

// batchPage is how many parts of a batch are read at a time.
const batchPage = 100

// batchRow is BotBatches.
type batchRow struct {
	ID        int64 `gorm:"column:Id;primaryKey"`
	BatchKey  string
	Part      int64
	Kind      string
	Items     int
	Digest    string
	Result    string
	CreatedAt database.Time
}

func (batchRow) TableName() string { return "BotBatches" }

// batchPart is a part of a batch, which is done only once. Without a key it is no part of a batch, and
// nothing is recorded.
type batchPart struct {
	workqueue.BatchPart
	kind, digest string
}

// recorded decodes the recorded result of a part into result, and reports whether the part is
// already done.
func (s *batches) recorded(ctx context.Context, p batchPart, result any) (found bool, err error) {
	if p.Key == "" {
		return false, nil
	}
	var rows []batchRow
	err = s.retry(ctx, "look up batch "+p.Key, func() error {
		rows = nil
		return s.orm.WithContext(ctx).Where(map[string]any{"BatchKey": p.Key, "Part": p.Part}).Find(&rows).Error
	})
	if err != nil || len(rows) == 0 {
		return false, err
	}
	if r := rows[0]; r.Kind != p.kind || r.Digest != p.digest {
		return false, &workqueue.BatchMismatchError{BatchPart: p.BatchPart, Kind: r.Kind, Items: r.Items}
	}
	if err := json.Unmarshal([]byte(rows[0].Result), result); err != nil {
		return false, fmt.Errorf("batch %s: read the result of part %d: %w", p.Key, p.Part, err)
	}
	return true, nil
}

// record writes, in the part's transaction, that the part is done. The error is a unique
// violation if another call has done it.
func (s *batches) record(ctx context.Context, tx *sql.Tx, p batchPart, items int, result any) error {
	if p.Key == "" {
		return nil
	}
	text, err := json.Marshal(result)
	if err != nil {
		return err
	}
	_, err = s.queries.exec(ctx, tx, "batch_add", values{
		"batch_key": p.Key, "part": p.Part, "kind": p.kind, "items": items, "digest": p.digest, "result": string(text), "now": s.nowArg(),
	})
	return err
}

// unanswered wraps an error during the commit of a part, whose outcome is unknown. Other errors
// have rolled the part back.
func unanswered(p workqueue.BatchPart, err error) error {
	if commit, ok := errors.AsType[*commitError](err); ok && p.Key != "" && commit.unknown() {
		return &workqueue.UnansweredError{BatchPart: p, Err: err}
	}
	return err
}

// EachBatchRecord implements workqueue.BatchStore.
func (s *batches) EachBatchRecord(ctx context.Context, key string, each func(workqueue.BatchRecord) error) error {
	var after *int64
	for {
		var rows []batchRow
		err := s.retry(ctx, "look up batch "+key, func() error {
			rows = nil
			// Do not use the readers: they may be another server, which can be behind.
			orm := s.orm.WithContext(ctx).Where(map[string]any{"BatchKey": key})
			if after != nil {
				orm = orm.Where(clause.Gt{Column: column("Part"), Value: *after})
			}
			return orm.Order(clause.OrderByColumn{Column: column("Part")}).Limit(batchPage).Find(&rows).Error
		})
		if err != nil || len(rows) == 0 {
			return err
		}
		for _, r := range rows {
			record, err := r.record()
			if err == nil {
				err = each(record)
			}
			if err != nil {
				return err
			}
			after = &r.Part
		}
	}
}

func (r *batchRow) record() (workqueue.BatchRecord, error) {
	record := workqueue.BatchRecord{Part: r.Part, Kind: r.Kind, Items: r.Items, CreatedAt: r.CreatedAt.Time}
	var err error
	switch r.Kind {
	case workqueue.BatchEnqueue:
		var result enqueuedRuns
		err = json.Unmarshal([]byte(r.Result), &result)
		record.Enqueued = result.list()
	case string(workqueue.Clone):
		var result workqueue.ChangeResult
		err = json.Unmarshal([]byte(r.Result), &result)
		record.Clones = result.Clones
	}
	if err != nil {
		err = fmt.Errorf("read the result of part %d: %w", r.Part, err)
	}
	return record, err
}

// RemoveBatches implements workqueue.HousekeepingStore.
func (s *housekeepingStore) RemoveBatches(ctx context.Context, age time.Duration, limit int) (int, error) {
	return s.cleanBatch(ctx, "remove old records of batches", "clean_batches", s.aged(age, limit))
}
