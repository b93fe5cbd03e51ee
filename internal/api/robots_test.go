package api_test

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"sync"
	"testing"
	"time"

	"botwork/internal/api"
	"botwork/internal/api/apitest"
	"botwork/internal/testdb"
	"botwork/workqueue"
	"botwork/workqueue/access"
)

// forms is a server with a queue for robots.
type forms struct {
	*apitest.Server
	token string // of the robot, which is called robot-forms
}

func startForms(t *testing.T, change func(*workqueue.Queue), options func(*api.Options)) *forms {
	t.Helper()
	s := apitest.Start(t, options)
	q := workqueue.Queue{Name: "forms", Consumer: workqueue.ConsumerRobots, Resilience: `{"limit":3,"delay":"1h","jitter":0,"retryOn":["error"]}`}
	if change != nil {
		change(&q)
	}
	if _, err := s.Store.DefineQueues(t.Context(), []workqueue.Queue{q, {Name: "others", Consumer: workqueue.ConsumerRobots}}, "test"); err != nil {
		t.Fatal(err)
	}
	return &forms{s, s.Token(t, access.Robot, "forms")}
}

func (f *forms) enqueue(t *testing.T, n int) {
	t.Helper()
	items := make([]workqueue.NewItem, n)
	for i := range items {
		items[i] = workqueue.NewItem{QueueName: "forms", State: workqueue.Pending, Payload: workqueue.JSONText(fmt.Sprintf(`{"n":%d}`, i))}
	}
	if _, err := f.Store.Enqueue(t.Context(), items); err != nil {
		t.Fatal(err)
	}
}

func (f *forms) post(t *testing.T, path string, body any) apitest.Answer {
	t.Helper()
	return f.Do(t, apitest.Request{Method: "POST", Path: path, Token: f.token, Body: body})
}

type takenItems struct {
	LockKey string
	Items   []struct {
		ID, Fence int64
		Payload   any
		Robot     string
		StateName string
	}
}

// heldItem is an item that the robot holds.
type heldItem struct {
	id   int64
	body map[string]any
}

func (f *forms) take(t *testing.T, body any) takenItems {
	t.Helper()
	return apitest.Decode[takenItems](t, f.post(t, "/queues/forms/take", body).Want(t, 200))
}

func (f *forms) takeOne(t *testing.T) heldItem {
	t.Helper()
	got := f.take(t, nil)
	if len(got.Items) != 1 || got.LockKey == "" {
		t.Fatalf("took %+v", got)
	}
	return heldItem{got.Items[0].ID, map[string]any{"fence": got.Items[0].Fence, "lockKey": got.LockKey}}
}

// do calls an operation of a checkout; more is pairs of names and values.
func (f *forms) do(t *testing.T, h heldItem, verb string, more ...any) apitest.Answer {
	t.Helper()
	body := map[string]any{}
	maps.Copy(body, h.body)
	for i := 0; i < len(more); i += 2 {
		body[more[i].(string)] = more[i+1]
	}
	return f.post(t, fmt.Sprintf("/checkouts/%d/%s", h.id, verb), body)
}

type endedItem struct {
	StateName string
	Copied    bool
	RetryIn   string
}

func TestRobotsWork(t *testing.T) {
	f := startForms(t, func(q *workqueue.Queue) { q.OutputSchema = `{"type":"object","required":["pages"]}` }, nil)
	f.enqueue(t, 3)
	got := f.take(t, map[string]any{"max": 2, "lease": "10m", "wait": "1m", "filter": map[string]any{"tries": []string{"new"}}})
	if len(got.Items) != 2 || got.LockKey == "" || got.Items[0].Robot != "robot-forms" || got.Items[0].StateName != "Blocked" || fmt.Sprint(got.Items[0].Payload) != "map[n:0]" {
		t.Fatalf("took %+v", got)
	}
	h := heldItem{got.Items[0].ID, map[string]any{"fence": got.Items[0].Fence, "lockKey": got.LockKey}}
	type beat struct {
		Continue   bool
		LeaseUntil time.Time
		Reason     string
	}
	on := apitest.Decode[beat](t, f.do(t, h, "heartbeat", "lease", "2h", "progress", "page 2", "percent", 40).Want(t, 200))
	if !on.Continue || time.Until(on.LeaseUntil) < time.Hour || on.Reason != "" {
		t.Errorf("heartbeat: %+v", on)
	}
	f.do(t, h, "progress", "percent", 60).Want(t, 200)
	f.do(t, h, "progress").WantProblem(t, 422, "invalid-request")
	f.do(t, h, "heartbeat", "lease", "25h").WantProblem(t, 422, "invalid-request")
	it, err := f.Store.Item(t.Context(), h.id)
	if err != nil || *it.ProgressPercent != 60 || *it.Progress != "page 2" {
		t.Errorf("item %+v, %v", it, err)
	}
	f.do(t, h, "succeed", "output", map[string]int{"n": 1}).WantProblem(t, 422, "schema-mismatch")
	for range 2 { // the second time as if the answer had been lost
		ended := apitest.Decode[endedItem](t, f.do(t, h, "succeed", "output", map[string]int{"pages": 3}, "analytics", []int{1}).Want(t, 200))
		if ended != (endedItem{StateName: "Processed"}) {
			t.Errorf("succeeded: %+v", ended)
		}
	}
	f.do(t, h, "fail", "error", "too late").WantProblem(t, 409, "lease-lost")
	f.do(t, h, "progress", "percent", 1).WantProblem(t, 409, "lease-lost")
	if beat := apitest.Decode[beat](t, f.do(t, h, "heartbeat").Want(t, 200)); beat.Continue || beat.Reason != "lease-lost" {
		t.Errorf("heartbeat after the end: %+v", beat)
	}

	h = heldItem{got.Items[1].ID, map[string]any{"fence": got.Items[1].Fence, "lockKey": got.LockKey}}
	for range 2 {
		ended := apitest.Decode[endedItem](t, f.do(t, h, "fail", "error", "the window closed").Want(t, 200))
		if ended != (endedItem{"Ready", false, "1h0m0s"}) {
			t.Errorf("failed: %+v", ended)
		}
	}
	h = f.takeOne(t)
	for range 2 {
		if ended := apitest.Decode[endedItem](t, f.do(t, h, "release", "reason", "no time").Want(t, 200)); ended.StateName != "Ready" {
			t.Errorf("released: %+v", ended)
		}
	}
	h = f.takeOne(t)
	f.do(t, h, "postpone").WantProblem(t, 422, "invalid-request")
	f.do(t, h, "postpone", "in", "400d").WantProblem(t, 422, "invalid-request")
	if ended := apitest.Decode[endedItem](t, f.do(t, h, "postpone", "in", "30m", "reason", "the portal is closed").Want(t, 200)); ended != (endedItem{"Ready", false, "30m0s"}) {
		t.Errorf("postponed: %+v", ended)
	}
	if got := f.take(t, nil); len(got.Items) != 0 || got.LockKey != "" {
		t.Errorf("took %+v, want nothing", got)
	}

	f.enqueue(t, 1)
	h = f.takeOne(t)
	f.do(t, h, "change", "priority", 7, "tags", []string{"a"}, "metadata", map[string]string{"k": "v"}, "key", "K").Want(t, 200)
	f.do(t, h, "change").WantProblem(t, 422, "invalid-request")
	if _, err := f.Store.ChangeItem(t.Context(), h.id, workqueue.Change{Action: workqueue.Cancel}); err != nil {
		t.Fatal(err)
	}
	if beat := apitest.Decode[beat](t, f.do(t, h, "heartbeat").Want(t, 200)); beat.Continue || beat.Reason != "cancelled" {
		t.Errorf("heartbeat of a cancelled item: %+v", beat)
	}
	f.do(t, h, "succeed", "output", map[string]int{"pages": 3}).WantProblem(t, 409, "lease-lost")
	f.enqueue(t, 1)
	h = f.takeOne(t)
	for range 2 {
		f.do(t, h, "delete", "reason", "not needed").Want(t, 200)
	}
}

func TestRobotsTakeRefused(t *testing.T) {
	f := startForms(t, nil, nil)
	f.enqueue(t, 1)
	f.token = f.Token(t, access.Robot, "forms", "default", "nothing")
	for _, c := range []struct {
		queue, code string
		status      int
		body        any
	}{
		{"others", "queue-not-allowed", 403, nil},
		{"nothing", "not-found", 404, nil},
		{"default", "queue-for-workers", 409, nil},
		{"forms", "invalid-request", 422, map[string]any{"wait": "61s"}},
		{"forms", "invalid-request", 422, map[string]any{"lease": "25h"}},
		{"forms", "invalid-request", 422, map[string]any{"max": 0}},
		{"forms", "invalid-request", 422, map[string]any{"filter": map[string]any{"tags": []string{""}}}},
		{"forms", "invalid-request", 422, map[string]any{"filter": map[string]any{"tries": []string{"old"}}}},
	} {
		f.post(t, "/queues/"+c.queue+"/take", c.body).WantProblem(t, c.status, c.code)
	}
	private := startForms(t, func(q *workqueue.Queue) {
		q.Private, q.Robots = true, []workqueue.QueueRobot{{Robot: "robot-forms", Write: true}}
	}, nil)
	private.post(t, "/queues/forms/take", map[string]any{"wait": "30s"}).WantProblem(t, 403, "no-right")
	private.post(t, "/queues/forms/items", map[string]any{"items": []any{map[string]any{}}}).Want(t, 201)
	private.post(t, "/queues/forms/items", map[string]any{"items": []any{map[string]any{}}, "take": map[string]any{}}).WantProblem(t, 403, "no-right")
}

func TestRobotsEnqueue(t *testing.T) {
	f := startForms(t, func(q *workqueue.Queue) { q.KeyScope = workqueue.KeyScopeQueue }, nil)
	send := func(key string, body any) apitest.Answer {
		t.Helper()
		return f.Do(t, apitest.Request{Method: "POST", Path: "/queues/forms/items", Token: f.token, Body: body, Header: map[string]string{"Idempotency-Key": key}})
	}
	type enqueued struct {
		Items    []workqueue.Enqueued
		Checkout takenItems
	}
	one := map[string]any{"items": []any{map[string]any{"payload": map[string]int{"n": 1}, "key": "K-1", "tags": []string{"t"}, "metadata": map[string]string{"a": "b"}, "priority": 5, "in": "1h"}}}
	first := apitest.Decode[enqueued](t, send("abc", one).Want(t, 201))
	second := apitest.Decode[enqueued](t, send("abc", one).Want(t, 201))
	if len(first.Items) != 1 || len(second.Items) != 1 || first.Items[0] != second.Items[0] || second.Items[0].Existing {
		t.Errorf("got %+v and %+v", first, second)
	}
	send("abc", map[string]any{"items": []any{map[string]any{}}}).WantProblem(t, 422, "idempotency-key-reused")
	if again := apitest.Decode[enqueued](t, send("def", one).Want(t, 201)); !again.Items[0].Existing {
		t.Errorf("got %+v, want the item that exists", again)
	}
	it, err := f.Store.Item(t.Context(), first.Items[0].ID)
	if err != nil || it.Payload != `{"n":1}` || *it.CreatedBy != "robot-forms" || it.Priority != 5 || it.Lifecycle != workqueue.LifeScheduled {
		t.Errorf("item %+v, %v", it, err)
	}
	taken := apitest.Decode[enqueued](t, send("ghi", map[string]any{"items": []any{map[string]any{}, map[string]any{}}, "take": map[string]string{"lease": "1h"}}).Want(t, 201))
	if len(taken.Checkout.Items) != 2 || taken.Checkout.LockKey == "" {
		t.Errorf("got %+v", taken)
	}
	repeated := apitest.Decode[enqueued](t, send("ghi", map[string]any{"items": []any{map[string]any{}, map[string]any{}}, "take": map[string]string{"lease": "1h"}}).Want(t, 201))
	if len(repeated.Items) != 2 || repeated.Items[0] != taken.Items[0] || repeated.Checkout.LockKey != "" {
		t.Errorf("got %+v, want the same items without their lock key", repeated)
	}
	h := heldItem{taken.Checkout.Items[0].ID, map[string]any{"fence": 1, "lockKey": taken.Checkout.LockKey}}
	f.do(t, h, "succeed").Want(t, 200)

	get := func(path string) apitest.Answer {
		return f.Do(t, apitest.Request{Method: "GET", Path: path, Token: f.token})
	}
	list := apitest.Decode[takenItems](t, get("/robots/items?queue=forms&key=K-1").Want(t, 200))
	if len(list.Items) != 1 || list.Items[0].ID != it.ID {
		t.Errorf("got %+v", list)
	}
	get("/robots/items?queue=others&key=K-1").WantProblem(t, 403, "queue-not-allowed")
	get(fmt.Sprintf("/robots/items/%d", it.ID)).Want(t, 200)
	other := f.Token(t, access.Robot, "others")
	f.Do(t, apitest.Request{Method: "GET", Path: fmt.Sprintf("/robots/items/%d", it.ID), Token: other}).WantProblem(t, 404, "not-found")
	f.Do(t, apitest.Request{Method: "PATCH", Path: fmt.Sprintf("/robots/items/%d", it.ID), Token: other, Body: map[string]any{"priority": 9}}).WantProblem(t, 404, "not-found")
	f.Do(t, apitest.Request{Method: "PATCH", Path: fmt.Sprintf("/robots/items/%d", it.ID), Token: f.token, Body: map[string]any{"priority": 9}}).Want(t, 200)
	f.Do(t, apitest.Request{Method: "PATCH", Path: fmt.Sprintf("/robots/items/%d", taken.Checkout.Items[1].ID), Token: f.token, Body: map[string]any{"priority": 9}}).WantProblem(t, 409, "wrong-state")
	f.Do(t, apitest.Request{Method: "DELETE", Path: "/robots/items?queue=forms&key=K-1&reason=gone", Token: f.token}).Want(t, 200)
	f.Do(t, apitest.Request{Method: "DELETE", Path: "/robots/items?queue=forms&key=K-1", Token: f.token}).WantProblem(t, 404, "not-found")
}

// A robot that waits gets a new item at once, and costs no statements of its own until then.
func TestRobotsWait(t *testing.T) {
	t.Parallel()
	f := startForms(t, nil, nil)
	const robots = 20
	took := make(chan struct{}, robots)
	var working sync.WaitGroup
	for range robots {
		working.Go(func() {
			if got := f.take(t, map[string]any{"wait": "30s"}); len(got.Items) == 1 {
				took <- struct{}{}
			}
		})
	}
	time.Sleep(700 * time.Millisecond)
	before := f.Store.StatementsRun()
	time.Sleep(2 * time.Second)
	if n := f.Store.StatementsRun() - before; n > 12 {
		t.Errorf("%d statements in two seconds while %d robots wait, want a few", n, robots)
	}
	// Each item comes when the one before is taken: by a look a second, ten would take nine seconds at least.
	const oneByOne = 10
	begun := time.Now()
	for i := range oneByOne {
		f.enqueue(t, 1)
		select {
		case <-took:
		case <-time.After(testdb.Slow(20 * time.Second)):
			t.Fatalf("item %d is not taken", i+1)
		}
	}
	if all := time.Since(begun); all > (oneByOne-2)*time.Second {
		t.Errorf("%d items were taken one by one within %v: robots look once a second, and do not hear of items", oneByOne, all)
	}
	f.enqueue(t, robots-oneByOne)
	working.Wait()
	if len(took) != robots-oneByOne {
		t.Errorf("%d robots got an item, want %d", len(took)+oneByOne, robots)
	}
}

func TestTooManyRobotsWait(t *testing.T) {
	f := startForms(t, nil, func(o *api.Options) { o.Limits.Waiting = 1 })
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	first := f.begin(t, ctx)
	a := f.post(t, "/queues/forms/take", map[string]any{"wait": "30s"})
	if a.WantProblem(t, http.StatusTooManyRequests, "too-many-waiting"); a.Header.Get("Retry-After") == "" {
		t.Error("no Retry-After")
	}
	cancel()
	<-first
}

// begin starts a request that waits, and returns when the server knows it.
func (f *forms) begin(t *testing.T, ctx context.Context) <-chan error {
	t.Helper()
	ended := make(chan error, 1)
	req, err := f.NewRequest(ctx, apitest.Request{Method: "POST", Path: "/queues/forms/take", Token: f.token, Body: map[string]any{"wait": "1m"}})
	if err != nil {
		t.Fatal(err)
	}
	before := f.API.Waiting()
	go func() {
		transport := &http.Transport{}
		defer transport.CloseIdleConnections()
		res, err := transport.RoundTrip(req)
		if err == nil {
			res.Body.Close()
		}
		ended <- err
	}()
	f.awaitWaiting(t, before+1)
	return ended
}

func (f *forms) awaitWaiting(t *testing.T, want int) {
	t.Helper()
	for until := time.Now().Add(10 * time.Second); f.API.Waiting() != want; time.Sleep(time.Millisecond) {
		if time.Now().After(until) {
			t.Fatalf("%d requests wait, want %d", f.API.Waiting(), want)
		}
	}
}

// A client that has gone gets no item: the next robot does.
func TestRobotIsGone(t *testing.T) {
	f := startForms(t, nil, nil)
	ctx, cancel := context.WithCancel(t.Context())
	first := f.begin(t, ctx)
	cancel()
	<-first
	f.awaitWaiting(t, 0)
	f.enqueue(t, 1)
	if got := f.take(t, nil); len(got.Items) != 1 || got.Items[0].Fence != 1 {
		t.Errorf("took %+v, want an item that no other request has taken", got)
	}
}

// A robot whose token is revoked while it waits gets no item.
func TestRobotIsRevokedWhileItWaits(t *testing.T) {
	f := startForms(t, nil, nil)
	answer := make(chan apitest.Answer, 1)
	go func() { answer <- f.post(t, "/queues/forms/take", map[string]any{"wait": "1m"}) }()
	f.awaitWaiting(t, 1)
	tokens, err := f.Store.Tokens(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	admin := f.Token(t, access.Admin)
	for _, token := range tokens {
		if token.Role == access.Robot {
			f.Do(t, apitest.Request{Method: "DELETE", Path: fmt.Sprintf("/tokens/%d", token.ID), Token: admin}).Want(t, 200)
		}
	}
	f.enqueue(t, 1)
	(<-answer).WantProblem(t, http.StatusUnauthorized, "token-revoked")
	items, err := f.Store.Items(t.Context(), workqueue.ItemFilter{QueueName: "forms"})
	if err != nil || len(items) != 1 || items[0].Fence != 0 {
		t.Errorf("got %+v, %v; want the item as it was", items, err)
	}
}

// A server that shuts down answers the robots that wait.
func TestRobotsWaitDuringAShutdown(t *testing.T) {
	f := startForms(t, nil, nil)
	answers := make(chan takenItems, 3)
	for range cap(answers) {
		go func() { answers <- f.take(t, map[string]any{"wait": "1m"}) }()
	}
	f.awaitWaiting(t, cap(answers))
	begun := time.Now()
	if err := f.Shutdown(t.Context()); err != nil {
		t.Error(err)
	}
	for range cap(answers) {
		if got := <-answers; len(got.Items) != 0 || time.Since(begun) > 5*time.Second {
			t.Errorf("got %+v after %v", got, time.Since(begun))
		}
	}
}

// interrupted is a store during whose checkouts something happens.
type interrupted struct {
	api.Store
	during func()
}

func (s interrupted) Checkout(ctx context.Context, p workqueue.CheckoutParams) (workqueue.Checkout, error) {
	c, err := s.Store.Checkout(ctx, p)
	s.during()
	return c, err
}

// If the client goes while its item is checked out, the item is released at once.
func TestRobotIsGoneDuringTheCheckout(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	f := startForms(t, nil, func(o *api.Options) {
		o.Store = interrupted{o.Store, func() {
			if ctx.Err() == nil {
				cancel()
				time.Sleep(500 * time.Millisecond) // until the server has noticed it
			}
		}}
	})
	f.enqueue(t, 1)
	req, err := f.NewRequest(ctx, apitest.Request{Method: "POST", Path: "/queues/forms/take", Token: f.token})
	if err != nil {
		t.Fatal(err)
	}
	transport := &http.Transport{}
	defer transport.CloseIdleConnections()
	if res, err := transport.RoundTrip(req); err == nil {
		res.Body.Close()
		t.Fatal("the request got an answer")
	}
	got := f.take(t, map[string]any{"wait": "10s"})
	if len(got.Items) != 1 || got.Items[0].Fence != 2 {
		t.Fatalf("took %+v, want the item again", got)
	}
	attempts, err := f.Store.Attempts(t.Context(), got.Items[0].ID)
	if err != nil || len(attempts) != 1 || attempts[0].Outcome != "released" {
		t.Errorf("attempts %+v, %v; want one release", attempts, err)
	}
}
