package api_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// codeForms are the forms in which the code of the API and its server has the codes of problems.
var codeForms = regexp.MustCompile(`(?:problem\([^"\n]*|refusal\([^"\n]*|http\.Status\w+, |Status\w+:\s+|tooMany\([^"\n]*)"([a-z]+(?:-[a-z]+)*)"`)

// Programs act on codes, so docs/api.md has all of them.
func TestCodesAreDocumented(t *testing.T) {
	docs, err := os.ReadFile("../../docs/api.md")
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, pattern := range []string{"*.go", "../httpserver/*.go"} {
		files, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			if strings.HasSuffix(file, "_test.go") {
				continue
			}
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			for _, code := range codeForms.FindAllSubmatch(text, -1) {
				if found++; !strings.Contains(string(docs), "`"+string(code[1])+"`") {
					t.Errorf("%s: docs/api.md lacks the code %s", file, code[1])
				}
			}
		}
	}
	if found < 40 {
		t.Errorf("found %d codes, want more: has the form of problems changed?", found)
	}
}
