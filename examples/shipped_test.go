// Package examples_test holds what is true of all examples.
package examples_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"botwork/handlers"
	"botwork/handlers/queue"
	"botwork/pipelines"
	"botwork/pipelines/pipelinetest"
	"botwork/pipelines/shipped"
)

// The examples hold copies of the system pipelines, so that their folders run as
// they stand.
func TestSystemPipelinesAreTheShippedOnes(t *testing.T) {
	for _, file := range shipped.Files() {
		copies, err := filepath.Glob(filepath.Join("*", "project", "pipelines", file.Name))
		if err != nil || len(copies) == 0 {
			t.Errorf("no example has a copy of %s (%v)", file.Name, err)
		}
		for _, path := range copies {
			got, err := os.ReadFile(path)
			if err != nil || !bytes.Equal(got, file.Data) {
				t.Errorf("%s is not the one of pipelines/shipped (%v)", path, err)
			}
		}
	}
}

// TestPipelineTests runs the tests of pipelines that the examples show; every step
// of a pipeline that has one is run by some case. Programs of examples bring kinds
// of their own, which are not known here.
func TestPipelineTests(t *testing.T) {
	registry := handlers.Builtin(handlers.Resources{Folders: []string{t.TempDir()}, Connections: connections(t)})
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
		result := file.Run(t.Context(), pipelinetest.Options{})
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

// connections are those that the examples' settings name; nobody connects.
func connections(t *testing.T) *handlers.Connections {
	t.Helper()
	known, err := handlers.NewConnections(map[string]handlers.Connection{"ledger": {Driver: "sqlite", DSN: "ledger.db"}})
	if err != nil {
		t.Fatal(err)
	}
	return known
}
