package longpoll_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"botwork/internal/api/longpoll"
)

// pool is a queue in memory.
type pool struct {
	mu    sync.Mutex
	items int
	looks int
	takes []string // who took, in that order
	slow  time.Duration
}

func (p *pool) add(n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.items += n
}

func (p *pool) take(name string) func() (bool, error) {
	return func() (bool, error) {
		time.Sleep(p.slow)
		p.mu.Lock()
		defer p.mu.Unlock()
		p.looks++
		if p.items == 0 {
			return false, nil
		}
		p.items--
		p.takes = append(p.takes, name)
		return true, nil
	}
}

func (p *pool) state() (looks, taken int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.looks, len(p.takes)
}

// begin starts a request of the pool's queue.
func (p *pool) begin(ctx context.Context, h *longpoll.Hub, name string, wait time.Duration) <-chan error {
	ended := make(chan error, 1)
	go func() {
		ended <- h.Wait(ctx, longpoll.Request{Queue: "q", Wait: wait, Take: p.take(name)})
	}()
	synctest.Wait()
	return ended
}

func TestItemsThatAreThereAreTakenWithoutWaiting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, p := longpoll.New(10, nil), &pool{items: 1}
		waits := 0
		err := h.Wait(t.Context(), longpoll.Request{Queue: "q", Wait: time.Minute, Waits: func() { waits++ }, Take: p.take("a")})
		if looks, taken := p.state(); err != nil || looks != 1 || taken != 1 || waits != 0 {
			t.Errorf("got %v, %d looks, %d taken, %d waits", err, looks, taken, waits)
		}
		h.Close()
	})
}

// While nothing happens, 500 requests cost one look a second together.
func TestManyRequestsShareTheLooks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, p := longpoll.New(500, nil), &pool{}
		begun := time.Now()
		var ended []<-chan error
		for i := range 500 {
			ended = append(ended, p.begin(t.Context(), h, fmt.Sprint(i), 10*time.Second+time.Millisecond))
		}
		if looks, _ := p.state(); looks != 1 {
			t.Errorf("%d looks at the beginning, want 1", looks)
		}
		for _, e := range ended {
			if err := <-e; err != nil {
				t.Fatal(err)
			}
		}
		if looks, _ := p.state(); looks != 11 || time.Since(begun) > 10*time.Second+time.Millisecond {
			t.Errorf("%d looks in %v, want 11 in 10s", looks, time.Since(begun))
		}
		if n := h.Waiting(); n != 0 {
			t.Errorf("%d requests wait at the end", n)
		}
		h.Close()
	})
}

// A notice wakes as many requests as there are items, and few more, in the order of their arrival.
func TestNoticeWakesTheLongestWaiting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, p := longpoll.New(500, nil), &pool{}
		ctx, cancel := context.WithCancel(t.Context())
		for i := range 500 {
			p.begin(ctx, h, fmt.Sprint(i), time.Hour)
		}
		time.Sleep(500 * time.Millisecond) // between two polls
		before, _ := p.state()
		p.add(10)
		h.Notice()
		synctest.Wait()
		looks, taken := p.state()
		if taken != 10 || looks-before > 10+8 {
			t.Errorf("%d taken by %d looks, want 10 by at most 18", taken, looks-before)
		}
		for i, name := range p.takes {
			if n, err := strconv.Atoi(name); err != nil || n >= 10+4 {
				t.Errorf("take %d is of request %s, want one of the first", i, name) // four look at the same time
			}
		}
		cancel()
		synctest.Wait()
		if n := h.Waiting(); n != 0 {
			t.Errorf("%d requests wait after the end", n)
		}
		h.Close()
	})
}

// Items without a notice, such as scheduled ones, are found within a second.
func TestItemsWithoutANotice(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, p := longpoll.New(10, nil), &pool{}
		ended := p.begin(t.Context(), h, "a", time.Minute)
		time.Sleep(5500 * time.Millisecond)
		p.add(1)
		begun := time.Now()
		if err := <-ended; err != nil || time.Since(begun) > time.Second {
			t.Errorf("got %v after %v", err, time.Since(begun))
		}
		h.Close()
	})
}

// A notice that arrives while a request looks leads to another look.
func TestNoticeDuringALook(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, p := longpoll.New(10, nil), &pool{slow: 10 * time.Millisecond}
		ended := make(chan time.Duration, 1)
		begun := time.Now()
		go func() {
			looked := false
			_ = h.Wait(t.Context(), longpoll.Request{Queue: "q", Wait: time.Minute, Take: func() (bool, error) {
				got, err := p.take("a")()
				if !looked {
					looked = true
					p.add(1) // too late for this look
					h.Notice()
					time.Sleep(10 * time.Millisecond)
				}
				return got, err
			}})
			ended <- time.Since(begun)
		}()
		if took := <-ended; took > 200*time.Millisecond {
			t.Errorf("took %v, want a second look at once", took)
		}
		h.Close()
	})
}

// Many notices lead to at most twenty looks a second.
func TestNoticesAreMerged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, p := longpoll.New(10, nil), &pool{}
		ctx, cancel := context.WithCancel(t.Context())
		p.begin(ctx, h, "a", time.Hour)
		for range 1000 {
			time.Sleep(time.Millisecond)
			h.Notice()
		}
		if looks, _ := p.state(); looks > 26 {
			t.Errorf("%d looks in a second, want about 20", looks)
		}
		cancel()
		synctest.Wait()
		h.Close()
	})
}

// A request whose filter nothing matches does not hide the items from the others.
func TestFiltersAreApart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, p := longpoll.New(100, nil), &pool{}
		ctx, cancel := context.WithCancel(t.Context())
		never := func() (bool, error) { return false, nil }
		for i := range 50 {
			go func() {
				_ = h.Wait(ctx, longpoll.Request{Queue: "q", Filter: fmt.Sprint("filter ", i), Wait: time.Hour, Take: never})
			}()
		}
		synctest.Wait()
		ended := p.begin(ctx, h, "a", time.Hour)
		time.Sleep(1500 * time.Millisecond)
		p.add(1)
		begun := time.Now()
		h.NoticeOf("other")
		h.NoticeOf("q")
		if err := <-ended; err != nil || time.Since(begun) > 200*time.Millisecond {
			t.Errorf("got %v after %v", err, time.Since(begun))
		}
		cancel()
		synctest.Wait()
		h.Close()
	})
}

func TestTooMany(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, p := longpoll.New(2, nil), &pool{}
		ctx, cancel := context.WithCancel(t.Context())
		p.begin(ctx, h, "a", time.Hour)
		p.begin(ctx, h, "b", time.Hour)
		if err := <-p.begin(ctx, h, "c", time.Hour); !errors.Is(err, longpoll.ErrTooMany) {
			t.Errorf("got %v, want ErrTooMany", err)
		}
		cancel()
		synctest.Wait()
		if err := <-p.begin(t.Context(), h, "d", time.Second); err != nil {
			t.Errorf("got %v", err)
		}
		h.Close()
	})
}

// Draining answers all requests at once.
func TestDraining(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		draining := make(chan struct{})
		h, p := longpoll.New(100, draining), &pool{}
		var ended []<-chan error
		for i := range 100 {
			ended = append(ended, p.begin(t.Context(), h, fmt.Sprint(i), time.Hour))
		}
		begun := time.Now()
		close(draining)
		for _, e := range ended {
			if err := <-e; err != nil || time.Since(begun) > 0 {
				t.Fatalf("got %v after %v", err, time.Since(begun))
			}
		}
		h.Close()
	})
}

// A client that has gone does not look, and its turn goes to the next one.
func TestClientsThatAreGone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, p := longpoll.New(10, nil), &pool{}
		gone, leave := context.WithCancel(t.Context())
		first := p.begin(gone, h, "gone", time.Hour)
		second := p.begin(t.Context(), h, "here", time.Hour)
		leave()
		p.add(1)
		h.Notice()
		if err := <-first; !errors.Is(err, context.Canceled) {
			t.Errorf("got %v, want context.Canceled", err)
		}
		if err := <-second; err != nil || !slices.Equal(p.takes, []string{"here"}) {
			t.Errorf("got %v, taken by %v", err, p.takes)
		}
		h.Close()
	})
}

// A request that fails leaves, and the next one gets its turn.
func TestErrorsEndOnlyTheirRequest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, p := longpoll.New(10, nil), &pool{}
		broken := errors.New("broken")
		var fails atomic.Bool
		failed := make(chan error, 1)
		go func() {
			failed <- h.Wait(t.Context(), longpoll.Request{Queue: "q", Wait: time.Hour, Take: func() (bool, error) {
				if fails.Load() {
					return false, broken
				}
				return false, nil
			}})
		}()
		synctest.Wait()
		second := p.begin(t.Context(), h, "b", time.Hour)
		fails.Store(true)
		p.add(1)
		h.Notice()
		if err := <-failed; !errors.Is(err, broken) {
			t.Errorf("got %v, want the error", err)
		}
		if err := <-second; err != nil {
			t.Error(err)
		}
		h.Close()
	})
}

// Requests come and go while items arrive: each item is taken, and nothing is left behind.
func TestContention(t *testing.T) {
	h, p := longpoll.New(200, nil), &pool{slow: 100 * time.Microsecond}
	const robots, each = 50, 40
	var working sync.WaitGroup
	for i := range robots {
		working.Go(func() {
			for taken := 0; taken < each; {
				ctx, cancel := context.WithTimeout(context.Background(), time.Second)
				if rand.IntN(4) == 0 {
					go func() {
						time.Sleep(time.Duration(rand.IntN(2000)) * time.Microsecond)
						cancel()
					}()
				}
				got := false
				take := p.take(fmt.Sprint(i))
				err := h.Wait(ctx, longpoll.Request{Queue: "q", Filter: fmt.Sprint(i % 3), Wait: time.Duration(rand.IntN(50)+1) * time.Millisecond, Take: func() (bool, error) {
					ok, err := take()
					got = ok
					return ok, err
				}})
				if err != nil && !errors.Is(err, context.Canceled) {
					t.Error(err)
				}
				if got {
					taken++
				}
				cancel()
			}
		})
	}
	for range robots * each / 10 {
		p.add(10)
		h.Notice()
		time.Sleep(200 * time.Microsecond)
	}
	working.Wait()
	h.Close()
	if _, taken := p.state(); taken != robots*each || p.items != 0 || h.Waiting() != 0 {
		t.Errorf("%d taken, %d left, %d wait; want %d, 0 and 0", taken, p.items, h.Waiting(), robots*each)
	}
}
