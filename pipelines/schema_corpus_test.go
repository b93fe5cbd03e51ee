package pipelines_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"botwork/internal/author/schemas"
	"botwork/internal/author/strictyaml"
	"botwork/internal/jsonschemas"
	"botwork/pipelines"
)

// beyond are the codes of findings that a schema cannot detect, with the reason. The schema
// must reject files with other findings.
var beyond = map[string]string{
	pipelines.CodeDuplicateStep:   "it would have to compare steps",
	pipelines.CodeUnreachableStep: "it would have to compare steps",
	pipelines.CodeUnknownSecret:   "the settings name them",
	pipelines.CodeUnknownVariable: "expressions are texts to it",
	pipelines.CodeInvalidSchedule: "it cannot count instants",
	pipelines.CodeUnknownTimezone: "it has no database of zones",
	pipelines.CodeNoEffect:        "what follows from other keys is the checker's",
	pipelines.CodeEmptyTrigger:    "what follows from other keys is the checker's",
	pipelines.CodeWakeScope:       "what follows from other keys is the checker's",
	pipelines.CodeTwoSchedules:    "what follows from other keys is the checker's",
}

// beyondFiles are files with a code that a schema only detects in other cases.
var beyondFiles = map[string]string{
	"code-in-expression":   "what the text of a handler means",
	"input-reference":      "a $ref that leads nowhere",
	"learn-by-long":        "the length of a text beside its form",
	"matching-expressions": "an expression is a text where texts may stand",
	"matching-meaning":     "keys that do not go together",
	"matching-secret":      "a header whose name suggests a secret",
	"resilience-no-delay":  "a duration of 0s looks like any other",
}

var codeOf = regexp.MustCompile(`\[([a-z-]+)\]`)

// TestSchemaOfTheCorpus compares the schema for editors with the checker: both accept and
// reject the same files, except for findings that only the checker can detect.
func TestSchemaOfTheCorpus(t *testing.T) {
	text, err := schemas.Kinds(nil)[0].Schema(pipelines.CorpusRegistry())
	if err != nil {
		t.Fatal(err)
	}
	schema, err := jsonschemas.Parse(string(text))
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob("testdata/lint/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("files = %v, %v", files, err)
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".yaml")
		t.Run(name, func(t *testing.T) {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			wanted, err := os.ReadFile(strings.TrimSuffix(file, ".yaml") + ".want")
			if err != nil {
				t.Fatal(err)
			}
			node, findings := strictyaml.Parse(file, data)
			if len(findings) > 0 || node == nil {
				t.Skip("what is no YAML does not get as far as the schema")
			}
			wrong := schema.Check(node.Any())
			mistakes, known := knownTo(string(wanted))
			switch {
			case !mistakes && len(wrong) > 0:
				t.Errorf("the checker accepts it, but the schema reports %v", wrong)
			case len(wrong) == 0 && len(known) > 0 && beyondFiles[name] == "":
				t.Errorf("the checker reports %q, but the schema nothing", known)
			case len(wrong) > 0 && beyondFiles[name] != "":
				t.Errorf("the schema also rejects the file: remove it from the list")
			}
		})
	}
}

// knownTo reports whether the findings contain mistakes, and returns the codes of those
// that a schema can detect.
func knownTo(findings string) (mistakes bool, codes []string) {
	for line := range strings.Lines(findings) {
		m := codeOf.FindAllStringSubmatch(line, -1)
		if strings.Contains(line, "warning: ") || len(m) == 0 {
			continue
		}
		mistakes = true
		if code := m[len(m)-1][1]; beyond[code] == "" {
			codes = append(codes, code)
		}
	}
	slices.Sort(codes)
	return mistakes, slices.Compact(codes)
}
