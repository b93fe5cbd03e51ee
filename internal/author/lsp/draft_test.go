package lsp

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"botwork/handlers/builtin"
)

func TestDraft(t *testing.T) {
	dir, err := filepath.Abs("pipelines")
	if err != nil {
		t.Fatal(err)
	}
	p := &Project{Dir: dir, Registry: builtin.Registry(builtin.Resources{}), Files: []File{{Path: filepath.Join(dir, "other.yaml"), Text: "name: other\nsteps: []\n"}}}
	const text = "name: a\nsteps:\n  - name: \"ü𝄞\"\n    handler: Log\n    with: {me}\n    "
	d := Draft{Project: p, Path: filepath.Join(dir, "a.yaml"), Text: text}
	labels := func(at Position) (labels []string) {
		for _, p := range d.Complete(at) {
			labels = append(labels, p.Label)
		}
		return labels
	}
	if got := labels(Position{5, 4}); !slices.Contains(got, "onError") || slices.Contains(got, "handler") {
		t.Errorf("keys of a step: got %q", got)
	}
	parameters := d.Complete(Position{4, 13})
	if len(parameters) == 0 || parameters[0].Label != "message" || parameters[0].Text != "message: " || parameters[0].Range != (Range{Position{4, 11}, Position{4, 13}}) || parameters[0].Doc == "" {
		t.Errorf("parameters: got %+v", parameters)
	}
	if got := d.Explain(Position{3, 6}); got == nil || !strings.HasPrefix(got.Text, "**handler**") || got.Range.Start != (Position{3, 4}) {
		t.Errorf("handler: got %+v", got)
	}
	if got := d.Explain(Position{3, 14}); got == nil || !strings.Contains(got.Text, "Log") {
		t.Errorf("Log: got %+v", got)
	}
	for _, at := range []Position{{-1, -1}, {2, 99}, {99, 0}} { // positions of no text
		d.Complete(at)
		d.Explain(at)
	}
	d.Path = filepath.Join(dir, "..", "notes.yaml")
	if d.Text = "a: b\n"; d.Complete(Position{0, 0}) != nil || d.Explain(Position{0, 0}) != nil {
		t.Error("a file of another program is completed")
	}
}
