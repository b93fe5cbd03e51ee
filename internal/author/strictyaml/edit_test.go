package strictyaml_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"botwork/internal/author/strictyaml"
)

// TestEnds checks the end positions of single values and keys.
func TestEnds(t *testing.T) {
	text := "plain: a b # c\r\n\"qu\\\"oted\": \"x \\\" y\" \r\nsingle: 'it''s'\näö: {é: ü, 'k': 'v'}\nlong: 'one\n  two'\nfolded: one\n  two\nblock: |\n  x\nempty:\ntag: !!str 5\nanchor: &a z\nnumber: 12\n"
	node := parse(t, text)
	lines := strings.Split(text, "\n")
	cut := func(line, from, to int) string {
		if to == 0 {
			return ""
		}
		return string([]rune(lines[line-1])[from-1 : to-1])
	}
	for key, want := range map[string][2]string{
		"plain": {"plain", "a b"}, `qu"oted`: {`"qu\"oted"`, `"x \" y"`}, "single": {"single", "'it''s'"},
		"folded": {"folded", ""}, "block": {"block", ""}, "empty": {"empty", ""}, "tag": {"tag", ""}, "anchor": {"anchor", ""},
		"number": {"number", "12"},
	} {
		found := false
		for _, e := range node.Entries {
			if e.Key != key {
				continue
			}
			found = true
			v := e.Value
			if got := [2]string{cut(e.KeyLine, e.KeyColumn, e.KeyEnd), cut(v.Line, v.Column, v.EndColumn)}; got != want {
				t.Errorf("%s: key and value are %q, want %q", key, got, want)
			}
		}
		if !found {
			t.Errorf("no key %q", key)
		}
	}
	if v := node.Get("äö").Get("é"); cut(v.Line, v.Column, v.EndColumn) != "ü" {
		t.Errorf("äö.é = %+v", v)
	}
	if v := node.Get("long"); v.EndLine != 6 || v.EndColumn != 7 {
		t.Errorf("long ends at %d:%d, want 6:7", v.EndLine, v.EndColumn)
	}
}

// TestEdits applies the edits of a decode one by one to a file of one line.
func TestEdits(t *testing.T) {
	type retry struct {
		Attempts int           `yaml:"attempts"`
		Delay    time.Duration `yaml:"delay"`
		MaxDelay time.Duration `yaml:"maxDelay"`
		Once     bool          `yaml:"once"`
		Text     string        `yaml:"text"`
		Texts    string        `yaml:"texts"`
	}
	for from, want := range map[string]string{
		"atempts: 3":                "attempts: 3",
		`{"atempts": 3}`:            `{"attempts": 3}`,
		"attempts: 1\natempts: 3":   "", // it would be a duplicate key
		"tex: x":                    "", // text or texts
		"nothing: x":                "",
		"attempts: '3' # three":     "attempts: 3 # three",
		"attempts: 'x'":             "",
		"once: yes":                 "once: true",
		"once: \"off\"":             "once: false",
		"once: 'true'":              "once: true",
		"once: 1":                   "",
		"text: 0":                   `text: "0"`,
		"text: true # yes":          `text: "true" # yes`,
		"delay: 30 sec":             "delay: 30s",
		"delay: '5min'":             "delay: 5m",
		"delay: 1 hour, 30 minutes": "delay: 1h30m",
		"delay: 30":                 "", // the unit is unknown
		"delay: 5M":                 "",
	} {
		t.Run(from, func(t *testing.T) {
			findings := parse(t, from).Decode(&retry{})
			if len(findings) != 1 {
				t.Fatalf("findings = %v, want one", findings)
			}
			e := findings[0].Edit
			if e == nil {
				if want != "" {
					t.Fatalf("no edit, want %q", want)
				}
				return
			}
			line := []rune(from)
			got := string(line[:e.Column-1]) + e.Text + string(line[e.EndColumn-1:])
			if got != want || !e.Safe {
				t.Errorf("the edit %+v results in %q, want %q", e, got, want)
			}
			if again := parse(t, got).Decode(&retry{}); len(again) > 0 {
				t.Errorf("%q has the findings %v", got, again)
			}
		})
	}
}

// An edit may hold a password, so it is not printed.
func TestEditsAreNotShown(t *testing.T) {
	var into struct {
		Password string `yaml:"password"`
	}
	findings := parse(t, "password: 4711").Decode(&into)
	data, err := strictyaml.Marshal(findings)
	if err != nil || len(findings) != 1 || findings[0].Edit == nil {
		t.Fatalf("findings = %v, %v", findings, err)
	}
	if shown := fmt.Sprintf("%v\n%s", findings, data); strings.Contains(shown, "4711") {
		t.Errorf("the finding shows the value:\n%s", shown)
	}
}
