package operations

import (
	"fmt"
	"time"

	"botwork/internal/spans"
	"botwork/workqueue"
)

// UnknownError is returned for a name that does not exist. It matches workqueue.ErrNotFound.
type UnknownError struct {
	What string // such as "task"
	Name string
	Hint string // a similar name, or those that exist
}

func (e *UnknownError) Error() string {
	return fmt.Sprintf("%s %q: %v; %s", e.What, e.Name, workqueue.ErrNotFound, e.Hint)
}

// Is reports whether target is workqueue.ErrNotFound.
func (e *UnknownError) Is(target error) bool { return target == workqueue.ErrNotFound }

// orNull returns nil for no text.
func orNull(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}

// durationText is "" for none.
func durationText(d time.Duration) string {
	if d == 0 {
		return ""
	}
	return spans.Text(d)
}
