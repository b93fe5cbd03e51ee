package docstest

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"botwork/handlers"
	"botwork/internal/author/strictyaml"
	"botwork/pipelines"
	"botwork/pipelines/pipelinetest"
)

// testingPage is the page about tests of pipelines.
const testingPage = "docs/testing-pipelines.md"

// checkTests returns the findings in a fragment that is a file of tests. The pipeline
// that it names must be a fragment of the page with that name, or a file that `botwork
// init` writes.
func checkTests(compiler *pipelines.Compiler, file, text string) strictyaml.Findings {
	_, findings := pipelinetest.Parse(file, []byte(text), tutorialPipelines(compiler))
	return findings
}

func tutorialPipelines(compiler *pipelines.Compiler) pipelinetest.Finder {
	return func(_, name string, _ bool) (*pipelines.Pipeline, strictyaml.Findings) {
		if name == "hello" {
			data, err := os.ReadFile(filepath.Join(root, "cmd", "setup", "project", "hello.yaml"))
			if err != nil {
				return nil, strictyaml.Findings{{File: "hello.yaml", Message: err.Error()}}
			}
			return compiler.Parse("hello.yaml", data)
		}
		page, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(testingPage)))
		if err != nil {
			return nil, strictyaml.Findings{{File: testingPage, Message: err.Error()}}
		}
		for _, b := range parseMarkdown(testingPage, string(page)).blocks {
			if b.is("yaml") && strings.HasPrefix(b.text, "name: "+name+"\n") {
				return compiler.Parse(testingPage, []byte(b.text))
			}
		}
		return nil, nil
	}
}

// TestPipelineTestsInDocuments runs the files of tests that the documents show:
// every case passes.
func TestPipelineTestsInDocuments(t *testing.T) {
	compiler := pipelines.NewCompiler(registry(t), pipelines.Options{})
	ran := 0
	for _, d := range readAll(t) {
		for _, b := range d.blocks {
			if !b.is("yaml") || len(b.info) > 1 || !strings.Contains("\n"+b.text, "\ncases:") {
				continue
			}
			f, findings := pipelinetest.Parse(d.path, []byte(b.text), tutorialPipelines(compiler))
			if len(findings) > 0 {
				t.Errorf("%s:%d: %v", d.path, b.line, findings)
				continue
			}
			for _, r := range f.Run(t.Context(), pipelinetest.Options{}).Results {
				ran++
				for _, failure := range r.Failures {
					t.Errorf("%s:%d: case %q: %v", d.path, b.line, r.Case.Name, failure)
				}
			}
		}
	}
	if ran == 0 {
		t.Error("no document shows a test of a pipeline")
	}
}

// TestPureHandlers compares the handlers that the page calls for real with those
// that may be.
func TestPureHandlers(t *testing.T) {
	var documented, real []string
	for _, r := range read(t, testingPage).under(t, "What runs for real").rows {
		if strings.HasPrefix(r.cells[1], "for real") {
			documented = append(documented, strings.Split(strings.ReplaceAll(r.cells[0], "`", ""), ", ")...)
		}
	}
	for _, k := range registry(t).Kinds() {
		if _, ok := k.New().(handlers.Pure); ok {
			real = append(real, k.Name)
		}
	}
	slices.Sort(documented)
	sameSet(t, "handlers that run for real", documented, real)
}
