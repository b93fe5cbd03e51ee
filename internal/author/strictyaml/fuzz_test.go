package strictyaml_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"botwork/internal/author/strictyaml"
)

// FuzzParse holds the reader to this: it never panics, gives a node or says
// why not, and every finding points into the text.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{"", "a: 1\n", "a: [1, {b: \"c\"}]\n", "a: &a [*a]\n", "<<: {a: 1}\n", "{{ x }}", "a: |\n  b\n c", "\t'", "? a\n: b\n", "--- a\n--- b\n", bomb()} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		node, findings := strictyaml.Parse("f.yaml", data)
		if node == nil && len(findings) == 0 {
			t.Fatalf("Parse(%q) = no node and no finding", data)
		}
		lines := 1
		for _, r := range string(data) {
			if strings.ContainsRune("\n\r\u0085\u2028\u2029", r) {
				lines++
			}
		}
		for _, finding := range findings {
			if finding.Line < 1 || finding.Column < 1 || finding.Line > lines+1 {
				t.Fatalf("Parse(%q): no place in %+v", data, finding)
			}
		}
		node.Any()
	})
}

// FuzzMarshal writes texts as YAML, as values and as keys, and wants to read
// the same texts again, whatever they look like.
func FuzzMarshal(f *testing.F) {
	for _, seed := range []string{
		"", "~", "null", "yes", "0x1f", "1e3", "1_000", "2026-01-31", "<<", "- a", "a: b", "# a", "a #b", "{a", "[a", "|", ">", "%", "@", "`", "&a", "*a", "!a", "? a",
		" a", "a ", "\ta", "a\n", "\na", "a\nb\n\n", " a\nb", "a\r\nb", "a\u0085b", "a\u2028b", "\ufeffa", "\x00", "\x7f", "---", "...", "'", "\"", "\\", "=", ".inf", "é\U0001f600",
	} {
		f.Add(seed, "k")
		f.Add("v", seed)
	}
	f.Fuzz(func(t *testing.T, text, key string) {
		if !utf8.ValidString(text) || !utf8.ValidString(key) || key == "first" || key == "last" {
			return // JSON has no such text, and the keys are taken
		}
		want := map[string]any{"first": text, key: []any{text, map[string]any{"a": text}}, "last": 1}
		data, err := strictyaml.Marshal(want)
		if err != nil {
			t.Fatalf("Marshal(%q) = %v", want, err)
		}
		node, findings := strictyaml.Parse("f.yaml", data)
		if len(findings) > 0 || !reflect.DeepEqual(node.Any(), want) {
			shown, _ := json.Marshal(node.Any())
			t.Errorf("%q was written as\n%s\nwhich reads as %s with %v", want, data, shown, findings)
		}
	})
}
