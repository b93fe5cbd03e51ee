package queue_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"botwork/handlers"
	"botwork/handlers/queue"
	"botwork/internal/testdb"
	"botwork/workqueue"
)

func TestEnqueuePolicy(t *testing.T) {
	at := time.Date(2090, 1, 31, 13, 45, 0, 0, time.UTC)
	for _, c := range []struct {
		name string
		with map[string]any
		want workqueue.NewItem
	}{
		{"short", map[string]any{"attempts": 5, "timeout": "2m", "backoff": "10s", "finishBy": "2090-01-31T13:45:00Z", "unique": "done", "conflict": "fail"},
			workqueue.NewItem{Attempts: 5, Timeout: 2 * time.Minute, Backoff: 10 * time.Second, FinishBy: at, UniqueFor: workqueue.UniqueWhileUnfinished, Conflict: workqueue.ConflictFail}},
		{"whole", map[string]any{"resilience": map[string]any{"limit": 5, "delay": "10s"}, "finishIn": "1h", "conflict": "existing"},
			workqueue.NewItem{ResilienceConfig: `{"delay":"10s","limit":5}`, FinishIn: time.Hour}},
		{"nothing", map[string]any{"attempts": nil, "timeout": nil, "resilience": nil}, workqueue.NewItem{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			items := &fakeItems{}
			c.with["pipeline"] = "p"
			if _, err := run(t, queue.Services{Store: func() queue.Enqueuer { return items }}, "Enqueue", c.with, handlers.Call{Pipeline: "scan"}); err != nil {
				t.Fatal(err)
			}
			c.want.QueueName, c.want.State, c.want.Priority = "default", workqueue.Ready, workqueue.RequestPriority
			c.want.IntegrationConfig, c.want.CreatedBy = "p", "pipeline scan"
			if diff := cmp.Diff([]workqueue.NewItem{c.want}, items.items); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestEnqueueRejectsWrongPolicies(t *testing.T) {
	for _, c := range []struct {
		with map[string]any
		want string
	}{
		{map[string]any{"attempts": 0}, "attempts: got 0, want 1 or more"},
		{map[string]any{"attempts": -2}, "attempts: attempts: got -2"},
		{map[string]any{"timeout": "0s"}, "timeout: got 0s"},
		{map[string]any{"backoff": "-1s"}, "backoff: backoff: got -1s"},
		{map[string]any{"attempts": 2, "resilience": map[string]any{"limit": 3}}, "together with resilience"},
		{map[string]any{"resilience": map[string]any{"limits": 3}}, `unknown field "limits"`},
		{map[string]any{"finishBy": "2090-01-01T00:00:00Z", "finishIn": "1h"}, "finishIn: want finishBy or finishIn, not both"},
		{map[string]any{"finishIn": "1h", "in": "2h"}, "finishIn: finish by: got 1h from now; the item becomes due 2h from now and would never finish"},
		{map[string]any{"conflict": "maybe"}, `conflict: got "maybe"`},
	} {
		c.with["pipeline"] = "p"
		k, _ := registry(queue.Services{}).Lookup("Enqueue")
		if _, err := k.Build(c.with); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: err = %v, want it to contain %q", c.with, err, c.want)
		}
	}
}

// What no later attempt can fix is permanent, and enqueues nothing.
func TestEnqueueFailsForGood(t *testing.T) {
	e := testdb.Engines[0] // SQLite
	store := e.Open(t, e.DSN(t))
	if _, err := store.DefineQueues(t.Context(), []workqueue.Queue{{Name: "orders", QueueKeys: workqueue.QueueKeys{KeyScope: workqueue.KeyScopeQueue}}}, "test"); err != nil {
		t.Fatal(err)
	}
	s := queue.Services{
		Store: func() queue.Enqueuer { return store },
		CheckPayload: func(pipeline string, payload workqueue.JSONText) error {
			if pipeline == "numbers" && strings.HasPrefix(string(payload), `"`) {
				return fmt.Errorf("payload: got %s, want a number", payload)
			}
			return nil
		},
	}
	first := map[string]any{"pipeline": "numbers", "queue": "orders", "payload": 1, "naturalKey": "a"}
	if _, err := run(t, s, "Enqueue", first, handlers.Call{}); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name string
		with map[string]any
		want []string
	}{
		{"one payload", map[string]any{"payload": "x"}, []string{`pipeline "numbers"; no item was enqueued`, `got "x", want a number`}},
		{"some payloads", map[string]any{"items": []any{1, "x", 2, "y"}}, []string{`item 2 of 4: payload: got "x"`, `item 4 of 4: payload: got "y"`, "no item was enqueued"}},
		{"a key in use", map[string]any{"items": []any{1, 2}, "queue": "orders", "naturalKey": []any{"b", "a"}, "conflict": "fail"},
			[]string{`item 2 of 2: item 1 has the same natural key "a"`, "no item was enqueued"}},
		{"a deadline that has passed", map[string]any{"payload": 1, "deadline": "2001-01-01T00:00:00Z"}, []string{"deadline: got 2001-01-01T00:00:00.000Z, which has passed"}},
		{"an unknown queue", map[string]any{"payload": 1, "queue": "order"}, []string{`queue "order" does not exist; known queues: default, orders`}},
	} {
		c.with["pipeline"] = "numbers"
		_, err := run(t, s, "Enqueue", c.with, handlers.Call{})
		if _, permanent := errors.AsType[*handlers.PermanentError](err); !permanent {
			t.Errorf("%s: err = %v, want a permanent one", c.name, err)
			continue
		}
		for _, part := range c.want {
			if !strings.Contains(err.Error(), part) {
				t.Errorf("%s: err = %v, want it to contain %q", c.name, err, part)
			}
		}
	}
	if items, err := store.Items(t.Context(), workqueue.ItemFilter{}); err != nil || len(items) != 1 {
		t.Errorf("%d items exist, %v, want the first", len(items), err)
	}
}
