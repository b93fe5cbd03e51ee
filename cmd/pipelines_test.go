package cmd

import (
	"os"
	"strings"
	"testing"

	"botwork/cmd/internal/cli"
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
	inProject(t)
	writeFile(t, "pipelines/zoned.yaml", zonedPipeline)
	golden(t, "pipelines_show.json", mustDo(t, "pipelines", "show", "zoned", "-o", "json"))
	golden(t, "pipelines_list.txt", mustDo(t, "pipelines", "list"))
	if list := decode[[]pipelineView](t, mustDo(t, "pipelines", "list", "-o", "json")); len(list) != 7 || list[6].Name != "zoned" {
		t.Errorf("pipelines list = %+v, want seven, zoned last", list)
	}
	if out := mustDo(t, "pipelines", "show", "zoned"); !strings.Contains(out, zonedPipeline) {
		t.Errorf("pipelines show does not show the file:\n%s", out)
	}
	botwork(t, "pipelines", "show", "zone").wantFailure(t, cli.ExitUsage, `there is no pipeline "zone"; did you mean "zoned"?`)
}

func TestPipelinesCheck(t *testing.T) {
	inProject(t)
	writeFile(t, "pipelines/bad.yaml", "steps:\n  - handler: Lgo\n  - handler: Log\n    with: {mesage: x}\n")
	writeFile(t, "pipelines/tab.yaml", "steps:\n\t- handler: Log\n")

	r := botwork(t, "pipelines", "check")
	r.wantFailure(t, cli.ExitUsage)
	golden(t, "pipelines_check.txt", r.stdout)
	r = botwork(t, "pipelines", "check", "-o", "json")
	r.wantFailure(t, cli.ExitUsage)
	golden(t, "pipelines_check.json", r.stdout)

	// The others can be used and shown while one is broken.
	r = botwork(t, "pipelines", "list")
	r.wantFailure(t, cli.ExitUsage, "pipelines/bad.yaml:2:14: ", "botwork: ")
	if !strings.Contains(r.stdout, "hello") {
		t.Errorf("the list lacks the good ones:\n%s", r.stdout)
	}
	botwork(t, "pipelines", "show", "bad").wantFailure(t, cli.ExitUsage, "pipelines/bad.yaml:2:14: ")

	if out := mustDo(t, "pipelines", "check", "pipelines/hello.yaml", "-o", "json"); out != "[]\n" {
		t.Errorf("a good file: %q, want an empty list", out)
	}
	r = botwork(t, "pipelines", "check", "nothere.yaml")
	r.wantFailure(t, cli.ExitUsage)
	if !strings.HasPrefix(r.stdout, "nothere.yaml: ") || !strings.Contains(r.stdout, "[unreadable-file]") {
		t.Errorf("a file that is not there: %q", r.stdout)
	}
	r = botwork(t, "pipelines", "check", "nothere.yaml", "pipelines/tab.yaml")
	r.wantFailure(t, cli.ExitUsage)
	for _, want := range []string{"nothere.yaml: ", "[unreadable-file]", "pipelines/tab.yaml:2:1: "} {
		if !strings.Contains(r.stdout, want) {
			t.Errorf("the output lacks %q:\n%s", want, r.stdout)
		}
	}
	writeFile(t, "pipelines/doubled.yaml", "steps:\n  - handler: Log\n    retry: {attempts: 5}\n    with: {message: x}\n")
	r = botwork(t, "pipelines", "check", "pipelines/doubled.yaml", "pipelines/bad.yaml")
	r.wantFailure(t, cli.ExitUsage)
	if !strings.Contains(r.stdout, "[retry-multiplies]") || !strings.Contains(r.stdout, "[unknown-handler]") {
		t.Errorf("a warning beside mistakes: %q", r.stdout)
	}
	writeFile(t, "twin.yaml", "name: hello\nsteps: [{handler: Log, with: {message: x}}]\n")
	if r := botwork(t, "pipelines", "check", "pipelines/hello.yaml", "twin.yaml"); !strings.Contains(r.stdout, "[duplicate-pipeline]") {
		t.Errorf("two files of one name: %q", r.stdout)
	}
}

// Warnings fail nothing: neither the check nor the start of a worker.
func TestPipelinesCheckWarnings(t *testing.T) {
	inProject(t)
	writeFile(t, "pipelines/doubled.yaml", "steps:\n  - handler: Log\n    retry: {attempts: 5}\n    with: {message: x}\n")
	golden(t, "pipelines_check_warnings.txt", mustDo(t, "pipelines", "check"))
	golden(t, "pipelines_check_warnings.json", mustDo(t, "pipelines", "check", "-o", "json"))
	r := botwork(t, "run", "--once")
	if r.code != cli.ExitDone || !strings.Contains(r.stderr, "retry-multiplies") {
		t.Errorf("run --once: exit code %d, want 0 and the warning in the log:\n%s", r.code, r.stderr)
	}
}

// A script must not take a wrong folder for a run that went well.
func TestRunOnceWithoutTriggers(t *testing.T) {
	inProject(t)
	writeFile(t, "data/hello.yaml", "steps: [{handler: Log, with: {message: x}}]\n")
	botwork(t, "run", "--once", "--pipelines", "data").wantFailure(t, cli.ExitUsage, "no pipeline of ", "has a trigger")
}

func TestPipelinesWithoutFolder(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, line := range []string{"pipelines list", "pipelines next", "pipelines show x"} {
		botwork(t, strings.Fields(line)...).wantFailure(t, cli.ExitUsage, "does not exist", "botwork init")
	}
	r := botwork(t, "pipelines", "check")
	if r.code != cli.ExitUsage || !strings.Contains(r.stdout, "does not exist") || !strings.Contains(r.stdout, "[no-folder]") {
		t.Errorf("pipelines check: exit code %d, want %d and the finding no-folder:\n%s", r.code, cli.ExitUsage, r.stdout)
	}
}

func TestPipelinesNext(t *testing.T) {
	inProject(t)
	writeFile(t, "pipelines/zoned.yaml", zonedPipeline)
	// Clocks go back at 02:00 on 25 October: the run stays one a day, and moves
	// by an hour in UTC.
	golden(t, "pipelines_next.txt", mustDo(t, "pipelines", "next", "zoned", "--from", "2026-10-23T23:00:00Z", "--count", "3"))
	out := mustDo(t, "pipelines", "next", "zoned", "--from", "2026-10-23T23:00:00Z", "--count", "3", "-o", "json")
	if got := decode[[]firingView](t, out); len(got) != 3 || got[0].At != "2026-10-24T01:30:00Z" ||
		got[1].LocalAt != "2026-10-25T02:30:00Z" || got[2].At != "2026-10-26T02:30:00Z" || got[0].LocalAt != "2026-10-24T02:30:00+01:00" ||
		got[0].Timezone != "Europe/Lisbon" || got[0].Pipeline != "zoned" {
		t.Errorf("next = %s", out)
	}
	// A firing at --from itself is still to come.
	if out := mustDo(t, "pipelines", "next", "zoned", "--from", "2026-10-24T01:30:00Z", "--count", "1"); !strings.Contains(out, "2026-10-24 01:30:00Z") {
		t.Errorf("--from at a firing: %s", out)
	}
	all := decode[[]firingView](t, mustDo(t, "pipelines", "next", "--from", "2026-10-24T00:00:30Z", "--count", "2", "-o", "json"))
	if len(all) != 12 || all[0].At != "2026-10-24T00:01:00Z" {
		t.Errorf("next of all = %+v, want two of each of six, the earliest first", all)
	}
	botwork(t, "pipelines", "next", "hello").wantFailure(t, cli.ExitFailed, "no trigger")
	botwork(t, "pipelines", "next", "--from", "soon").wantFailure(t, cli.ExitUsage, `--from: got "soon"`)
	botwork(t, "pipelines", "next", "--count", "0").wantFailure(t, cli.ExitUsage, "--count: got 0")
}

func TestPipelinesRun(t *testing.T) {
	inProject(t)
	writeFile(t, "pipelines/steps.yaml", `steps:
  - {name: skipped, handler: Log, if: "false", with: {message: x}}
  - {name: make, handler: Transform, with: {value: {sum: "${{ payload.a + payload.b }}", key: "${{ secrets.apiKey }}"}}}
  - {name: refuse, handler: Fail, if: payload.a < 0, with: {message: "a is ${{ payload.a }} with ${{ secrets.apiKey }}", kind: business}}
`)
	writeFile(t, "pipelines/more.yaml", `steps:
  - {handler: Enqueue, with: {pipeline: hello, items: "${{ payload }}"}}
`)
	writeFile(t, "botwork.yaml", "secrets:\n  apiKey: {env: API_KEY}\nlog: {format: json}\n")
	environ := []string{"API_KEY=sesame-1234"}

	r := botworkWith(t, "", environ, "pipelines", "run", "steps", "--payload", `{"a": 1, "b": 2}`, "-o", "json")
	if r.code != cli.ExitDone {
		t.Fatal(r.stderr)
	}
	got := decode[struct {
		Pipeline, Outcome string
		Steps             []runStepView
		Output            struct{ Sum int }
	}](t, r.stdout)
	if got.Outcome != "succeeded" || got.Output.Sum != 3 || len(got.Steps) != 3 || got.Steps[0].Status != "skipped" || got.Steps[1].Status != "done" {
		t.Errorf("run = %s", r.stdout)
	}

	r = botworkWith(t, `{"a": -1, "b": 2}`, environ, "pipelines", "run", "steps", "--payload-file", "-")
	r.wantFailure(t, cli.ExitFailed)
	if !strings.Contains(r.stdout, "steps failed (business): ") || !strings.Contains(r.stdout, "a is -1 with <secret>") {
		t.Errorf("run = %s", r.stdout)
	}
	if strings.Contains(r.stdout+r.stderr, "sesame-1234") {
		t.Errorf("a secret shows:\n%s%s", r.stdout, r.stderr)
	}
	botwork(t, "pipelines", "run", "steps").wantFailure(t, cli.ExitUsage, "secrets.apiKey", "API_KEY is not set")

	if r := botworkWith(t, "", environ, "pipelines", "run", "more", "--payload", `[{"name": "a"}, {"name": "b"}]`); r.code != cli.ExitDone {
		t.Errorf("a step that enqueues: %s%s", r.stdout, r.stderr)
	}
	if items := decode[[]listed](t, mustDo(t, "items", "list", "-o", "json")); len(items) != 2 {
		t.Errorf("the step enqueued %d items, want 2", len(items))
	}
	botworkWith(t, "", environ, "pipelines", "run", "ExecuteWorkQueue").wantFailure(t, cli.ExitUsage, "botwork run --once ExecuteWorkQueue")
	botworkWith(t, "", environ, "pipelines", "run", "hello", "--payload", "{}").wantFailure(t, cli.ExitUsage, "missing property 'name'")
	botworkWith(t, "", environ, "pipelines", "run", "hallo").wantFailure(t, cli.ExitUsage, `did you mean "hello"?`)
	if _, err := os.Stat("data/greetings"); err == nil {
		t.Error("a refused run wrote something")
	}
}
