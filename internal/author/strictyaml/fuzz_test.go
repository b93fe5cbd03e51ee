package strictyaml_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"botwork/internal/author/strictyaml"
)

// FuzzParse checks that Parse never panics, returns a node or a finding, and that
// every finding has a position in the text.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{"", "a: 1\n", "a: [1, {b: \"c\"}]\n", "a: &a [*a]\n", "<<: {a: 1}\n", "{{ x }}", "a: |\n  b\n c", "\t'", "? a\n: b\n", "--- a\n--- b\n", bomb()} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		node, findings := strictyaml.Parse("f.yaml", data)
		if node == nil && len(findings) == 0 {
			t.Fatalf("Parse(%q) returned no node and no finding", data)
		}
		lines := 1
		for _, r := range string(data) {
			if strings.ContainsRune("\n\r\u0085\u2028\u2029", r) {
				lines++
			}
		}
		for _, finding := range findings {
			if finding.Line < 1 || finding.Column < 1 || finding.Line > lines+1 {
				t.Fatalf("Parse(%q): the position is outside the text: %+v", data, finding)
			}
		}
		node.Any()
	})
}

// FuzzMarshal writes arbitrary texts as YAML values and keys, and checks that
// Parse reads the same texts.
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
			return // JSON cannot contain such a text, and the test uses these keys
		}
		want := map[string]any{"first": text, key: []any{text, map[string]any{"a": text}}, "last": 1}
		data, err := strictyaml.Marshal(want)
		if err != nil {
			t.Fatalf("Marshal(%q) = %v", want, err)
		}
		node, findings := strictyaml.Parse("f.yaml", data)
		if len(findings) > 0 || !reflect.DeepEqual(node.Any(), want) {
			shown, _ := json.Marshal(node.Any())
			t.Errorf("Marshal(%q) wrote\n%s\nParse read %s, findings %v", want, data, shown, findings)
		}
	})
}
