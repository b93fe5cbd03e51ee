package workqueue

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
)

// The errors that callers tell apart.
var (
	// ErrLeaseLost says that a write named a lease that is not the item's
	// present one. It changed nothing.
	ErrLeaseLost = errors.New("lease lost: the item has been taken from this worker")

	// ErrCheckoutLost is the ErrLeaseLost of a robot. It does not tell which of
	// the four is wrong, since the key is a secret.
	ErrCheckoutLost = checkoutLost{}

	// ErrNotFound says that there is no row of that id or name.
	ErrNotFound = errors.New("not found")

	// ErrDatabaseLost says that what a store has open is not the database any more, such
	// as a file that was deleted or replaced. The store writes nothing from then on.
	ErrDatabaseLost = errors.New("database lost")

	// ErrWorkerReplaced says that another process has taken this worker's
	// name, or that its row is gone.
	ErrWorkerReplaced = errors.New("worker replaced: another process has registered under this name")
)

type checkoutLost struct{}

func (checkoutLost) Error() string {
	return "lease lost: nothing is checked out under this item, robot, fence and lock key, or no longer"
}

// Is makes the error an ErrLeaseLost.
func (checkoutLost) Is(target error) bool { return target == ErrLeaseLost }

// NameTakenError says that the lease of another process that works under the name has
// not ended.
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
		"if that process is not running any more, the name is free when its lease ends, at %s (in %s)",
		e.Name, e.PID, e.Host, e.LastSeenAt.UTC().Format(time.RFC3339), e.LeaseEnds.UTC().Format(time.RFC3339), e.FreeIn.Round(time.Second))
}

// TimeLimitError is the cause of a cancelled run that has taken longer than the
// timeout of its policy. It is a context.DeadlineExceeded.
type TimeLimitError struct{ Limit time.Duration }

func (e *TimeLimitError) Error() string {
	return fmt.Sprintf("the run took longer than the timeout of its policy, %s", e.Limit)
}

// Is makes the error a context.DeadlineExceeded.
func (e *TimeLimitError) Is(target error) bool { return target == context.DeadlineExceeded }

// UnknownQueueError says that an item names a queue that does not exist.
type UnknownQueueError struct {
	Queue string
	Known []string
}

func (e *UnknownQueueError) Error() string {
	return fmt.Sprintf("queue %q does not exist; there are %s", e.Queue, strings.Join(e.Known, ", "))
}

// TransitionError says why an item did not change on a person's word.
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

// ErrDraining is the cause of a cancelled run when the worker is shutting down
// and its grace has ended.
var ErrDraining = errors.New("the worker is draining")

// DuplicateError says that another item has what must be unique.
type DuplicateError struct {
	// ItemID is the item that has it.
	ItemID int64

	// What tells what the two have in common, such as `natural key "4711"`.
	What string
}

func (e *DuplicateError) Error() string {
	return fmt.Sprintf("item %d has the same %s, which must be unique", e.ItemID, e.What)
}
