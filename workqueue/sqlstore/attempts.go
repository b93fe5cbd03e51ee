package sqlstore

import (
	"context"
	"fmt"

	"gorm.io/gorm/clause"

	"botwork/workqueue"
)

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
