package builtin

import (
	"context"
	"fmt"
)

// lateError is the cause of a context that a handler's own timeout ends. It counts as
// context.DeadlineExceeded, so that the failure counts as a timeout, even if a library
// replaced the error.
type lateError string

func (e lateError) Error() string { return string(e) }

// Is implements the interface of errors.Is.
func (e lateError) Is(target error) bool { return target == context.DeadlineExceeded }

// late returns the cause for a timeout; format starts with what did not happen in time.
func late(format string, args ...any) error { return lateError(fmt.Sprintf(format, args...)) }
