package sqlstore

import (
	"database/sql/driver"
	"fmt"
	"strings"
	"time"

	"botwork/workqueue"
)

// utcTime reads a time as each engine gives it: as a time, or on SQLite as
// text. Valid is false for NULL.
type utcTime struct {
	time.Time
	Valid bool
}

// timeLayouts are what strftime writes, what people write by hand, and what
// other tools leave behind.
var timeLayouts = []string{
	sqliteTime, "2006-01-02 15:04:05.999999999", "2006-01-02T15:04:05.999999999", time.RFC3339Nano,
	"2006-01-02 15:04:05.999999999-07:00", "2006-01-02 15:04", "2006-01-02T15:04", "2006-01-02",
	"2006-01-02 15:04:05.999999999 -0700 MST",
}

// parseTime reads a time as one of timeLayouts, with or without a Z for UTC.
func parseTime(text string) (time.Time, bool) {
	if t, ok := parseWritten(text); ok {
		return t, true
	}
	for _, text := range []string{text, strings.TrimSuffix(text, "Z")} {
		for _, layout := range timeLayouts {
			if t, err := time.Parse(layout, text); err == nil {
				return t.UTC(), true
			}
		}
	}
	return time.Time{}, false
}

// parseWritten reads a time that is written like sqliteTime to the letter, as all are
// that this program writes: a claim reads a dozen for each item.
func parseWritten(text string) (time.Time, bool) {
	const shape = "dddd-dd-dd dd:dd:dd.ddd"
	if len(text) != len(shape) {
		return time.Time{}, false
	}
	var n [7]int
	part := 0
	for i := range len(shape) {
		switch digit := text[i] - '0'; {
		case shape[i] == 'd' && digit <= 9:
			n[part] = 10*n[part] + int(digit)
		case shape[i] != 'd' && shape[i] == text[i]:
			part++
		default:
			return time.Time{}, false
		}
	}
	t := time.Date(n[0], time.Month(n[1]), n[2], n[3], n[4], n[5], n[6]*int(time.Millisecond), time.UTC)
	// The 31st of February is no time, and no 3rd of March.
	there := t.Day() == n[2] && int(t.Month()) == n[1] && t.Hour() == n[3] && t.Minute() == n[4] && t.Second() == n[5]
	return t, there
}

// Scan implements sql.Scanner.
func (t *utcTime) Scan(src any) error {
	*t = utcTime{}
	var text string
	switch v := src.(type) {
	case nil:
		return nil
	case time.Time:
		*t = utcTime{Time: v.UTC(), Valid: true}
		return nil
	case string:
		text = v
	case []byte:
		text = string(v)
	default:
		return fmt.Errorf("read a time: got %T", src)
	}
	if parsed, ok := parseTime(text); ok {
		*t = utcTime{Time: parsed, Valid: true}
		return nil
	}
	return fmt.Errorf("read a time: %q is none; want it as 2026-01-31 13:45:00.000 in UTC", text)
}

// Value implements driver.Valuer for gorm's sake; times are written by SQL.
func (t utcTime) Value() (driver.Value, error) {
	if !t.Valid {
		return nil, nil
	}
	return t.Time, nil
}

func (t utcTime) pointer() *time.Time {
	if !t.Valid {
		return nil
	}
	at := t.Time
	return &at
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
	LeaseExpiresAt      utcTime
	RetryCount          int
	ReleaseCount        int
	ResilienceConfig    nullText
	AvailableAt         utcTime
	DeadlineAt          utcTime
	NaturalKey          *string
	Tags                nullText
	Metadata            nullText
	Labels              nullText
	Selectors           nullText
	RootID              *int64 `gorm:"column:RootId"`
	TaskName            *string
	Error               *string
	ErrorKind           *string
	CreatedAt           utcTime
	CreatedBy           *string
	AssignedAt          utcTime
	StartedAt           utcTime
	FinishedAt          utcTime
	RetainUntil         utcTime
	DeletedAt           utcTime
	DeletedReason       *string
	Step                *string
	LogTail             *string
	FirstStartedAt      utcTime
	ProgressPercent     *int
	Analytics           nullText
	Encrypted           bool
	ExpiresAt           utcTime
	LimitKey            *string
	Robot               *string
	RetainMs            *int64
	TaskScope           *string
	TaskPlannedAt       utcTime
	RunOrder            int64
	AssignedEstimateMs  *int64
	Channel             *string
	PipelineHash        *string
	IdempotencyKey      nullText
	BegunFence          *int64 // read only by a claim
	LeftOut             *int64 `gorm:"-"` // of a claim: not NULL when large texts were not returned

	// Due is computed by listings alone.
	Due bool `gorm:"->"`
}

func (itemRow) TableName() string { return "BotWorkQueueItems" }

// claimedBy is a row that a worker has claimed, before the rest of it is read.
func claimedBy(workerID int64) itemRow {
	return itemRow{State: int(workqueue.Blocked), WorkerID: &workerID}
}

// item is the row as the rest of the program sees it.
func (s *Store) item(r *itemRow) workqueue.Item {
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
		LeaseExpiresAt:      r.LeaseExpiresAt.pointer(),
		RecordBegin:         r.BegunFence != nil,
		RetryCount:          r.RetryCount,
		ReleaseCount:        r.ReleaseCount,
		ResilienceConfig:    workqueue.JSONText(r.ResilienceConfig),
		AvailableAt:         r.AvailableAt.Time,
		DeadlineAt:          r.DeadlineAt.pointer(),
		NaturalKey:          r.NaturalKey,
		Tags:                workqueue.JSONText(r.Tags),
		Metadata:            workqueue.JSONText(r.Metadata),
		Labels:              workqueue.JSONText(r.Labels),
		Selectors:           workqueue.JSONText(r.Selectors),
		RootID:              r.RootID,
		TaskName:            r.TaskName,
		TaskScope:           r.TaskScope,
		TaskPlannedAt:       r.TaskPlannedAt.pointer(),
		Error:               r.Error,
		ErrorKind:           (*workqueue.ErrorKind)(r.ErrorKind),
		CreatedAt:           r.CreatedAt.Time,
		CreatedBy:           r.CreatedBy,
		AssignedAt:          r.AssignedAt.pointer(),
		StartedAt:           r.StartedAt.pointer(),
		FinishedAt:          r.FinishedAt.pointer(),
		RetainUntil:         r.RetainUntil.pointer(),
		DeletedAt:           r.DeletedAt.pointer(),
		DeletedReason:       r.DeletedReason,
		Step:                r.Step,
		LogTail:             r.LogTail,
		FirstStartedAt:      r.FirstStartedAt.pointer(),
		ProgressPercent:     r.ProgressPercent,
		Analytics:           workqueue.JSONText(r.Analytics),
		Encrypted:           r.Encrypted,
		ExpiresAt:           r.ExpiresAt.pointer(),
		LimitKey:            r.LimitKey,
		Robot:               r.Robot,
		RetainMs:            r.RetainMs,
		RunOrder:            r.RunOrder,
		AssignedEstimateMs:  r.AssignedEstimateMs,
		Channel:             r.Channel,
		PipelineHash:        r.PipelineHash,
		IdempotencyKey:      string(r.IdempotencyKey),
	}
	if it.Encrypted {
		s.open(&it)
	}
	return it
}
