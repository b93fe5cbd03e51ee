package builtin

import (
	"testing"
	"time"
)

func TestValueText(t *testing.T) {
	for _, c := range []struct {
		value any
		want  string
	}{
		{1234567.5, "1234567.5"}, {7, "7"}, {true, "true"}, {"a", "a"}, {5 * time.Minute, "5m0s"},
		{map[string]any{"a": []int{1}}, `{"a":[1]}`},
		{time.Date(2026, 1, 2, 4, 4, 5, 0, time.FixedZone("", 3600)), "2026-01-02T03:04:05Z"},
	} {
		if got, err := valueText(c.value); got != c.want || err != nil {
			t.Errorf("valueText(%v) = %q, %v, want %q", c.value, got, err, c.want)
		}
	}
	if _, err := valueText(nil); err == nil {
		t.Error("nothing has a text")
	}
}
