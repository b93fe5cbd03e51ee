package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"botwork/internal/author/strictyaml"
	"botwork/workqueue"
)

// QueueReader reads queues.
type QueueReader interface {
	Queue(ctx context.Context, name string) (workqueue.Queue, error)
	Queues(ctx context.Context) ([]workqueue.Queue, error)
}

// CheckQueue returns an error if there is no queue of this name. Call it when a filter by
// queue found nothing, so that a mistyped name does not look like an empty queue. "" is any
// queue.
func CheckQueue(ctx context.Context, store QueueReader, name string) error {
	if name == "" {
		return nil
	}
	_, err := store.Queue(ctx, name)
	return NoSuchQueue(ctx, store, name, err)
}

// NoSuchQueue adds the names of the existing queues to a "not found" error, and returns other
// errors unchanged.
func NoSuchQueue(ctx context.Context, store QueueReader, name string, err error) error {
	if !errors.Is(err, workqueue.ErrNotFound) {
		return err
	}
	queues, listErr := store.Queues(ctx)
	if listErr != nil {
		return errors.Join(err, listErr)
	}
	names := make([]string, len(queues))
	for i, q := range queues {
		names[i] = q.Name
	}
	hint := strictyaml.Suggest(name, names)
	if hint == "" {
		hint = "existing queues: " + strings.Join(names, ", ")
	}
	return fmt.Errorf("%w; %s", err, hint)
}
