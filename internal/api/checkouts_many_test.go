package api_test

import (
	"fmt"
	"testing"

	"botwork/internal/api/apitest"
)

func TestManyCheckoutsRefused(t *testing.T) {
	f := startForms(t, nil, nil)
	f.enqueue(t, 1)
	h := f.takeOne(t)
	item := func(more ...any) map[string]any {
		body := map[string]any{"id": h.id, "fence": h.body["fence"], "lockKey": h.body["lockKey"]}
		for i := 0; i < len(more); i += 2 {
			body[more[i].(string)] = more[i+1]
		}
		return body
	}
	many := func(n int) []any {
		items := make([]any, n)
		for i := range items {
			items[i] = item()
		}
		return items
	}
	for _, path := range []string{"/checkouts/heartbeat", "/checkouts/end"} {
		for _, items := range []any{[]any{}, many(1001), nil, []any{map[string]any{"id": h.id}}} {
			f.post(t, path, map[string]any{"items": items}).WantProblem(t, 422, "invalid-request")
		}
	}
	f.post(t, "/checkouts/heartbeat", map[string]any{"items": many(1), "lease": "25h"}).WantProblem(t, 422, "invalid-request")
	type ends struct {
		Items []struct {
			ID      int64
			Ended   *endedItem
			Problem *struct {
				Code   string
				Errors []struct{ Message string }
			}
		}
	}
	got := apitest.Decode[ends](t, f.post(t, "/checkouts/end", map[string]any{"items": []any{
		item("kind", "business"), item("error", "x", "output", 1), item("id", h.id+1),
	}}).Want(t, 200))
	for i, want := range []string{"invalid-request [{got kind without error, want both for a failure}]", "invalid-request [{got output and error, want one of them}]", "end-unknown []"} {
		p := got.Items[i].Problem
		if got.Items[i].Ended != nil || p == nil || fmt.Sprint(p.Code, " ", p.Errors) != want {
			t.Errorf("end %d: %+v, %+v, want %s", i, got.Items[i].Ended, p, want)
		}
	}
	// Of two ends for one item, one counts.
	twice := apitest.Decode[ends](t, f.post(t, "/checkouts/end", map[string]any{"items": []any{item("output", 1), item("error", "x")}}).Want(t, 200))
	counted := 0
	for _, one := range twice.Items {
		if one.Ended != nil {
			counted++
		}
	}
	if counted != 1 {
		t.Errorf("%d ends of one item count: %+v", counted, twice)
	}
}
