package docstest

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"botwork/config"
	"botwork/internal/author/queuedefs"
	"botwork/internal/author/strictyaml"
	"botwork/pipelines"
	"botwork/tasks"
)

// settingsKeys are the sections of botwork.yaml.
var settingsKeys = []string{"database", "worker", "pipelines", "connections", "secrets", "values", "encryption", "queues", "tasks", "notifications", "handlers", "http", "tracing", "log"}

// TestYAML checks every YAML fragment of the documents. What a fragment is
// follows from its first key: settings, a list of steps, or a pipeline, whose
// steps may be missing.
func TestYAML(t *testing.T) {
	compiler := pipelines.NewCompiler(registry(t), pipelines.Options{})
	for _, d := range readAll(t) {
		for i, b := range d.blocks {
			if !b.is("yaml") || b.part || len(b.info) == 3 && b.info[1] == "append" { // other tests check the whole file
				continue
			}
			t.Run(fmt.Sprintf("%s:%d", d.path, b.line), func(t *testing.T) {
				if len(b.info) == 3 && b.info[1] == "wrong" {
					if i+1 == len(d.blocks) || !d.blocks[i+1].is("text") {
						t.Fatal("want a text block behind it with the findings")
					}
					got := check(compiler, b.info[2], b.text).Error() + "\n"
					if diff := cmp.Diff(d.blocks[i+1].text, got); diff != "" {
						t.Errorf("findings (-documented +real):\n%s", diff)
					}
					return
				}
				if findings := check(compiler, d.path, b.text); len(findings) > 0 {
					t.Error(findings)
				}
			})
		}
	}
}

// check finds out what a fragment is and returns what is wrong with it, or else
// the warnings.
func check(compiler *pipelines.Compiler, file, text string) strictyaml.Findings {
	top, findings := strictyaml.Parse(file, []byte(text))
	switch {
	case top == nil:
		return findings
	case top.Kind == strictyaml.Sequence:
		text = "steps:\n" + text
	case len(top.Entries) > 0 && slices.Contains(settingsKeys, top.Entries[0].Key):
		settings, findings := config.Parse(file, []byte(text))
		_, wrong := queuedefs.Decode(settings.Queues, func(string) ([]byte, error) { return []byte("true"), nil })
		_, more := tasks.Decode(settings.Tasks, "UTC")
		return slices.Concat(findings, wrong, more)
	case top.Get("cases") != nil:
		return checkTests(compiler, file, text)
	case top.Get("steps") == nil:
		text += "steps: [{handler: Log, with: {message: done}}]\n"
	}
	p, findings := compiler.Parse(file, []byte(text))
	if p != nil {
		return p.Warnings
	}
	return findings
}

// TestFragmentsOfFiles compares the fragments that stand in for a file with it.
func TestFragmentsOfFiles(t *testing.T) {
	found := 0
	for _, d := range readAll(t) {
		lines, changed := strings.Split(d.text, "\n"), false
		for _, b := range slices.Backward(d.blocks) { // backward: the lines above keep their numbers
			if b.from == "" {
				continue
			}
			found++
			data, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(b.from)))
			if err != nil {
				t.Fatalf("%s:%d: %v", d.path, b.line, err)
			}
			if b.part {
				if !strings.Contains(string(data), b.text) {
					t.Errorf("%s:%d is no part of %s", d.path, b.line, b.from)
				}
				continue
			}
			if *update {
				want := strings.Split(strings.TrimSuffix(string(data), "\n"), "\n")
				lines, changed = slices.Replace(lines, b.line, b.line+strings.Count(b.text, "\n"), want...), true
			} else if diff := cmp.Diff(string(data), b.text); diff != "" {
				t.Errorf("%s:%d is not %s; run go test ./internal/tests/docstest -update (-file +document):\n%s", d.path, b.line, b.from, diff)
			}
		}
		if changed {
			if err := os.WriteFile(filepath.Join(root, filepath.FromSlash(d.path)), []byte(strings.Join(lines, "\n")), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	if found == 0 {
		t.Error("no fragment is compared with a file")
	}
}
