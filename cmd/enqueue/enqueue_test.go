package enqueue_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"botwork/cmd/internal/cli"
	"botwork/cmd/internal/clitest"
	"botwork/workqueue"
)

func TestEnqueue(t *testing.T) {
	clitest.InProject(t)
	clitest.Golden(t, "enqueue.json", clitest.Must(t, "enqueue", "--pipeline", "hello", "--payload", `{"name": "Ada"}`, "--created-by", "test", "-o", "json"))
	clitest.Golden(t, "enqueue.txt", onlyStart(clitest.Must(t, "enqueue", "--pipeline", "hello", "--payload-file", "hello.json"), ", due"))

	it := clitest.Decode[clitest.Listed](t, clitest.Must(t, "enqueue", "--pipeline", "hello", "--payload-file", "hello.json", "--priority", "0",
		"--estimated-duration", "1m30s", "--in", "2h", "--output", "json"))
	if it.Priority != 0 || it.State != int(workqueue.Pending) || it.EstimatedDurationMs == nil || *it.EstimatedDurationMs != 90_000 {
		t.Errorf("enqueued %+v, want priority 0, Pending, 90000 ms", it)
	}
	if wait := it.AvailableAt.Sub(it.CreatedAt); wait != 2*time.Hour {
		t.Errorf("due %s after its creation, want 2h", wait)
	}
	if it.CreatedBy == nil || *it.CreatedBy == "" {
		t.Error("createdBy is empty, want the user's name")
	}

	it = clitest.Decode[clitest.Listed](t, clitest.Must(t, "enqueue", "--pipeline", "hello", "--payload-file", "hello.json", "--at", "2030-01-31 13:45", "-o", "json"))
	if want := time.Date(2030, 1, 31, 13, 45, 0, 0, time.Local); !it.AvailableAt.Equal(want) {
		t.Errorf("due at %s, want %s", it.AvailableAt, want.UTC())
	}
}

func onlyStart(text, end string) string {
	start, _, _ := strings.Cut(text, end)
	return start + "\n"
}

func TestEnqueueCount(t *testing.T) {
	clitest.InProject(t)
	items := clitest.Decode[[]clitest.Listed](t, clitest.Must(t, "enqueue", "--pipeline", "hello", "--payload-file", "hello.json", "--count", "2001", "-o", "json"))
	if len(items) != 2001 || items[0].ID != 1 || items[2000].ID != 2001 {
		t.Errorf("got %d items, from %d to %d, want 1 to 2001", len(items), items[0].ID, items[len(items)-1].ID)
	}
	if out := clitest.Must(t, "enqueue", "--pipeline", "hello", "--payload-file", "hello.json", "--count", "3"); !strings.HasPrefix(out, "3 items enqueued: ids 2002 to 2004\nexpected to start: unknown: ") {
		t.Errorf("got %q", out)
	}
}

func TestEnqueueRejectsItemsThatCannotRun(t *testing.T) {
	clitest.InProject(t)
	clitest.WriteFile(t, "pipelines/broken.yaml", "steps:\n  - handler: Lgo\n")
	for _, c := range []struct {
		name, pipeline, payload string
		more                    []string
		want                    string
	}{
		{"unknown pipeline", "helo", "{}", nil, `--pipeline: there is no pipeline "helo" [unknown-pipeline]; did you mean "hello"?`},
		{"pipeline with errors", "broken", "{}", nil, `unknown handler "Lgo"`},
		{"system pipeline", "ExecuteWorkQueue", "{}", nil, "has a trigger"},
		{"payload that does not match", "hello", `{"nmae": "x"}`, nil, "--payload: the payload does not match the pipeline's input: payload: missing property 'name'"},
		{"inline pipeline", "steps:\n  - handler: Lgo\n    with: {message: x}\n", "{}", nil, "--pipeline:2:14: steps[0].handler: unknown handler"},
		{"unknown queue", "hello", `{"name": "x"}`, []string{"--queue", "defalt"}, `--queue: there is no queue "defalt" [unknown-queue]; did you mean "default"?`},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := clitest.Do(t, append([]string{"enqueue", "--pipeline", c.pipeline, "--payload", c.payload}, c.more...)...)
			r.WantFailure(t, cli.ExitUsage, c.want)
		})
	}
	if out := clitest.Must(t, "items", "list", "-o", "json"); out != "[]\n" {
		t.Errorf("rejected items are in the queue:\n%s", out)
	}

	clitest.Must(t, "enqueue", "--pipeline", "helo", "--no-check")
	clitest.Must(t, "enqueue", "--pipeline", `{steps: [{handler: Log, with: {message: hi}}]}`)
}

// A machine that only enqueues items may not have the pipelines folder, but inline pipelines
// are still checked.
func TestEnqueueWithoutPipelinesFolder(t *testing.T) {
	t.Chdir(t.TempDir())
	clitest.Must(t, "enqueue", "--pipeline", "somewhere else")
	clitest.Do(t, "enqueue", "--pipeline", "{steps: [{handler: Lgo}]}").WantFailure(t, cli.ExitUsage, "unknown handler")
}

func TestEnqueueLines(t *testing.T) {
	clitest.InProject(t)
	lines := "\ufeff" + `{"payload": {"name": "a"}}` + "\r\n\n" +
		`{"payload": {"name": "b"}, "priority": 1200, "queue": "default", "estimatedDuration": "2m", "at": "2030-01-01T00:00:00Z"}` + "\n" +
		`{"payload": null, "pipeline": {"steps": [{"handler": "Log", "with": {"message": "hi"}}]}, "in": "1h"}`
	r := clitest.DoWith(t, lines, nil, "enqueue", "-", "--pipeline", "hello", "--priority", "700", "--at", "2031-01-01", "-o", "json")
	if r.Code != cli.ExitDone {
		t.Fatal(r.Stderr)
	}
	items := clitest.Decode[[]clitest.Listed](t, r.Stdout)
	if len(items) != 3 {
		t.Fatalf("got %d items, want 3", len(items))
	}
	// The ids of a batch may have another order than the lines: find the items by their content.
	for _, it := range items {
		switch {
		case it.Payload == nil:
			if wait := it.AvailableAt.Sub(it.CreatedAt); it.Priority != 700 || wait != time.Hour || !strings.HasPrefix(it.IntegrationConfig, "{") {
				t.Errorf("third line: %+v, want the flag's priority, one hour, the inline pipeline", it)
			}
		case it.Priority == 1200:
			if *it.EstimatedDurationMs != 120_000 || !it.AvailableAt.Equal(time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)) {
				t.Errorf("second line: %+v", it)
			}
		default:
			if want := time.Date(2031, 1, 1, 0, 0, 0, 0, time.Local); it.Priority != 700 || it.IntegrationConfig != "hello" || !it.AvailableAt.Equal(want) {
				t.Errorf("first line: %+v, want the values of the flags", it)
			}
		}
	}
}

func TestEnqueueLinesChecksAllBeforeItWrites(t *testing.T) {
	clitest.InProject(t)
	lines := strings.Join([]string{
		`{"payload": {"name": "good"}}`,
		``,
		`{"pipelin": "hello", "payload": {"name": "x"}}`,
		`{"priority": "high", "payload": {"name": "x"}}`,
		`{"priority": 1.5, "in": "5", "payload": {"name": "x"}}`,
		`{"payload": {"name": "ö"}, "queue": "nowhere"`,
		`["hello"]`,
		`{"payload": {}}`,
		`{"pipeline": "ExecuteWorkQueue"}`,
		`{"pipeline": {"steps": [{"handler": "Lgo"}]}}`,
		`{"queue": 1, "queue": "default", "payload": {"name": "x"}}`,
		`{"at": "noon", "in": "1h", "payload": {"name": "x"}}`,
		"{\"pipeline\": \"\xff\"}",
		`{"pipeline": "", "payload": 1}`,
	}, "\n")
	r := clitest.DoWith(t, lines, nil, "enqueue", "--stdin", "--pipeline", "hello")
	r.WantFailure(t, cli.ExitUsage)
	clitest.Golden(t, "enqueue_lines.txt", r.Stderr)
	if out := clitest.Must(t, "items", "list", "-o", "json"); out != "[]\n" {
		t.Errorf("a rejected input enqueued items:\n%s", out)
	}

	r = clitest.DoWith(t, `{"payload": {"name": "x"}}`+"\n"+`{"payload": {"name": "x"}, "queue": "defalt"}`, nil, "enqueue", "-", "--pipeline", "hello")
	r.WantFailure(t, cli.ExitUsage, `stdin:2:37: there is no queue "defalt" [unknown-queue]; did you mean "default"?`)
}

func TestEnqueueLinesStopsAfterManyErrors(t *testing.T) {
	clitest.InProject(t)
	r := clitest.DoWith(t, strings.Repeat("no json\n", 5000), nil, "enqueue", "-")
	r.WantFailure(t, cli.ExitUsage, "stdin:100:1: ", "were not read [too-many]")
	if n := strings.Count(r.Stderr, "\n"); n > 110 {
		t.Errorf("it printed %d lines, want about a hundred", n)
	}
}

func TestEnqueueManyLines(t *testing.T) {
	clitest.InProject(t)
	var lines strings.Builder
	for i := range 2500 {
		fmt.Fprintf(&lines, `{"pipeline": "hello", "payload": {"name": "n%d"}}`+"\n", i)
	}
	r := clitest.DoWith(t, lines.String(), nil, "enqueue", "-")
	if want := "2500 items enqueued: ids 1 to 2500\nexpected to start: "; r.Code != cli.ExitDone || !strings.HasPrefix(r.Stdout, want) {
		t.Errorf("exit code %d, output %q, want it to begin with %q; %s", r.Code, r.Stdout, want, r.Stderr)
	}
	if r := clitest.DoWith(t, "\n \n", nil, "enqueue", "-"); r.Code != cli.ExitDone || r.Stdout != "no items enqueued\n" {
		t.Errorf("no lines: exit code %d, output %q", r.Code, r.Stdout)
	}
}
