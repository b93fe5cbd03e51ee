package sqlstore

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
)

// A call that finds no other one runs by itself. Those that arrive meanwhile share a transaction; what it does
// not settle runs by itself too, and so does everything if it panics.
func TestGathering(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		var alone []int
		var together [][]int
		hold := make(chan struct{})
		gone, leave := context.WithCancel(t.Context())
		g := gathering[int]{together: func(_ context.Context, calls []*gathered[int]) {
			var batch []int
			for _, c := range calls {
				batch = append(batch, *c.call)
			}
			slices.Sort(batch)
			together = append(together, batch)
			for _, c := range calls {
				if *c.call == 100 {
					panic("a fault")
				}
				c.settled = *c.call%2 == 0
			}
		}}
		call := func(ctx context.Context, n int) error {
			return g.do(ctx, &n, func() error {
				mu.Lock()
				alone = append(alone, n)
				mu.Unlock()
				if n == 0 {
					<-hold
				}
				return nil
			})
		}
		round := func(n ...int) {
			hold = make(chan struct{})
			var calls sync.WaitGroup
			calls.Go(func() { _ = call(t.Context(), 0) })
			synctest.Wait()
			for _, n := range n {
				ctx := t.Context()
				if n == 99 {
					ctx = gone
				}
				calls.Go(func() {
					if err := call(ctx, n); err != nil && !errors.Is(err, context.Canceled) {
						t.Error(err)
					}
				})
				synctest.Wait()
			}
			leave()
			synctest.Wait()
			close(hold)
			calls.Wait()
			synctest.Wait()
		}
		for _, c := range []struct {
			calls    []int
			together [][]int
			alone    []int
		}{
			{nil, nil, []int{0}},
			{[]int{2}, nil, []int{0, 2}}, // there is nothing to share
			{[]int{2, 3, 4, 99}, [][]int{{2, 3, 4}}, []int{0, 3}},
			{[]int{2, 100, 4}, [][]int{{2, 4, 100}}, []int{0, 4, 100}},
		} {
			alone, together = nil, nil
			round(c.calls...)
			slices.Sort(alone)
			if !slices.Equal(alone, c.alone) || !slices.EqualFunc(together, c.together, slices.Equal) {
				t.Errorf("calls %v: together %v, alone %v; want %v and %v", c.calls, together, alone, c.together, c.alone)
			}
		}
		if g.busy || g.waiting != nil {
			t.Error("a call is still waited for")
		}
	})
}
