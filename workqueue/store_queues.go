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

	// PauseQueue stops the assignment and the checkout of a queue's items; running
	// ones continue. ResumeQueue ends the pause. If the queue already has the
	// requested state, changed is false. ErrNotFound if there is no such queue.
	PauseQueue(ctx context.Context, name string) (changed bool, err error)
	ResumeQueue(ctx context.Context, name string) (changed bool, err error)

	// DeleteQueue removes a queue. If it still has items, including finished and
	// deleted ones: *QueueNotEmptyError. DefaultQueue is never removed:
	// ErrDefaultQueue. ErrNotFound if there is no such queue.
	DeleteQueue(ctx context.Context, name string) error
}

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
