// Package examples_test checks all examples.
package examples_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"botwork/handlers/builtin"
	"botwork/handlers/queue"
	"botwork/pipelines"
	"botwork/pipelines/pipelinetest"
	"botwork/pipelines/shipped"
)

// TestSystemPipelinesAreTheShippedOnes checks the copies of the system pipelines in the
// examples. The copies exist so that each project folder runs unchanged.
func TestSystemPipelinesAreTheShippedOnes(t *testing.T) {
	for _, file := range shipped.Files() {
		copies, err := filepath.Glob(filepath.Join("*", "project", "pipelines", file.Name))
		if err != nil || len(copies) == 0 {
			t.Errorf("no example has a copy of %s (%v)", file.Name, err)
		}
		for _, path := range copies {
			got, err := os.ReadFile(path)
			if err != nil || !bytes.Equal(got, file.Data) {
				t.Errorf("%s differs from the file in pipelines/shipped (%v)", path, err)
			}
		}
	}
}

// TestPipelineTests runs the pipeline tests of the examples. If a pipeline has tests,
// they must run each of its steps. Handlers that an example's program adds are not known
// here.
func TestPipelineTests(t *testing.T) {
	registry := builtin.Registry(builtin.Resources{Folders: []string{t.TempDir()}, Connections: connections(t)})
	registry.MustRegister(queue.Kinds(queue.Services{})...)
	compiler := pipelines.NewCompiler(registry, pipelines.Options{})
	files, err := filepath.Glob(filepath.Join("*", "project", "pipelines", "*_test.yaml"))
	if err != nil || len(files) < 6 {
		t.Fatalf("files of tests: %q (%v), want six at least", files, err)
	}
	find := pipelinetest.NewFinder(compiler, nil)
	var results []pipelinetest.FileResult
	for _, path := range files {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		file, findings := pipelinetest.Parse(path, data, find)
		if len(findings) > 0 {
			t.Error(findings)
			continue
		}
		result := file.Run(t.Context(), pipelinetest.Options{Values: map[string]any{"ledger": "ledger-test"}})
		for _, r := range result.Results {
			for _, failure := range r.Failures {
				t.Errorf("case %q: %v", r.Case.Name, failure)
			}
		}
		results = append(results, result)
	}
	for _, c := range pipelinetest.Cover(results, nil) {
		if len(c.Never) > 0 {
			t.Errorf("%s: no case runs %q", c.File, c.Never)
		}
	}
}

// connections returns the connections that the examples' settings name. The tests do not
// use them to connect.
func connections(t *testing.T) *builtin.Connections {
	t.Helper()
	known, err := builtin.NewConnections(map[string]builtin.Connection{"ledger": {Driver: "sqlite", DSN: "ledger.db"}})
	if err != nil {
		t.Fatal(err)
	}
	return known
}
