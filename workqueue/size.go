package workqueue

import (
	"fmt"
	"strconv"
)

// DefaultMaxSize is the maximum size of a payload and of an output, in bytes, for a
// queue that sets none: 1 MB.
const DefaultMaxSize = 1 << 20

// MostSize bounds what a queue may allow. SQL Server and PostgreSQL store at most 1
// GB in a text, which is about half as much data in UTF-16 or sealed.
const MostSize = 256 << 20

// QueueSizes bound the data of a queue's items, in bytes of UTF-8, before it is
// encrypted. 0 means DefaultMaxSize, except for KeepLog.
type QueueSizes struct {
	// MaxPayload is checked when an item is enqueued.
	MaxPayload int64 `json:"maxPayload"`

	// MaxOutput is checked when a run or a robot returns output, also before its end.
	// It applies to analytics data as well.
	MaxOutput int64 `json:"maxOutput"`

	// KeepLog is how much of the end of a run's log stays with an item that has succeeded:
	// nil means DefaultKeepLog, and none in an encrypted queue, whose log would not be
	// encrypted; 0 keeps none. Failed attempts keep theirs.
	KeepLog *int64 `json:"keepLog"`
}

const (
	// DefaultKeepLog is KeepLog of a queue that sets none: about 40 lines.
	DefaultKeepLog = 4 << 10

	// MostKeepLog is the most that a queue may set. No log is longer.
	MostKeepLog = 256 << 10
)

// PayloadLimit returns the maximum size of a payload.
func (s QueueSizes) PayloadLimit() int64 { return orDefaultSize(s.MaxPayload) }

// OutputLimit returns the maximum size of an output.
func (s QueueSizes) OutputLimit() int64 { return orDefaultSize(s.MaxOutput) }

// LogLimit returns how many bytes of its log an item that has succeeded keeps.
func (q *Queue) LogLimit() int {
	switch {
	case q.KeepLog != nil:
		return int(*q.KeepLog)
	case q.Encrypted:
		return 0
	}
	return DefaultKeepLog
}

func orDefaultSize(n int64) int64 {
	if n > 0 {
		return n
	}
	return DefaultMaxSize
}

// SizeError is returned when data of an item is larger than its queue allows.
type SizeError struct {
	Queue   string
	What    string // "payload", "output" or "analytics"
	Setting string // the key of the queue's definition that sets the limit

	// Got is the size of the data in bytes, or 0 if it was not read to its end.
	Got, Limit int64
}

func (e *SizeError) Error() string {
	got := "more"
	if e.Got > 0 {
		got = fmt.Sprintf("%d bytes", e.Got)
	}
	return fmt.Sprintf("%s: got %s, want at most %d bytes (%s), the %s of the queue %q; hint: store the data elsewhere and refer to it, "+
		"or raise %s in the queue's definition", e.What, got, e.Limit, SizeText(e.Limit), e.Setting, e.Queue, e.Setting)
}

// CheckPayloadSize rejects a payload that is too large. The error is a *SizeError.
func (q *Queue) CheckPayloadSize(payload JSONText) error {
	return q.checkSize("payload", "maxPayload", payload, q.PayloadLimit())
}

// CheckOutputSize rejects an output that is too large. The error is a *SizeError.
func (q *Queue) CheckOutputSize(output JSONText) error {
	return q.checkSize("output", "maxOutput", output, q.OutputLimit())
}

// CheckAnalyticsSize rejects analytics data that is too large. The error is a
// *SizeError.
func (q *Queue) CheckAnalyticsSize(analytics JSONText) error {
	return q.checkSize("analytics", "maxOutput", analytics, q.OutputLimit())
}

func (q *Queue) checkSize(what, setting string, data JSONText, limit int64) error {
	if n := int64(len(data)); n > limit {
		return &SizeError{Queue: q.Name, What: what, Setting: setting, Got: n, Limit: limit}
	}
	return nil
}

// SizeText returns a size in the largest unit of 1024 that gives a whole number, such
// as 5MB.
func SizeText(n int64) string {
	for _, unit := range [...]struct {
		name  string
		bytes int64
	}{{"GB", 1 << 30}, {"MB", 1 << 20}, {"KB", 1 << 10}} {
		if n > 0 && n%unit.bytes == 0 {
			return strconv.FormatInt(n/unit.bytes, 10) + unit.name
		}
	}
	return strconv.FormatInt(n, 10) + "B"
}
