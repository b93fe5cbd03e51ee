package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"time"

	"gorm.io/gorm/clause"

	"botwork/workqueue"
)

// newItemRow is a NewItem inside a JSON parameter.
type newItemRow struct {
	Queue      string
	NewState   int
	Prio       int
	Config     string
	Body       *string
	EstimateMs *int64
	Policy     *string
	DueAt      *string
	DelayMs    int64
	Deadline   *string
	Author     *string
}

// enqueueBatch bounds one insert, so that no statement and no lock grows
// without limit.
const enqueueBatch = 1000

// Enqueue implements workqueue.ItemStore.
func (s *Store) Enqueue(ctx context.Context, items []workqueue.NewItem) ([]int64, error) {
	if len(items) == 0 {
		return nil, nil
	}
	rows := make([]newItemRow, len(items))
	for i, it := range items {
		rows[i] = s.newItemRow(it)
	}
	var ids []int64
	insert := func(on runner) error {
		for chunk := range slices.Chunk(rows, enqueueBatch) {
			batch, err := jsonRows(chunk)
			if err != nil {
				return err
			}
			got, err := s.queries.ids(ctx, on, "enqueue", values{"rows": batch, "now": s.nowArg()})
			if err != nil {
				return err
			}
			ids = append(ids, got...)
		}
		return nil
	}
	err := s.retry(ctx, "enqueue", func() error {
		ids = ids[:0]
		if len(rows) <= enqueueBatch {
			return insert(s.db) // one statement is its own transaction
		}
		return s.tx(ctx, func(tx *sql.Tx) error { return insert(tx) })
	})
	if classify(err) == foreignKeyError {
		return nil, s.unknownQueue(ctx, items, err)
	}
	if err != nil {
		return nil, err
	}
	slices.Sort(ids)
	return ids, nil
}

func (s *Store) newItemRow(it workqueue.NewItem) newItemRow {
	row := newItemRow{
		Queue: it.QueueName, NewState: int(it.State), Prio: it.Priority, Config: clean(it.IntegrationConfig),
		Body: null(string(it.Payload)), Policy: null(string(it.ResilienceConfig)),
		DelayMs: ms(it.In), DueAt: s.jsonTime(it.At), Deadline: s.jsonTime(it.Deadline), Author: null(clip(it.CreatedBy, nameLen)),
	}
	if row.Queue == "" {
		row.Queue = workqueue.DefaultQueue
	}
	if it.Estimate > 0 {
		estimate := ms(it.Estimate)
		row.EstimateMs = &estimate
	}
	return row
}

// jsonTime writes a time for a JSON parameter; nil for the zero time.
func (s *Store) jsonTime(t time.Time) *string {
	if t.IsZero() {
		return nil
	}
	text := t.UTC().Format(s.dialect.jsonTime)
	return &text
}

// unknownQueue finds the queue that a foreign key refused.
func (s *Store) unknownQueue(ctx context.Context, items []workqueue.NewItem, cause error) error {
	queues, err := s.Queues(ctx)
	if err != nil {
		return errors.Join(cause, err)
	}
	known := make([]string, len(queues))
	for i, q := range queues {
		known[i] = q.Name
	}
	for _, it := range items {
		if it.QueueName != "" && !slices.Contains(known, it.QueueName) {
			return fmt.Errorf("enqueue: %w", &workqueue.UnknownQueueError{Queue: it.QueueName, Known: known})
		}
	}
	return cause
}

// attemptRecord is BotWorkItemAttempts.
type attemptRecord struct {
	ID            int64 `gorm:"column:Id;primaryKey"`
	ItemID        int64 `gorm:"column:ItemId"`
	AttemptNumber int
	Fence         int64
	Outcome       string
	WorkerID      *int64 `gorm:"column:WorkerId"`
	WorkerName    *string
	Host          *string
	Step          *string
	Progress      *string
	LogTail       *string
	Error         *string
	ErrorKind     *string
	StartedAt     utcTime
	FinishedAt    utcTime
}

func (attemptRecord) TableName() string { return "BotWorkItemAttempts" }

// Attempts implements workqueue.ItemStore.
func (s *Store) Attempts(ctx context.Context, itemID int64) ([]workqueue.Attempt, error) {
	var rows []attemptRecord
	err := s.retry(ctx, fmt.Sprintf("list attempts of item %d", itemID), func() error {
		rows = nil
		return s.listing.WithContext(ctx).Where(map[string]any{"ItemId": itemID}).
			Order(clause.OrderByColumn{Column: clause.Column{Name: "Id"}}).Find(&rows).Error
	})
	attempts := make([]workqueue.Attempt, len(rows))
	for i, r := range rows {
		attempts[i] = workqueue.Attempt{
			ID: r.ID, ItemID: r.ItemID, Attempt: r.AttemptNumber, Fence: r.Fence, Outcome: r.Outcome,
			WorkerID: r.WorkerID, WorkerName: r.WorkerName, Host: r.Host, Step: r.Step, Progress: r.Progress, LogTail: r.LogTail,
			Error: r.Error, ErrorKind: (*workqueue.ErrorKind)(r.ErrorKind), StartedAt: r.StartedAt.pointer(), FinishedAt: r.FinishedAt.Time,
		}
	}
	return attempts, err
}
