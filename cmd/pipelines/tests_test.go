package pipelines_test

import (
	"encoding/xml"
	"os"
	"strings"
	"testing"

	pipelinescmd "botwork/cmd/pipelines"

	"botwork/cmd/internal/cli"
	"botwork/cmd/internal/clitest"
)

// The tests that init writes pass, and a failing test reports what failed and where.
func TestPipelinesTest(t *testing.T) {
	clitest.InProject(t)
	clitest.Golden(t, "pipelines_test.txt", clitest.Must(t, "pipelines", "test"))
	for _, arg := range []string{"pipelines", "pipelines/hello_test.yaml", "pipelines/hel*", "./pipelines/"} {
		if out := clitest.Must(t, "pipelines", "test", arg, "--run", "hello/greets by"); !strings.HasSuffix(out, "\n1 case, 0 failed; 3 of 3 steps ran\n") {
			t.Errorf("test %s: %s", arg, out)
		}
	}
	clitest.WriteFile(t, "pipelines/more_test.yaml", `pipeline: hello
cases:
  - name: wrong
    payload: {name: Ada}
    stubs: {save: {output: {path: x}}}
    expect: {calls: [{step: save, with: {path: greetings/item-2.txt}}]}
  - name: no stub
`)
	r := clitest.Do(t, "pipelines", "test", "pipelines/more_test.yaml")
	r.WantFailure(t, cli.ExitFailed)
	clitest.Golden(t, "pipelines_test_failed.txt", r.Stdout)

	r = clitest.Do(t, "pipelines", "test", "-o", "json")
	r.WantFailure(t, cli.ExitFailed)
	if got := clitest.Decode[pipelinescmd.TestsView](t, r.Stdout); got.Cases != 6 || got.Failed != 2 || got.Files[1].Cases[0].Failures[0].Line != 6 ||
		len(got.Coverage) != 7 || len(got.Coverage[len(got.Coverage)-1].Never) != 0 {
		t.Errorf("test -o json: %s", r.Stdout)
	}
	r = clitest.Do(t, "pipelines", "test", "-o", "junit")
	r.WantFailure(t, cli.ExitFailed)
	if err := xml.Unmarshal([]byte(r.Stdout), new(struct{})); err != nil || !strings.Contains(r.Stdout, `<testsuites tests="6" failures="2"`) {
		t.Errorf("test -o junit: %v\n%s", err, r.Stdout)
	}
	if _, err := os.Stat("data/greetings"); err == nil {
		t.Error("a test wrote a file")
	}
	if out := clitest.Must(t, "pipelines", "list"); strings.Contains(out, "_test") {
		t.Errorf("a test file is listed as a pipeline: %s", out)
	}
}

func TestPipelinesTestMistakes(t *testing.T) {
	clitest.InProject(t)
	clitest.WriteFile(t, "pipelines/broken.yaml", "steps: [{handler: Lgo}]\n")
	clitest.WriteFile(t, "pipelines/broken_test.yaml", "cases: [{name: x}]\n")
	clitest.WriteFile(t, "pipelines/lost_test.yaml", "pipeline: hallo\ncases: [{nmae: x}]\n")
	clitest.Do(t, "pipelines", "test").WantFailure(t, cli.ExitUsage,
		"pipelines/broken.yaml:1:19: ", "pipelines/lost_test.yaml:1:11: pipeline: there is no pipeline", "2 errors")
	for text, args := range map[string][]string{
		"there are no tests": {"data"}, "its name must end in _test.yaml": {"pipelines/hello.yaml"},
		"nothere_test.yaml": {"nothere_test.yaml"}, `no case matches "x$"`: {"pipelines/hello_test.yaml", "--run", "x$"},
		"--run: error parsing regexp": {"--run", "("}, "want table, json, yaml or junit": {"-o", "xml"},
	} {
		clitest.Do(t, append([]string{"pipelines", "test"}, args...)...).WantFailure(t, cli.ExitUsage, text)
	}
}

// The check includes test files; errors in them do not prevent a worker from starting.
func TestPipelinesCheckTests(t *testing.T) {
	clitest.InProject(t)
	clitest.Must(t, "pipelines", "check")
	clitest.Must(t, "pipelines", "check", "pipelines/hello_test.yaml")
	clitest.WriteFile(t, "pipelines/hello_test.yaml", "cases:\n  - name: x\n    stubs: {svae: {output: 1}}\n")
	want := `pipelines/hello_test.yaml:3:19: cases[0].stubs.svae: pipeline "hello" has no step "svae" [unknown-step]; did you mean "save"?`
	for _, args := range [][]string{nil, {"pipelines"}, {"pipelines/hello_test.yaml"}, {"pipelines", "pipelines/hello_test.yaml"}} {
		r := clitest.Do(t, append([]string{"pipelines", "check"}, args...)...)
		r.WantFailure(t, cli.ExitUsage)
		if strings.Count(r.Stdout, want) != 1 {
			t.Errorf("check %q: %s", args, r.Stdout)
		}
	}
	before, err := os.ReadFile("pipelines/hello_test.yaml")
	if err != nil {
		t.Fatal(err)
	}
	clitest.Do(t, "pipelines", "check", "--fix", "pipelines/hello_test.yaml").WantFailure(t, cli.ExitUsage)
	if after, err := os.ReadFile("pipelines/hello_test.yaml"); err != nil || string(after) != string(before) {
		t.Errorf("--fix treated a test file as a pipeline: %s (%v)", after, err)
	}
	clitest.Must(t, "run", "--once", "ExecuteWorkQueue")
	clitest.WriteFile(t, "pipelines/broken.yaml", "steps: [{handler: Lgo}]\n")
	clitest.WriteFile(t, "pipelines/broken_test.yaml", "cases: [{name: x}]\n")
	r := clitest.Do(t, "pipelines", "check", "pipelines")
	r.WantFailure(t, cli.ExitUsage)
	if strings.Count(r.Stdout, "pipelines/broken.yaml:1:19: ") != 1 {
		t.Errorf("a finding of a pipeline that has tests is not printed exactly once:\n%s", r.Stdout)
	}
}
