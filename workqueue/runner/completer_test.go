package runner

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"botwork/workqueue"

	"github.com/rs/zerolog"
)

// finishStore is a LeaseStore whose Finish is a function.
type finishStore struct {
	workqueue.LeaseStore
	finish func(ctx context.Context, finishes []workqueue.Finish) (lost []int64, err error)
}

func (s finishStore) Finish(ctx context.Context, _ int64, _ string, finishes []workqueue.Finish) ([]int64, error) {
	return s.finish(ctx, finishes)
}

// startCompleter runs a completer until the test's bubble ends. finish is
// called under mu, which guards data that it shares with the test.
func startCompleter(t *testing.T, mu *sync.Mutex, finish func([]workqueue.Finish) ([]int64, error)) *completer {
	c := newCompleter(finishStore{finish: func(_ context.Context, fs []workqueue.Finish) ([]int64, error) {
		mu.Lock()
		defer mu.Unlock()
		return finish(fs)
	}}, workqueue.Worker{ID: 1}, newHeld(), time.Minute, zerolog.Nop())
	ctx, cancel := context.WithCancel(t.Context())
	var loop sync.WaitGroup
	loop.Go(func() { c.run(ctx) })
	t.Cleanup(func() {
		cancel()
		loop.Wait()
	})
	return c
}

var errDown = errors.New("the database is down")

func ignoreSettled(bool) {}

func TestCompleterBatchesResults(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		var sizes []int
		written := 0
		c := newCompleter(finishStore{finish: func(_ context.Context, fs []workqueue.Finish) ([]int64, error) {
			time.Sleep(time.Second)
			mu.Lock()
			defer mu.Unlock()
			sizes = append(sizes, len(fs))
			return nil, nil
		}}, workqueue.Worker{ID: 1}, newHeld(), time.Minute, zerolog.Nop())
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		go c.run(ctx)
		for i := range 1201 {
			c.add(workqueue.Finish{ItemID: int64(i)}, func(bool) {
				mu.Lock()
				defer mu.Unlock()
				written++
			})
			if i == 0 {
				synctest.Wait() // the first is being written
			}
		}
		time.Sleep(time.Minute)
		mu.Lock()
		defer mu.Unlock()
		if want := []int{1, 32, 48, 72, 108, 162, 243, 365, 170}; !slices.Equal(sizes, want) || written != 1201 {
			t.Errorf("batches of %v, %d written, want %v and 1201", sizes, written, want)
		}
	})
}

func TestCompleterKeepsResultsWhileDatabaseIsDown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		down, calls, got := true, 0, map[int64]int{}
		c := startCompleter(t, &mu, func(fs []workqueue.Finish) ([]int64, error) {
			if calls++; down {
				return nil, errDown
			}
			for _, f := range fs {
				got[f.ItemID]++
				if f.State != workqueue.Processed {
					t.Errorf("item %d is written as %v, want Processed", f.ItemID, f.State)
				}
			}
			return nil, nil
		})
		for i := range 700 {
			c.add(workqueue.Finish{ItemID: int64(i), State: workqueue.Processed}, ignoreSettled)
		}
		time.Sleep(24 * time.Hour)
		if len(c.unwritten()) != 700 {
			t.Fatalf("%d results are kept, want 700", len(c.unwritten()))
		}
		mu.Lock()
		if most := int(24*time.Hour/longestPause) + 20; calls > most {
			t.Errorf("%d writes were tried in a day, want at most %d", calls, most)
		}
		down = false
		mu.Unlock()
		time.Sleep(2 * longestPause)
		mu.Lock()
		defer mu.Unlock()
		if len(got) != 700 || len(c.unwritten()) != 0 {
			t.Errorf("%d results written, %d kept, want 700 and 0", len(got), len(c.unwritten()))
		}
		for id, n := range got {
			if n != 1 {
				t.Errorf("result of item %d was written %d times", id, n)
			}
		}
	})
}

func TestCompleterRefusedResultBlocksNoOther(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const bad = 250
		var mu sync.Mutex
		var refusals int
		var last *workqueue.Finish // the outcome that was written for the bad item
		good := map[int64]int{}
		c := startCompleter(t, &mu, func(fs []workqueue.Finish) ([]int64, error) {
			for _, f := range fs {
				if f.ItemID == bad && f.State == workqueue.Processed {
					refusals++
					return nil, errors.New("value too long: \x00 müsli " + strings.Repeat("x", 5000))
				}
			}
			for _, f := range fs {
				if f.ItemID == bad {
					last = &f
				} else {
					good[f.ItemID]++
				}
			}
			return nil, nil
		})
		for i := range 600 {
			c.add(workqueue.Finish{ItemID: int64(i), Fence: 9, State: workqueue.Processed, RetryCount: 1, Output: "1"}, ignoreSettled)
		}
		time.Sleep(firstPause + 1)
		mu.Lock()
		if len(good) != 599 || refusals > 3 {
			t.Fatalf("%d results written and %d refusals after the first pause, want all other 599", len(good), refusals)
		}
		mu.Unlock()
		// Refusals count only while the database accepts other results.
		time.Sleep(time.Hour)
		mu.Lock()
		if last != nil {
			t.Fatalf("the result was replaced although the database accepted no others: %+v", last)
		}
		mu.Unlock()
		for i := range 3 * refusalLimit {
			c.add(workqueue.Finish{ItemID: int64(1000 + i), State: workqueue.Processed}, ignoreSettled)
			time.Sleep(longestPause)
		}
		mu.Lock()
		defer mu.Unlock()
		if last == nil {
			t.Fatalf("the result still blocks its item after %d refusals", refusals)
		}
		if last.State != workqueue.Cancelled || last.Fence != 9 || last.RetryCount != 1 || last.ErrorKind != workqueue.KindPermanent || last.Output != "" {
			t.Errorf("written instead: %+v, want Cancelled as permanent, without the output", last)
		}
		if !strings.Contains(last.Error, "refused its result: value too long: ? m?sli xxx") || len(last.Error) > 1100 {
			t.Errorf("the reason is %q, want it short and in plain ASCII", last.Error)
		}
		if len(c.unwritten()) != 0 {
			t.Errorf("unwritten: %v", c.unwritten())
		}
	})
}

func TestCompleterManyRefusedResultsBlockNoOther(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		refusals := 0
		c := startCompleter(t, &mu, func(fs []workqueue.Finish) ([]int64, error) {
			if fs[0].ItemID < 0 {
				refusals++
				return nil, errDown
			}
			return nil, nil
		})
		for i := range 100 {
			c.add(workqueue.Finish{ItemID: int64(-1 - i), State: workqueue.Processed}, ignoreSettled)
		}
		time.Sleep(time.Hour)
		for i := range refusalLimit / 2 {
			synctest.Wait()
			mu.Lock()
			before := refusals
			mu.Unlock()
			after := make(chan int)
			c.add(workqueue.Finish{ItemID: int64(i)}, func(bool) {
				mu.Lock()
				defer mu.Unlock()
				after <- refusals
			})
			if waited := <-after - before; waited > 1 {
				t.Errorf("the result waited for %d refused results", waited)
			}
		}
	})
}

func TestCompleterCountsHeartbeatsAsAcceptedWrites(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		replaced := false
		isReplaced := func() bool {
			mu.Lock()
			defer mu.Unlock()
			return replaced
		}
		c := startCompleter(t, &mu, func(fs []workqueue.Finish) ([]int64, error) {
			if fs[0].State != workqueue.Cancelled {
				return nil, errDown
			}
			replaced = true
			return nil, nil
		})
		c.add(workqueue.Finish{ItemID: 1, State: workqueue.Processed}, ignoreSettled)
		time.Sleep(time.Hour)
		for i := range refusalLimit {
			if isReplaced() {
				t.Fatalf("replaced after %d heartbeats, want %d", i, refusalLimit)
			}
			c.alive()
			time.Sleep(longestPause)
		}
		time.Sleep(longestPause)
		if !isReplaced() {
			t.Error("the result is retried although heartbeats are accepted")
		}
	})
}

func TestCompleterDropsResultOfLostLease(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		c := startCompleter(t, &mu, func(fs []workqueue.Finish) ([]int64, error) { return []int64{fs[0].ItemID}, nil })
		run, _ := c.held.add(t.Context(), &workqueue.Item{ID: 1, Fence: 2}, time.Now())
		written := make(chan struct{})
		c.add(workqueue.Finish{ItemID: 1, Fence: 2}, func(bool) { close(written) })
		<-written
		if run.Err() == nil || c.held.count() != 0 || len(c.unwritten()) != 0 {
			t.Errorf("a lost claim is still held: %v, %d, %v", run.Err(), c.held.count(), c.unwritten())
		}
	})
}

func TestCompleterCancelsHangingStatement(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		calls := 0
		c := newCompleter(finishStore{finish: func(ctx context.Context, _ []workqueue.Finish) ([]int64, error) {
			if calls++; calls == 1 {
				<-ctx.Done()
				return nil, ctx.Err()
			}
			return nil, nil
		}}, workqueue.Worker{ID: 1}, newHeld(), time.Minute, zerolog.Nop())
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		go c.run(ctx)
		settled := make(chan bool, 1)
		c.add(workqueue.Finish{ItemID: 1}, func(ok bool) { settled <- ok })
		if !<-settled {
			t.Error("not written, want it written at the second try")
		}
	})
}

func TestCompleterSettlesAllResultsWhenItEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCompleter(finishStore{finish: func(ctx context.Context, _ []workqueue.Finish) ([]int64, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		}}, workqueue.Worker{ID: 1}, newHeld(), time.Minute, zerolog.Nop())
		ctx, cancel := context.WithCancel(t.Context())
		settled := make(chan bool, 3)
		over := func(ok bool) { settled <- ok }
		c.add(workqueue.Finish{ItemID: 1}, over) // being written
		ended := make(chan struct{})
		go func() {
			c.run(ctx)
			close(ended)
		}()
		synctest.Wait()
		c.add(workqueue.Finish{ItemID: 2}, over) // in line
		cancel()
		<-ended
		c.add(workqueue.Finish{ItemID: 3}, over) // after the end
		for range 3 {
			if <-settled {
				t.Error("an unwritten result counts as written")
			}
		}
	})
}
