package pipelines_test

import (
	"os"
	"strings"
	"testing"

	pipelinescmd "botwork/cmd/pipelines"

	"botwork/cmd/internal/cli"
	"botwork/cmd/internal/clitest"
	"botwork/internal/operations"
)

const zonedPipeline = `name: zoned
description: Everything that a pipeline can say
trigger: {cron: "30 2 * * *", timezone: Europe/Lisbon, atStart: true, overlap: queue, scope: once, catchUp: 10m, dst: first}
estimatedDuration: 90s
resilience: {limit: 2, delay: 5s}
steps:
  - name: say
    handler: Log
    if: now.Year() > 2000
    timeout: 30s
    retry: {attempts: 3, delay: 1s}
    onError: continue
    with: {message: "it is ${{ now }}", fields: {b: 1, a: [true]}}
`

func TestPipelinesContract(t *testing.T) {
	clitest.InProject(t)
	clitest.WriteFile(t, "pipelines/zoned.yaml", zonedPipeline)
	clitest.Golden(t, "pipelines_show.json", clitest.Must(t, "pipelines", "show", "zoned", "-o", "json"))
	clitest.Golden(t, "pipelines_list.txt", clitest.Must(t, "pipelines", "list"))
	if list := clitest.Decode[[]operations.Pipeline](t, clitest.Must(t, "pipelines", "list", "-o", "json")); len(list) != 8 || list[7].Name != "zoned" {
		t.Errorf("pipelines list = %+v, want eight, zoned last", list)
	}
	if out := clitest.Must(t, "pipelines", "show", "zoned"); !strings.Contains(out, zonedPipeline) {
		t.Errorf("pipelines show does not show the file:\n%s", out)
	}
	clitest.Do(t, "pipelines", "show", "zone").WantFailure(t, cli.ExitUsage, `there is no pipeline "zone"; did you mean "zoned"?`)
}

func TestPipelinesCheck(t *testing.T) {
	clitest.InProject(t)
	clitest.WriteFile(t, "pipelines/bad.yaml", "steps:\n  - handler: Lgo\n  - handler: Log\n    with: {mesage: x}\n")
	clitest.WriteFile(t, "pipelines/tab.yaml", "steps:\n\t- handler: Log\n")

	r := clitest.Do(t, "pipelines", "check")
	r.WantFailure(t, cli.ExitUsage)
	clitest.Golden(t, "pipelines_check.txt", r.Stdout)
	r = clitest.Do(t, "pipelines", "check", "-o", "json")
	r.WantFailure(t, cli.ExitUsage)
	clitest.Golden(t, "pipelines_check.json", r.Stdout)

	// The other pipelines can be used and shown while one is broken.
	r = clitest.Do(t, "pipelines", "list")
	r.WantFailure(t, cli.ExitUsage, "pipelines/bad.yaml:2:14: ", "botwork: ")
	if !strings.Contains(r.Stdout, "hello") {
		t.Errorf("the list lacks the pipelines without errors:\n%s", r.Stdout)
	}
	clitest.Do(t, "pipelines", "show", "bad").WantFailure(t, cli.ExitUsage, "pipelines/bad.yaml:2:14: ")

	if out := clitest.Must(t, "pipelines", "check", "pipelines/hello.yaml", "-o", "json"); out != "[]\n" {
		t.Errorf("a file without errors: %q, want an empty list", out)
	}
	r = clitest.Do(t, "pipelines", "check", "nothere.yaml")
	r.WantFailure(t, cli.ExitUsage)
	if !strings.HasPrefix(r.Stdout, "nothere.yaml: ") || !strings.Contains(r.Stdout, "[unreadable-file]") {
		t.Errorf("a missing file: %q", r.Stdout)
	}
	r = clitest.Do(t, "pipelines", "check", "nothere.yaml", "pipelines/tab.yaml")
	r.WantFailure(t, cli.ExitUsage)
	for _, want := range []string{"nothere.yaml: ", "[unreadable-file]", "pipelines/tab.yaml:2:1: "} {
		if !strings.Contains(r.Stdout, want) {
			t.Errorf("the output lacks %q:\n%s", want, r.Stdout)
		}
	}
	clitest.WriteFile(t, "pipelines/doubled.yaml", "steps:\n  - handler: Log\n    retry: {attempts: 5}\n    with: {message: x}\n")
	r = clitest.Do(t, "pipelines", "check", "pipelines/doubled.yaml", "pipelines/bad.yaml")
	r.WantFailure(t, cli.ExitUsage)
	if !strings.Contains(r.Stdout, "[retry-multiplies]") || !strings.Contains(r.Stdout, "[unknown-handler]") {
		t.Errorf("a warning in addition to errors: %q", r.Stdout)
	}
	clitest.WriteFile(t, "twin.yaml", "name: hello\nsteps: [{handler: Log, with: {message: x}}]\n")
	if r := clitest.Do(t, "pipelines", "check", "pipelines/hello.yaml", "twin.yaml"); !strings.Contains(r.Stdout, "[duplicate-pipeline]") {
		t.Errorf("two files of one name: %q", r.Stdout)
	}
}

// Warnings fail neither the check nor the start of a worker.
func TestPipelinesCheckWarnings(t *testing.T) {
	clitest.InProject(t)
	clitest.WriteFile(t, "pipelines/doubled.yaml", "steps:\n  - handler: Log\n    retry: {attempts: 5}\n    with: {message: x}\n")
	clitest.Golden(t, "pipelines_check_warnings.txt", clitest.Must(t, "pipelines", "check"))
	clitest.Golden(t, "pipelines_check_warnings.json", clitest.Must(t, "pipelines", "check", "-o", "json"))
	r := clitest.Do(t, "run", "--once")
	if r.Code != cli.ExitDone || !strings.Contains(r.Stderr, "retry-multiplies") {
		t.Errorf("run --once: exit code %d, want 0 and the warning in the log:\n%s", r.Code, r.Stderr)
	}
}

// A script must not mistake a wrong folder for a successful run.
func TestRunOnceWithoutTriggers(t *testing.T) {
	clitest.InProject(t)
	clitest.WriteFile(t, "data/hello.yaml", "steps: [{handler: Log, with: {message: x}}]\n")
	clitest.Do(t, "run", "--once", "--pipelines", "data").WantFailure(t, cli.ExitUsage, "no pipeline of ", "has a trigger")
}

func TestPipelinesWithoutFolder(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, line := range []string{"pipelines list", "pipelines next", "pipelines show x"} {
		clitest.Do(t, strings.Fields(line)...).WantFailure(t, cli.ExitUsage, "does not exist", "botwork init")
	}
	r := clitest.Do(t, "pipelines", "check")
	if r.Code != cli.ExitUsage || !strings.Contains(r.Stdout, "does not exist") || !strings.Contains(r.Stdout, "[no-folder]") {
		t.Errorf("pipelines check: exit code %d, want %d and the finding no-folder:\n%s", r.Code, cli.ExitUsage, r.Stdout)
	}
}

func TestPipelinesNext(t *testing.T) {
	clitest.InProject(t)
	clitest.WriteFile(t, "pipelines/zoned.yaml", zonedPipeline)
	// Clocks go back at 02:00 on 25 October: there is still one run a day, an hour later in UTC.
	clitest.Golden(t, "pipelines_next.txt", clitest.Must(t, "pipelines", "next", "zoned", "--from", "2026-10-23T23:00:00Z", "--count", "3"))
	out := clitest.Must(t, "pipelines", "next", "zoned", "--from", "2026-10-23T23:00:00Z", "--count", "3", "-o", "json")
	if got := clitest.Decode[[]operations.ComingRun](t, out); len(got) != 3 || got[0].At != "2026-10-24T01:30:00Z" ||
		got[1].LocalAt != "2026-10-25T02:30:00Z" || got[2].At != "2026-10-26T02:30:00Z" || got[0].LocalAt != "2026-10-24T02:30:00+01:00" ||
		got[0].Timezone != "Europe/Lisbon" || got[0].Pipeline != "zoned" {
		t.Errorf("next = %s", out)
	}
	// A run at exactly --from is included.
	if out := clitest.Must(t, "pipelines", "next", "zoned", "--from", "2026-10-24T01:30:00Z", "--count", "1"); !strings.Contains(out, "2026-10-24 01:30:00Z") {
		t.Errorf("--from at a firing: %s", out)
	}
	all := clitest.Decode[[]operations.ComingRun](t, clitest.Must(t, "pipelines", "next", "--from", "2026-10-24T00:00:30Z", "--count", "2", "-o", "json"))
	if len(all) != 14 || all[0].At != "2026-10-24T00:01:00Z" {
		t.Errorf("next of all = %+v, want two of each of seven, the earliest first", all)
	}
	clitest.Do(t, "pipelines", "next", "hello").WantFailure(t, cli.ExitFailed, "no trigger")
	clitest.Do(t, "pipelines", "next", "--from", "soon").WantFailure(t, cli.ExitUsage, `--from: got "soon"`)
	clitest.Do(t, "pipelines", "next", "--count", "0").WantFailure(t, cli.ExitUsage, "--count: got 0")
}

func TestPipelinesRun(t *testing.T) {
	clitest.InProject(t)
	clitest.WriteFile(t, "pipelines/steps.yaml", `steps:
  - {name: skipped, handler: Log, if: "false", with: {message: x}}
  - {name: make, handler: Transform, with: {value: {sum: "${{ payload.a + payload.b }}", key: "${{ secrets.apiKey }}"}}}
  - {name: refuse, handler: Fail, if: payload.a < 0, with: {message: "a is ${{ payload.a }} with ${{ secrets.apiKey }}", kind: business}}
`)
	clitest.WriteFile(t, "pipelines/more.yaml", `steps:
  - {handler: Enqueue, with: {pipeline: hello, items: "${{ payload }}"}}
`)
	clitest.WriteFile(t, "botwork.yaml", "secrets:\n  apiKey: {env: API_KEY}\nlog: {format: json}\n")
	environ := []string{"API_KEY=sesame-1234"}

	r := clitest.DoWith(t, "", environ, "pipelines", "run", "steps", "--payload", `{"a": 1, "b": 2}`, "-o", "json")
	if r.Code != cli.ExitDone {
		t.Fatal(r.Stderr)
	}
	got := clitest.Decode[struct {
		Pipeline, Outcome string
		Steps             []pipelinescmd.RunStepView
		Output            struct{ Sum int }
	}](t, r.Stdout)
	if got.Outcome != "succeeded" || got.Output.Sum != 3 || len(got.Steps) != 3 || got.Steps[0].Status != "skipped" || got.Steps[1].Status != "done" {
		t.Errorf("run = %s", r.Stdout)
	}

	r = clitest.DoWith(t, `{"a": -1, "b": 2}`, environ, "pipelines", "run", "steps", "--payload-file", "-")
	r.WantFailure(t, cli.ExitFailed)
	if !strings.Contains(r.Stdout, "steps failed (business): ") || !strings.Contains(r.Stdout, "a is -1 with <secret>") {
		t.Errorf("run = %s", r.Stdout)
	}
	if strings.Contains(r.Stdout+r.Stderr, "sesame-1234") {
		t.Errorf("a secret shows:\n%s%s", r.Stdout, r.Stderr)
	}
	clitest.Do(t, "pipelines", "run", "steps").WantFailure(t, cli.ExitUsage, "secrets.apiKey", "API_KEY is not set")

	if r := clitest.DoWith(t, "", environ, "pipelines", "run", "more", "--payload", `[{"name": "a"}, {"name": "b"}]`); r.Code != cli.ExitDone {
		t.Errorf("a step that enqueues: %s%s", r.Stdout, r.Stderr)
	}
	if items := clitest.Decode[[]clitest.Listed](t, clitest.Must(t, "items", "list", "-o", "json")); len(items) != 2 {
		t.Errorf("the step enqueued %d items, want 2", len(items))
	}
	clitest.DoWith(t, "", environ, "pipelines", "run", "ExecuteWorkQueue").WantFailure(t, cli.ExitFailed, "no active worker is alive", "botwork run --once ExecuteWorkQueue")
	clitest.DoWith(t, "", environ, "pipelines", "run", "hello", "--payload", "{}").WantFailure(t, cli.ExitUsage, "missing property 'name'")
	clitest.DoWith(t, "", environ, "pipelines", "run", "hallo").WantFailure(t, cli.ExitUsage, `did you mean "hello"?`)
	if _, err := os.Stat("data/greetings"); err == nil {
		t.Error("a rejected run wrote something")
	}
}
