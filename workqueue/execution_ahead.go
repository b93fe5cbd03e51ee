package workqueue

import (
	"cmp"
	"context"
	"slices"
)

// gained is what a claim has brought: items, or what is still to be read.
type gained struct {
	items []claimed
	taken Taken
	lease func(items []Item) []claimed // of what is read
}

// len is how many items it is.
func (g gained) len() int { return len(g.items) + g.taken.Len() }

// read reads what bring has left to be read. What cannot be read is claimed until its
// lease ends; the claim that follows tells whether that is more than a moment's trouble.
func (e *execution) read(ctx context.Context, got gained, err error) ([]claimed, error) {
	if err != nil || got.lease == nil {
		return got.items, err
	}
	bounded, cancel := context.WithTimeout(context.WithoutCancel(ctx), e.r.statementTime())
	defer cancel()
	items, err := got.taken.Items(bounded)
	if err != nil {
		e.r.o.Log.Warn().Err(err).Int("items", got.len()).Msg("claimed items cannot be read; they come back when their lease has ended")
		err = context.Cause(ctx)
	}
	return got.lease(items), err
}

// fetch is a claim that goes on beside the loop. From the moment when it has claimed, it
// only reads: the next one may begin.
type fetch struct {
	claims  chan int // how many it has claimed
	fetches chan fetched

	claimed bool // what claims brought is known to the loop, which owns these two
	count   int
}

// fetched is what a fetch has brought.
type fetched struct {
	items []claimed
	err   error
}

// fetchAhead begins to claim when no more waits than was claimed last, so that the slots
// need not wait for the database: while one batch runs the next one comes, and the one
// behind it is claimed while that is read. It is for items that a worker claims by the
// dozen; one that takes long is chosen when its slot is free. One fetch claims at a time,
// and owns what the loop does to claim until it has.
func (e *execution) fetchAhead(ctx context.Context) {
	e.learn()
	waits := len(e.queue)
	for _, f := range e.ahead {
		if !f.claimed {
			return
		}
		waits += f.count
	}
	if e.brought == 0 || e.p.Stay != nil || waits > e.brought || e.batch() <= e.r.o.Spec.Capacity || e.crowded() {
		return
	}
	f := &fetch{claims: make(chan int, 1), fetches: make(chan fetched, 1)}
	e.ahead = append(e.ahead, f)
	e.beside.Go(func() {
		got, err := e.bring(ctx)
		f.claims <- got.len()
		items, err := e.read(ctx, got, err)
		f.fetches <- fetched{items, err}
	})
}

// learn takes in what the latest fetch has claimed, if it has.
func (e *execution) learn() {
	if len(e.ahead) == 0 {
		return
	}
	f := e.ahead[len(e.ahead)-1]
	select {
	case n := <-f.claims:
		e.know(f, n)
	default:
	}
}

// know takes in what a fetch has claimed.
func (e *execution) know(f *fetch, n int) { f.claimed, f.count, e.brought = true, n, n }

// collect adds what was fetched to the queue, the most urgent first. With wait it
// waits until something is there, as long as fetches go on.
func (e *execution) collect(ctx context.Context, wait bool) error {
	for len(e.ahead) > 0 {
		first, last := e.ahead[0], e.ahead[len(e.ahead)-1]
		var f fetched
		select {
		case f = <-first.fetches:
		default:
			if !wait || len(e.queue) > 0 {
				return nil
			}
			select {
			case f = <-first.fetches:
			case n := <-last.claims:
				e.know(last, n)
				e.fetchAhead(ctx)
				continue
			}
		}
		e.learn()
		e.ahead = e.ahead[1:]
		e.enqueue(f.items)
		if f.err != nil {
			return f.err
		}
	}
	return nil
}

// enqueue adds claimed items behind those of their priority.
func (e *execution) enqueue(items []claimed) {
	e.queue = append(e.queue, items...)
	byPriority := func(a, b claimed) int { return cmp.Compare(b.Priority, a.Priority) }
	if !slices.IsSortedFunc(e.queue, byPriority) {
		slices.SortStableFunc(e.queue, byPriority)
	}
}
