package handlers

import (
	"fmt"
	"time"
)

// BreakError ends a pipeline early without failing it.
type BreakError struct{ Reason string }

func (e *BreakError) Error() string { return "break: " + e.Reason }

// Break returns an error that ends the pipeline here, successfully: there was
// nothing (more) to do.
func Break(reason string) error { return &BreakError{Reason: reason} }

// PermanentError marks a failure that no later attempt can fix.
type PermanentError struct{ Err error }

func (e *PermanentError) Error() string { return e.Err.Error() }
func (e *PermanentError) Unwrap() error { return e.Err }

// Permanent marks err as one that no later attempt can fix, such as a wrong parameter: the item
// is cancelled at once. A nil err stays nil.
func Permanent(err error) error {
	if err == nil {
		return nil
	}
	return &PermanentError{Err: err}
}

// BusinessError marks a failure caused by wrong data.
type BusinessError struct{ Err error }

func (e *BusinessError) Error() string { return e.Err.Error() }
func (e *BusinessError) Unwrap() error { return e.Err }

// Business marks err as a failure caused by wrong data: a person must fix the data, so it is
// retried only if the resilience policy allows it. A nil err stays nil.
func Business(err error) error {
	if err == nil {
		return nil
	}
	return &BusinessError{Err: err}
}

// SnoozeError asks that the item run again later without counting an attempt.
type SnoozeError struct {
	After  time.Duration
	Reason string
}

func (e *SnoozeError) Error() string {
	if e.Reason == "" {
		return fmt.Sprintf("snooze for %s", e.After)
	}
	return fmt.Sprintf("snooze for %s: %s", e.After, e.Reason)
}

// Snooze returns an error that makes the item ready again after d, counting no attempt. A
// negative d means now.
func Snooze(d time.Duration, reason string) error {
	return &SnoozeError{After: max(d, 0), Reason: reason}
}

// RetryAfterError is a failure with a minimum wait before the next attempt.
type RetryAfterError struct {
	Err   error
	After time.Duration
}

func (e *RetryAfterError) Error() string { return e.Err.Error() }
func (e *RetryAfterError) Unwrap() error { return e.Err }

// RetryAfter marks err with the wait that the other side requested. The attempt counts as
// failed; the next one starts no sooner than after d, and no sooner than the resilience policy
// allows. A nil err stays nil.
func RetryAfter(err error, d time.Duration) error {
	if err == nil {
		return nil
	}
	return &RetryAfterError{Err: err, After: max(d, 0)}
}

// UncountedError is a failure that does not count as an attempt.
type UncountedError struct{ Err error }

func (e *UncountedError) Error() string { return e.Err.Error() }
func (e *UncountedError) Unwrap() error { return e.Err }

// Uncounted marks err as a failure that does not count as an attempt: the item is retried
// after its backoff without a limit, until the policy's `within` ends. A nil err stays nil.
func Uncounted(err error) error {
	if err == nil {
		return nil
	}
	return &UncountedError{Err: err}
}

// DropError ends the item: it is no longer wanted.
type DropError struct{ Reason string }

func (e *DropError) Error() string { return "drop: " + e.Reason }

// Drop returns an error that deletes the item according to its queue's deletion setting:
// permanently, or hidden with the reason. It is neither a success nor a failure.
func Drop(reason string) error { return &DropError{Reason: reason} }
