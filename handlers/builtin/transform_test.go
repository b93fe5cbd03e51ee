package builtin

import (
	"context"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"botwork/handlers"
)

func orders() []any {
	order := func(customer string, amount any) any { return map[string]any{"customer": customer, "amount": amount} }
	return []any{order("Rui", 5), order("Ana", 2.5), order("Rui", 1), order("Eva", -1)}
}

func TestTransform(t *testing.T) {
	day := func(d int) time.Time { return time.Date(2026, 1, d, 0, 0, 0, 0, time.UTC) }
	for _, c := range []struct {
		name string
		with map[string]any
		want any
	}{
		{"value", map[string]any{"value": map[string]any{"a": []int64{1}}}, map[string]any{"a": []any{1}}},
		{"nothing to do", map[string]any{}, orders()},
		{"where", map[string]any{"where": "it.amount > 2", "select": "it.amount"}, []any{5, 2.5}},
		{"select with index, payload and input", map[string]any{"select": "[index, payload.p, len(input)]", "limit": 2}, []any{[]any{0, "x", 4}, []any{1, "x", 4}}},
		{"sortBy", map[string]any{"sortBy": "it.amount", "select": "it.amount"}, []any{-1, 1, 2.5, 5}},
		{"descending keeps equals in order", map[string]any{"items": []any{"b1", "a1", "b2", "a2"}, "sortBy": "it[0:1]", "descending": true}, []any{"b1", "b2", "a1", "a2"}},
		{"null first", map[string]any{"items": []any{true, nil, false}, "sortBy": "it"}, []any{nil, false, true}},
		{"times", map[string]any{"items": []any{day(2), day(1)}, "sortBy": "it"}, []any{day(1), day(2)}},
		{"limit more than there are", map[string]any{"limit": 9, "select": "it.amount"}, []any{5, 2.5, 1, -1}},
		{"groupBy", map[string]any{"groupBy": "it.customer", "select": "{c: it.key, n: len(it.items), sum: sum(it.items, .amount)}", "sortBy": "it.key"}, []any{
			map[string]any{"c": "Ana", "n": 1, "sum": 2.5}, map[string]any{"c": "Eva", "n": 1, "sum": -1}, map[string]any{"c": "Rui", "n": 2, "sum": 6},
		}},
		{"groups come in order", map[string]any{"groupBy": "it.amount > 2", "select": "it.key"}, []any{true, false}},
		{"empty", map[string]any{"items": []any{}, "where": "it.x", "sortBy": "it.y"}, []any{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			input := orders()
			out, err := run(t, transformKind(), c.with, &handlers.Call{Input: input, Payload: map[string]any{"p": "x"}})
			if diff := cmp.Diff(c.want, out); diff != "" || err != nil {
				t.Error(err, diff)
			}
			if diff := cmp.Diff(orders(), input); diff != "" {
				t.Errorf("the input was changed: %s", diff)
			}
		})
	}
}

func TestTransformOutcomes(t *testing.T) {
	for _, c := range []struct {
		name    string
		with    map[string]any
		outcome string
		word    string
	}{
		{"no list", map[string]any{"where": "true"}, "permanent", "want a list"},
		{"no such field of a number", map[string]any{"items": []any{map[string]any{}, 5}, "select": "it.a"}, "business", "select for element 1"},
		{"no condition", map[string]any{"items": []any{5}, "where": "it"}, "business", "where for element 0"},
		{"no order", map[string]any{"items": []any{5, "x"}, "sortBy": "it"}, "business", "have no order"},
		{"a list as key", map[string]any{"items": []any{5}, "groupBy": "[it]"}, "business", "groupBy for element 0 gives a list"},
		{"too much text", map[string]any{"items": []any{5}, "select": `reduce(1..40, #acc + #acc, "x")`}, "business", "select for element 0: it creates texts and lists of more than 64 MB"},
		{"too much text of all elements", map[string]any{"items": make([]any, 1000), "select": `repeat("x", 1000000)`}, "business", "more than 64 MB"},
		{"too many steps", map[string]any{"items": []any{5}, "where": "let l = 1..900000; count(l, any(l, # < 0)) > 0"}, "business", "where for element 0: it needs more than"},
		{"a value that holds itself twice", map[string]any{"items": []any{5}, "select": "reduce(1..60, [#acc, #acc], it)"}, "business", "it needs more than"},
		{"too much memory", map[string]any{"items": []any{5}, "select": "map(1..100000, map(1..100000, #))"}, "business", "memory budget"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := run(t, transformKind(), c.with, nil)
			wantError(t, err, c.outcome, "transform: ", c.word)
		})
	}
	h, err := transformKind().Build(map[string]any{"items": []any{1}, "select": "it"})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err = h.Handle(ctx, &handlers.Call{})
	wantError(t, err, "error", "context canceled")
}

func TestTransformValidate(t *testing.T) {
	wantInvalid(t, transformKind(), map[string]any{"where": "it.a >", "select": "itt", "limit": -1, "descending": true},
		"where: unexpected token", "select: unknown name itt", "limit: want 0 or more", "descending: goes with sortBy")
	wantInvalid(t, transformKind(), map[string]any{"where": "1"}, "where: expected bool")
	wantInvalid(t, transformKind(), map[string]any{"value": 1, "where": "true"}, "value: goes without")
}
