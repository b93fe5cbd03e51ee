package builtin

import (
	"errors"
	"strconv"
	"testing"
)

func TestCompiledCachesTexts(t *testing.T) {
	var c compiled[int]
	calls := 0
	length := func(text string) (int, error) {
		if calls++; text == "" {
			return 0, errors.New("there is nothing")
		}
		return len(text), nil
	}
	for range 3 {
		if n, err := c.of("abc", length); n != 3 || err != nil {
			t.Fatalf("of(abc) = %d, %v, want 3", n, err)
		}
	}
	if calls != 1 {
		t.Errorf("compiled %d times, want 1", calls)
	}
	for range 2 {
		if _, err := c.of("", length); err == nil {
			t.Error("a mistake was kept as if it were none")
		}
	}
	if calls != 3 {
		t.Errorf("compiled %d times, want 3: errors are not cached", calls)
	}
	for i := range 3 * maxCompiled {
		if n, err := c.of(strconv.Itoa(i), length); n != len(strconv.Itoa(i)) || err != nil {
			t.Fatalf("of(%d) = %d, %v", i, n, err)
		}
		if len(c.byText) > maxCompiled {
			t.Fatalf("it keeps %d texts, want at most %d", len(c.byText), maxCompiled)
		}
	}
}

// A step with an expression in any parameter is built again in each run: its other texts must
// not be compiled again.
func TestStepsAreCompiledOnce(t *testing.T) {
	r := Registry(Resources{})
	with := map[string]map[string]any{
		"Transform": {"items": []any{1, 2}, "where": "it > 1", "select": "it * 2", "sortBy": "it", "groupBy": "it"},
		"Template":  {"text": "{{ .n }} and {{ json .n }}", "data": map[string]any{"n": 1}},
	}
	for name, with := range with {
		kind, _ := r.Lookup(name)
		programs := func() []any {
			h, err := kind.Build(with)
			if err != nil {
				t.Fatal(err)
			}
			switch h := h.(type) {
			case *transformStep:
				return []any{h.where, h.groupBy, h.sortBy, h.selection}
			case *templateStep:
				return []any{h.compiled}
			}
			return nil
		}
		first, second := programs(), programs()
		for i := range first {
			if first[i] != second[i] || len(first) == 0 {
				t.Errorf("%s: program %d was compiled twice", name, i)
			}
		}
	}
}
