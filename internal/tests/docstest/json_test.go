package docstest

import (
	"encoding/json"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
)

// TestJSONContract runs the commands of the table in docs/cli.md, in order and
// in a new project, and compares the fields of what they print.
func TestJSONContract(t *testing.T) {
	doc := read(t, "docs/cli.md")
	t.Chdir(t.TempDir())
	botwork(t, "init", ".")
	if err := os.WriteFile("broken.yaml", []byte("steps: [{handler: Lgo}]\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	writeTask(t)
	named := map[string][]string{
		"an item": doc.under(t, "An item").first(), "a queue": doc.under(t, "A queue").first(), "a task": doc.under(t, "A task").first(),
		"a measurement": doc.under(t, "A measurement").first(),
	}
	for _, tab := range doc.tablesWith(t, "command", "prints", "fields") {
		for _, r := range tab.rows {
			call := code(r.cells[0])
			words := callOf(call)
			for i, w := range words {
				words[i] = strings.Trim(w, "'")
			}
			out, exit := botwork(t, words...)
			if wrong := strings.Contains(call, "broken.yaml"); exit != 0 && !wrong || exit != 2 && wrong {
				t.Errorf("%s: exit code %d", call, exit)
			}
			if r.cells[1] == "nothing" {
				continue
			}
			kind, object := firstObject(t, call, out)
			if kind != r.cells[1] {
				t.Errorf("%s prints %s, documented %s", call, kind, r.cells[1])
			}
			sameSet(t, "fields of "+call, fieldsOf(r.cells[2], named), slices.Collect(maps.Keys(object)))
		}
	}
}

// writeTask adds a task to the new project.
func writeTask(t *testing.T) {
	t.Helper()
	settings, err := os.ReadFile("botwork.yaml")
	if err != nil {
		t.Fatal(err)
	}
	with := strings.Replace(string(settings), "\ntasks:\n", "\ntasks:\n  greet: {pipeline: hello, payload: {name: Ada}}\n", 1)
	if err := os.WriteFile("botwork.yaml", []byte(with), 0o600); err != nil {
		t.Fatal(err)
	}
}

// firstObject decodes an object, or the first one of a list.
func firstObject(t *testing.T, call string, out []byte) (kind string, object map[string]any) {
	t.Helper()
	var list []map[string]any
	if err := json.Unmarshal(out, &list); err == nil {
		if len(list) == 0 {
			t.Fatalf("%s printed an empty list", call)
		}
		return "a list", list[0]
	}
	if err := json.Unmarshal(out, &object); err != nil {
		t.Fatalf("%s: %v\n%s", call, err, out)
	}
	return "an object", object
}

// fieldsOf parses a cell such as "`id`, `name`", in which "an item" means
// the fields of an item.
func fieldsOf(cell string, named map[string][]string) []string {
	var fields []string
	for part := range strings.SplitSeq(cell, ", ") {
		if list, ok := named[part]; ok {
			fields = append(fields, list...)
		} else {
			fields = append(fields, code(part))
		}
	}
	return fields
}
