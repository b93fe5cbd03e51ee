package workqueue

import "context"

// FailureStore reads what has failed.
type FailureStore interface {
	// Failures returns a page of failures, the latest first. Attempts that were snoozed or
	// released are no failures; those that ended because a worker died are included and
	// marked. Items that ended and were deleted since are left out. The cost depends on
	// the size of the page, not on the number of items and attempts that are kept.
	Failures(ctx context.Context, f FailureFilter) ([]Failure, error)
}
