//go:build unix

// Package operations_test runs the commands of README.md with the real program.
package operations_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// block is a fenced block of README.md.
type block struct {
	language, text string
}

func blocks(t *testing.T) []block {
	t.Helper()
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	var found []block
	for _, m := range regexp.MustCompile("(?ms)^```(sh|text)\n(.*?)^```$").FindAllStringSubmatch(string(readme), -1) {
		found = append(found, block{m[1], m[2]})
	}
	return found
}

// words are the words of a line, with numbers replaced: ids, times and process ids differ.
func words(line string) string {
	line = regexp.MustCompile(`\d+`).ReplaceAllString(line, "0")
	return strings.Join(strings.Fields(line), " ")
}

// TestReadme runs each block of commands. Each line of the block of text that follows must be part
// of a line of its output.
func TestReadme(t *testing.T) {
	dir, bin := filepath.Join(t.TempDir(), "operations"), t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("project")); err != nil {
		t.Fatal(err)
	}
	build := exec.CommandContext(t.Context(), "go", "build", "-o", filepath.Join(bin, "botwork"), "botwork/cmd/botwork")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	said, questions := "", 0
	for _, b := range blocks(t) {
		if b.language == "text" {
			var lines []string
			for line := range strings.Lines(said) {
				lines = append(lines, words(line))
			}
			for want := range strings.Lines(b.text) {
				if !slices.ContainsFunc(lines, func(line string) bool { return strings.Contains(line, words(want)) }) {
					t.Errorf("no line of the output contains %q:\n%s", strings.TrimSpace(want), said)
				}
			}
			continue
		}
		questions++
		script := exec.CommandContext(t.Context(), "sh", "-eu", "-c", b.text)
		script.Dir = dir
		script.Env = append(os.Environ(), "PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH"))
		out, err := script.CombinedOutput()
		if said = string(out); err != nil {
			t.Fatalf("%s: %v\n%s", b.text, err, out)
		}
	}
	if questions != 11 {
		t.Errorf("ran %d blocks of commands, want the night and ten questions", questions)
	}
}
