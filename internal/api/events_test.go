package api_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"botwork/internal/api"
	"botwork/internal/api/apitest"
	"botwork/workqueue"
	"botwork/workqueue/access"
)

// stream is an open stream of events.
type stream struct {
	t      *testing.T
	lines  *bufio.Scanner
	cancel context.CancelFunc
}

type received struct{ id, name, data string }

func openStream(t *testing.T, s *apitest.Server, query, token, last string) *stream {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	req, err := s.NewRequest(ctx, apitest.Request{Method: "GET", Path: "/events" + query, Token: token})
	if err != nil {
		t.Fatal(err)
	}
	if last != "" {
		req.Header.Set("Last-Event-ID", last)
	}
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	res, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	if res.StatusCode != 200 || res.Header.Get("Content-Type") != "text/event-stream" {
		t.Fatalf("got %d %s", res.StatusCode, res.Header)
	}
	t.Cleanup(func() { cancel(); res.Body.Close() })
	return &stream{t, bufio.NewScanner(res.Body), cancel}
}

// next returns the next event, without comments.
func (s *stream) next() received {
	s.t.Helper()
	var e received
	for s.lines.Scan() {
		line := s.lines.Text()
		switch {
		case line == "" && e.name != "":
			return e
		case strings.HasPrefix(line, "id: "):
			e.id = line[4:]
		case strings.HasPrefix(line, "event: "):
			e.name = line[7:]
		case strings.HasPrefix(line, "data: "):
			e.data = line[6:]
		}
	}
	s.t.Fatalf("the stream ended: %v", s.lines.Err())
	return e
}

// until returns the next event of this name.
func (s *stream) until(name string) received {
	s.t.Helper()
	for {
		if e := s.next(); e.name == name {
			return e
		}
	}
}

func enqueue(t *testing.T, s *apitest.Server, queue string, n int) []int64 {
	t.Helper()
	items := make([]workqueue.NewItem, n)
	for i := range items {
		items[i] = workqueue.NewItem{QueueName: queue, IntegrationConfig: "hello", State: workqueue.Pending, Priority: 1000}
	}
	made, err := s.Store.Enqueue(t.Context(), items)
	if err != nil {
		t.Fatal(err)
	}
	return workqueue.IDs(made)
}

func TestEvents(t *testing.T) {
	t.Parallel()
	s := apitest.Start(t, nil)
	if err := s.Store.CreateQueue(t.Context(), workqueue.Queue{Name: "mail"}, "test"); err != nil {
		t.Fatal(err)
	}
	ids := enqueue(t, s, "default", 1)
	all := openStream(t, s, "", s.Token(t, access.Viewer), "")
	one := openStream(t, s, fmt.Sprintf("?item=%d", ids[0]), s.Token(t, access.Viewer), "")
	bound := openStream(t, s, "", s.Token(t, access.Viewer, "mail"), "")

	first := one.until("item")
	if !strings.Contains(first.data, `"status":"Pending"`) || first.id == "" {
		t.Errorf("a followed item: got %+v", first)
	}
	// The hub reads the counts for the first time before the followed items, so it compares what
	// follows with them.
	enqueue(t, s, "default", 3)
	enqueue(t, s, "mail", 2)
	var counts struct {
		Items []struct {
			Queue    string
			Enqueued int
		}
	}
	seen := map[string]int{}
	for seen["default"] < 3 || seen["mail"] < 2 {
		e := all.until("items")
		if err := json.Unmarshal([]byte(e.data), &counts); err != nil {
			t.Fatal(err)
		}
		for _, c := range counts.Items {
			seen[c.Queue] += c.Enqueued
		}
	}
	if seen["default"] != 3 || seen["mail"] != 2 {
		t.Errorf("got %v, want each item once", seen)
	}
	if e := bound.until("items"); strings.Contains(e.data, "default") || !strings.Contains(e.data, `"queue":"mail"`) {
		t.Errorf("a client that is bound to mail got %s", e.data)
	}
	if _, err := s.Store.PauseQueue(t.Context(), "mail"); err != nil {
		t.Fatal(err)
	}
	paused := all.until("queues")
	if !strings.Contains(paused.data, `"queue":"mail","paused":true`) {
		t.Errorf("got %s", paused.data)
	}
	if _, err := s.Store.ChangeItem(t.Context(), ids[0], workqueue.Change{Action: workqueue.Cancel}); err != nil {
		t.Fatal(err)
	}
	if e := one.until("item"); !strings.Contains(e.data, `"status":"Cancelled"`) {
		t.Errorf("a followed item: got %s", e.data)
	}

	// A client that comes back gets what it has missed, and one that was away for too long hears of it.
	again := openStream(t, s, "?topic=queues", s.Token(t, access.Viewer), first.id)
	if e := again.next(); e.name != "queues" || e.id != paused.id {
		t.Errorf("after %s: got %+v, want the event %s", first.id, e, paused.id)
	}
	if e := openStream(t, s, "", s.Token(t, access.Viewer), "17").next(); e.name != "reset" {
		t.Errorf("after an unknown event: got %+v, want reset", e)
	}

	ended := make(chan received, 1)
	go func() { ended <- all.until("bye") }()
	if err := s.Shutdown(t.Context()); err != nil {
		t.Fatal(err)
	}
	if e := <-ended; e.data != `{"reason":"draining"}` {
		t.Errorf("at the shutdown: got %+v", e)
	}
}

func TestEventsRefuse(t *testing.T) {
	s := apitest.Start(t, func(o *api.Options) { o.Limits.Waiting = 1 })
	viewer := s.Token(t, access.Viewer)
	for _, query := range []string{"?topic=everything", "?item=x", "?item=0", "?items=1", "?item=" + strings.Repeat("1,", 21)} {
		s.Do(t, apitest.Request{Method: "GET", Path: "/events" + query, Token: viewer}).WantProblem(t, 422, "invalid-request")
	}
	s.Do(t, apitest.Request{Method: "GET", Path: "/events?queue=other", Token: s.Token(t, access.Viewer, "mail")}).WantProblem(t, 403, "queue-not-allowed")
	openStream(t, s, "", viewer, "")
	a := s.Do(t, apitest.Request{Method: "GET", Path: "/events", Token: viewer})
	if a.WantProblem(t, 429, "too-many-streams"); a.Header.Get("Retry-After") == "" {
		t.Error("no Retry-After")
	}
}

// One caller cannot take the streams of the others, nor the places of robots that wait for items.
func TestEventStreamsOfACaller(t *testing.T) {
	f := startForms(t, nil, func(o *api.Options) { o.Limits.Waiting = 4 })
	s := f.Server
	viewer, other := s.Token(t, access.Viewer), s.Token(t, access.Operator)
	for range 2 {
		openStream(t, s, "", viewer, "")
	}
	p := s.Do(t, apitest.Request{Method: "GET", Path: "/events", Token: viewer}).WantProblem(t, 429, "too-many-streams")
	if want := "the caller has 2 streams of events, as many as one caller may have"; p.Detail != want || !strings.Contains(p.Hint, "may have 2 streams, all together 4") {
		t.Errorf("got the problem %q, hint %q; want %q", p.Detail, p.Hint, want)
	}
	for range 2 {
		openStream(t, s, "", other, "")
	}
	p = s.Do(t, apitest.Request{Method: "GET", Path: "/events", Token: s.Token(t, access.Admin)}).WantProblem(t, 429, "too-many-streams")
	if !strings.Contains(p.Hint, "all together 4") {
		t.Errorf("got the hint %q", p.Hint)
	}
	f.post(t, "/queues/forms/take", map[string]any{"wait": "1ms"}).Want(t, 200)
}
