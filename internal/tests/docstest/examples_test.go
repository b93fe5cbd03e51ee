package docstest

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"botwork/handlers"
	"botwork/pipelines"
)

// greet replaces the handler of examples/customhandler, which is a main package and
// cannot be imported.
type greet struct {
	Name     string `json:"name"`
	Greeting string `json:"greeting"`
}

func (*greet) Handle(context.Context, *handlers.Call) (any, error) { return nil, nil }

// TestNoWarnings checks that the checker has no warnings for the files that users start
// from: the examples, the files of `botwork init` and the shipped pipelines.
func TestNoWarnings(t *testing.T) {
	registry := registry(t)
	registry.MustRegister(handlers.Kind{Name: "Greet", New: func() handlers.Handler { return &greet{} }})
	compiler := pipelines.NewCompiler(registry, pipelines.Options{})
	for _, pattern := range []string{"examples/*/project/pipelines/*.yaml", "cmd/setup/project/hello.yaml", "pipelines/shipped/*.yaml"} {
		files, err := filepath.Glob(filepath.Join(root, filepath.FromSlash(pattern)))
		if err != nil || len(files) == 0 {
			t.Fatalf("files of %s = %v, %v", pattern, files, err)
		}
		for _, file := range files {
			if pipelines.IsTestFile(file) {
				continue
			}
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			p, findings := compiler.Parse(file, data)
			if p != nil {
				findings = p.Warnings
			}
			if len(findings) > 0 {
				t.Error(findings)
			}
		}
	}
}
