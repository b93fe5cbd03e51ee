package api_test

import (
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"botwork/internal/api"
	"botwork/internal/api/apitest"
	"botwork/internal/api/hooks"
	"botwork/workqueue"
)

// githubHook is a hook with the secret hunter2.
func githubHook(t *testing.T, name string, texts hooks.Expressions) *hooks.Hook {
	t.Helper()
	h, err := hooks.New(hooks.Hook{Name: name, Form: hooks.GitHub, Secret: "hunter2", Tolerance: time.Minute, Queue: "default", Pipeline: "ship", Priority: 1000}, texts)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// wantItems compares the number of items.
func wantItems(t *testing.T, s *apitest.Server, want int64) {
	t.Helper()
	if n, err := s.Store.CountItems(t.Context(), workqueue.ItemFilter{}); err != nil || n != want {
		t.Errorf("got %d items, %v, want %d", n, err, want)
	}
}

// An attacker who has seen a signed request sends it again with everything else changed: no second item,
// and the same answer, also by a second server of the same database, such as after a restart.
func TestHookReplay(t *testing.T) {
	var mu sync.Mutex
	observed := map[string]int{}
	var all []*hooks.Hook
	for name, texts := range map[string]hooks.Expressions{
		"plain": {}, "keyed": {Key: "X-Order"},
		"when": {When: `headers["x-event"] == "paid"`}, "payload": {Payload: `{"who": headers["x-who"]}`},
	} {
		all = append(all, githubHook(t, name, texts))
	}
	s := apitest.Start(t, func(o *api.Options) {
		o.Hooks, o.ObserveHook = all, func(hook, outcome string) {
			mu.Lock()
			defer mu.Unlock()
			observed[hook+" "+outcome]++
		}
	})
	for i, c := range []struct {
		hook          string
		first, second map[string]string
		items         int64 // after both
	}{
		{"plain", map[string]string{"X-GitHub-Delivery": "d-1"}, map[string]string{"X-GitHub-Delivery": "d-2", "Idempotency-Key": "other"}, 1},
		{"keyed", map[string]string{"X-Order": "1"}, map[string]string{"X-Order": "2"}, 2},
		{"when", map[string]string{"X-Event": "drawn"}, map[string]string{"X-Event": "paid"}, 2},
		{"payload", map[string]string{"X-Who": "ada"}, map[string]string{"X-Who": "eve", "Content-Type": "application/x-www-form-urlencoded"}, 3},
		{"plain", map[string]string{"X-GitHub-Event": "ping"}, map[string]string{"X-GitHub-Event": "push"}, 3},
	} {
		body := `{"id": 1}` + strings.Repeat(" ", i)
		status, answer := deliver(t, s, c.hook, "hunter2", body, c.first)
		again, repeated := deliver(t, s, c.hook, "hunter2", body, c.second)
		if status != again || answer != repeated {
			t.Errorf("%d: got %d %s, and for the repeat %d %s", i, status, answer, again, repeated)
		}
		wantItems(t, s, c.items)
	}
	mu.Lock()
	defer mu.Unlock()
	for outcome, n := range map[string]int{"plain enqueued": 1, "plain ping": 1, "plain repeated": 2, "keyed repeated": 1, "when skipped": 1, "when repeated": 1} {
		if observed[outcome] != n {
			t.Errorf("counted %v, want %s %d times", observed, outcome, n)
		}
	}

	// The first server is gone.
	second := apitest.StartOver(t, s.Store, func(o *api.Options) { o.Hooks = all })
	if status, _ := deliver(t, second, "plain", "hunter2", `{"id": 1}`, map[string]string{"X-GitHub-Delivery": "d-3"}); status != http.StatusAccepted {
		t.Errorf("got %d from another server", status)
	}
	wantItems(t, s, 3)
}

// The answers say whether an item was enqueued.
func TestHookAnswers(t *testing.T) {
	s := apitest.Start(t, func(o *api.Options) {
		h := githubHook(t, "shop", hooks.Expressions{When: `body.action != "closed"`, Key: "body.id"})
		h.Queue = "orders"
		o.Hooks = []*hooks.Hook{h}
	})
	defineQueue(t, s, workqueue.Queue{Name: "orders", QueueKeys: workqueue.QueueKeys{KeyScope: workqueue.KeyScopeQueue}})
	const form = "application/x-www-form-urlencoded"
	for _, c := range []struct {
		name, body string
		header     map[string]string
		status     int
		want       string
	}{
		{"an item", `{"id": 1}`, nil, 202, `{"id":1,"existing":false,"enqueued":true}`},
		{"the same key", `{"id": 1, "a": 2}`, nil, 202, `{"id":1,"existing":true,"enqueued":false,"reason":"an item with the same natural key exists"}`},
		{"a false condition", `{"id": 2, "action": "closed"}`, nil, 202, `{"enqueued":false,"reason":"the condition \"when\" of the hook is false for this request"}`},
		{"a ping", `{"zen": "x"}`, map[string]string{"X-GitHub-Event": "ping"}, 200, `{"enqueued":false,"reason":"the request is a ping; the signature is right"}`},
		{"a form", `payload=%7B%22id%22%3A3%7D`, map[string]string{"Content-Type": form}, 202, `{"id":2,"existing":false,"enqueued":true}`},
		{"a mark", "\ufeff{\"id\": 4}", nil, 202, `{"id":3,"existing":false,"enqueued":true}`},
	} {
		if status, body := deliver(t, s, "shop", "hunter2", c.body, c.header); status != c.status || body != c.want {
			t.Errorf("%s: got %d %s, want %d %s", c.name, status, body, c.status, c.want)
		}
	}
	wantItems(t, s, 3)
}
