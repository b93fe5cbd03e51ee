package workqueue

import (
	"bytes"
	"encoding/json"
	"math"
	"time"
)

// DefaultQueue is the queue that always exists.
const DefaultQueue = "default"

// RequestPriority is the priority of an item that is made on request and names
// none: the top of the medium band.
const RequestPriority = 1000

// Item is a row of BotWorkQueueItems. Times are UTC by the database's clock, to
// the millisecond. JSON field names are the column names in camel case and are
// part of the command line's contract.
type Item struct {
	ID        int64  `json:"id"`
	QueueName string `json:"queueName"`
	State     State  `json:"state"`

	// Lifecycle is computed by the database's clock when the item is read.
	Lifecycle Lifecycle `json:"lifecycle"`

	// Priority: larger runs first.
	Priority int `json:"priority"`

	// IntegrationConfig is a pipeline's name, or a whole pipeline as YAML or JSON.
	IntegrationConfig string `json:"integrationConfig"`

	Payload  JSONText `json:"payload"`
	Output   JSONText `json:"output"`
	Progress *string  `json:"progress"`

	// ProgressPercent is how far the run has come, 0 to 100, where it tells that.
	ProgressPercent *int `json:"progressPercent"`

	// Analytics is what the run or a robot told of its work, for statistics of
	// the queue's owner.
	Analytics JSONText `json:"analytics"`

	// Encrypted tells that payload, output and metadata are sealed in the
	// database. Unreadable tells why this process cannot open them; they are
	// EncryptedText then.
	Encrypted  bool   `json:"encrypted"`
	Unreadable string `json:"unreadable,omitempty"`

	// Oversized tells of a claimed item which of its texts was not loaded, since it is
	// much larger than the queue allows: it was written by hand, or before the limit.
	Oversized string `json:"-"`

	// Step and LogTail tell of the present or the last run: the step that it
	// reached and its last log lines. They are kept until the item succeeds.
	Step    *string `json:"step"`
	LogTail *string `json:"logTail"`

	// PipelineHash is that of the exact text that the present or the last run runs:
	// SHA-256 in hexadecimal, nil when none has run since the item was claimed, or it died
	// before that was recorded. TextStore has the text.
	PipelineHash *string `json:"pipelineHash"`

	// EstimatedDurationMs is how long a run is expected to take; nil: not known.
	EstimatedDurationMs *int64 `json:"estimatedDurationMs"`

	// AssignedEstimateMs is how long the pass that assigned it last expected a run
	// to take, nil when nobody knew, Channel its pipeline's channel then, and RunOrder its place among the
	// items of the same priority at its worker, the least first; nil and 0 when it
	// was not assigned by a pass.
	AssignedEstimateMs *int64  `json:"assignedEstimateMs"`
	Channel            *string `json:"channel"`
	RunOrder           int64   `json:"runOrder"`

	// WorkerID is the row id of the worker that holds the item or ran it last.
	WorkerID *int64 `json:"workerId"`

	// Fence grows with every claim; writes of a runner repeat it.
	Fence          int64      `json:"fence"`
	LeaseExpiresAt *time.Time `json:"leaseExpiresAt"`

	// RecordBegin reports that the next run must be recorded by Begin before it starts:
	// an earlier worker may have died with the item before its heartbeat recorded that.
	RecordBegin bool `json:"-"`

	// RetryCount counts failed attempts, ReleaseCount the times that a worker
	// died with the item.
	RetryCount       int      `json:"retryCount"`
	ReleaseCount     int      `json:"releaseCount"`
	ResilienceConfig JSONText `json:"resilienceConfig"`

	// AvailableAt is when the item becomes due. It is not started after
	// DeadlineAt, nor after ExpiresAt, which its queue's time to live has set.
	AvailableAt time.Time  `json:"availableAt"`
	DeadlineAt  *time.Time `json:"deadlineAt"`
	ExpiresAt   *time.Time `json:"expiresAt"`

	NaturalKey *string `json:"naturalKey"`

	// IdempotencyKey is what other systems know the item's work by: random, kept by
	// retries and copies, replaced by repeat, and unlike that of any other item. It is
	// "" in an item that was inserted by hand on SQLite and was never claimed.
	IdempotencyKey string `json:"idempotencyKey"`

	// LimitKey is what the queue's limits per key count by.
	LimitKey *string `json:"limitKey"`

	// Robot has checked the item out, or did last.
	Robot *string `json:"robot"`

	Tags      JSONText `json:"tags"`
	Metadata  JSONText `json:"metadata"`
	Labels    JSONText `json:"labels"`
	Selectors JSONText `json:"selectors"`
	RootID    *int64   `json:"rootId"`

	// TaskName is the scheduled task that the item is of. TaskScope is the value
	// that it is made for, nil or "" in a task without a scope; TaskPlannedAt is
	// the start of its window, nil for one that was made on request.
	TaskName      *string    `json:"taskName"`
	TaskScope     *string    `json:"taskScope"`
	TaskPlannedAt *time.Time `json:"taskPlannedAt"`

	// Error is the last failure's text, kept until the item succeeds. Without an
	// ErrorKind it is the reason of a release: the item has never failed.
	Error     *string    `json:"error"`
	ErrorKind *ErrorKind `json:"errorKind"`

	CreatedAt  time.Time  `json:"createdAt"`
	CreatedBy  *string    `json:"createdBy"`
	AssignedAt *time.Time `json:"assignedAt"`
	StartedAt  *time.Time `json:"startedAt"`
	FinishedAt *time.Time `json:"finishedAt"`

	// FirstStartedAt is when the first attempt began, StartedAt the latest. Until an
	// attempt's begin is recorded, or its end, StartedAt is when the item was claimed.
	FirstStartedAt *time.Time `json:"firstStartedAt"`

	// RetainMs is the item's own retention once it has succeeded; nil: its
	// queue's. RetainUntil is when that ends.
	RetainMs      *int64     `json:"retainMs"`
	RetainUntil   *time.Time `json:"retainUntil"`
	DeletedAt     *time.Time `json:"deletedAt"`
	DeletedReason *string    `json:"deletedReason"`
}

// MarshalJSON adds the status and the state's name.
func (it Item) MarshalJSON() ([]byte, error) {
	type plain Item
	return MarshalPlain(struct {
		plain
		StateName string `json:"stateName"`
		Status    Status `json:"status"`
	}{plain(it), it.State.String(), it.Status()})
}

// MarshalPlain is json.Marshal that leaves <, > and & as they are: a payload is shown
// as it stands, and who puts it into a page escapes it there.
func MarshalPlain(v any) ([]byte, error) {
	var text bytes.Buffer
	enc := json.NewEncoder(&text)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return bytes.TrimSuffix(text.Bytes(), []byte("\n")), err
}

// Attempt returns the number of the try that runs, or would run next: 1 for
// the first.
func (it *Item) Attempt() int { return it.RetryCount + 1 }

// EncryptedText stands for a text that is sealed and cannot be opened.
const EncryptedText JSONText = "<encrypted>"

// JSONText is a JSON value as the database holds it; "" is SQL's NULL. A hand
// may have written something that is not JSON: that is shown as a string.
type JSONText string

// MarshalJSON returns the text as it stands where it is JSON, as a JSON string
// where it is not, and null where it is empty.
func (t JSONText) MarshalJSON() ([]byte, error) {
	switch {
	case t == "":
		return []byte("null"), nil
	case json.Valid([]byte(t)):
		return []byte(t), nil
	default:
		return MarshalPlain(string(t))
	}
}

// ItemPriorityRange tells whether a priority fits the column.
func ItemPriorityRange(priority int) bool {
	return priority >= math.MinInt32 && priority <= math.MaxInt32
}

// Attempt is a row of BotWorkItemAttempts: one try that did not simply
// succeed.
type Attempt struct {
	ID         int64   `json:"id"`
	ItemID     int64   `json:"itemId"`
	Attempt    int     `json:"attempt"`
	Fence      int64   `json:"fence"`
	Outcome    string  `json:"outcome"` // failed, timeout, released, rescued, snoozed
	WorkerID   *int64  `json:"workerId"`
	WorkerName *string `json:"workerName"`
	Host       *string `json:"host"`
	Step       *string `json:"step"`
	Progress   *string `json:"progress"`
	LogTail    *string `json:"logTail"` // the last log lines, the latest last

	// PipelineHash is that of the text that ran, as Item has it.
	PipelineHash *string `json:"pipelineHash"`

	// Error is what the attempt failed of, or was interrupted by. A snooze has a
	// Reason instead, nil where the run said none.
	Error     *string    `json:"error"`
	ErrorKind *ErrorKind `json:"errorKind"`
	Reason    *string    `json:"reason"`

	StartedAt  *time.Time `json:"startedAt"`
	FinishedAt time.Time  `json:"finishedAt"`
}
