package matching_test

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"botwork/workqueue/matching"
)

// Values are compared as they are.
var values = cmp.Comparer(func(a, b matching.Value) bool { return a == b })

func TestValueOf(t *testing.T) {
	for _, test := range []struct {
		of   any
		want matching.Value
	}{
		{"Lisbon", matching.Text("Lisbon")},
		{"", matching.Text("")},
		{true, matching.Bool(true)},
		{false, matching.Bool(false)},
		{0, matching.Number(0)},
		{int64(-3), matching.Number(-3)},
		{0.5, matching.Number(0.5)},
		{math.Copysign(0, -1), matching.Number(0)},
		{json.Number("-0"), matching.Number(0)},
		{json.Number("1e300"), matching.Number(1e300)},
		{json.Number("9007199254740992"), matching.Number(1 << 53)},
		{json.Number("18446744073709551616"), matching.Number(1 << 64)},
		{json.Number("100000000000000000000"), matching.Number(1e20)},
		{matching.Text("x"), matching.Text("x")},
	} {
		if got, err := matching.ValueOf(test.of); err != nil || got != test.want {
			t.Errorf("ValueOf(%#v) = %v, %v, want %v", test.of, got, err, test.want)
		}
	}
	for _, test := range []struct {
		of   any
		want string
	}{
		{nil, "got nothing, want text, a number, true or false"},
		{[]any{1}, "got a list, want text, a number, true or false"},
		{map[string]any{}, "got a mapping, want text, a number, true or false"},
		{math.NaN(), "got NaN, want a finite number"},
		{math.Inf(-1), "got -Inf, want a finite number"},
		{json.Number("1e400"), "got the number 1e400, want a finite one of 64 bits"},
		{json.Number("9007199254740993"), "the number 9007199254740993 is not exact in 64 bits: write it as text"},
		{int64(math.MaxInt64), "the number 9223372036854775807 is not exact in 64 bits: write it as text"},
		{json.Number("18446744073709551617"), "the number 18446744073709551617 is not exact in 64 bits: write it as text"},
		{"\x80", "got a text that is not UTF-8"},
		{strings.Repeat("á", 1001), "got a text of 1001 characters, want at most 1000"},
	} {
		if got, err := matching.ValueOf(test.of); err == nil || err.Error() != test.want {
			t.Errorf("ValueOf(%v) = %v, %v, want the error %q", test.of, got, err, test.want)
		}
	}
}

func TestNumberRefusesWhatIsNone(t *testing.T) {
	for _, f := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		if v := matching.Number(f); !v.IsZero() {
			t.Errorf("Number(%v) = %v, want no value", f, v)
		}
	}
	if matching.Bool(true) == matching.Number(1) || matching.Text("1") == matching.Number(1) || matching.Text("") == (matching.Value{}) {
		t.Error("values of different types are equal")
	}
}

func TestParseValue(t *testing.T) {
	for written, want := range map[string]matching.Value{
		"true": matching.Bool(true), "false": matching.Bool(false), "True": matching.Text("True"),
		"16": matching.Number(16), "-3": matching.Number(-3), "0.5": matching.Number(0.5), " 7 ": matching.Number(7),
		"0123": matching.Text("0123"), "1e5": matching.Text("1e5"), "1.10": matching.Text("1.10"), "-0": matching.Text("-0"),
		`"NaN"`: matching.Text("NaN"), `"1e400"`: matching.Text("1e400"), `"9007199254740993"`: matching.Text("9007199254740993"),
		"9007199254740992": matching.Number(1 << 53), "-9007199254740994": matching.Number(-9007199254740994),
		"100000000000000000000000": matching.Number(1e23), "Nancy": matching.Text("Nancy"), "info": matching.Text("info"),
		"0x1p5000": matching.Text("0x1p5000"), "1_000": matching.Text("1_000"), "1e5 m": matching.Text("1e5 m"),
		"1e+21": matching.Number(1e21), "New York": matching.Text("New York"), `"true"`: matching.Text("true"),
		`"a \"b\", c"`: matching.Text(`a "b", c`), `""`: matching.Text(""), "": matching.Text(""),
	} {
		if got, err := matching.ParseValue(written); err != nil || got != want {
			t.Errorf("ParseValue(%q) = %#v, %v, want %#v", written, got, err, want)
		}
	}
	for _, written := range []string{
		"NaN", "nan", "Inf", "-inf", "+Infinity", "1e400", "-1e400", "1.5e999", "9007199254740993", "-9007199254740993", "100000000000000000000001",
	} {
		got, err := matching.ParseValue(written)
		if err == nil || !strings.Contains(err.Error(), written) || !strings.Contains(err.Error(), `in double quotes: "`+written+`"`) {
			t.Errorf("ParseValue(%q) = %v, %v, want an error that says how it is written as text", written, got, err)
		}
	}
	for _, written := range []string{`"`, `"a`, `"a"b`, `"\x"`} {
		if got, err := matching.ParseValue(written); err == nil {
			t.Errorf("ParseValue(%q) = %v, want an error", written, got)
		}
	}
}

// What String writes is read as the same value, and what JSON holds, too.
func FuzzValue(f *testing.F) {
	for _, s := range []string{"", "a", " a", "true", "1", "1e+21", `"`, "a,b", "[x]", "\x00", "a\nb", "não", "0.1", "\u00a0x"} {
		f.Add(s, 0.0)
	}
	f.Add("x", 5e-324)
	f.Add("x", math.MaxFloat64)
	f.Add("x", -1e-7)
	f.Add("x", 123456789012345680000.0)
	f.Fuzz(func(t *testing.T, s string, n float64) {
		for _, v := range []matching.Value{matching.Text(strings.ToValidUTF8(s, "?")), matching.Number(n)} {
			if _, err := matching.ValueOf(v.Any()); err != nil || v.IsZero() {
				continue // too long, or no number
			}
			if got, err := matching.ParseValue(v.String()); err != nil || got != v {
				t.Errorf("ParseValue(%q) = %#v, %v, want %#v", v.String(), got, err, v)
			}
			text := matching.Labels{"k": v}.JSON()
			if got, err := matching.ParseLabels(text); err != nil || got["k"] != v {
				t.Errorf("ParseLabels(%s) = %v, %v, want %v", text, got, err, v)
			}
		}
	})
}
