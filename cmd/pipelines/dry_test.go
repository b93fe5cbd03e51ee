package pipelines_test

import (
	"os"
	"strings"
	"testing"

	"botwork/cmd/internal/cli"
	"botwork/cmd/internal/clitest"
)

const dryPipeline = `steps:
  - {name: load, handler: HTTP, timeout: 5s, retry: {attempts: 3}, with: {url: "https://example.test/${{ payload.id }}", auth: {token: "${{ secrets.apiKey }}"}}}
  - {name: none, handler: Break, if: "len(steps.load.output.body) == 0", with: {reason: nothing to do}}
  - {name: keep, handler: File, if: payload.keep, with: {op: write, path: a.txt, content: "${{ steps.load.output.body }}"}}
  - {name: more, handler: Enqueue, onError: continue, with: {pipeline: hello, items: "${{ steps.load.output.body }}", priority: "${{ payload.priority }}"}}
  - {name: lines, foreach: "${{ payload.lines ?? [7] }}", as: line, steps: [{name: put, handler: Log, with: {message: "${{ string(line) }}"}}]}
`

// A dry run uses no file, no database and no value of a secret.
func TestPipelinesDryRun(t *testing.T) {
	clitest.InProject(t)
	clitest.WriteFile(t, "pipelines/load.yaml", dryPipeline)
	clitest.WriteFile(t, "botwork.yaml", "secrets:\n  apiKey: {env: API_KEY}\nhandlers: {folders: [data]}\n")
	environ := []string{"API_KEY=sesame-1234"}
	line := []string{"pipelines", "run", "load", "--dry-run", "--payload"}

	r := clitest.DoWith(t, "", environ, append(line, `{"id": 7, "keep": false, "priority": 700}`)...)
	if r.Code != cli.ExitDone || strings.Contains(r.Stdout+r.Stderr, "sesame") {
		t.Errorf("exit code %d, a secret or an error shows: %s%s", r.Code, r.Stdout, r.Stderr)
	}
	clitest.Golden(t, "pipelines_dry_run.txt", r.Stdout)
	r = clitest.DoWith(t, "", environ, append(line, `{"id": 7, "keep": true, "priority": "high"}`, "-o", "json")...)
	r.WantFailure(t, cli.ExitDone) // it may end in `none` before it fails
	clitest.Golden(t, "pipelines_dry_run.json", r.Stdout)

	// A secret without a value is not an error, because a dry run does not use it.
	r = clitest.Do(t, append(line, `{"id": 7, "keep": 1}`, "--until", "keep")...)
	r.WantFailure(t, cli.ExitDone)
	if !strings.Contains(r.Stdout, "the condition evaluates to a number, want true or false") || !strings.Contains(r.Stdout, "load may fail (permanent)") {
		t.Errorf("a condition that gives a number: %s", r.Stdout)
	}
	r = clitest.Do(t, append(line, `{}`, "--until", "load")...)
	r.WantFailure(t, cli.ExitFailed)
	if !strings.Contains(r.Stdout, "load would fail (permanent): step \"load\" (HTTP): with.url") {
		t.Errorf("a payload without id: %s", r.Stdout)
	}
	if out := clitest.Must(t, "pipelines", "run", "ExecuteWorkQueue", "--dry-run", "-o", "yaml"); !strings.Contains(out, "handler: ExecuteWorkItems\n") {
		t.Errorf("a system pipeline: %s", out)
	}
	for _, file := range []string{"botwork.db", "data/a.txt"} {
		if _, err := os.Stat(file); err == nil {
			t.Errorf("a dry run made %s", file)
		}
	}
}

func TestPipelinesRunPart(t *testing.T) {
	clitest.InProject(t)
	clitest.WriteFile(t, "pipelines/part.yaml", `steps:
  - {name: load, handler: HTTP, with: {url: "http://127.0.0.1:1/"}}
  - {name: sum, handler: Transform, with: {value: "${{ sum(steps.load.output.body) + payload.n }}"}}
  - {name: save, handler: File, with: {op: write, path: sum.txt, content: "${{ string(input) }}"}}
`)
	clitest.WriteFile(t, "load.json", `{"body": [1, 2]}`)
	line := []string{"pipelines", "run", "part", "--payload", `{"n": 4}`}
	want := "part succeeded\noutput: 7\n"
	for _, given := range []string{"load=@load.json", `load={"body": [1, 2]}`, `{"load": {"body": [1, 2]}}`} {
		out := clitest.Must(t, append(line, "--from", "sum", "--until", "sum", "--with-output", given)...)
		if !strings.HasSuffix(out, want) || strings.Contains(out, "save") {
			t.Errorf("--with-output %s: %s, want the end %q", given, out, want)
		}
	}
	if _, err := os.Stat("data/sum.txt"); err == nil {
		t.Error("a step after --until has run")
	}
	for text, flags := range map[string][]string{
		`step "sum" reads from step "load", which does not run, and its output is missing; give it with --with-output STEP=JSON`: {"--from", "sum"},
		`has no step "smu"; did you mean "sum"?`: {"--from", "smu", "--dry-run"},
		"want STEP=JSON, STEP=@FILE":             {"--from", "sum", "--with-output", "load"},
		"the value is not JSON":                  {"--from", "sum", "--with-output", "load=[1,"},
		"not a JSON object":                      {"--from", "sum", "--with-output", "{load: 1}"},
		"nothere.json":                           {"--from", "sum", "--with-output", "load=@nothere.json"},
		`step "load" is given twice`:             {"--from", "sum", "--with-output", "load=1", "--with-output", "load=2"},
		"specify the first step of the run":      {"--with-output", "load=1"},
	} {
		clitest.Do(t, append(line, flags...)...).WantFailure(t, cli.ExitUsage, text)
	}
}
