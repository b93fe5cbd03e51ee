package workqueue

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
)

// queueUp lets waiters of these priorities line up one after the other, and
// returns the channel on which each tells its index when it has a slot.
func queueUp(t *testing.T, s *slots, priorities ...int) <-chan int {
	t.Helper()
	got := make(chan int, len(priorities))
	for i, p := range priorities {
		go func() {
			if err := s.acquire(t.Context(), need{priority: p}); err == nil {
				got <- i
			}
		}()
		synctest.Wait() // it stands in line
	}
	return got
}

func TestSlotsGoToTheHighestPriorityThenToTheLongestWaiting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSlots(1, 0)
		if err := s.acquire(t.Context(), need{priority: 0}); err != nil {
			t.Fatal(err)
		}
		got := queueUp(t, s, 500, -7, 1001, 500, 1001, 500)
		var order []int
		for range 6 {
			s.release(need{})
			order = append(order, <-got)
		}
		if want := []int{2, 4, 0, 3, 5, 1}; !slices.Equal(order, want) {
			t.Errorf("slots went to %v, want %v", order, want)
		}
		s.release(need{})
		if s.free != 1 {
			t.Errorf("%d slots are free, want 1", s.free)
		}
	})
}

func TestSlotsCancelledWaiterTakesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSlots(1, 0)
		if err := s.acquire(t.Context(), need{priority: 0}); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancelCause(t.Context())
		refused := make(chan error)
		go func() { refused <- s.acquire(ctx, need{priority: 1001}) }()
		synctest.Wait()
		got := queueUp(t, s, 500)
		cancel(ErrDraining)
		if err := <-refused; !errors.Is(err, ErrDraining) {
			t.Errorf("acquire: %v, want the cause of the end", err)
		}
		s.release(need{})
		if i := <-got; i != 0 {
			t.Errorf("slot went to %d", i)
		}
		s.release(need{})
		if err := s.acquire(ctx, need{priority: 1}); !errors.Is(err, ErrDraining) {
			t.Errorf("acquire after the end: %v, want the cause although a slot is free", err)
		}
		if s.free != 1 || len(s.waiting) != 0 {
			t.Errorf("%d free, %d waiting, want 1 and 0", s.free, len(s.waiting))
		}
	})
}

// When a slot is granted to a waiter that has just given up, one of the two
// must give it back. Which of them the waiter sees first is chance.
func TestSlotsGrantAndCancellationTogether(t *testing.T) {
	refused := 0
	for range 500 {
		s := newSlots(1, 0)
		if err := s.acquire(t.Context(), need{priority: 0}); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		result := make(chan error)
		go func() { result <- s.acquire(ctx, need{priority: 0}) }()
		for waiting := 0; waiting == 0; { // until it stands in line
			s.mu.Lock()
			if waiting = len(s.waiting); waiting > 0 {
				cancel()
				s.releaseLocked(need{})
			}
			s.mu.Unlock()
		}
		if err := <-result; err == nil {
			s.release(need{})
		} else {
			refused++
		}
		if s.free != 1 || len(s.waiting) != 0 {
			t.Fatalf("%d free, %d waiting, want 1 and 0", s.free, len(s.waiting))
		}
		cancel()
	}
	if refused == 0 {
		t.Error("the cancellation never came first")
	}
}

// A grant and a cancellation that meet must neither lose a slot nor make one.
func TestSlotsGrantsAndCancellationsUnderStress(t *testing.T) {
	const capacity, goroutines, rounds = 3, 64, 200
	s := newSlots(capacity, 0)
	var inUse, granted atomic.Int64
	var all sync.WaitGroup
	for g := range goroutines {
		all.Go(func() {
			random := rand.New(rand.NewPCG(uint64(g), 1))
			for range rounds {
				ctx, cancel := context.WithCancel(t.Context())
				if random.IntN(2) == 0 {
					go cancel() // races with the grant
				}
				if s.acquire(ctx, need{priority: random.IntN(4)}) == nil {
					granted.Add(1)
					if n := inUse.Add(1); n > capacity {
						t.Errorf("%d slots in use, want at most %d", n, capacity)
					}
					inUse.Add(-1)
					s.release(need{})
				}
				cancel()
			}
		})
	}
	all.Wait()
	if s.free != capacity || len(s.waiting) != 0 {
		t.Errorf("%d free, %d waiting, want %d and 0", s.free, len(s.waiting), capacity)
	}
	if granted.Load() == 0 {
		t.Error("nothing was granted")
	}
}
