package values

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestDecodeJSON(t *testing.T) {
	got, err := DecodeJSON([]byte(` {"a": [1, 2.5, 1e3, null, true, "x"], "big": 12345678901234567890, "huge": 1e999} `))
	want := map[string]any{"a": []any{1, 2.5, 1000.0, nil, true, "x"}, "big": 12345678901234567890.0, "huge": "1e999"}
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	for text, want := range map[string]string{
		"":      "json ends too early",
		`{"a":`: "json ends too early",
		"1 2":   "json at byte 3: want nothing after the value",
		"{]":    "json at byte 2: invalid character ']' looking for beginning of object key string",
	} {
		if _, err := DecodeJSON([]byte(text)); err == nil || err.Error() != want {
			t.Errorf("DecodeJSON(%q): err = %v, want %s", text, err, want)
		}
	}
}

func TestPlain(t *testing.T) {
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.FixedZone("east", 3600))
	type name string
	in := map[name]any{
		"ints": []int64{1, 2}, "maps": []map[string]int{{"a": 1}}, "u": uint8(3), "f": float32(0.5),
		"at": at, "s": name("x"), "wait": time.Minute, "none": nil,
	}
	want := map[string]any{
		"ints": []any{1, 2}, "maps": []any{map[string]any{"a": 1}}, "u": 3, "f": 0.5,
		"at": at.UTC(), "s": "x", "wait": "1m0s", "none": nil,
	}
	if diff := cmp.Diff(any(want), Plain(in)); diff != "" {
		t.Error(diff)
	}
}
