package docstest

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestTutorial follows the first pages of docs/pipelines.md, line by line, and
// looks at what came of it. A block `tutorial PATH` is a file, and a block
// `append PATH` continues it.
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
		case len(b.info) == 3:
			writeTutorial(t, b)
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
	if ran != 7 || !strings.Contains(last, "Processed") {
		t.Errorf("%d lines were run; the last one printed\n%s", ran, last)
	}
	for file, want := range map[string]string{"reports/monday.csv": "2 orders, 15.5 EUR", "ledger/1": "10 EUR", "ledger/2": "5.5 EUR"} {
		if got, err := os.ReadFile(filepath.Join("data", filepath.FromSlash(file)+".txt")); err != nil || string(got) != want {
			t.Errorf("%s is %q, %v, want %q", file, got, err, want)
		}
	}
	if left, err := filepath.Glob("data/work/*"); err != nil || len(left) > 0 {
		t.Errorf("finally has left %q, %v", left, err)
	}
	followWrong(t)
}

// followWrong runs the tutorial's pipeline with a wrong order.
func followWrong(t *testing.T) {
	t.Helper()
	if err := os.WriteFile(filepath.FromSlash("data/inbox/wrong.csv"), []byte("number,amount\n3,0\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, code := botwork(t, "pipelines", "run", "orders", "--payload", `{"file": "wrong.csv"}`); code != 1 {
		t.Errorf("a wrong order: exit code %d, want 1\n%s", code, out)
	}
	const want = `check: step "check" (Fail): element 1 of 1: order 3 has the amount 0`
	if got, err := os.ReadFile(filepath.FromSlash("data/failed/wrong.csv.txt")); err != nil || string(got) != want {
		t.Errorf("onFailure has written %q, %v, want %q", got, err, want)
	}
}

// writeTutorial writes a block to its file, or appends it, below an empty line.
func writeTutorial(t *testing.T, b block) {
	t.Helper()
	path := filepath.FromSlash(b.info[2])
	text := []byte(b.text)
	if b.info[1] == "append" {
		before, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		text = slices.Concat(before, []byte("\n"), text)
	} else if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
}
