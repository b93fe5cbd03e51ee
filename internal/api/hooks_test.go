package api_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"botwork/handlers/builtin"
	"botwork/internal/api"
	"botwork/internal/api/apitest"
	"botwork/internal/api/hooks"
	"botwork/internal/operations"
	"botwork/pipelines"
	"botwork/workqueue"
)

// deliver sends a signed request and returns the status and the body of the answer.
func deliver(t *testing.T, s *apitest.Server, hook, secret, body string, header map[string]string) (int, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL+"/hooks/"+hook, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if secret != "" {
		h := hmac.New(sha256.New, []byte(secret))
		h.Write([]byte(body))
		req.Header.Set("X-Hub-Signature-256", "sha256="+hex.EncodeToString(h.Sum(nil)))
	}
	for name, value := range header {
		req.Header.Set(name, value)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	data, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res.StatusCode, string(data)
}

func TestHooks(t *testing.T) {
	shop, err := hooks.New(hooks.Hook{
		Name: "shop", Form: hooks.GitHub, Secret: "hunter2", Tolerance: time.Minute, Queue: "default", Pipeline: "ship", Priority: 1000,
	}, hooks.Expressions{Payload: `{"order": body.id}`, Key: "X-Order"})
	if err != nil {
		t.Fatal(err)
	}
	lost, err := hooks.New(hooks.Hook{Name: "lost", Form: hooks.GitHub, Secret: "hunter2", Queue: "nowhere", Pipeline: "ship"}, hooks.Expressions{})
	if err != nil {
		t.Fatal(err)
	}
	s := apitest.Start(t, func(o *api.Options) { o.Hooks = []*hooks.Hook{shop, lost}; o.Limits.Body = 1000 })
	first := map[string]string{"X-GitHub-Delivery": "d-1", "X-Order": "4711"}

	// A delivery that comes many times at once makes one item.
	var mu sync.Mutex
	ids := map[int64]bool{}
	var all sync.WaitGroup
	for range 10 {
		all.Go(func() {
			for range 100 {
				status, body := deliver(t, s, "shop", "hunter2", `{"id": 1}`, first)
				if status == http.StatusConflict { // another one is at it
					time.Sleep(20 * time.Millisecond)
					continue
				}
				var made workqueue.Enqueued
				if err := json.Unmarshal([]byte(body), &made); err != nil || status != http.StatusAccepted {
					t.Errorf("got %d %s", status, body)
					return
				}
				mu.Lock()
				ids[made.ID] = true
				mu.Unlock()
				return
			}
			t.Error("still in use after 100 tries")
		})
	}
	all.Wait()
	if len(ids) != 1 {
		t.Fatalf("one delivery made the items %v", ids)
	}
	for id := range ids {
		it, err := s.Store.Item(t.Context(), id)
		if err != nil || string(it.Payload) != `{"order":1}` || it.NaturalKey == nil || *it.NaturalKey != "4711" || it.CreatedBy == nil || *it.CreatedBy != "hook:shop" {
			t.Errorf("got %+v, %v", it, err)
		}
	}

	for i, c := range []struct {
		hook, secret, body string
		header             map[string]string
		status             int
		code               string
	}{
		{"other", "hunter2", `{}`, nil, 404, "unknown-hook"},
		{"shop", "", `{}`, nil, 401, "not-signed"},
		{"shop", "guess", `{}`, nil, 401, "bad-signature"},
		{"shop", "hunter2", `{"id": 2}`, nil, 422, "invalid-request"},
		{"shop", "hunter2", `no JSON`, first, 422, "invalid-request"},
		{"shop", "hunter2", strings.Repeat(" ", 1001), first, 413, "too-large"},
		{"lost", "hunter2", `{}`, map[string]string{"X-GitHub-Delivery": "d-2"}, 422, "unknown-queue"},
	} {
		status, body := deliver(t, s, c.hook, c.secret, c.body, c.header)
		var p api.Problem
		if err := json.Unmarshal([]byte(body), &p); err != nil || status != c.status || p.Code != c.code {
			t.Errorf("%d: got %d %s, want %d %s", i, status, body, c.status, c.code)
		}
	}

	// A delivery that failed can be made again.
	if err := s.Store.CreateQueue(t.Context(), workqueue.Queue{Name: "nowhere"}, "test"); err != nil {
		t.Fatal(err)
	}
	if status, body := deliver(t, s, "lost", "hunter2", `{}`, map[string]string{"X-GitHub-Delivery": "d-2"}); status != http.StatusAccepted {
		t.Errorf("after the queue was created: got %d %s", status, body)
	}
	items, err := s.Store.Items(t.Context(), workqueue.ItemFilter{})
	if err != nil || len(items) != 2 {
		t.Errorf("got %s, %v, want two items", fmt.Sprint(len(items)), err)
	}
}

// Payloads of webhooks are compared with the pipeline's input, as those of other new items.
func TestHooksCheckPayloads(t *testing.T) {
	k := pipelines.NewCatalogue(pipelines.NewCompiler(builtin.Registry(builtin.Resources{}), pipelines.Options{}))
	const ship = "name: ship\ninput:\n  type: object\n  required: [order, city]\n  properties: {order: {type: integer}}\nsteps:\n  - handler: Log\n    with: {message: x}\n"
	if findings := k.Add("ship.yaml", []byte(ship)); len(findings) > 0 {
		t.Fatal(findings)
	}
	var all []*hooks.Hook
	for name, payload := range map[string]string{"plain": "", "mapped": `{"order": body.id, "city": body.city}`} {
		h, err := hooks.New(hooks.Hook{Name: name, Form: hooks.GitHub, Secret: "s", Queue: "default", Pipeline: "ship"}, hooks.Expressions{Payload: payload})
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, h)
	}
	lost, err := hooks.New(hooks.Hook{Name: "lost", Form: hooks.GitHub, Secret: "s", Queue: "default", Pipeline: "shpi"}, hooks.Expressions{})
	if err != nil {
		t.Fatal(err)
	}
	unreadable := false
	s := apitest.Start(t, func(o *api.Options) {
		o.Hooks = append(all, lost)
		o.Project = failingProject{project{catalogue: k}, &unreadable}
	})
	for _, c := range []struct {
		hook, body string
		status     int
		want       []string
	}{
		{"plain", `{"order": 1}`, 422, []string{"invalid-item", "invalid-payload", "city"}},
		{"plain", `{"order": "x", "city": "Porto"}`, 422, []string{"invalid-payload", "order"}},
		{"plain", `[]`, 422, []string{"invalid-payload"}},
		{"mapped", `{"id": "one", "city": "Porto"}`, 422, []string{"invalid-payload", "order"}},
		{"lost", `{}`, 422, []string{"unknown-pipeline", "ship"}},
		{"plain", `{"order": 1, "city": "Porto"}`, 202, nil},
		{"mapped", `{"id": 1, "city": "Porto"}`, 202, nil},
	} {
		for range 2 { // a delivery that was refused is refused again, and one that was accepted is known
			status, body := deliver(t, s, c.hook, "s", c.body, nil)
			if status != c.status {
				t.Errorf("%s %s: got %d %s, want %d", c.hook, c.body, status, body, c.status)
			}
			for _, want := range c.want {
				if !strings.Contains(body, want) {
					t.Errorf("%s %s: got %s, want %s", c.hook, c.body, body, want)
				}
			}
		}
	}
	if n, err := s.Store.CountItems(t.Context(), workqueue.ItemFilter{}); n != 2 || err != nil {
		t.Errorf("got %d items, %v, want 2", n, err)
	}
	// A delivery that comes while the files cannot be read succeeds later.
	unreadable = true
	if status, body := deliver(t, s, "plain", "s", `{"order": 2, "city": "Faro"}`, nil); status != 503 || !strings.Contains(body, "project-unreadable") {
		t.Errorf("got %d %s", status, body)
	}
	unreadable = false
	if status, body := deliver(t, s, "plain", "s", `{"order": 2, "city": "Faro"}`, nil); status != 202 {
		t.Errorf("got %d %s", status, body)
	}
}

// failingProject is a project whose files cannot be read for a time.
type failingProject struct {
	project
	fails *bool
}

func (p failingProject) Load() (*operations.Project, error) {
	if *p.fails {
		return nil, errors.New("no such folder")
	}
	return p.project.Load()
}
