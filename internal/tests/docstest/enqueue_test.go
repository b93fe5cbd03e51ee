package docstest

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"botwork/cmd"
	"botwork/workqueue"
)

// TestEnqueueOptions compares the table of docs/items.md with the flags, the
// keys of a line and the step's parameters.
func TestEnqueueOptions(t *testing.T) {
	schema := sqlOf(t, "migrations")
	var flags, keys, params []string
	for _, r := range read(t, "docs/items.md").under(t, "Enqueueing").rows {
		for column := range strings.SplitSeq(r.cells[0], ", ") {
			if !strings.Contains(schema, " "+code(column)+" ") {
				t.Errorf("line %d: column %s does not exist", r.line, column)
			}
		}
		flags = append(flags, codes(r.cells[1])...)
		keys = append(keys, codes(r.cells[2])...)
		params = append(params, codes(r.cells[3])...)
		for word, most := range map[string]int{"NaturalKey": workqueue.MaxNaturalKey, "LimitKey": workqueue.MaxLimitKey, "Tags": workqueue.MaxTag} {
			if code(r.cells[0]) == word && !strings.Contains(r.cells[4], fmt.Sprintf("at most %d characters", most)) {
				t.Errorf("line %d: want it to say that %s has at most %d characters", r.line, word, most)
			}
		}
	}

	var real []string
	for name := range commands(t, "enqueue")[0].flags {
		// Options of the command, not of the item.
		about := []string{"--help", "--output", "--config", "--environment", "--count", "--stdin", "--no-check", "--batch", "--utc", "--server", "--token-file", "--ca-file", "--lock-timeout"}
		if strings.HasPrefix(name, "--") && !slices.Contains(about, name) {
			real = append(real, name)
		}
	}
	sameSet(t, "flags of botwork enqueue", flags, real)
	sameSet(t, "keys of a line", keys, knownLineKeys(t))

	kind, ok := registry(t).Lookup("Enqueue")
	if !ok {
		t.Fatal("handler Enqueue does not exist")
	}
	real = nil
	for _, f := range kind.Fields() {
		real = append(real, f.Name)
	}
	sameSet(t, "parameters of Enqueue", params, real)
}

// codes returns the words of a cell that are formatted as code.
func codes(cell string) []string {
	var words []string
	for word := range strings.SplitSeq(cell, ", ") {
		if word != "" {
			words = append(words, code(word))
		}
	}
	return words
}

// knownLineKeys returns the keys from the program's error about an unknown key.
func knownLineKeys(t *testing.T) []string {
	t.Helper()
	t.Chdir(t.TempDir())
	var out, errors bytes.Buffer
	cmd.Run(t.Context(), []string{"enqueue", "-"}, strings.NewReader(`{"qqqqqqqqqqqqqqqqqq": 1}`), &out, &errors, nil)
	_, list, ok := strings.Cut(errors.String(), "valid keys: ")
	if !ok {
		t.Fatalf("the message does not list the keys:\n%s", &errors)
	}
	list, _, _ = strings.Cut(list, "\n")
	return strings.Split(list, ", ")
}

// sqlOf returns the text of all files in a folder of sql/sqlite.
func sqlOf(t *testing.T, folder string) string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(root, "sql", "sqlite", folder, "*.sql"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%d files in %s, %v", len(files), folder, err)
	}
	var all strings.Builder
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		all.Write(text)
	}
	return all.String()
}
