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

func TestEnqueueOptions(t *testing.T) {
	at := time.Date(2090, 1, 31, 13, 45, 0, 0, time.UTC)
	for _, c := range []struct {
		name string
		with map[string]any
		want workqueue.NewItem
	}{
		{"all", map[string]any{
			"naturalKey": "order 1", "limitKey": "c-1", "tags": []any{"a", "b"}, "metadata": map[string]any{"customer": "Ada"},
			"at": "2090-01-31T13:45:00Z", "deadline": "2090-01-31T13:45:00Z", "retain": "2h", "unique": "7d",
		}, workqueue.NewItem{
			NaturalKey: "order 1", LimitKey: "c-1", Tags: []string{"a", "b"}, Metadata: map[string]string{"customer": "Ada"},
			At: at, Deadline: at, Retain: new(2 * time.Hour), UniqueFor: 7 * 24 * time.Hour,
		}},
		{"distances", map[string]any{"in": "1h", "deadlineIn": "1h", "tags": "a"}, workqueue.NewItem{In: time.Hour, DeadlineIn: time.Hour, Tags: []string{"a"}}},
		{"what expressions give", map[string]any{"at": at, "deadline": at.Add(time.Hour), "unique": time.Hour, "naturalKey": nil, "limitKey": nil, "retain": nil},
			workqueue.NewItem{At: at, Deadline: at.Add(time.Hour), UniqueFor: time.Hour}},
		{"unique", map[string]any{"unique": true}, workqueue.NewItem{UniqueFor: workqueue.UniqueWhileUnfinished}},
		{"not unique", map[string]any{"unique": false, "retain": "0s"}, workqueue.NewItem{Retain: new(time.Duration(0))}},
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

func TestEnqueueRejectsWrongOptions(t *testing.T) {
	two := []any{1, 2}
	for _, c := range []struct {
		with map[string]any
		want []string
	}{
		{map[string]any{"unique": "0s"}, []string{"unique: ", "true, false, done or a duration"}},
		{map[string]any{"unique": "yes"}, []string{`unique: got "yes"`}},
		{map[string]any{"unique": "1us"}, []string{"unique: ", "1ms or more"}},
		{map[string]any{"unique": []any{true}}, []string{"unique: got a list"}},
		{map[string]any{"estimatedDuration": "0s"}, []string{"estimatedDuration: got 0s, want more than 0s; leave it out if it is not known"}},
		{map[string]any{"estimatedDuration": "-1s"}, []string{"estimatedDuration: got -1s, want more than 0s"}},
		{map[string]any{"retain": "-1s"}, []string{"retain: retention: got -1s"}},
		{map[string]any{"deadline": "tomorrow"}, []string{`deadline: got the text "tomorrow"`, "2026-01-31T13:45:00Z"}},
		{map[string]any{"deadline": "2090-01-01T00:00:00Z", "deadlineIn": "1h"}, []string{"deadlineIn: want deadline or deadlineIn"}},
		{map[string]any{"deadlineIn": "-1s"}, []string{"deadlineIn: deadline: got -1s"}},
		{map[string]any{"deadlineIn": "1h", "in": "2h"}, []string{"deadlineIn: ", "never start"}},
		{map[string]any{"deadline": "2090-01-01T00:00:00Z", "at": "2090-01-02T00:00:00Z"}, []string{"deadline: ", "never start"}},
		{map[string]any{"naturalKey": ""}, []string{`naturalKey: got ""`}},
		{map[string]any{"naturalKey": []any{"a", "b"}}, []string{"naturalKey: got 2 for 1 items"}},
		{map[string]any{"naturalKey": "a", "items": two}, []string{"naturalKey: got 1 for 2 items, want one for each"}},
		{map[string]any{"limitKey": []any{"a", "b", "c"}, "items": two}, []string{"limitKey: got 3 for 2 items"}},
		{map[string]any{"naturalKey": []any{"a", nil}, "items": two}, []string{"naturalKey.1: got nothing"}},
		{map[string]any{"naturalKey": 4711}, []string{"naturalKey", "want a string", "quotes"}},
		{map[string]any{"naturalKey": strings.Repeat("k", 401), "limitKey": strings.Repeat("k", 201), "tags": []any{""}, "metadata": map[string]any{"": "x"}},
			[]string{"naturalKey: ", "401", "limitKey: ", "201", "tags: ", "metadata: "}},
		{map[string]any{"metadata": map[string]any{"n": 1}}, []string{"metadata.n: got the number 1, want a string"}},
	} {
		c.with["pipeline"] = "p"
		k, _ := registry(queue.Services{}).Lookup("Enqueue")
		_, err := k.Build(c.with)
		for _, part := range c.want {
			if err == nil || !strings.Contains(err.Error(), part) {
				t.Errorf("%v: err = %v, want it to name %q", c.with, err, part)
			}
		}
	}
}

// A step that is retried after a lost answer of the database creates no item twice if the
// items have keys or are unique.
func TestEnqueueTwice(t *testing.T) {
	e := testdb.Engines[0] // SQLite
	store := e.Open(t, e.DSN(t))
	_, err := store.DefineQueues(t.Context(), []workqueue.Queue{
		{Name: "orders", QueueKeys: workqueue.QueueKeys{KeyScope: workqueue.KeyScopeQueue}},
		{Name: "robots", Consumer: workqueue.ConsumerRobots, QueueSchemas: workqueue.QueueSchemas{PayloadSchema: `{"type": "integer"}`}},
	}, "test")
	if err != nil {
		t.Fatal(err)
	}
	s := queue.Services{
		Store:         func() queue.Enqueuer { return store },
		CheckPipeline: func(name string) error { return map[bool]error{true: errors.New("no pipeline")}[name == ""] },
	}
	for _, c := range []struct {
		name          string
		with          map[string]any
		first, second string
	}{
		{"keys", map[string]any{"pipeline": "p", "queue": "orders", "items": []any{1, 2, 3}, "naturalKey": []any{"a", "b", "a"}, "limitKey": []any{"x", "y", "z"}},
			"map[count:2 existing:1 ids:[1 2 1]]", "map[count:0 existing:3 ids:[1 2 1]]"},
		{"unique", map[string]any{"pipeline": "p", "payload": 1, "unique": true},
			"map[count:1 existing:0 ids:[3]]", "map[count:0 existing:1 ids:[3]]"},
		{"neither", map[string]any{"pipeline": "", "queue": "robots", "payload": 1},
			"map[count:1 existing:0 ids:[4]]", "map[count:1 existing:0 ids:[5]]"},
	} {
		for n, want := range []string{c.first, c.second} {
			out, err := run(t, s, "Enqueue", c.with, handlers.Call{})
			if got := fmt.Sprint(out); err != nil || got != want {
				t.Errorf("%s, time %d: %s, %v, want %s", c.name, n+1, got, err, want)
			}
		}
	}
	if it, err := store.Item(t.Context(), 2); err != nil || *it.NaturalKey != "b" || *it.LimitKey != "y" {
		t.Errorf("item 2 = %+v, %v, want the keys b and y", it, err)
	}
	// An item that its queue rejects is a permanent error.
	_, err = run(t, s, "Enqueue", map[string]any{"pipeline": "", "queue": "robots", "items": []any{1, "x"}}, handlers.Call{})
	if permanent := (*handlers.PermanentError)(nil); !errors.As(err, &permanent) || !strings.Contains(err.Error(), "item 2 of 2") {
		t.Errorf("a payload that misses the schema: err = %v, want a permanent one that names item 2 of 2", err)
	}
}
