package strictyaml_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"botwork/internal/author/strictyaml"
)

// brief is a finding as line:column:code.
func brief(fs strictyaml.Findings) []string {
	var list []string
	for _, f := range fs {
		list = append(list, fmt.Sprintf("%d:%d:%s", f.Line, f.Column, f.Code))
	}
	return list
}

func TestParseReportsPositions(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       []string
	}{
		{"empty", "", []string{"1:1:empty-file"}},
		{"only comments", "# nothing\n\n", []string{"1:1:empty-file"}},
		{"null", "---\n", []string{"1:1:empty-file"}},
		{"latin-1", "a: 1\nb: \xe9\n", []string{"2:4:not-utf8"}},
		{"utf-16", "\xff\xfea\x00", []string{"1:1:not-utf8"}},

		{"bad indent back", "a:\n    b: 1\n  c: 2\nd: 3\n", []string{"3:3:yaml-syntax"}},
		{"bad indent in a list", "steps:\n  - a: 1\n   b: 2\n", []string{"3:4:yaml-syntax"}},
		{"deeper key after a value", "a: 1\nb: text\n  c: 2\n", []string{"3:4:yaml-syntax"}},
		{"two colons", "a: 1\nb: c: d\n", []string{"2:5:yaml-syntax"}},
		{"key without a colon", "a: 1\nbcd\ne: 2\n", []string{"2:1:yaml-syntax"}},
		{"list item where a key belongs", "a: 1\n- b\n", []string{"2:1:yaml-syntax"}},
		{"cron without quotes", "x: 1\ncron: * * * * *\n", []string{"2:7:yaml-syntax"}},
		{"unknown alias", "a: 1\nb: *unknown\n", []string{"2:4:yaml-syntax"}},
		{"bad escape", "a: 1\npath: \"C:\\data\\queue\"\n", []string{"2:10:yaml-syntax"}},
		{"at sign", "a: 1\nb: @x\n", []string{"2:4:yaml-syntax"}},
		{"control character", "a: 1\nb: x\x01y\n", []string{"2:5:yaml-syntax"}},
		{"unclosed bracket", "a: 1\nb: [1, 2\nc: 3\n", []string{"2:4:yaml-syntax"}},
		{"unclosed brace, a closed one after it", "a: {x: 1\nb: {y: 2}\nc: 1\n", []string{"1:4:yaml-syntax"}},
		{"brackets mixed up", "a: 1\nb: {x: [1, 2}\n", []string{"2:8:yaml-syntax"}},
		{"unclosed quote", "a: 1\nb: \"text\nc: 3\n", []string{"2:4:yaml-syntax"}},
		{"unclosed quote, closed by the next one", "a: 1\nb: \"text\nc: \"more\"\n", []string{"2:4:yaml-syntax"}},
		{"truncated json", `{"a": {"b": [1, 2`, []string{"1:13:yaml-syntax"}},
		{"missing comma in json", "{\n  \"a\": 1\n  \"b\": 2\n}\n", []string{"3:6:yaml-syntax"}},

		{"value where a comma belongs", "a: [\"x\" \"y\"]\n", []string{"1:9:yaml-syntax"}},
		{"list after a key on one line", "a: - b\n", []string{"1:4:yaml-syntax"}},
		{"apostrophe in a quoted text", "a: 1\nb: 'it's'\n", []string{"2:8:yaml-syntax"}},
		{"expression in a flow mapping", "a: {b: ${{ x }}}\n", []string{"1:9:yaml-syntax"}},

		{"tabs indent", "a:\n\tb: 1\n\tc: 2\n", []string{"2:1:yaml-tab", "3:1:yaml-tab"}},
		{"tab and an unclosed bracket", "a:\n\tb: 1\nc: [2\n", []string{"2:1:yaml-tab", "3:4:yaml-syntax"}},
		{"tab after spaces", "a:\n  b: 1\n  \tc: 2\n", []string{"3:3:yaml-tab"}},
		{"tabs in json are fine", "{\n\t\"a\": 1\n}\n", nil},
		{"tabs in a block are fine", "a: |\n  x\n  \ty\nb: 1\n", nil},

		{"several documents", "a: 1\n---\nb: 2\n", []string{"2:1:several-documents"}},
		{"one document with marks", "---\na: 1\n...\n", nil},
		{"duplicate keys", "a: 1\nb: 2\na: 3\nc:\n  d: 1\n  d: 2\n", []string{"3:1:duplicate-key", "6:3:duplicate-key"}},
		{"duplicate key before a syntax error", "a: 1\na: 2\nb: c: d\n", []string{"2:1:duplicate-key", "3:5:yaml-syntax"}},
		{"keys that are not text", "1: a\ntrue: b\n~: c\n? [x]\n: d\n\"1\": e\n", []string{"1:1:non-string-key", "2:1:non-string-key", "3:1:non-string-key", "4:3:non-string-key"}},
		{"on is text", "on: 1\nyes: no\n", nil},

		{"leading zero", "a: 0123\nb: \"0123\"\nc: 0\nd: 0.5\n", []string{"1:4:yaml-trap"}},
		{"underscore", "a: 1_000\nb: a_1\nc: 0b11\nd: 0x_f\n", []string{"1:4:yaml-trap", "3:4:yaml-trap", "4:4:yaml-trap"}},
		{"too big", "a: 9223372036854775808\nb: 1e999\nc: .inf\n", []string{"1:4:yaml-trap", "2:4:yaml-trap", "3:4:yaml-trap"}},
		{"braces are a mapping", "if: {{ item.Priority }}\n", []string{"1:5:yaml-trap"}},
		{"braces followed by text", "a: 1\nif: {{ x }} == 1\n", []string{"2:5:yaml-trap"}},
		{"expressions need no quotes", "a: ${{ x }}\nb: text ${{ x }}\n", nil},
		{"expression with a colon", "a: 1\nb: ${{ x ? y : z }}\n", []string{"2:14:yaml-syntax"}},
		{"expression cut by a comment", "a: ${{ x # y }}\nb: ${{ x }} # fine }}\n", []string{"1:4:yaml-trap"}},
		{"tag", "a: !!binary aGk=\nb: !!str 1\n", []string{"1:4:yaml-tag"}},
		{"merge of a text", "a: &a x\nb:\n  <<: *a\n", []string{"3:7:yaml-merge"}},
		{"alias of itself", "a: &a [*a]\n", []string{"1:8:yaml-limit"}},
		{"nested too deep", "a: " + strings.Repeat("[", 300) + strings.Repeat("]", 300), []string{"1:204:yaml-limit"}},
		{"alias bomb", bomb(), []string{"5:20:yaml-limit"}},

		{"crlf", "a: 1\r\nb:\r\n  c: 2\r\na: 3\r\n", []string{"4:1:duplicate-key"}},
		{"crlf and a syntax error", "a: 1\r\nb: [1\r\nc: 2\r\n", []string{"2:4:yaml-syntax"}},
		{"byte order mark", "\ufeffa: 1\na: 2\n", []string{"2:1:duplicate-key"}},
		{"columns count characters", "äöü: {a: 1, a: 2}\n", []string{"1:13:duplicate-key"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, findings := strictyaml.Parse("f.yaml", []byte(c.text))
			if diff := cmp.Diff(c.want, brief(findings)); diff != "" {
				t.Errorf("Parse(%q) (-want +got):\n%s\n%v", c.text, diff, findings)
			}
		})
	}
}

// bomb returns lists of aliases that expand to millions of values.
func bomb() string {
	var b strings.Builder
	b.WriteString("a0: &a0 [x, x, x, x, x, x, x, x]\n")
	for i := 1; i < 8; i++ {
		fmt.Fprintf(&b, "a%d: &a%d [%s]\n", i, i, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*a%d, ", i-1), 8), ", "))
	}
	return b.String()
}

func TestParseValues(t *testing.T) {
	text := `
int: 5
negative: -3
hex: 0x10
float: 1.5
exponent: 1e3
bool: true
nothing:
tilde: ~
date: 2026-01-01
time: 08:30
word: on
quoted: "5"
block: |
  one
  two
list: [a, {b: 1}]
json: {"a":[1,"x",null]}
base: &base {x: 1, y: 2}
merged:
  <<: *base
  y: 3
again: *base
`
	node, findings := strictyaml.Parse("f.yaml", []byte(text))
	if len(findings) > 0 {
		t.Fatal(findings)
	}
	want := map[string]any{
		"int": 5, "negative": -3, "hex": 16, "float": 1.5, "exponent": 1000.0, "bool": true,
		"nothing": nil, "tilde": nil, "date": "2026-01-01", "time": "08:30", "word": "on",
		"quoted": "5", "block": "one\ntwo\n",
		"list":   []any{"a", map[string]any{"b": 1}},
		"json":   map[string]any{"a": []any{1, "x", nil}},
		"base":   map[string]any{"x": 1, "y": 2},
		"merged": map[string]any{"x": 1, "y": 3},
		"again":  map[string]any{"x": 1, "y": 2},
	}
	if diff := cmp.Diff(want, node.Any()); diff != "" {
		t.Error(diff)
	}
	b := node.Get("list").Items[1].Get("b")
	if b.Path != "list[1].b" || b.Line != 17 || b.Column != 15 || b.Text != "1" || b.Quoted {
		t.Errorf("list[1].b = %+v", b)
	}
	if q := node.Get("quoted"); !q.Quoted || q.Text != "5" {
		t.Errorf("quoted = %+v", q)
	}
	if e := node.Entries[1]; e.Key != "negative" || e.KeyLine != 3 || e.KeyColumn != 1 {
		t.Errorf("second entry = %+v", e)
	}
}

func TestFindingsDoNotShowValues(t *testing.T) {
	const secret = "0815_4711"
	for _, text := range []string{
		"password: " + secret,
		"password: [" + secret,
		"password: \"" + secret,
		"password: *" + secret,
		"password: {{" + secret + "}}",
	} {
		_, findings := strictyaml.Parse("f.yaml", []byte(text))
		if len(findings) == 0 || strings.Contains(findings.Error(), secret) {
			t.Errorf("Parse(%q) = %v, want findings without the value", text, findings)
		}
	}
}
