package schemas_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"botwork/handlers"
	"botwork/internal/jsonschemas"
)

// samples are values of all types that a parameter can have.
var samples = []any{
	"x", "", "5", "-5", "1.5", "true", "never", "GET", "list", "text", "error", "90s", "1h30m", "-7d", "7d", "10MB", "10 kb", "10XB", "201", "2xx", "6xx",
	"2026-01-31T13:45:00Z", "2026-01-31", 0, 5, -5, 201, 700, 1.5, true, false,
	[]any{}, []any{"x"}, []any{5}, []any{201, "4XX"}, []any{"90s"}, []any{true}, []any{nil}, []any{[]any{"x"}}, []any{map[string]any{"a": 1}},
	map[string]any{}, map[string]any{"a": "x"}, map[string]any{"a": 5}, map[string]any{"a": nil}, map[string]any{"a": []any{}},
	"${{ payload.x }}", "a ${{ payload.x }} b", []any{"${{ payload.x }}"}, map[string]any{"a": "${{ payload.x }}"}, map[string]any{"token": "${{ payload.x }}"},
}

// dynamic returns a function that reports whether the value at a path under with is an
// expression, as the checker of pipelines does.
func dynamic(with any) func(path []string) bool {
	return func(path []string) bool {
		at := with
		for _, key := range path {
			switch v := at.(type) {
			case map[string]any:
				at = v[key]
			case []any:
				i := 0
				if _, err := fmt.Sscan(key, &i); err != nil || i >= len(v) {
					return false
				}
				at = v[i]
			default:
				return false
			}
		}
		text, ok := at.(string)
		return ok && strings.Contains(text, "${{")
	}
}

// TestSchemaAcceptsTheValuesOfHandlers tries values of all types for every parameter of
// every handler. The schema must accept the values that the handler accepts, and must
// reject values of a wrong type.
func TestSchemaAcceptsTheValuesOfHandlers(t *testing.T) {
	s := compile(t, "pipeline")
	accepted, rejected := 0, 0
	for _, k := range registry(t).Kinds() {
		for _, f := range k.Fields() {
			for _, value := range samples {
				with := map[string]any{f.Name: value}
				fits := fitsAt(s, k.Name, with, f.Name)
				wrong := slices.DeleteFunc(k.CheckLiteral(with, dynamic(with)), func(e handlers.ParamError) bool { return len(e.Path) == 0 || e.Path[0] != f.Name })
				switch {
				case len(wrong) == 0 && !fits:
					t.Errorf("%s accepts %s: %#v, but the schema rejects it", k.Name, f.Name, value)
				case fits && slices.ContainsFunc(wrong, func(e handlers.ParamError) bool { return mustReject(f, e) }):
					t.Errorf("%s rejects %s: %#v (%v), but the schema accepts it", k.Name, f.Name, value, wrong)
				case fits:
					accepted++
				default:
					rejected++
				}
			}
		}
	}
	if accepted < 500 || rejected < 500 {
		t.Errorf("the schema accepted %d values and rejected %d, want at least 500 each", accepted, rejected)
	}
}

// mustReject reports whether the schema must also find a mistake. It cannot check a map
// of any values whose keys only the handler knows, such as a scoring.
func mustReject(f handlers.Field, e handlers.ParamError) bool {
	if f.Type == "map of any" && len(e.Path) > 1 {
		return false
	}
	return e.Code == handlers.WrongType || e.Code == handlers.UnknownParameter || strings.HasPrefix(e.Message, "got an expression")
}

// fitsAt reports whether the schema accepts a parameter.
func fitsAt(s *jsonschemas.Schema, kind string, with map[string]any, name string) bool {
	step := map[string]any{"handler": kind, "with": with}
	for _, p := range s.Check(map[string]any{"steps": []any{step}}) {
		if len(p.Path) > 3 && p.Path[3] == name {
			return false
		}
	}
	return true
}

// TestUnknownParametersAreMarked tries an unknown parameter for every handler.
func TestUnknownParametersAreMarked(t *testing.T) {
	s := compile(t, "pipeline")
	for _, k := range registry(t).Kinds() {
		wrong := s.Check(map[string]any{"steps": []any{map[string]any{"handler": k.Name, "with": map[string]any{"nonsense": 1}}}})
		if !strings.Contains(fmt.Sprint(wrong), "nonsense") {
			t.Errorf("%s: the unknown parameter nonsense is not reported: %v", k.Name, wrong)
		}
	}
}
