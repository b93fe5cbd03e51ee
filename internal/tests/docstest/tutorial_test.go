package docstest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestTutorial follows the first pages of docs/pipelines.md, line by line,
// and looks at what came of it.
func TestTutorial(t *testing.T) {
	text := read(t, "docs/pipelines.md").text
	_, text, ok := strings.Cut(text, "## A first pipeline\n")
	if !ok {
		t.Fatal("there is no tutorial")
	}
	text, _, _ = strings.Cut(text, "\n## ")
	t.Chdir(t.TempDir())
	ran := 0
	last := ""
	for _, b := range parseMarkdown("docs/pipelines.md", text).blocks {
		switch {
		case b.is("yaml") && len(b.info) == 3 && b.info[1] == "tutorial":
			if err := os.WriteFile(filepath.FromSlash(b.info[2]), []byte(b.text), 0o600); err != nil {
				t.Fatal(err)
			}
		case b.is("sh"):
			for line := range strings.Lines(b.text) {
				words := callOf(line)
				for i, w := range words {
					words[i] = strings.Trim(w, "'")
				}
				out, code := botwork(t, words...)
				if code != 0 {
					t.Errorf("%s: exit code %d\n%s", strings.TrimSpace(line), code, out)
				}
				ran, last = ran+1, string(out)
			}
		}
	}
	if ran != 6 || !strings.Contains(last, "Processed") {
		t.Errorf("%d lines were run; the last one printed\n%s", ran, last)
	}
	for file, want := range map[string]string{"A-1": "Order A-1: 12.5 EUR", "A-2": "Order A-2: 30 EUR"} {
		if got, err := os.ReadFile(filepath.Join("data", "receipts", file+".txt")); err != nil || string(got) != want {
			t.Errorf("the receipt %s is %q, %v, want %q", file, got, err, want)
		}
	}
}
