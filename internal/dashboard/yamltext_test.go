package dashboard

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestYAMLPieces(t *testing.T) {
	for line, want := range map[string][]piece{
		"name: hello":                     {{"key", "name"}, {"mark", ":"}, {"", " "}, {"text", "hello"}},
		"  - handler: Log # says it":      {{"", "  "}, {"mark", "-"}, {"", " "}, {"key", "handler"}, {"mark", ":"}, {"", " "}, {"text", "Log "}, {"comment", "# says it"}},
		`with: {message: "a # ${{ x }}"}`: {{"key", "with"}, {"mark", ":"}, {"", " "}, {"mark", "{"}, {"key", "message"}, {"mark", ":"}, {"", " "}, {"text", `"a # `}, {"expression", "${{ x }}"}, {"text", `"`}, {"mark", "}"}},
		"limit: 3":                        {{"key", "limit"}, {"mark", ":"}, {"", " "}, {"number", "3"}},
		"'a b': true":                     {{"key", "'a b'"}, {"mark", ":"}, {"", " "}, {"number", "true"}},
		"# all of it":                     {{"comment", "# all of it"}},
		"items: ${{ payload.files }}":     {{"key", "items"}, {"mark", ":"}, {"", " "}, {"expression", "${{ payload.files }}"}},
		"url: https://x.example/a?b=1":    {{"key", "url"}, {"mark", ":"}, {"", " "}, {"text", "https://x.example/a?b=1"}},
		"":                                nil,
	} {
		if diff := cmp.Diff(want, yamlPieces(line)); diff != "" {
			t.Errorf("%q (-want +got):\n%s", line, diff)
		}
	}
}

func TestYAMLLines(t *testing.T) {
	text := "steps:\n  - name: a\n    text: |\n      if: not a key ${{ x }}\n\n      more\n    if: b\n"
	lines := yamlLines(text, []finding{{Line: 2, Message: "first"}, {Line: 7, Message: "second"}, {Line: 2, Message: "third"}})
	if len(lines) != 7 || lines[3].Pieces[0].Class != "text" || lines[3].Pieces[1].Class != "expression" || lines[6].Pieces[1].Class != "key" {
		t.Errorf("got %+v", lines)
	}
	if len(lines[1].Findings) != 2 || len(lines[6].Findings) != 1 || lines[6].Findings[0].Message != "second" {
		t.Errorf("got the findings %+v and %+v", lines[1].Findings, lines[6].Findings)
	}
}

// A quote in a plain text does not hide a comment, and one in a quoted text is none.
func TestWithoutComment(t *testing.T) {
	for line, want := range map[string]string{
		"message: it's done # really":         "message: it's done ",
		"message: 'it''s # done' # really":    "message: 'it''s # done' ",
		`message: "a \" # b" # c`:             `message: "a \" # b" `,
		"- don't # x":                         "- don't ",
		"- 'a # b' # x":                       "- 'a # b' ",
		"with: {a: it's, b: 'c # d'} # x":     "with: {a: it's, b: 'c # d'} ",
		`with: {"a":"b # c"} # x`:             `with: {"a":"b # c"} `,
		"message: hello, 'x # y'":             "message: hello, 'x ",
		"url: http://x.example/#part # there": "url: http://x.example/#part ",
		"time: 12:30 # 'noon'":                "time: 12:30 ",
		"# all":                               "",
		"a: b":                                "a: b",
	} {
		if got := withoutComment(line); got != want {
			t.Errorf("%q: got %q, want %q", line, got, want)
		}
	}
}

func TestBlockOf(t *testing.T) {
	for line, want := range map[string]int{
		"a: |": 0, "a: |+": 0, "a: >+": 0, "a: |2": 0, "a: >-": 0, "a: |2-": 0, "a: |-2": 0, "  a: | # it's a text": 2, "- |": 0, "  - a: >": 4, "- - |": 2, "a: !tag |": 0, "- a: |+": 2,
		"a: b |": -1, "a: b|": -1, "a: '|'": -1, "|": -1, "a: |x": -1, "a: |0": -1, "a: 1 > 0": -1, "# a: |": -1, "if: a >": -1, "": -1,
	} {
		if got := blockOf(line); got != want {
			t.Errorf("%q: got %d, want %d", line, got, want)
		}
	}
	lines := yamlLines("steps:\n  - text: |+\n      if: no key\n    if: x\n", nil)
	if lines[2].Pieces[0].Class != "text" || lines[3].Pieces[1].Class != "key" {
		t.Errorf("got %+v", lines)
	}
}

// Whatever a file has, the page shows all of it.
func FuzzYAMLLines(f *testing.F) {
	for _, text := range []string{"a: b", "- {a: 'b", "x: ${{ y", "a: |\n  b\n c", "\"", "a:b", "-", ":", "🙂: ü", "a: 'it''s'", "\t- x"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var all []string
		for _, l := range yamlLines(text, nil) {
			var line strings.Builder
			for _, p := range l.Pieces {
				line.WriteString(p.Text)
			}
			all = append(all, line.String())
		}
		want := strings.Split(strings.TrimRight(text, "\r\n"), "\n")
		for i := range want {
			want[i] = strings.TrimSuffix(want[i], "\r")
		}
		if diff := cmp.Diff(want, all); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}
