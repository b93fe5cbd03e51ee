package workqueue

import (
	"cmp"
	"context"
	"slices"
)

// fetched is what a claim brought that went on beside the loop.
type fetched struct {
	items []claimed
	err   error
}

// fetchAhead begins to claim when no more waits than was claimed last, so that the slots
// need not wait for the database: while one batch runs the next one comes. It is for
// items that a worker claims by the dozen; one that takes long is chosen when its slot
// is free. One fetch goes on at a time, and owns what the loop does to claim until it is
// collected.
func (e *execution) fetchAhead(ctx context.Context) {
	if e.coming != nil || e.brought == 0 || e.p.Stay != nil || len(e.queue) > e.brought || e.batch() <= e.r.o.Spec.Capacity || e.crowded() {
		return
	}
	coming := make(chan fetched, 1)
	e.coming = coming
	e.beside.Go(func() {
		items, err := e.bring(ctx)
		coming <- fetched{items, err}
	})
}

// collect adds what was fetched to the queue, the most urgent first. With wait it
// waits for a fetch that goes on.
func (e *execution) collect(wait bool) error {
	if e.coming == nil {
		return nil
	}
	var f fetched
	if wait {
		f = <-e.coming
	} else {
		select {
		case f = <-e.coming:
		default:
			return nil
		}
	}
	e.coming = nil
	e.enqueue(f.items)
	return f.err
}

// enqueue adds claimed items behind those of their priority.
func (e *execution) enqueue(items []claimed) {
	e.brought = len(items)
	e.queue = append(e.queue, items...)
	byPriority := func(a, b claimed) int { return cmp.Compare(b.Priority, a.Priority) }
	if !slices.IsSortedFunc(e.queue, byPriority) {
		slices.SortStableFunc(e.queue, byPriority)
	}
}
