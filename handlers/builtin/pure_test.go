package builtin

import (
	"testing"

	"botwork/handlers"
)

// TestPure checks for every built-in kind whether it is pure.
func TestPure(t *testing.T) {
	folders := []string{t.TempDir()}
	registry := Registry(Resources{Folders: folders})
	tests := []struct {
		kind string
		with map[string]any
		want bool
	}{
		{"Transform", map[string]any{"value": 1}, true},
		{"JSON", map[string]any{"op": "format"}, true},
		{"Template", map[string]any{"text": "x"}, true},
		{"Template", map[string]any{"text": "x", "to": "a.txt"}, false},
		{"Template", map[string]any{"path": "a.txt"}, false},
		{"CSV", map[string]any{"op": "parse", "text": "a\n1\n"}, true},
		{"CSV", map[string]any{"op": "parse", "path": "a.csv"}, false},
		{"CSV", map[string]any{"op": "format", "to": "a.csv"}, false},
		{"CSV", map[string]any{"op": "format"}, true},
		{"Log", map[string]any{"message": "x"}, true},
		{"Progress", map[string]any{"text": "x"}, true},
		{"Break", map[string]any{"reason": "x"}, true},
		{"Fail", map[string]any{"message": "x"}, true},
		{"Snooze", map[string]any{"for": "1m"}, true},
		{"Drop", map[string]any{"reason": "x"}, true},
		{"Delay", map[string]any{"for": "1m"}, false},
		{"HTTP", map[string]any{"url": "http://127.0.0.1/"}, false},
		{"Exec", map[string]any{"program": "x"}, false},
		{"File", map[string]any{"op": "list", "path": "."}, false},
		{"SQL", nil, false},
		{"Mail", nil, false},
	}
	told := map[string]bool{}
	for _, test := range tests {
		told[test.kind] = true
		kind, ok := registry.Lookup(test.kind)
		if !ok {
			t.Fatalf("there is no kind %s", test.kind)
		}
		h := kind.New()
		if test.with != nil {
			var err error
			if h, err = kind.Build(test.with); err != nil {
				t.Fatalf("%s with %v: %v", test.kind, test.with, err)
			}
		}
		pure, ok := h.(handlers.Pure)
		if got := ok && pure.Pure(); got != test.want {
			t.Errorf("%s with %v: pure = %v, want %v", test.kind, test.with, got, test.want)
		}
	}
	for _, name := range registry.Names() {
		if !told[name] {
			t.Errorf("the test does not define whether %s is pure", name)
		}
	}
}
