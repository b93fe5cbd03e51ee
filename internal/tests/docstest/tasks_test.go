package docstest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"botwork/internal/author/strictyaml"
	"botwork/tasks"
)

// TestTaskKeys compares the table of docs/tasks.md with what is read, and its
// columns with the table.
func TestTaskKeys(t *testing.T) {
	node, findings := strictyaml.Parse("botwork.yaml", []byte("tasks: {a: {pipeline: p, qqqqqqqqqqqqqqqqqq: 1}}"))
	if len(findings) > 0 {
		t.Fatal(findings)
	}
	_, findings = tasks.Decode(node.Get("tasks"), "UTC")
	if len(findings) != 1 {
		t.Fatalf("findings %v, want the unknown key", findings)
	}
	known, ok := strings.CutPrefix(findings[0].Hint, "valid keys: ")
	if !ok {
		t.Fatalf("the hint is %q, want the known keys", findings[0].Hint)
	}
	migration, err := os.ReadFile(filepath.Join(root, "sql", "sqlite", "migrations", "0005_tasks.sql"))
	if err != nil {
		t.Fatal(err)
	}
	var documented []string
	for _, tab := range read(t, "docs/tasks.md").tablesWith(t, "key", "column", "default", "meaning") {
		for _, r := range tab.rows {
			documented = append(documented, code(r.cells[0]))
			if column := code(r.cells[1]); !strings.Contains(string(migration), "    "+column+" ") {
				t.Errorf("BotTasks has no column %s", column)
			}
		}
	}
	sameSet(t, "keys of a task", documented, strings.Split(known, ", "))
}
