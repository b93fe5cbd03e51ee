package values

import (
	"encoding/json"
	"math"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestDecodeJSON(t *testing.T) {
	got, err := DecodeJSON([]byte(` {"a": [1, 2.5, 1e3, null, true, "x"], "big": 12345678901234567890, "huge": 1e999, "exact": 9007199254740993, "exponent": 1e30} `))
	want := map[string]any{"a": []any{1, 2.5, 1000.0, nil, true, "x"},
		"big": json.Number("12345678901234567890"), "huge": json.Number("1e999"), "exact": 9007199254740993, "exponent": 1e30}
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
		"large": uint64(math.MaxUint64), "at": at, "s": name("x"), "wait": time.Minute, "none": nil,
	}
	want := map[string]any{
		"ints": []any{1, 2}, "maps": []any{map[string]any{"a": 1}}, "u": 3, "f": 0.5,
		"large": json.Number("18446744073709551615"),
		"at":    at.UTC(), "s": "x", "wait": "1m0s", "none": nil,
	}
	if diff := cmp.Diff(any(want), Plain(in)); diff != "" {
		t.Error(diff)
	}
}

func TestParseWhole(t *testing.T) {
	for text, want := range map[string]any{
		"7": 7, "+7": 7, "-007": -7, "9007199254740993": 9007199254740993,
		"+00123456789012345678901234567890": json.Number("123456789012345678901234567890"),
		"-9223372036854775809":              json.Number("-9223372036854775809"),
	} {
		if got, err := ParseWhole(text); got != want || err != nil {
			t.Errorf("ParseWhole(%q) = %v, %v, want %v", text, got, err, want)
		}
	}
	for _, text := range []string{"", "+", "-", "1.5", "1e30", "--123456789012345678901234567890", "+-1", "12345678901234567890x"} {
		if got, err := ParseWhole(text); err == nil {
			t.Errorf("ParseWhole(%q) = %v, want an error", text, got)
		}
	}
}

func TestNumberText(t *testing.T) {
	for want, v := range map[string]any{
		"1234567.5": 1234567.5, "100000000000000000000000": 1e23, "0.00000001": 1e-8, "-7": int8(-7), "255": uint8(255), "0.1": float32(0.1),
		"123456789012345678901234567890": json.Number("123456789012345678901234567890"),
	} {
		if got, ok := NumberText(v); got != want || !ok {
			t.Errorf("NumberText(%v) = %q, %t, want %q", v, got, ok, want)
		}
	}
	if got, ok := NumberText("1"); ok {
		t.Errorf(`NumberText("1") = %q, want that a text is no number`, got)
	}
}

func TestCompareNumbers(t *testing.T) {
	ascending := []any{
		json.Number("-1e999"), json.Number("-123456789012345678901234567890"), json.Number("-9223372036854775809"), math.MinInt, -1.5, -1, 0, 0.5,
		9007199254740992, 9007199254740993, math.MaxInt, json.Number("9223372036854775808"), json.Number("123456789012345678901234567890"), 1e300, json.Number("1e999"),
	}
	for i, a := range ascending {
		for j, b := range ascending {
			if got, ok := CompareNumbers(a, b); got != min(max(i-j, -1), 1) || !ok {
				t.Errorf("CompareNumbers(%v, %v) = %d, %t, want the order of the list", a, b, got, ok)
			}
		}
	}
	if _, ok := CompareNumbers(1, "2"); ok {
		t.Error("a number and a text have an order, want none")
	}
}
