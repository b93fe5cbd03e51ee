package builtin

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"botwork/handlers"
)

func TestJSON(t *testing.T) {
	for _, c := range []struct {
		name        string
		with        map[string]any
		input, want any
		outcome     string
	}{
		{"parse", map[string]any{"op": "parse", "value": `{"a": [1]}`}, nil, map[string]any{"a": []any{1}}, "success"},
		{"parse the input", map[string]any{"op": "parse"}, "2.5", 2.5, "success"},
		{"no json", map[string]any{"op": "parse"}, "{", nil, "business"},
		{"no text", map[string]any{"op": "parse"}, 5, nil, "permanent"},
		{"format", map[string]any{"op": "format", "value": map[string]any{"a": "<"}}, nil, `{"a":"<"}`, "success"},
		{"indent", map[string]any{"op": "format", "indent": true}, []any{1}, "[\n  1\n]", "success"},
		{"not to be written", map[string]any{"op": "format"}, math.NaN(), nil, "permanent"},
	} {
		t.Run(c.name, func(t *testing.T) {
			out, err := run(t, jsonKind(), c.with, &handlers.Call{Input: c.input})
			wantError(t, err, c.outcome)
			if diff := cmp.Diff(c.want, out); diff != "" {
				t.Error(diff)
			}
		})
	}
}
