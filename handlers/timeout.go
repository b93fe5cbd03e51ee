package handlers

import (
	"context"
	"fmt"
)

// lateError is the cause of a context that a handler's own timeout ends. It
// counts as context.DeadlineExceeded, so that the failure is known as a timeout
// whatever the work underneath made of it.
type lateError string

func (e lateError) Error() string { return string(e) }

// Is implements the interface that errors.Is asks.
func (e lateError) Is(target error) bool { return target == context.DeadlineExceeded }

// late makes the cause for a timeout; format begins with what did not come.
func late(format string, args ...any) error { return lateError(fmt.Sprintf(format, args...)) }
