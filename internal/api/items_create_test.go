package api_test

import (
	"bytes"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"botwork/internal/api/apitest"
	"botwork/workqueue"
	"botwork/workqueue/access"
)

func TestCreateItems(t *testing.T) {
	s := apitest.Start(t, nil)
	defineQueue(t, s, workqueue.Queue{Name: "unique", QueueKeys: workqueue.QueueKeys{KeyScope: workqueue.KeyScopeQueue}})
	a := do(t, s, "POST", "/items", `{"pipeline": "p", "queue": "unique", "key": "K", "conflict": "fail", "unique": "1h", "tags": null, "priority": null}`).Want(t, 201)
	if a.Header.Get("Location") != "/api/v1/items/1" {
		t.Errorf("got the Location %s", a.Header.Get("Location"))
	}
	if p := do(t, s, "POST", "/items", `{"pipeline": "p", "queue": "unique", "key": "K", "conflict": "fail"}`).WantProblem(t, 409, "duplicate-key"); p.ItemID == nil || *p.ItemID != 1 {
		t.Errorf("got %+v, want the item 1", p)
	}
	existing := apitest.Decode[workqueue.Enqueued](t, do(t, s, "POST", "/items", `{"pipeline": "p", "queue": "unique", "key": "K"}`).Want(t, 200))
	if existing.ID != 1 || !existing.Existing {
		t.Errorf("got %+v", existing)
	}
	for body, want := range map[string][]string{
		`{"pipeline": "p", "at": "soon", "deadlineIn": "-1h", "unique": 5}`: {"body.at", "body.deadlineIn", "body.unique"},
		`{"pipeline": "p", "in": "1h", "at": "2090-01-01"}`:                 {"body.in"},
		`{"queue": "unique"}`:                                                     {"body.pipeline"},
		`{"pipeline": "p", "queue": "uniqe"}`:                                     {"body.queue"},
		`{"pipeline": "p", "key": "` + strings.Repeat("x", 401) + `"}`:            {"body.key"},
		`{"pipeline": "p", "deadline": "2020-01-01"}`:                             {"body.deadline"},
		`{"pipeline": "p", "pipeline": "q"}`:                                      {"body"},
		`{"pipeline": "p", "selectors": ["ram >"], "labels": 5, "resilience": 1}`: {"body.labels", "body.resilience", "body.selectors"},
	} {
		p := do(t, s, "POST", "/items", body).WantProblem(t, 422, "invalid-item")
		got := locations(p)
		slices.Sort(got)
		if !slices.Equal(slices.Compact(got), want) {
			t.Errorf("%s: got %+v, want %v", body, p.Errors, want)
		}
	}
	for body, status := range map[string]int{
		`{"pipeline": "p", "unknown": 1}`: 422, `{"pipeline": "p", "priority": "high"}`: 422, `{"pipeline": "p", "priority": 1.5}`: 422, `{"pipeline": "p", "tags": ["a", 5]}`: 422,
		`{"pipeline": "p", "metadata": {"a": 1}}`: 422, `[]`: 422, `"x"`: 422, `5`: 422, `null`: 422, `{`: 400, ``: 400, `{"pipeline": ["x"]}`: 422, "{\"pipeline\": \"\xff\"}": 422,
		`{"pipeline": "p", "payload": ` + strings.Repeat("[", 20000) + strings.Repeat("]", 20000) + `}`: 0,
	} {
		a := do(t, s, "POST", "/items", body)
		if a.Status >= 500 || status != 0 && a.Status != status {
			t.Errorf("%.60s: got %d %s, want %d", body, a.Status, a.Body, status)
		}
	}
}

// Of many requests at the same time with one key, one creates an item; all get its answer.
func TestIdempotencyKey(t *testing.T) {
	s := apitest.Start(t, nil)
	send := func(token, key, body string) apitest.Answer {
		return s.Do(t, apitest.Request{Method: "POST", Path: "/items", Token: token, Body: body, Header: map[string]string{"Idempotency-Key": key}})
	}
	operator := s.Token(t, access.Operator)
	const body = `{"pipeline": "p"}`
	var wait sync.WaitGroup
	var mu sync.Mutex
	ids := map[string]int{}
	for range 20 {
		wait.Go(func() {
			for {
				a := send(operator, "k1", body)
				if a.Status == http.StatusConflict {
					if codeOf(a) != "idempotency-key-in-use" || a.Header.Get("Retry-After") == "" {
						t.Errorf("got %d %s", a.Status, a.Body)
						return
					}
					time.Sleep(5 * time.Millisecond)
					continue
				}
				mu.Lock()
				ids[fmt.Sprint(a.Status, " ", a.Header.Get("Location"), " ", a.Header.Get("Content-Type"), " ", strings.TrimSpace(string(a.Body)))]++
				ids["replayed "+a.Header.Get("Idempotency-Replayed")]++
				mu.Unlock()
				return
			}
		})
	}
	wait.Wait()
	if len(ids) != 3 || ids["replayed true"] != 19 {
		t.Errorf("got the answers %v, want one", ids)
	}
	if n, _ := s.Store.CountItems(t.Context(), workqueue.ItemFilter{}); n != 1 {
		t.Errorf("got %d items, want one", n)
	}
	if p := send(operator, "k1", `{"pipeline": "q"}`).WantProblem(t, 422, "idempotency-key-reused"); p.Instance == "" {
		t.Error("the problem has no instance")
	}
	send(s.Token(t, access.Admin), "k1", body).Want(t, 201) // of another caller
	send(operator, strings.Repeat("x", 201), body).WantProblem(t, 422, "invalid-request")
	send(operator, "k2", `{"pipeline": "p", "at": "soon"}`).WantProblem(t, 422, "invalid-item")
	send(operator, "k2", body).Want(t, 201) // a refused request has changed nothing
	send(operator, "k3", `{`).WantProblem(t, 400, "bad-request")
	clone := apitest.Request{Method: "POST", Path: "/items/1/clone", Token: operator, Header: map[string]string{"Idempotency-Key": "c"}}
	first, second := s.Do(t, clone).Want(t, 201), s.Do(t, clone).Want(t, 201)
	if !bytes.Equal(bytes.TrimSpace(first.Body), bytes.TrimSpace(second.Body)) || second.Header.Get("Idempotency-Replayed") != "true" {
		t.Errorf("got %s and %s", first.Body, second.Body)
	}
}
