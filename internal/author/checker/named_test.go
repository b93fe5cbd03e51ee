package checker_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"botwork/pipelines"
)

// Named files can refer to pipelines of the project. Only the findings in the named
// files are reported.
func TestNamed(t *testing.T) {
	dir := project(t, map[string]string{
		"botwork.yaml":         "{}\n",
		"pipelines/hello.yaml": "steps: [{handler: Log, with: {message: x}}]\n",
		"pipelines/bad.yaml":   "steps: []\n",
	})
	p := open(t, dir, nil)
	read := func(name, text string) pipelines.File {
		return pipelines.File{Path: filepath.Join(dir, name), Data: []byte(text)}
	}
	report := p.Checker.Named([]pipelines.File{
		read("one.yaml", "steps: [{handler: Enqueue, with: {pipeline: hello}}, {handler: Enqueue, with: {pipeline: two}}]\n"),
		read("two.yaml", "steps: [{handler: Enqueue, with: {pipeline: helo}}]\n"),
		{Path: filepath.Join(dir, "gone.yaml"), Err: fs.ErrNotExist},
	}, p.Files)
	want := "gone.yaml: file does not exist [unreadable-file]\n" +
		`two.yaml:1:45: steps[0].with.pipeline: there is no pipeline "helo" [unknown-pipeline]; did you mean "hello"?`
	if got := render(dir, report.Findings); got != want {
		t.Errorf("findings:\n%s\nwant:\n%s", got, want)
	}
	if n := len(report.Catalogue.All()); n != 2 {
		t.Errorf("the report has %d pipelines, want the two named ones", n)
	}
}

// The shipped pipelines, the examples and a new project have no findings at all: a false
// alarm does more harm than a mistake that the checker misses.
func TestShippedFilesHaveNoFindings(t *testing.T) {
	c := newChecker(t)
	shipped, err := pipelines.ReadDir("../../../pipelines/shipped", nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, findings := c.Folder(shipped); len(findings) > 0 {
		t.Errorf("shipped: %v", findings)
	}
	first, err := os.ReadFile("../../../cmd/setup/project/hello.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if _, findings := c.Folder(append(shipped, pipelines.File{Path: "hello.yaml", Data: first})); len(findings) > 0 {
		t.Errorf("a new project: %v", findings)
	}
	for _, settings := range glob(t, "../../../examples/*/project/botwork.yaml") {
		dir := filepath.Dir(settings)
		p := open(t, dir, nil)
		for _, f := range p.Findings {
			if f.Code == "no-value" || strings.Contains(f.Message, `unknown handler "Greet"`) {
				continue // a keyset that the user creates; a handler that examples/customhandler adds
			}
			t.Errorf("%s: %v", dir, f)
		}
	}
}
