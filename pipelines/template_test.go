package pipelines

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestScan(t *testing.T) {
	e := func(text string, nth int) fragment { return fragment{text: text, expression: true, nth: nth} }
	plain := func(text string) fragment { return fragment{text: text} }
	tests := []struct {
		text     string
		want     []fragment
		unclosed int
	}{
		{"plain", []fragment{plain("plain")}, -1},
		{"${{ a }}", []fragment{e("a", 0)}, -1},
		{"a${{b}}c${{ d }}", []fragment{plain("a"), e("b", 0), plain("c"), e("d", 1)}, -1},
		{"$${{ a }} ${{ b }}", []fragment{plain("${{ a }} "), e("b", 1)}, -1},
		{"$${{", []fragment{plain("${{")}, -1},
		{`${{ "}}" + '\'}}' + ` + "`}}\\`" + ` }}`, []fragment{e(`"}}" + '\'}}' + `+"`}}\\`", 0)}, -1},
		{"${{ {'a': {'b': 1}}}}", []fragment{e("{'a': {'b': 1}}", 0)}, -1},
		{"${{ map(x, {# + 1}) }}}}", []fragment{e("map(x, {# + 1})", 0), plain("}}")}, -1},
		{"a ${{ b } }", nil, 0},
		{`${{ a }} ${{ "b }}`, nil, 1},
		{"", []fragment{plain("")}, -1},
	}
	for _, test := range tests {
		got, unclosed := scan(test.text)
		if diff := cmp.Diff(test.want, got, cmp.AllowUnexported(fragment{})); diff != "" || unclosed != test.unclosed {
			t.Errorf("scan(%q): unclosed = %d, want %d; fragments (-want +got):\n%s", test.text, unclosed, test.unclosed, diff)
		}
	}
}

func TestTextOf(t *testing.T) {
	zone := time.FixedZone("x", 3600)
	for want, v := range map[string]any{
		"a b":                  "a b",
		"true":                 true,
		"12":                   12,
		"0.1":                  0.1,
		"100000000000000000":   1e17,
		"0.0000001":            1e-7,
		"2026-11-20T09:30:00Z": time.Date(2026, 11, 20, 10, 30, 0, 0, zone),
		"1m30s":                90 * time.Second,
		`["a",{"b":"<&>"}]`:    []any{"a", map[string]any{"b": "<&>"}},
		`["x"]`:                []string{"x"},
	} {
		if got, err := textOf(v); err != nil || got != want {
			t.Errorf("textOf(%v) = %q, %v, want %q", v, got, err, want)
		}
	}
	for _, v := range []any{nil, []any{func() {}}} {
		if got, err := textOf(v); err == nil {
			t.Errorf("textOf(%v) = %q, want an error", v, got)
		}
	}
}

// TestValuesKeepTheirTypes checks that whole expressions keep their types, and that
// expressions within a text are texts.
func TestValuesKeepTheirTypes(t *testing.T) {
	for with, want := range map[string]any{
		`{value: "${{ payload.n }}"}`:                         1,
		`{value: "${{ payload.n }} "}`:                        "1 ",
		`{value: "${{ payload.n }}${{ payload.n}}"}`:          "11",
		"{value: !!str 5}":                                    "5",
		"\n        value: |\n          ${{ payload.list }}\n": []any{1, 2.5, "x"},
		`{value: {a: ["${{ payload.n }}", {b: "$${{"}], c: {}, d: []}}`: map[string]any{
			"a": []any{1, map[string]any{"b": "${{"}}, "c": map[string]any{}, "d": []any{}},
		`{count: "${{ payload.n + 1 }}"}`:                                   2,
		`{text: "${{ item.createdAt }}|${{ item.deadlineAt ?? 'never' }}"}`: "2026-11-20T10:00:00Z|never",
		`{text: "${{ date('2026-01-02').Hour() }}"}`:                        nil,
	} {
		p, findings := testCompiler(nil).Parse("t.yaml", []byte("steps:\n  - handler: Echo\n    with: "+with))
		if len(findings) > 0 {
			t.Errorf("%s: %v", with, findings)
			continue
		}
		got := testEngine(nil).Run(t.Context(), p, RunInput{Run: testRun(`{"n": 1, "list": [1, 2.5, "x"]}`)})
		if want == nil {
			if got.Error == "" {
				t.Errorf("%s: got %v, want an error: a number is not a text", with, got.Value)
			}
			continue
		}
		if diff := cmp.Diff(want, got.Value); diff != "" {
			t.Errorf("%s: %s value (-want +got):\n%s", with, got.Error, diff)
		}
	}
}
