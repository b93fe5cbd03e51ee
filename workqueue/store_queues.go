package workqueue

import (
	"context"
	"errors"
	"fmt"
)

// QueueStore keeps the queues and their policies.
type QueueStore interface {
	// Queues lists the queues by name.
	Queues(ctx context.Context) ([]Queue, error)

	// Queue returns one queue, or ErrNotFound.
	Queue(ctx context.Context, name string) (Queue, error)

	// DefineQueues creates the queues that do not exist and changes those whose
	// definition differs, with their robots, all or none. It returns the names of
	// both in ascending order. A queue that it changes gets the next revision, and
	// by, a worker or a user, as the one who defined it. Queues that already match,
	// and queues that defs does not name, stay unchanged. All fields of a definition
	// are compared except ID, Paused, Revision, DefinedBy and the times; an empty
	// text means the default. If Validate rejects a definition, or defs names a queue
	// twice, DefineQueues returns a *QueueError and writes nothing.
	DefineQueues(ctx context.Context, defs []Queue, by string) (changed []string, err error)

	// RefreshQueues is DefineQueues for a worker that starts: queues that a command has
	// changed keep what the command set, until the next DefineQueues. It records their
	// definitions for Queue.Override. Nor does it create the DeletedQueues. It returns the
	// names of both that differ from their definitions as overridden.
	RefreshQueues(ctx context.Context, defs []Queue, by string) (changed, overridden []string, err error)

	// CreateQueue creates a queue by command, also one that was deleted. ErrQueueExists if
	// there is one.
	CreateQueue(ctx context.Context, def Queue, by string) error

	// OverrideQueue replaces the policy of a queue by command, until the next
	// DefineQueues that names it. def.Revision is that of the policy on which the change is
	// based: ErrQueueChanged if the queue has another one. ErrNotFound if there is no such
	// queue, *QueueError if Validate rejects the policy. changed is false if the policy was
	// the same before.
	OverrideQueue(ctx context.Context, def Queue, by string) (changed bool, err error)

	// PauseQueue stops the assignment and the checkout of a queue's items; running
	// ones continue. ResumeQueue ends the pause. If the queue already has the
	// requested state, changed is false. ErrNotFound if there is no such queue.
	PauseQueue(ctx context.Context, name string) (changed bool, err error)
	ResumeQueue(ctx context.Context, name string) (changed bool, err error)

	// DeleteQueue removes a queue. If it still has items, including finished and
	// deleted ones: *QueueNotEmptyError. DefaultQueue is never removed:
	// ErrDefaultQueue. ErrNotFound if there is no such queue. A queue that settings define
	// becomes one of the DeletedQueues.
	DeleteQueue(ctx context.Context, name string) error

	// DeletedQueues lists the queues by name that settings define, but that were deleted.
	// They remain deleted until the next DefineQueues that names them, or CreateQueue.
	DeletedQueues(ctx context.Context) ([]DeletedQueue, error)
}

// The errors of CreateQueue and OverrideQueue.
var (
	ErrQueueExists  = errors.New("the queue exists already")
	ErrQueueChanged = errors.New("another process changed the queue at the same time")
)

// ErrDefaultQueue is returned for a request to delete DefaultQueue.
var ErrDefaultQueue = errors.New("the queue " + DefaultQueue + " is never deleted: items that name no queue go there")

// QueueItemsCounted is the number up to which the items of a queue are counted when
// it is deleted, so that the count costs the same for any number of items.
const QueueItemsCounted = 1000

// QueueNotEmptyError is returned when a queue cannot be deleted because it has items.
type QueueNotEmptyError struct {
	Queue string

	// Items is their number; QueueItemsCounted means that many or more.
	Items int
}

func (e *QueueNotEmptyError) Error() string {
	count := fmt.Sprint(e.Items)
	if e.Items >= QueueItemsCounted {
		count += " or more"
	}
	return fmt.Sprintf("delete queue %q: it has %s item(s), finished and deleted ones included; delete them first", e.Queue, count)
}
