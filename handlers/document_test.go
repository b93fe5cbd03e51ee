package handlers

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite the files of testdata")

func TestMarkdown(t *testing.T) {
	kind := sampleKind()
	kind.Summary, kind.Doc, kind.Output, kind.Example = "Show all sorts of parameters", "It is safe to run twice.", "the sum | the rest", "- handler: Sample\n"
	path := filepath.Join("testdata", "sample.md")
	if *update {
		if err := os.WriteFile(path, []byte(kind.Markdown()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff(readFile(t, path), kind.Markdown()); diff != "" {
		t.Error(diff)
	}
}

func TestMarkdownWithoutParameters(t *testing.T) {
	kind := Kind{Name: "Plain", Summary: "Do it", Doc: "Does it.", Output: "nothing.", New: func() Handler { return handlerFunc(nil) }}
	want := "# Plain\n\nDo it.\n\nDoes it.\n\n## Parameters\n\nNone.\n\n## Output\n\nNothing.\n"
	if diff := cmp.Diff(want, kind.Markdown()); diff != "" {
		t.Error(diff)
	}
}

func TestBuiltinKindsAreDocumented(t *testing.T) {
	for _, kind := range Builtin(Resources{}).Kinds() {
		if kind.Summary == "" || strings.HasSuffix(kind.Summary, ".") {
			t.Errorf("%s: the summary is %q, want one line without a full stop", kind.Name, kind.Summary)
		}
		if !strings.Contains(kind.Doc, "run twice") {
			t.Errorf("%s: the documentation does not describe how it stays safe when it runs twice", kind.Name)
		}
		if kind.Output == "" || kind.Example == "" {
			t.Errorf("%s: want an output and an example", kind.Name)
		}
		if len(kind.Fields()) == 0 {
			t.Errorf("%s has no parameters", kind.Name)
		}
		checkFields(t, kind.Name, kind.Fields())
	}
}

func checkFields(t *testing.T, where string, fields []Field) {
	t.Helper()
	for _, f := range fields {
		if f.Doc == "" || strings.HasSuffix(f.Doc, ".") {
			t.Errorf("%s.%s: the documentation is %q, want a phrase", where, f.Name, f.Doc)
		}
		if f.Required && f.Default != "" {
			t.Errorf("%s.%s is required and has the default %q", where, f.Name, f.Default)
		}
		checkFields(t, where+"."+f.Name, f.Fields)
	}
}
