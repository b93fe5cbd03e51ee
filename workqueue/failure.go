package workqueue

import "time"

// Failure is a failed attempt of an item, or an item that ended without success.
type Failure struct {
	// ID is the id of the attempt, or of the item if no attempt is meant.
	ID     int64
	ItemID int64

	Queue string

	// Pipeline is the item's IntegrationConfig, cut to FailurePipelineLen characters.
	Pipeline string

	Step string // "": unknown, or the run had not reached a step
	Kind ErrorKind

	// Error is the text of the failure, cut to FailureTextLen characters.
	Error string

	// Worker and Host are where the attempt ran; "" if unknown, and for an item.
	Worker, Host string

	// Rescued is set for an attempt that ended because its worker died.
	Rescued bool

	At time.Time // when it ended, UTC, by the database's clock
}

// FailurePipelineLen and FailureTextLen are the lengths of the texts of a Failure, so that
// a page of failures with inline pipelines and long errors stays small.
const (
	FailurePipelineLen = 500
	FailureTextLen     = 2000
)

// FailureFilter selects a page of failures.
type FailureFilter struct {
	// Ended selects the items of Queue that ended without success, including those that
	// were cancelled; otherwise, the failed attempts of all queues. Queue is required
	// with Ended, and not allowed otherwise.
	Ended bool
	Queue string

	// Since and Until bound the end: from Since on, before Until. For the next page, set
	// Until and BeforeID to At and ID of the last failure: failures that ended at the same
	// time and have a smaller id follow.
	Since, Until time.Time
	BeforeID     int64

	// Limit bounds the page; 0 means MaxFailures, which is also the maximum.
	Limit int
}

// MaxFailures is the largest page of failures.
const MaxFailures = 1000
