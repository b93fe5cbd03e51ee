package docstest

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"botwork/internal/author/keydocs"
	"botwork/pipelines"
)

// keyTables are the tables of keys that are generated from the tables of the
// readers and editors.
func keyTables() []struct {
	document, heading string
	keys              keydocs.Keys
} {
	trigger, _ := pipelines.Keys().Find("trigger")
	return []struct {
		document, heading string
		keys              keydocs.Keys
	}{
		{"docs/pipelines.md", "The keys of a file", pipelines.Keys()},
		{"docs/pipelines.md", "The keys of a step", pipelines.StepKeys()},
		{"docs/pipelines.md", "The keys of `retry`", pipelines.RetryKeys()},
		{"docs/pipelines.md", "The keys of `batch`", pipelines.BatchKeys()},
		{"docs/pipelines.md", "The keys of `resilience`", pipelines.ResilienceKeys()},
		{"docs/schedules.md", "The keys of `trigger`", trigger.Keys},
	}
}

// TestKeyTables compares the tables with their source.
func TestKeyTables(t *testing.T) {
	for _, tt := range keyTables() {
		goldenTable(t, tt.document, "## "+tt.heading, keyTable(tt.keys))
	}
}

// TestVariableTable compares the table of variables with its source.
func TestVariableTable(t *testing.T) {
	goldenTable(t, "docs/pipelines.md", "### Variables", variableTable())
}

// goldenTable compares the first table below a heading with the expected one, or rewrites it.
func goldenTable(t *testing.T, document, heading string, want []string) {
	t.Helper()
	lines := strings.Split(read(t, document).text, "\n")
	at := slices.Index(lines, heading)
	if at < 0 {
		t.Fatalf("%s has no heading %q", document, heading)
	}
	first := at + slices.IndexFunc(lines[at:], func(line string) bool { return strings.HasPrefix(line, "|") })
	last := first
	for last < len(lines) && strings.HasPrefix(lines[last], "|") {
		last++
	}
	golden(t, document, strings.Join(slices.Concat(lines[:first], want, lines[last:]), "\n"))
}

// variableTable lists the variables of expressions and their fields. NAME is a name that the
// pipeline or its settings define.
func variableTable() []string {
	lines := []string{"| variable | holds |", "|---|---|"}
	add := func(name, doc string) { lines = append(lines, fmt.Sprintf("| `%s` | %s |", name, doc)) }
	for _, v := range pipelines.Variables(false) {
		switch {
		case v.Name == "steps":
			for _, f := range pipelines.StepFields(true) {
				add("steps.NAME."+f.Name, f.Doc)
			}
		case v.Type == "map" && v.Fields == nil:
			add(v.Name+".NAME", v.Doc)
		default:
			add(v.Name, v.Doc)
		}
		for _, f := range v.Fields {
			add(v.Name+"."+f.Name, f.Doc)
		}
	}
	return lines
}

func keyTable(keys keydocs.Keys) []string {
	lines := []string{"| key | default | type | meaning |", "|---|---|---|---|"}
	for _, k := range keys {
		standard := "none"
		switch {
		case k.Required:
			standard = "required"
		case k.Default != "":
			standard = "`" + k.Default + "`"
		case k.Without != "":
			standard = k.Without
		}
		typ := k.Type
		if typ == "" {
			typ = "string"
		}
		doc := k.Doc
		if len(k.Enum) > 0 && !strings.Contains(k.Type, "list") {
			words := make([]string, len(k.Enum))
			for i, word := range k.Enum {
				words[i] = "`" + word + "`"
				if i < len(k.EnumDocs) {
					words[i] += " (" + k.EnumDocs[i] + ")"
				}
			}
			doc += ": " + strings.Join(words[:len(words)-1], ", ") + " or " + words[len(words)-1]
		}
		lines = append(lines, fmt.Sprintf("| `%s` | %s | %s | %s |", k.Name, standard, typ, doc))
	}
	return lines
}
