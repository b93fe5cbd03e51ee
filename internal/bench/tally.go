package bench

import (
	"context"
	"sync"

	"botwork/handlers"
)

// tally is a handler that only counts how often each item has run. Ids in a scratch
// database start at 1, so one byte for each is small enough even for millions of items.
type tally struct {
	progress func(more int) // may be nil

	mu     sync.Mutex
	times  []uint8 // runs by id, at most 255
	first  int     // number of items that have run at least once
	untold int
}

// Handle implements handlers.Handler.
func (t *tally) Handle(_ context.Context, call *handlers.Call) (any, error) {
	t.note(call.ItemID)
	return nil, nil
}

func (t *tally) note(id int64) {
	const step = 1000
	tell := 0
	t.mu.Lock()
	if more := int(id) + 1 - len(t.times); more > 0 {
		t.times = append(t.times, make([]uint8, more)...)
	}
	if t.times[id] == 0 {
		t.first++
		if t.untold++; t.untold == step {
			tell, t.untold = step, 0
		}
	}
	if t.times[id] < 255 {
		t.times[id]++
	}
	t.mu.Unlock()
	if tell > 0 && t.progress != nil {
		t.progress(tell)
	}
}

// reportRest reports the remaining progress, which is less than a thousand.
func (t *tally) reportRest() {
	t.mu.Lock()
	rest := t.untold
	t.untold = 0
	t.mu.Unlock()
	if rest > 0 && t.progress != nil {
		t.progress(rest)
	}
}

// of returns how often an item ran.
func (t *tally) of(id int64) int {
	t.mu.Lock()
	defer t.mu.Unlock()
	if id < int64(len(t.times)) {
		return int(t.times[id])
	}
	return 0
}

// twice counts the items that ran more than once.
func (t *tally) twice() (n int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, times := range t.times {
		if times > 1 {
			n++
		}
	}
	return n
}
