package sqlstore

import (
	"context"
	"fmt"
	"time"

	"gorm.io/gorm/clause"

	"botwork/internal/database"
	"botwork/workqueue"
)

// attemptRow is an attempt inside a JSON parameter.
type attemptRow struct {
	refRow
	Number    int
	Result    string
	HolderID  *int64 `json:"HolderId"`
	StepName  *string
	ErrorText *string
	Kind      *string
	Unbegun   int `json:",omitempty"` // 1: the run did not start
}

// writeAttempts writes the attempts of the claims that refs name. They ended at the given time;
// the zero time means now.
func (s *bookkeeping) writeAttempts(ctx context.Context, on runner, attempts map[refRow]attemptRow, refs []refRow, ended time.Time) error {
	var rows []attemptRow
	for _, ref := range refs {
		if n, ok := attempts[ref]; ok {
			rows = append(rows, n)
		}
	}
	if len(rows) == 0 {
		return nil
	}
	batch, err := jsonRows(rows)
	if err != nil {
		return err
	}
	now := s.nowArg()
	if !ended.IsZero() {
		now = s.engine.timeArg(ended)
	}
	_, err = s.queries.exec(ctx, on, "attempts", values{"rows": batch, "now": now})
	return err
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
	StepTimes     nullText
	PipelineHash  *string
	Error         *string
	ErrorKind     *string
	StartedAt     database.Time
	FinishedAt    database.Time
}

func (attemptRecord) TableName() string { return "BotWorkItemAttempts" }

// Attempts implements workqueue.ItemStore.
func (s *itemLists) Attempts(ctx context.Context, itemID int64) ([]workqueue.Attempt, error) {
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
			StepTimes: workqueue.JSONText(r.StepTimes), PipelineHash: r.PipelineHash,
			Error: r.Error, ErrorKind: (*workqueue.ErrorKind)(r.ErrorKind), StartedAt: r.StartedAt.Pointer(), FinishedAt: r.FinishedAt.Time,
		}
		if r.Outcome == workqueue.OutcomeSnoozed {
			attempts[i].Reason, attempts[i].Error = r.Error, nil
		}
	}
	return attempts, err
}
