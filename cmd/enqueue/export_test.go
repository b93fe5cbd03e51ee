package enqueue

import (
	"context"

	"botwork/cmd/internal/projectdir"
	"botwork/workqueue"
)

type Source = itemSource

func NewSource(count int, next func() (workqueue.NewItem, int, error)) Source {
	return itemSource{total: count, next: next}
}

// Run enqueues the items of a source.
type Run struct{ run enqueueRun }

func NewRun(a *projectdir.App, store workqueue.BatchStore, key string, source Source) *Run {
	return &Run{enqueueRun{app: &command{a}, store: store, key: key, source: source}}
}

// All enqueues all items, and returns how many are in the queue, and how many of these are new.
func (r *Run) All(ctx context.Context) (count, made int, err error) {
	err = r.run.all(ctx, func(int) {})
	return r.run.done.count, r.run.done.made(), err
}
