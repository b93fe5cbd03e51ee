package events

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rs/zerolog"

	"botwork/workqueue"
)

// store counts the statements, and has one queue whose counts grow.
type store struct {
	clock  time.Duration // how far its clock is ahead
	asks   atomic.Int64
	grown  atomic.Int64
	failed atomic.Int64
	marks  atomic.Pointer[workqueue.Marks]
	broken atomic.Bool
}

func (s *store) ask() error {
	s.asks.Add(1)
	if s.broken.Load() {
		return errors.New("refused")
	}
	return nil
}

func (s *store) Series(_ context.Context, p workqueue.SeriesParams) (workqueue.Series, error) {
	start := p.By.Start(p.Until)
	if now := time.Now().Add(s.clock); now.Before(p.From) || now.After(p.Until.Add(time.Minute)) {
		return workqueue.Series{}, s.ask() // the minute in which something has happened is not among them
	}
	return workqueue.Series{Points: []workqueue.SeriesPoint{{Group: "mail", Start: start.Truncate(time.Hour), Enqueued: s.grown.Add(1), Failed: s.failed.Load()}}}, s.ask()
}

func (s *store) Now(context.Context) (time.Time, error) { return time.Now().Add(s.clock), s.ask() }

func (s *store) Marks(context.Context, int) (workqueue.Marks, error) {
	if marks := s.marks.Load(); marks != nil {
		return *marks, s.ask()
	}
	return workqueue.Marks{}, s.ask()
}

func (s *store) Items(_ context.Context, f workqueue.ItemFilter) ([]workqueue.Item, error) {
	var items []workqueue.Item
	for _, id := range f.IDs {
		items = append(items, workqueue.Item{ID: id, Version: 1})
	}
	return items, s.ask()
}

func run(t *testing.T, most int, test func(h *Hub, s *store)) {
	synctest.Test(t, func(t *testing.T) {
		s := &store{}
		h := NewHub(s, most, zerolog.Nop())
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan struct{})
		go func() { h.Run(ctx); close(ended) }()
		test(h, s)
		cancel()
		<-ended
	})
}

// However many clients there are, there are seven statements in nine seconds: three turns in which counts and followed
// items are read, and one of the three that are left. Without clients there is none.
func TestFewerStatementsThanSeconds(t *testing.T) {
	run(t, 1000, func(h *Hub, s *store) {
		time.Sleep(time.Hour)
		if n := s.asks.Load(); n != 0 {
			t.Errorf("without clients: %d statements", n)
		}
		var clients []*Client
		for i := range 500 {
			c, _, err := h.Subscribe(fmt.Sprint("caller ", i), Filter{Topics: Summaries(), Items: []int64{int64(i + 1)}}, 0)
			if err != nil {
				t.Fatal(err)
			}
			go func() {
				for range c.Events() {
				}
			}()
			clients = append(clients, c)
		}
		time.Sleep(90*time.Second + time.Millisecond)
		if n := s.asks.Load(); n < 68 || n > 72 {
			t.Errorf("500 clients: %d statements in 90 seconds, want 70", n)
		}
		for _, c := range clients {
			c.Close()
			if c.Err() != nil {
				t.Errorf("a client that left has the reason %v", c.Err())
			}
		}
		synctest.Wait()
		before := s.asks.Load()
		time.Sleep(time.Minute)
		if n := s.asks.Load() - before; n > 1 {
			t.Errorf("after the last client: %d statements", n)
		}
	})
}

// A server with a wrong clock sends what happens by the database's clock.
func TestWrongClock(t *testing.T) {
	for _, ahead := range []time.Duration{-time.Hour, 20 * time.Minute, 36 * time.Hour} {
		run(t, 10, func(h *Hub, s *store) {
			s.clock = ahead
			c, _, _ := h.Subscribe("ann", Filter{Topics: []Topic{Items}}, 0)
			defer c.Close()
			select {
			case <-c.Events():
			case <-time.After(time.Minute):
				t.Errorf("the database's clock is ahead by %s: no event in a minute", ahead)
			}
		})
	}
}

// A client that does not read is sent away and delays no other.
func TestSlowClient(t *testing.T) {
	run(t, 10, func(h *Hub, _ *store) {
		slow, _, _ := h.Subscribe("ann", Filter{Topics: []Topic{Items}}, 0)
		quick, _, _ := h.Subscribe("ann", Filter{Topics: []Topic{Items}}, 0)
		n := 0
		for range 2 * pending {
			e := <-quick.Events()
			if n++; e.Topic != Items {
				t.Fatalf("got %+v", e)
			}
		}
		for range slow.Events() {
		}
		if !errors.Is(slow.Err(), ErrSlow) {
			t.Errorf("the slow client has the reason %v", slow.Err())
		}
		quick.Close()
	})
}

// Ids grow, and a client that comes back gets each event that it missed, once.
func TestReplay(t *testing.T) {
	run(t, 10, func(h *Hub, _ *store) {
		c, _, _ := h.Subscribe("ann", Filter{Topics: []Topic{Items}}, 0)
		var ids []uint64
		for range 10 {
			ids = append(ids, (<-c.Events()).ID)
		}
		back, missed, _ := h.Subscribe("ann", Filter{Topics: []Topic{Items}}, ids[3])
		if missed {
			t.Error("events were missed, although they are kept")
		}
		for _, want := range ids[4:] {
			if got := (<-back.Events()).ID; got != want {
				t.Errorf("got the event %d, want %d", got, want)
			}
		}
		if _, missed, _ := h.Subscribe("ann", Filter{Topics: []Topic{Items}}, 1); !missed {
			t.Error("an unknown id: want that events were missed")
		}
		go func() { // reads on, so that the client is not sent away
			for range c.Events() {
			}
		}()
		time.Sleep(2 * keptFor)
		if _, missed, _ := h.Subscribe("ann", Filter{Topics: []Topic{Items}}, ids[3]); !missed {
			t.Error("after ten minutes: want that events were missed")
		}
	})
}

func TestFullAndDraining(t *testing.T) {
	var c *Client
	run(t, 1, func(h *Hub, _ *store) {
		c, _, _ = h.Subscribe("ann", Filter{Topics: Summaries()}, 0)
		if _, _, err := h.Subscribe("ann", Filter{}, 0); !errors.Is(err, ErrFull) {
			t.Errorf("got %v, want ErrFull", err)
		}
	})
	if !errors.Is(c.Err(), ErrDraining) {
		t.Errorf("got %v, want ErrDraining", c.Err())
	}
}

// While the database does not answer there are no events, and afterwards they go on.
func TestDatabaseAway(t *testing.T) {
	run(t, 1, func(h *Hub, s *store) {
		c, _, _ := h.Subscribe("ann", Filter{Topics: []Topic{Items}}, 0)
		<-c.Events()
		s.broken.Store(true)
		time.Sleep(10 * time.Second)
		s.broken.Store(false)
		for len(c.Events()) > 0 {
			<-c.Events()
		}
		if e := <-c.Events(); e.Topic != Items {
			t.Errorf("got %+v", e)
		}
		c.Close()
	})
}

// A client that is bound to queues gets its parts of an event, and none without a part.
func TestBound(t *testing.T) {
	e := summary(Items, map[string]json.RawMessage{"mail": json.RawMessage(`1`), "bills": json.RawMessage(`2`)})[0]
	for _, c := range []struct {
		queues []string
		want   string
	}{
		{nil, `{"items":[2,1]}`}, {[]string{"mail"}, `{"items":[1]}`}, {[]string{"other"}, ""}, {[]string{"bills", "other"}, `{"items":[2]}`},
	} {
		f := Filter{Topics: []Topic{Items}, Queues: c.queues}
		got, ok := f.view(e)
		if ok != (c.want != "") || ok && string(got.Data) != c.want {
			t.Errorf("bound to %v: got %s, %v, want %s", c.queues, got.Data, ok, c.want)
		}
	}
	workers := whole(Workers, []json.RawMessage{json.RawMessage(`1`)})[0]
	if _, ok := (&Filter{Topics: []Topic{Workers}, Queues: []string{"mail"}}).view(workers); ok {
		t.Error("a client that is bound to queues got an event about workers")
	}
}

// One reading finds what has changed of queues, workers and runs, each of which has a topic of its own. A client of
// any of them learns of it.
func TestMarks(t *testing.T) {
	before := workqueue.Marks{
		Queues:  []workqueue.QueueMark{{Name: "mail", Revision: 1}, {Name: "old", Revision: 1}},
		Workers: []workqueue.WorkerMark{{ID: 1, Name: "ann", State: workqueue.WorkerActive}},
		Runs:    []workqueue.RunMark{{ID: 7, Pipeline: "nightly", Outcome: workqueue.RunRunning}},
	}
	after := workqueue.Marks{
		Queues:  []workqueue.QueueMark{{Name: "mail", Revision: 1, Paused: true}},
		Workers: []workqueue.WorkerMark{{ID: 1, Name: "ann", State: workqueue.WorkerActive, Gone: true}},
		Runs: []workqueue.RunMark{
			{ID: 8, Pipeline: "hourly", Outcome: workqueue.RunRunning}, {ID: 7, Pipeline: "nightly", Outcome: workqueue.RunSucceeded},
		},
	}
	want := map[Topic]string{
		Queues:  `{"queues":[{"queue":"mail","paused":true,"revision":1,"deleted":false},{"queue":"old","paused":false,"revision":0,"deleted":true}]}`,
		Workers: `{"workers":[{"worker":"ann","state":"active","lost":true}]}`,
		Runs:    `{"runs":[{"id":7,"pipeline":"nightly","outcome":"succeeded"},{"id":8,"pipeline":"hourly","outcome":"running"}]}`,
	}
	for _, topics := range [][]Topic{{Queues}, {Workers}, {Runs}, {Workers, Runs}, {Queues, Workers, Runs}} {
		run(t, 1, func(h *Hub, s *store) {
			s.marks.Store(&before)
			c, _, err := h.Subscribe("ann", Filter{Topics: topics}, 0)
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			time.Sleep(10 * time.Second)
			s.marks.Store(&after)
			time.Sleep(10 * time.Second)
			if n := len(c.Events()); n != len(topics) {
				t.Errorf("a client of %v got %d events, want one of each", topics, n)
			}
			for len(c.Events()) > 0 {
				if e := <-c.Events(); string(e.Data) != want[e.Topic] {
					t.Errorf("got %s, want %s", e.Data, want[e.Topic])
				}
			}
		})
	}
}

// A caller has a bound of its own, which streams that end make room in.
func TestStreamsOfACaller(t *testing.T) {
	run(t, 10, func(h *Hub, _ *store) {
		var clients []*Client
		for range 5 {
			c, _, err := h.Subscribe("ann", Filter{Topics: Summaries()}, 0)
			if err != nil {
				t.Fatal(err)
			}
			clients = append(clients, c)
		}
		_, _, err := h.Subscribe("ann", Filter{Topics: Summaries()}, 0)
		if full, ok := errors.AsType[*CallerFullError](err); !ok || full.Streams != 5 {
			t.Errorf("one more stream: got %v, want the bound 5", err)
		}
		other, _, err := h.Subscribe("bob", Filter{Topics: Summaries()}, 0)
		if err != nil {
			t.Errorf("another caller: %v", err)
		}
		clients[0].Close()
		clients[0].Close()
		again, _, err := h.Subscribe("ann", Filter{Topics: Summaries()}, 0)
		if err != nil {
			t.Errorf("after one has ended: %v", err)
		}
		for _, c := range append(clients, other, again) {
			c.Close()
		}
		if len(h.callers) != 0 {
			t.Errorf("callers %v are left", h.callers)
		}
	})
	if _, ofCaller := NewHub(nil, 2000, zerolog.Nop()).Most(); ofCaller != mostOfCaller {
		t.Errorf("a caller may have %d of 2000 streams, want %d", ofCaller, mostOfCaller)
	}
}
