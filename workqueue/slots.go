package workqueue

import (
	"container/heap"
	"context"
	"errors"
	"sync"
)

// slots are the places in which a worker's items run. All running pipelines
// share them; a slot that frees goes to the waiter with the highest priority,
// the longest waiting among equals.
type slots struct {
	capacity int

	mu      sync.Mutex
	free    int
	stuck   int // of those that are not free: no telling when they will be
	waiting waiterHeap
	arrived uint64
}

// errAllStuck says that a worker cannot run anything.
var errAllStuck = errors.New("all slots are stuck: their handlers ignore that they were cancelled; " +
	"restart this worker, and bound what the handlers do")

func newSlots(capacity int) *slots { return &slots{capacity: capacity, free: capacity} }

type waiter struct {
	priority int
	arrived  uint64
	granted  chan struct{}
	refused  bool // read when granted is closed: no slot will come
	index    int  // in the heap; -1 when it has left
}

// acquire waits for a slot. It returns ctx's cause when ctx ends first, and
// errAllStuck when no slot can be expected to free.
func (s *slots) acquire(ctx context.Context, priority int) error {
	if err := context.Cause(ctx); err != nil {
		return err
	}
	s.mu.Lock()
	if s.stuck >= s.capacity {
		s.mu.Unlock()
		return errAllStuck
	}
	if s.free > 0 && len(s.waiting) == 0 {
		s.free--
		s.mu.Unlock()
		return nil
	}
	s.arrived++
	w := &waiter{priority: priority, arrived: s.arrived, granted: make(chan struct{})}
	heap.Push(&s.waiting, w)
	s.mu.Unlock()
	select {
	case <-w.granted:
		if w.refused {
			return errAllStuck
		}
		return nil
	case <-ctx.Done():
		s.mu.Lock()
		defer s.mu.Unlock()
		switch {
		case w.index >= 0:
			heap.Remove(&s.waiting, w.index)
		case !w.refused:
			// The grant and the end came together: the slot is ours to give back.
			s.releaseLocked()
		}
		return context.Cause(ctx)
	}
}

// release gives a slot back.
func (s *slots) release() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.releaseLocked()
}

func (s *slots) releaseLocked() {
	if len(s.waiting) == 0 {
		s.free++
		return
	}
	close(heap.Pop(&s.waiting).(*waiter).granted)
}

// stick notes that one more slot is stuck, or with -1 that it is free again
// soon. When all are stuck, nobody is kept waiting.
func (s *slots) stick(more int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stuck += more
	if s.stuck < s.capacity {
		return
	}
	for len(s.waiting) > 0 {
		w := heap.Pop(&s.waiting).(*waiter)
		w.refused = true
		close(w.granted)
	}
}

type waiterHeap []*waiter

func (h waiterHeap) Len() int { return len(h) }
func (h waiterHeap) Less(i, j int) bool {
	if h[i].priority != h[j].priority {
		return h[i].priority > h[j].priority
	}
	return h[i].arrived < h[j].arrived
}
func (h waiterHeap) Swap(i, j int) {
	h[i], h[j] = h[j], h[i]
	h[i].index, h[j].index = i, j
}
func (h *waiterHeap) Push(x any) {
	w := x.(*waiter)
	w.index = len(*h)
	*h = append(*h, w)
}
func (h *waiterHeap) Pop() any {
	old := *h
	w := old[len(old)-1]
	*h = old[:len(old)-1]
	w.index = -1
	return w
}
