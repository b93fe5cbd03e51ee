package strictyaml

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestMarshalKeepsNamesAndOrder(t *testing.T) {
	type row struct {
		ID    int64           `json:"id"`
		Big   float64         `json:"aBigOne"`
		Text  string          `json:"text"`
		Lines string          `json:"lines"`
		Raw   json.RawMessage `json:"payload"`
		None  *string         `json:"none"`
		Empty []int           `json:"empty"`
	}
	got, err := Marshal([]row{{
		ID: 9007199254740993, Big: 1e21, Text: "a <b> & c", Lines: "one\ntwo\n",
		Raw: json.RawMessage(`{"z": 1.50, "a": [true, {}]}`), Empty: []int{},
	}})
	if err != nil {
		t.Fatal(err)
	}
	want := `- id: 9007199254740993
  aBigOne: 1e+21
  text: a <b> & c
  lines: |
    one
    two
  payload:
    z: 1.50
    a:
      - true
      - {}
  none: null
  empty: []
`
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Errorf("Marshal: -want +got\n%s", diff)
	}
}

// Parse must read each text unchanged, even if it looks like another type.
func TestMarshalQuotesAmbiguousTexts(t *testing.T) {
	texts := []any{"", "1", "1.5", "0123", "1_000", "true", "yes", "on", "null", "~", "2026-11-20", "2026-11-20T19:00:00Z",
		" spaces ", "a: b", "# no comment", "- item", "{x}", "[x]", "*alias", "&anchor", "!tag", "${{ payload }}", "ümlaut", "tab\tin it",
		"12:30:45", "0x1F", "=", "<<", "a\nb", "\n", " \n", "\n\na", "  a\nb", "a\n\n b\n", "a \nb", "a\r\nb", "\ufeffa", "a\x00b\n", "trailing\n\n", "\u0085next", "quote\"s", "it's"}
	data, err := Marshal(map[string]any{"texts": texts})
	if err != nil {
		t.Fatal(err)
	}
	top, findings := Parse("out.yaml", data)
	if len(findings) > 0 {
		t.Fatalf("Parse(Marshal(texts)): %v\n%s", findings, data)
	}
	if diff := cmp.Diff(texts, top.Get("texts").Any()); diff != "" {
		t.Errorf("Parse(Marshal(texts)): -want +got\n%s\n%s", diff, data)
	}
}
