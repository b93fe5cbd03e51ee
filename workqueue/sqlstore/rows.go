package sqlstore

import (
	"fmt"

	"botwork/internal/database"
	"botwork/workqueue"
)

// itemRows turns rows into items and back, with the texts that are sealed or too large.
type itemRows struct {
	*connection
}

// nullText reads NULL as "".
type nullText string

// Scan implements sql.Scanner.
func (t *nullText) Scan(src any) error {
	switch v := src.(type) {
	case nil:
		*t = ""
	case string:
		*t = nullText(v)
	case []byte:
		*t = nullText(v)
	default:
		return fmt.Errorf("read a text: got %T", src)
	}
	return nil
}

// itemRow is a row of BotWorkQueueItems as the database returns it. Its fields have
// the names of their columns.
type itemRow struct {
	ID                  int64 `gorm:"column:Id;primaryKey"`
	QueueName           string
	State               int
	Priority            int
	IntegrationConfig   nullText // NULL only in a claim
	Payload             nullText
	Output              nullText
	Progress            *string
	EstimatedDurationMs *int64
	WorkerID            *int64 `gorm:"column:WorkerId"`
	Fence               int64
	LeaseExpiresAt      database.Time
	RetryCount          int
	ReleaseCount        int
	ResilienceConfig    nullText
	AvailableAt         database.Time
	DeadlineAt          database.Time
	NaturalKey          *string
	Tags                nullText
	Metadata            nullText
	Labels              nullText
	Selectors           nullText
	RootID              *int64 `gorm:"column:RootId"`
	TaskName            *string
	Error               *string
	ErrorKind           *string
	CreatedAt           database.Time
	CreatedBy           *string
	AssignedAt          database.Time
	StartedAt           database.Time
	FinishedAt          database.Time
	RetainUntil         database.Time
	DeletedAt           database.Time
	DeletedReason       *string
	Step                *string
	LogTail             *string
	FirstStartedAt      database.Time
	ProgressPercent     *int
	Analytics           nullText
	Encrypted           bool
	ExpiresAt           database.Time
	LimitKey            *string
	Robot               *string
	RetainMs            *int64
	TaskScope           *string
	TaskPlannedAt       database.Time
	RunOrder            int64
	AssignedEstimateMs  *int64
	Channel             *string
	PipelineHash        *string
	IdempotencyKey      nullText
	Version             int64
	FinishBy            database.Time
	BatchKey            *string
	BatchMax            *int
	BatchWaitMs         *int64
	BatchAtMostMs       *int64
	BatchLeaderID       *int64 `gorm:"column:BatchLeaderId"`
	StepTimes           nullText
	BegunFence          *int64 // read only by claims
	LeftOut             *int64 `gorm:"-"` // only in claims: not NULL if large texts were not returned

	// Due and SnoozeReason are set only by listings.
	Due          bool    `gorm:"->"`
	SnoozeReason *string `gorm:"->"`
}

func (itemRow) TableName() string { return "BotWorkQueueItems" }

// claimedBy returns the row of an item that a worker has claimed, before its columns are read.
func claimedBy(workerID int64) itemRow {
	return itemRow{State: int(workqueue.Blocked), WorkerID: &workerID}
}

// item converts a row to an Item.
func (s *itemRows) item(r *itemRow) workqueue.Item {
	it := workqueue.Item{
		ID:                  r.ID,
		QueueName:           r.QueueName,
		State:               workqueue.State(r.State),
		Lifecycle:           workqueue.LifecycleOf(workqueue.State(r.State), r.RetryCount, r.Due, r.DeletedAt.Valid),
		Priority:            r.Priority,
		IntegrationConfig:   string(r.IntegrationConfig),
		Payload:             workqueue.JSONText(r.Payload),
		Output:              workqueue.JSONText(r.Output),
		Progress:            r.Progress,
		EstimatedDurationMs: r.EstimatedDurationMs,
		WorkerID:            r.WorkerID,
		Fence:               r.Fence,
		LeaseExpiresAt:      r.LeaseExpiresAt.Pointer(),
		RecordBegin:         r.BegunFence != nil,
		RetryCount:          r.RetryCount,
		ReleaseCount:        r.ReleaseCount,
		ResilienceConfig:    workqueue.JSONText(r.ResilienceConfig),
		AvailableAt:         r.AvailableAt.Time,
		DeadlineAt:          r.DeadlineAt.Pointer(),
		NaturalKey:          r.NaturalKey,
		Tags:                workqueue.JSONText(r.Tags),
		Metadata:            workqueue.JSONText(r.Metadata),
		Labels:              workqueue.JSONText(r.Labels),
		Selectors:           workqueue.JSONText(r.Selectors),
		RootID:              r.RootID,
		TaskName:            r.TaskName,
		TaskScope:           r.TaskScope,
		TaskPlannedAt:       r.TaskPlannedAt.Pointer(),
		Error:               r.Error,
		ErrorKind:           (*workqueue.ErrorKind)(r.ErrorKind),
		SnoozeReason:        r.SnoozeReason,
		CreatedAt:           r.CreatedAt.Time,
		CreatedBy:           r.CreatedBy,
		AssignedAt:          r.AssignedAt.Pointer(),
		StartedAt:           r.StartedAt.Pointer(),
		FinishedAt:          r.FinishedAt.Pointer(),
		RetainUntil:         r.RetainUntil.Pointer(),
		DeletedAt:           r.DeletedAt.Pointer(),
		DeletedReason:       r.DeletedReason,
		Step:                r.Step,
		LogTail:             r.LogTail,
		FirstStartedAt:      r.FirstStartedAt.Pointer(),
		ProgressPercent:     r.ProgressPercent,
		Analytics:           workqueue.JSONText(r.Analytics),
		Encrypted:           r.Encrypted,
		ExpiresAt:           r.ExpiresAt.Pointer(),
		LimitKey:            r.LimitKey,
		Robot:               r.Robot,
		RetainMs:            r.RetainMs,
		RunOrder:            r.RunOrder,
		AssignedEstimateMs:  r.AssignedEstimateMs,
		Channel:             r.Channel,
		PipelineHash:        r.PipelineHash,
		IdempotencyKey:      string(r.IdempotencyKey),
		Version:             r.Version,
		FinishBy:            r.FinishBy.Pointer(),
		BatchKey:            r.BatchKey,
		BatchMax:            r.BatchMax,
		BatchWaitMs:         r.BatchWaitMs,
		BatchAtMostMs:       r.BatchAtMostMs,
		BatchLeaderID:       r.BatchLeaderID,
		StepTimes:           workqueue.JSONText(r.StepTimes),
	}
	if it.Encrypted {
		s.open(&it)
	}
	return it
}
