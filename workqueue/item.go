package workqueue

import (
	"bytes"
	"encoding/json"
	"math"
	"time"
)

// DefaultQueue is the queue that always exists.
const DefaultQueue = "default"

// RequestPriority is the priority of an item that is created on request without a
// priority: the top of the medium band.
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

	// ProgressPercent is the progress of the run, 0 to 100, if it reports one.
	ProgressPercent *int `json:"progressPercent"`

	// Analytics is data that the run or a robot reported about its work, for
	// statistics of the queue's owner.
	Analytics JSONText `json:"analytics"`

	// Encrypted is set if payload, output and metadata are sealed in the database.
	// Unreadable is the reason why this process cannot open them; they are
	// EncryptedText then.
	Encrypted  bool   `json:"encrypted"`
	Unreadable string `json:"unreadable,omitempty"`

	// Oversized names the text of a claimed item that was not loaded because it is
	// much larger than the queue allows: it was written by hand, or before the limit.
	Oversized string `json:"-"`

	// Step and LogTail are the last step that the current or latest run reached and
	// its last log lines. They are kept until the item succeeds.
	Step    *string `json:"step"`
	LogTail *string `json:"logTail"`

	// StepTimes are how long the current or latest run was in each of the steps that it has left: an
	// array of StepTime, in the order in which the steps ended. A step that was skipped is not among
	// them. "": none was left, or the pipeline has one step.
	StepTimes JSONText `json:"stepTimes"`

	// PipelineHash is the hash of the exact text of the current or latest run:
	// SHA-256 in hexadecimal. It is nil if none has run since the item was claimed,
	// or if the run died before the hash was recorded. TextStore has the text.
	PipelineHash *string `json:"pipelineHash"`

	// EstimatedDurationMs is the expected duration of a run; nil: unknown.
	EstimatedDurationMs *int64 `json:"estimatedDurationMs"`

	// AssignedEstimateMs is the duration of a run that the pass that last assigned
	// the item expected, nil if it was unknown. Channel is its pipeline's channel at
	// that time. RunOrder is its position among the items of the same priority at its
	// worker, lowest first. They are nil and 0 if no pass assigned the item.
	AssignedEstimateMs *int64  `json:"assignedEstimateMs"`
	Channel            *string `json:"channel"`
	RunOrder           int64   `json:"runOrder"`

	// WorkerID is the row id of the worker that holds the item or ran it last.
	WorkerID *int64 `json:"workerId"`

	// Fence increases with every claim; writes of a runner repeat it.
	Fence          int64      `json:"fence"`
	LeaseExpiresAt *time.Time `json:"leaseExpiresAt"`

	// RecordBegin is set if the next run must be recorded by Begin before it starts:
	// an earlier worker may have died with the item before its heartbeat recorded
	// that.
	RecordBegin bool `json:"-"`

	// RetryCount counts failed attempts, ReleaseCount how often a worker died while
	// it held the item.
	RetryCount       int      `json:"retryCount"`
	ReleaseCount     int      `json:"releaseCount"`
	ResilienceConfig JSONText `json:"resilienceConfig"`

	// AvailableAt is when the item becomes due. The item is not started after
	// DeadlineAt, nor after ExpiresAt, which the time to live of its queue has set. A
	// run is ended at FinishBy, and the item is not tried again; DeadlineAt is at most
	// this time.
	AvailableAt time.Time  `json:"availableAt"`
	DeadlineAt  *time.Time `json:"deadlineAt"`
	FinishBy    *time.Time `json:"finishBy"`
	ExpiresAt   *time.Time `json:"expiresAt"`

	NaturalKey *string `json:"naturalKey"`

	// IdempotencyKey identifies the item's work to other systems: it is random and
	// unique to the item, kept by retries and copies, and replaced by repeat. It is
	// "" in an item that was inserted by hand on SQLite and was never claimed.
	IdempotencyKey string `json:"idempotencyKey"`

	// Version is raised by every change of the item, from 1, except by renewed leases,
	// progress, and what only the passing of time decides.
	Version int64 `json:"version"`

	// LimitKey is the key for the queue's limits per key.
	LimitKey *string `json:"limitKey"`

	// BatchKey makes the item run together with others of its queue and pipeline that have the
	// same key; nil: it runs alone. At most BatchMax items run together, and a batch waits
	// BatchWaitMs for another item and BatchAtMostMs in all. BatchLeaderID is the item that
	// started the item's latest run of several items, or of one that waited for others; it is
	// the item's own id if that was this one.
	BatchKey      *string `json:"batchKey"`
	BatchMax      *int    `json:"batchMax"`
	BatchWaitMs   *int64  `json:"batchWaitMs"`
	BatchAtMostMs *int64  `json:"batchAtMostMs"`
	BatchLeaderID *int64  `json:"batchLeaderId"`

	// Robot is the robot that has checked the item out, or did so last.
	Robot *string `json:"robot"`

	Tags      JSONText `json:"tags"`
	Metadata  JSONText `json:"metadata"`
	Labels    JSONText `json:"labels"`
	Selectors JSONText `json:"selectors"`
	RootID    *int64   `json:"rootId"`

	// TaskName is the scheduled task that the item belongs to. TaskScope is the scope
	// value that it was created for, nil or "" in a task without a scope;
	// TaskPlannedAt is the start of its window, nil for an item created on request.
	TaskName      *string    `json:"taskName"`
	TaskScope     *string    `json:"taskScope"`
	TaskPlannedAt *time.Time `json:"taskPlannedAt"`

	// Error is the text of the last failure, kept until the item succeeds. Without an
	// ErrorKind it is the reason of a release: the item has never failed.
	Error     *string    `json:"error"`
	ErrorKind *ErrorKind `json:"errorKind"`

	// SnoozeReason is the reason of the snooze for which the item waits, "" if it gave
	// none; nil if the item does not wait for a snooze.
	SnoozeReason *string `json:"snoozeReason"`

	CreatedAt  time.Time  `json:"createdAt"`
	CreatedBy  *string    `json:"createdBy"`
	AssignedAt *time.Time `json:"assignedAt"`
	StartedAt  *time.Time `json:"startedAt"`
	FinishedAt *time.Time `json:"finishedAt"`

	// FirstStartedAt is when the first attempt began, StartedAt when the latest did.
	// Until the begin or the end of an attempt is recorded, StartedAt is when the
	// item was claimed.
	FirstStartedAt *time.Time `json:"firstStartedAt"`

	// RetainMs is the item's own retention after it has succeeded; nil: its queue's.
	// RetainUntil is when the retention ends.
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

// MarshalPlain is json.Marshal without the escaping of <, > and &: a payload is shown
// as it is, and code that puts it into an HTML page must escape it.
func MarshalPlain(v any) ([]byte, error) {
	var text bytes.Buffer
	enc := json.NewEncoder(&text)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return bytes.TrimSuffix(text.Bytes(), []byte("\n")), err
}

// Attempt returns the number of the current or the next attempt: 1 for the first.
func (it *Item) Attempt() int { return it.RetryCount + 1 }

// EncryptedText replaces a sealed text that cannot be opened.
const EncryptedText JSONText = "<encrypted>"

// JSONText is a JSON value as the database stores it; "" is SQL's NULL. Text written
// by hand may not be JSON; such text is shown as a string.
type JSONText string

// MarshalJSON returns the text unchanged if it is JSON, as a JSON string if it is
// not, and null if it is empty.
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

// UnmarshalJSON keeps the text of a value; null is "". It reverses MarshalJSON, except for text that is
// not JSON: that stays a JSON string.
func (t *JSONText) UnmarshalJSON(text []byte) error {
	switch string(text) {
	case "null":
		*t = ""
	case `"` + string(EncryptedText) + `"`:
		*t = EncryptedText
	default:
		*t = JSONText(text)
	}
	return nil
}

// ItemPriorityRange reports whether a priority fits the column.
func ItemPriorityRange(priority int) bool {
	return priority >= math.MinInt32 && priority <= math.MaxInt32
}

// Attempt is a row of BotWorkItemAttempts: one attempt that did not simply succeed.
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

	// StepTimes are how long the attempt was in each step, as in Item.
	StepTimes JSONText `json:"stepTimes"`

	// PipelineHash is the hash of the text that ran, as in Item.
	PipelineHash *string `json:"pipelineHash"`

	// Error is why the attempt failed or was interrupted. A snooze has a Reason
	// instead, nil if the run gave none.
	Error     *string    `json:"error"`
	ErrorKind *ErrorKind `json:"errorKind"`
	Reason    *string    `json:"reason"`

	StartedAt  *time.Time `json:"startedAt"`
	FinishedAt time.Time  `json:"finishedAt"`
}
