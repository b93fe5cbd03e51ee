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

	// DefineQueues makes the queues that do not exist and changes those whose
	// definition differs, with their robots, all or none, and returns the names
	// of both in ascending order. What it changes gets the next revision and is
	// defined by the given worker or person; what is as it shall be, and what
	// defs do not name, stays as it is. Of a definition count all fields but
	// ID, Paused, Revision, DefinedBy and the times; an empty word is the
	// default. A definition that Validate refuses, or that names a queue twice,
	// is a *QueueError; nothing is written then.
	DefineQueues(ctx context.Context, defs []Queue, by string) (changed []string, err error)

	// PauseQueue stops the assignment and the checkout of a queue's items;
	// running ones go on. ResumeQueue ends that. When the queue is as it shall
	// be already, changed is false. ErrNotFound when there is no such queue.
	PauseQueue(ctx context.Context, name string) (changed bool, err error)
	ResumeQueue(ctx context.Context, name string) (changed bool, err error)

	// DeleteQueue removes a queue that has no items, neither finished nor
	// deleted ones: *QueueNotEmptyError. DefaultQueue is never removed:
	// ErrDefaultQueue. ErrNotFound when there is no such queue.
	DeleteQueue(ctx context.Context, name string) error
}

// ErrDefaultQueue says that the queue of items that name none stays.
var ErrDefaultQueue = errors.New("the queue " + DefaultQueue + " is never deleted: items that name no queue go there")

// QueueItemsCounted is up to where the items of a queue that shall be deleted
// are counted: the question costs the same however many there are.
const QueueItemsCounted = 1000

// QueueNotEmptyError says that a queue cannot be deleted because of its items.
type QueueNotEmptyError struct {
	Queue string

	// Items is how many there are; QueueItemsCounted stands for that or more.
	Items int
}

func (e *QueueNotEmptyError) Error() string {
	count := fmt.Sprint(e.Items)
	if e.Items >= QueueItemsCounted {
		count += " or more"
	}
	return fmt.Sprintf("delete queue %q: it has %s item(s), finished and deleted ones included; delete them first", e.Queue, count)
}
