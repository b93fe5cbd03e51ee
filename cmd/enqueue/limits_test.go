package enqueue_test

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"

	"botwork/cmd/internal/cli"
	"botwork/cmd/internal/clitest"
	"botwork/workqueue"
)

func TestEnqueueReportsMissingTemporaryFolder(t *testing.T) {
	clitest.InProject(t)
	nowhere := filepath.Join(t.TempDir(), "nowhere")
	t.Setenv("TMPDIR", nowhere)
	t.Setenv("TMP", nowhere)
	clitest.DoWith(t, `{"pipeline": "hello"}`, nil, "enqueue", "-").WantFailure(t, cli.ExitFailed, "temporary file", nowhere, "TMPDIR")
}

func TestEnqueueRejectsLargePayloads(t *testing.T) {
	clitest.InProject(t)
	big := `"` + strings.Repeat("x", 1<<20) + `"`
	file := filepath.Join(t.TempDir(), "big.json")
	clitest.WriteFile(t, file, big)
	huge := filepath.Join(t.TempDir(), "huge.json")
	clitest.WriteFile(t, huge, `"`+strings.Repeat("x", 3<<20)+`"`)
	line := `{"pipeline": "hello", "payload": ` + big + `}`
	const want = "maxPayload of the queue"
	clitest.Do(t, "enqueue", "--pipeline", "hello", "--no-check", "--payload-file", file).WantFailure(t, cli.ExitUsage, want, "1048578 bytes", "1MB", "hint: ")
	clitest.Do(t, "enqueue", "--pipeline", "hello", "--no-check", "--payload-file", huge).WantFailure(t, cli.ExitUsage, want, "got more")
	clitest.DoWith(t, big, nil, "enqueue", "--pipeline", "hello", "--no-check", "--payload-file", "-").WantFailure(t, cli.ExitUsage, want)
	clitest.DoWith(t, line, nil, "enqueue", "-", "--no-check").WantFailure(t, cli.ExitUsage, "stdin:1:34: payload: got 1048578 bytes", want)
	r := clitest.DoWith(t, "{}\n"+strings.Repeat("x", 3<<20)+"\n{\"a\": 1}", nil, "enqueue", "-", "--pipeline", "hello", "--no-check")
	r.WantFailure(t, cli.ExitUsage, "stdin:2:1: the line is longer than 2097152 bytes", "[too-long]", "stdin:3:2: unknown key")
	clitest.Do(t, "enqueue", "--pipeline", "hello", "--key", "a\x00b").WantFailure(t, cli.ExitUsage, "--key: natural key: got the character NUL")
	if n := clitest.Rows(t); n != 0 {
		t.Errorf("%d items were enqueued anyway", n)
	}
	if _, err := clitest.OpenQueue(t).DefineQueues(t.Context(), []workqueue.Queue{{Name: "large", QueueSizes: workqueue.QueueSizes{MaxPayload: 4 << 20}}}, "test"); err != nil {
		t.Fatal(err)
	}
	clitest.Must(t, "enqueue", "--pipeline", "hello", "--no-check", "--queue", "large", "--payload-file", huge)
	if r := clitest.DoWith(t, strings.Replace(line, "{", `{"queue": "large", `, 1), nil, "enqueue", "-", "--no-check"); r.Code != cli.ExitDone {
		t.Errorf("a line for the queue that accepts it: %s", r.Stderr)
	}
}

func TestStreamedListEqualsWholeList(t *testing.T) {
	type element struct {
		Name string         `json:"name"`
		More map[string]any `json:"more"`
	}
	for _, list := range [][]element{{}, {{"a <b>", nil}}, {{"a", nil}, {"b: c", map[string]any{"x": []int{1, 2}, "y": map[string]any{}}}, {"", nil}}} {
		for _, f := range []cli.Format{cli.FormatJSON, cli.FormatYAML} {
			var whole, streamed bytes.Buffer
			if err := (&cli.App{Streams: cli.Streams{Stdout: &whole}}).Print(f, list, nil); err != nil {
				t.Fatal(err)
			}
			printer := (&cli.App{Streams: cli.Streams{Stdout: &streamed}}).NewList(f)
			for _, e := range list {
				if err := printer.Add(e); err != nil {
					t.Fatal(err)
				}
			}
			if err := printer.End(); err != nil || streamed.String() != whole.String() {
				t.Errorf("%s, one by one:\n%swant\n%s", f, streamed.String(), whole.String())
			}
		}
	}
}
