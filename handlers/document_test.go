package handlers

import (
	"flag"
	"os"
	"path/filepath"
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
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), kind.Markdown()); diff != "" {
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
