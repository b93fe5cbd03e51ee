package workqueue

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
)

// The errors that callers distinguish.
var (
	// ErrLeaseLost is returned when a write names a lease that is not the item's
	// current one. The write changed nothing.
	ErrLeaseLost = errors.New("lease lost: this worker no longer holds the item")

	// ErrCheckoutLost is the ErrLeaseLost of a robot. It does not say which of item,
	// robot, fence and lock key is wrong, since the key is a secret.
	ErrCheckoutLost = checkoutLost{}

	// ErrEndUnknown is the ErrCheckoutLost of an end that may have been reported before:
	// since then the item was removed or ran again, and nothing is left that shows how
	// the checkout ended.
	ErrEndUnknown = fmt.Errorf("the item was removed or run again, so it is unknown whether this end was recorded before: %w", ErrCheckoutLost)

	// ErrNotFound is returned when there is no row with that id or name.
	ErrNotFound = errors.New("not found")

	// ErrDatabaseLost is returned when the store's open connection is no longer to
	// the database, for example because its file was deleted or replaced. From then
	// on the store writes nothing.
	ErrDatabaseLost = errors.New("database lost")

	// ErrWorkerReplaced is returned when another process has registered under this
	// worker's name, or the worker's row is gone.
	ErrWorkerReplaced = errors.New("worker replaced: another process has registered under this name")
)

type checkoutLost struct{}

func (checkoutLost) Error() string {
	return "lease lost: no current checkout has this item, robot, fence and lock key"
}

// Is reports whether target is ErrLeaseLost.
func (checkoutLost) Is(target error) bool { return target == ErrLeaseLost }

// LockedError names items that were not written because another session of the database holds
// their rows, such as a person's with an open transaction. A later call may succeed.
type LockedError struct{ Items []int64 }

func (e *LockedError) Error() string {
	if len(e.Items) == 1 {
		return fmt.Sprintf("another session of the database holds the row of item %d", e.Items[0])
	}
	return fmt.Sprintf("another session of the database holds the rows of %d items, such as %d", len(e.Items), e.Items[0])
}

// LockWaitError is returned when a change waited too long for a row that another session of the
// database holds. It changed nothing.
type LockWaitError struct {
	Waited  time.Duration
	Holders []RowHolder // who held rows then
}

func (e *LockWaitError) Error() string {
	var text strings.Builder
	fmt.Fprintf(&text, "gave up after waiting %s for a row that another session of the database holds, and changed nothing", e.Waited.Round(time.Second))
	for _, h := range e.Holders {
		fmt.Fprintf(&text, "; %s; to end it: %s", h, h.End)
	}
	return text.String()
}

// NameTakenError is returned when another process has registered under the name and
// its lease has not expired.
type NameTakenError struct {
	Name       string
	Host       string
	PID        int
	InstanceID string
	ProcessKey string        // as in the WorkerSpec of that process
	LastSeenAt time.Time     // UTC, by the database's clock
	LeaseEnds  time.Time     // likewise
	FreeIn     time.Duration // until LeaseEnds
}

func (e *NameTakenError) Error() string {
	return fmt.Sprintf("worker name %q is taken by process %d on host %q, last seen at %s; "+
		"stop that process, or give this worker another name (worker.name, BOTWORK_WORKER_NAME, --worker); "+
		"if that process is no longer running, the name is free when its lease ends, at %s (in %s)",
		e.Name, e.PID, e.Host, e.LastSeenAt.UTC().Format(time.RFC3339), e.LeaseEnds.UTC().Format(time.RFC3339), e.FreeIn.Round(time.Second))
}

// TimeLimitError is the cause of a cancelled run that took longer than the timeout of
// its policy. It matches context.DeadlineExceeded.
type TimeLimitError struct{ Limit time.Duration }

func (e *TimeLimitError) Error() string {
	return fmt.Sprintf("the run took longer than the timeout of its policy, %s", e.Limit)
}

// Is reports whether target is context.DeadlineExceeded.
func (e *TimeLimitError) Is(target error) bool { return target == context.DeadlineExceeded }

// FinishByError is the cause of a run that was ended because the time had passed by
// which its item must finish. It matches context.DeadlineExceeded.
type FinishByError struct{ At time.Time }

func (e *FinishByError) Error() string {
	return fmt.Sprintf("the item did not finish by %s", e.At.UTC().Format(time.RFC3339))
}

// Is reports whether target is context.DeadlineExceeded.
func (e *FinishByError) Is(target error) bool { return target == context.DeadlineExceeded }

// UnknownQueueError is returned when an item names a queue that does not exist.
type UnknownQueueError struct {
	Queue string
	Known []string
}

func (e *UnknownQueueError) Error() string {
	return fmt.Sprintf("queue %q does not exist; known queues: %s", e.Queue, strings.Join(e.Known, ", "))
}

// TransitionError is returned when an item's state forbids a requested action.
type TransitionError struct {
	ItemID int64
	Verb   string // the Action
	State  State
	Hint   string
}

func (e *TransitionError) Error() string {
	msg := fmt.Sprintf("%s item %d: its state is %s (%d)", e.Verb, e.ItemID, e.State, int(e.State))
	if e.Hint != "" {
		msg += "; " + e.Hint
	}
	return msg
}

// ErrDraining is the cause of a cancelled run when the worker shuts down and its
// shutdown timeout has passed.
var ErrDraining = errors.New("the worker is draining")

// DuplicateError is returned when another item has a key that must be unique.
type DuplicateError struct {
	// ItemID is the item that has it.
	ItemID int64

	// What names what the two have in common, such as `natural key "4711"`.
	What string
}

func (e *DuplicateError) Error() string {
	return fmt.Sprintf("item %d has the same %s, which must be unique", e.ItemID, e.What)
}
