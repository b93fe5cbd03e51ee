package strictyaml_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"botwork/internal/author/strictyaml"
)

func TestSuggest(t *testing.T) {
	known := []string{"timeout", "retry", "if", "with", "onError", "HTTP", "maxDelay"}
	for got, want := range map[string]string{
		"tiemout":          `did you mean "timeout"?`, // swapped letters
		"timeot":           `did you mean "timeout"?`,
		"TIMEOUT":          `did you mean "timeout"?`,
		"onerror":          `did you mean "onError"?`,
		"max_delay":        `did you mean "maxDelay"?`,
		"http":             `did you mean "HTTP"?`,
		"wiht":             `did you mean "with"?`,
		"timeoutInSeconds": `did you mean "timeout"?`, // a prefix
		"IF":               `did you mean "if"?`,
		"of":               "", // too short to guess
		"delay":            "",
		"":                 "",
		"colour":           "",
	} {
		if s := strictyaml.Suggest(got, known); s != want {
			t.Errorf("Suggest(%q) = %q, want %q", got, s, want)
		}
	}
	if s := strictyaml.Suggest("colour", nil); s != "" {
		t.Errorf(`Suggest("colour", nil) = %q, want ""`, s)
	}
}

func TestFindings(t *testing.T) {
	fs := strictyaml.Findings{
		{File: "b", Line: 1, Column: 1}, {File: "a", Line: 2, Column: 1, Code: "x", Message: "m", Hint: "h"},
		{File: "a", Line: 1, Column: 9}, {File: "a", Line: 1, Column: 2}, {File: "a", Code: "c", Message: "n"},
	}
	fs.Sort()
	var got []string
	for _, f := range fs {
		got = append(got, f.String())
	}
	want := []string{"a: n [c]", "a:1:2:  []", "a:1:9:  []", "a:2:1: m [x]; h", "b:1:1:  []"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if err := (strictyaml.Findings{}).Err(); err != nil {
		t.Errorf("Err of no findings = %v, want nil", err)
	}
}
