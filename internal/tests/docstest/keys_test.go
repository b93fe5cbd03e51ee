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
		lines := strings.Split(read(t, tt.document).text, "\n")
		heading := slices.Index(lines, "## "+tt.heading)
		if heading < 0 {
			t.Fatalf("%s has no heading %q", tt.document, tt.heading)
		}
		first := heading + slices.IndexFunc(lines[heading:], func(line string) bool { return strings.HasPrefix(line, "|") })
		last := first
		for last < len(lines) && strings.HasPrefix(lines[last], "|") {
			last++
		}
		golden(t, tt.document, strings.Join(slices.Concat(lines[:first], keyTable(tt.keys), lines[last:]), "\n"))
	}
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
