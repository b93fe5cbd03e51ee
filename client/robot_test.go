package client_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"botwork/client"
	"botwork/internal/api/apitest"
	"botwork/workqueue"
	"botwork/workqueue/access"
)

// forms is a server with a queue for robots.
type forms struct {
	*apitest.Server
	client *client.Client
}

func startForms(t *testing.T, items int) *forms {
	t.Helper()
	s := apitest.Start(t, nil)
	q := workqueue.Queue{Name: "forms", Consumer: workqueue.ConsumerRobots, Resilience: `{"limit":3,"delay":"1h","jitter":0,"retryOn":["error"]}`}
	q.OutputSchema = `{"type":["object","null"]}`
	if _, err := s.Store.DefineQueues(t.Context(), []workqueue.Queue{q}, "test"); err != nil {
		t.Fatal(err)
	}
	transport := &http.Transport{MaxIdleConnsPerHost: 10}
	t.Cleanup(transport.CloseIdleConnections)
	c, err := client.New(s.URL, s.Token(t, access.Robot, "forms"), client.Options{HTTP: &http.Client{Transport: transport}, FirstBackoff: time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	f := &forms{s, c}
	for i := range items {
		if _, err := c.Enqueue(t.Context(), "forms", client.NewItem{Payload: map[string]int{"n": i}}); err != nil {
			t.Fatal(err)
		}
	}
	return f
}

func (f *forms) item(t *testing.T, id int64) workqueue.Item {
	t.Helper()
	it, err := f.Store.Item(context.WithoutCancel(t.Context()), id)
	if err != nil {
		t.Fatal(err)
	}
	return it
}

func TestRobotWorks(t *testing.T) {
	f := startForms(t, 12)
	ctx, cancel := context.WithCancel(t.Context())
	var most, now, done atomic.Int64
	r := client.Robot{Client: f.client, Queue: "forms", Parallel: 3, Trouble: func(err error) { t.Error(err) }}
	err := r.Run(ctx, func(_ context.Context, it *client.Item) (any, error) {
		most.Store(max(most.Load(), now.Add(1)))
		defer now.Add(-1)
		if done.Add(1) == 12 {
			cancel()
		}
		time.Sleep(5 * time.Millisecond)
		var p struct{ N int }
		if err := it.Decode(&p); err != nil {
			return nil, err
		}
		switch p.N {
		case 1:
			return nil, errors.New("the window closed")
		case 2:
			return nil, client.Business(errors.New("no such customer"))
		case 3:
			return nil, client.Later(time.Hour, "the portal is closed")
		case 4:
			panic("oh")
		case 5:
			return "not an object", nil
		}
		return map[string]int{"n": p.N}, nil
	})
	if err != nil || done.Load() != 12 || most.Load() > 3 {
		t.Fatalf("got %v, %d items, %d at the same time", err, done.Load(), most.Load())
	}
	for id, want := range map[int64]string{1: "Succeeded", 2: "Retry", 3: "Business error", 4: "Scheduled", 5: "Retry", 6: "Business error", 12: "Succeeded"} {
		if it := f.item(t, id); fmt.Sprint(it.Status()) != want {
			t.Errorf("item %d is %v, want %s", id, it.Status(), want)
		}
	}
	if it := f.item(t, 1); it.Output != `{"n":0}` {
		t.Errorf("output %s", it.Output)
	}
}

// While a handler runs, heartbeats renew its lease; when a person cancels the item, its context
// ends.
func TestRobotBeats(t *testing.T) {
	f := startForms(t, 1)
	ctx, cancel := context.WithCancel(t.Context())
	r := client.Robot{Client: f.client, Queue: "forms", Lease: 900 * time.Millisecond, Trouble: func(err error) { t.Error(err) }}
	var cause error
	err := r.Run(ctx, func(run context.Context, it *client.Item) (any, error) {
		defer cancel()
		select {
		case <-run.Done():
			t.Errorf("ended early: %v", context.Cause(run))
			return nil, nil
		case <-time.After(2 * time.Second): // longer than two leases
		}
		if _, err := f.Store.ChangeItem(ctx, it.ID, workqueue.Change{Action: workqueue.Cancel}); err != nil {
			t.Error(err)
		}
		select {
		case <-run.Done():
		case <-time.After(10 * time.Second):
		}
		cause = context.Cause(run)
		return nil, cause
	})
	if err != nil || !errors.Is(cause, client.ErrCancelled) {
		t.Errorf("got %v, the cause %v; want ErrCancelled", err, cause)
	}
	if it := f.item(t, 1); it.State != workqueue.Cancelled || it.Fence != 1 {
		t.Errorf("item %+v", it)
	}
}

// When the token is revoked, the work on an item ends with the next heartbeat: nothing of it could be
// reported.
func TestRobotWhoseTokenIsRevoked(t *testing.T) {
	f := startForms(t, 1)
	var cause error
	var troubles atomic.Int64
	// The lease would end much later.
	r := client.Robot{Client: f.client, Queue: "forms", Lease: 3 * time.Second, Trouble: func(error) { troubles.Add(1) }}
	err := r.Run(t.Context(), func(run context.Context, it *client.Item) (any, error) {
		tokens, err := f.Store.Tokens(run)
		if err != nil {
			return nil, err
		}
		for i := range tokens {
			if _, err := f.Store.RevokeToken(run, tokens[i].ID, "test"); err != nil {
				return nil, err
			}
		}
		<-run.Done()
		cause = context.Cause(run)
		return nil, cause
	})
	if !errors.Is(err, client.ErrTokenRevoked) || !errors.Is(cause, client.ErrTokenRevoked) || troubles.Load() != 1 {
		t.Errorf("Run returned %v, the work ended because of %v, %d troubles; want ErrTokenRevoked twice, and one trouble", err, cause, troubles.Load())
	}
	if it := f.item(t, 1); it.State != workqueue.Blocked || it.RetryCount != 0 {
		t.Errorf("got %v with %d failures, want an item that is still held", it.State, it.RetryCount)
	}
}

// An item that does not end within the grace is released.
func TestRobotDrains(t *testing.T) {
	f := startForms(t, 2)
	ctx, cancel := context.WithCancel(t.Context())
	r := client.Robot{Client: f.client, Queue: "forms", Parallel: 2, Grace: 300 * time.Millisecond, Trouble: func(err error) { t.Error(err) }}
	var started sync.WaitGroup
	started.Add(2)
	go func() {
		started.Wait()
		cancel()
	}()
	err := r.Run(ctx, func(run context.Context, it *client.Item) (any, error) {
		started.Done()
		if it.ID == 1 {
			<-ctx.Done()
			time.Sleep(50 * time.Millisecond)
			return nil, nil
		}
		<-run.Done()
		return nil, context.Cause(run)
	})
	if err != nil {
		t.Error(err)
	}
	if one, two := f.item(t, 1), f.item(t, 2); one.State != workqueue.Processed || two.State != workqueue.Ready || two.RetryCount != 0 {
		t.Errorf("got %v and %v with %d failures, want Processed and Ready with none", one.State, two.State, two.RetryCount)
	}
}

// busy answers reports of success with 429, as a server does whose limits of requests are used up.
type busy struct{ http.RoundTripper }

func (b busy) RoundTrip(r *http.Request) (*http.Response, error) {
	if !strings.HasSuffix(r.URL.Path, "/succeed") {
		return b.RoundTripper.RoundTrip(r)
	}
	text := `{"status":429,"code":"too-many-requests","detail":"too many requests"}`
	return &http.Response{
		StatusCode: http.StatusTooManyRequests, Header: http.Header{"Content-Type": {"application/problem+json"}, "Retry-After": {"0"}},
		Body: io.NopCloser(strings.NewReader(text)), Request: r,
	}, nil
}

// A server that refuses a report for want of time says nothing about the result: the item is not
// failed, but taken again when its lease has ended.
func TestRobotWhoseReportIsRefused(t *testing.T) {
	f := startForms(t, 1)
	transport := &http.Transport{}
	defer transport.CloseIdleConnections()
	c, err := client.New(f.URL, f.Token(t, access.Robot, "forms"), client.Options{HTTP: &http.Client{Transport: busy{transport}}, FirstBackoff: time.Millisecond, Attempts: 2})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	var trouble error
	r := client.Robot{Client: c, Queue: "forms", Trouble: func(err error) { trouble = err }}
	if err := r.Run(ctx, func(context.Context, *client.Item) (any, error) { cancel(); return nil, nil }); err != nil {
		t.Error(err)
	}
	if it := f.item(t, 1); it.State != workqueue.Blocked || it.RetryCount != 0 || trouble == nil || !strings.Contains(trouble.Error(), "too many requests") {
		t.Errorf("got %v with %d failures, and %v; want an item that is still held, and the error", it.State, it.RetryCount, trouble)
	}
}

func TestRobotIsRefused(t *testing.T) {
	f := startForms(t, 0)
	r := client.Robot{Client: f.client, Queue: "default"}
	if err := r.Run(t.Context(), nil); !errors.Is(err, client.ErrQueueNotAllowed) {
		t.Errorf("got %v, want ErrQueueNotAllowed", err)
	}
}

func TestClientCallsEachOperation(t *testing.T) {
	f := startForms(t, 0)
	ctx, c := t.Context(), f.client
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	made, items, err := c.EnqueueAndTake(ctx, "forms", time.Hour, client.NewItem{Key: "K"}, client.NewItem{}, client.NewItem{})
	must(err)
	if len(made) != 3 || len(items) != 3 {
		t.Fatalf("made %+v, took %+v", made, items)
	}
	b, err := c.Heartbeat(ctx, items[0].Hold(), time.Hour, client.Progress{Text: "half", Percent: new(50)})
	must(err)
	if !b.Continue || time.Until(b.LeaseUntil) < 50*time.Minute {
		t.Errorf("heartbeat %+v", b)
	}
	must(c.Progress(ctx, items[0].Hold(), client.Progress{Percent: new(60)}))
	must(c.ChangeHeld(ctx, items[0].Hold(), client.Change{Tags: &[]string{"a"}}))
	it, err := c.Item(ctx, items[0].ID)
	must(err)
	if it.Status != "Running" || it.Key != "K" || len(it.Tags) != 1 || it.Hold().LockKey != "" {
		t.Errorf("item %+v", it)
	}
	must(c.DeleteHeld(ctx, items[1].Hold(), "not needed"))
	e, err := c.Postpone(ctx, items[2].Hold(), time.Hour, "")
	must(err)
	if e != (client.Ended{State: "Ready", RetryIn: "1h0m0s"}) {
		t.Errorf("postponed %+v", e)
	}
	must(c.ChangeItem(ctx, items[2].ID, client.Change{Key: new("L")}))
	list, err := c.ItemsByKey(ctx, "forms", "L")
	must(err)
	if len(list) != 1 || list[0].ID != items[2].ID {
		t.Errorf("list %+v", list)
	}
	n, err := c.DeleteByKey(ctx, "forms", "L", "gone")
	must(err)
	if n != 1 {
		t.Errorf("%d deleted", n)
	}
	_, err = c.Succeed(ctx, items[0].Hold(), "text", nil)
	if !errors.Is(err, client.ErrSchemaMismatch) {
		t.Errorf("got %v, want ErrSchemaMismatch", err)
	}
	_, err = c.Fail(ctx, items[0].Hold(), client.Failure{Error: "no", Analytics: []int{1}})
	must(err)
	_, err = c.Release(ctx, items[0].Hold(), "")
	if !errors.Is(err, client.ErrLeaseLost) {
		t.Errorf("got %v, want ErrLeaseLost", err)
	}
}
