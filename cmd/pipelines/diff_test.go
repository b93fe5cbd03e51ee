package pipelines_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"botwork/cmd/internal/cli"
	"botwork/cmd/internal/clitest"
	"botwork/internal/operations"
)

const greetOnce, greetTwice = "steps:\n  - handler: Log\n    with: {message: hello}\n",
	"steps:\n  - handler: Log\n    with: {message: hello}\n  - handler: Log\n    with: {message: again}\n"

func TestPipelinesDiff(t *testing.T) {
	clitest.InProject(t)
	clitest.WriteFile(t, "pipelines/greet.yaml", greetOnce)
	wantText(t, clitest.Must(t, "pipelines", "versions", "greet"), "no worker has loaded greet yet")
	wantText(t, clitest.Must(t, "pipelines", "diff", "greet"), "no other version of greet is kept")
	clitest.Must(t, "enqueue", "--pipeline", "greet")
	clitest.Do(t, "pipelines", "diff", "--item", "1").WantFailure(t, cli.ExitUsage, "the version that item 1 ran is not recorded")
	clitest.Must(t, "run", "--once", "ExecuteWorkQueue")
	wantText(t, clitest.Must(t, "pipelines", "diff", "greet"), "no other version of greet is kept")
	wantText(t, clitest.Must(t, "pipelines", "diff", "--item", "1"), "nothing has changed in greet")

	clitest.WriteFile(t, "pipelines/greet.yaml", greetTwice)
	for _, args := range [][]string{{"greet"}, {"greet", "--item", "1"}} {
		out := clitest.Must(t, append([]string{"pipelines", "diff"}, args...)...)
		wantText(t, out, "\n+++ pipelines/greet.yaml\n")
		wantText(t, out, "\n+    with: {message: again}\n")
		if strings.Contains(out, "\n-") {
			t.Errorf("the diff removes lines that the file has:\n%s", out)
		}
	}
	clitest.Must(t, "enqueue", "--pipeline", "greet")
	clitest.Must(t, "run", "--once", "ExecuteWorkQueue")
	views := clitest.Decode[[]operations.Version](t, clitest.Must(t, "pipelines", "versions", "greet", "-o", "json"))
	if len(views) != 2 || !views[0].Present || views[1].Present {
		t.Fatalf("versions = %+v, want the file's and the previous one", views)
	}
	out := clitest.Must(t, "pipelines", "versions", "greet")
	wantText(t, out, "*  "+views[0].Hash[:12])
	if items := clitest.Must(t, "items", "show", "1"); !strings.Contains(items, views[1].Hash[:12]) {
		t.Errorf("the item does not show the version that it ran, %.12s:\n%s", views[1].Hash, items)
	}
	since := clitest.Decode[operations.Diff](t, clitest.Must(t, "pipelines", "diff", "greet", "--hash", strings.ToUpper(views[1].Hash[:6]), "-o", "json"))
	if since.Since == nil || since.Since.Hash != views[1].Hash || *since.Hash != views[0].Hash || !strings.Contains(since.Diff, "again") {
		t.Errorf("diff = %+v, want that of the two versions", since)
	}

	clitest.WriteFile(t, "pipelines/greet.yaml", "steps: [") // broken, and shown all the same
	wantText(t, clitest.Must(t, "pipelines", "diff", "greet"), "\n+steps: [\n")
	if err := os.Remove(filepath.Join("pipelines", "greet.yaml")); err != nil {
		t.Fatal(err)
	}
	wantText(t, clitest.Must(t, "pipelines", "diff", "greet"), "\n+++ /dev/null\n")
}

func TestPipelinesDiffRefuses(t *testing.T) {
	clitest.InProject(t)
	clitest.Must(t, "enqueue", "--pipeline", "hello", "--payload", `{"name": "Ada"}`)
	inline := "steps: [{handler: Log, with: {message: x}}]"
	clitest.Must(t, "enqueue", "--pipeline", inline)
	for want, args := range map[string][]string{
		"got no pipeline":              {},
		"got --item and --hash":        {"--item", "1", "--hash", "ab"},
		"got --attempt without --item": {"hello", "--attempt", "1"},
		`--hash: got "xy"`:             {"hello", "--hash", "xy"},
		"no version of \"hello\"":      {"hello", "--hash", "ab"},
		`there is no pipeline "helo"`:  {"helo"},
		"not \"other\"":                {"other", "--item", "1"},
		"no recorded attempt 7":        {"--item", "1", "--attempt", "7"},
		"contains its own pipeline":    {"--item", "2"},
	} {
		clitest.Do(t, append([]string{"pipelines", "diff"}, args...)...).WantFailure(t, cli.ExitUsage, want)
	}
	clitest.Do(t, "pipelines", "versions", "helo").WantFailure(t, cli.ExitUsage, `there is no pipeline "helo"`)
	clitest.Do(t, "pipelines", "versions", "hello", "--limit", "0").WantFailure(t, cli.ExitUsage, "--limit: got 0")
}

func wantText(t *testing.T, got, want string) {
	t.Helper()
	if !strings.Contains(got, want) {
		t.Errorf("the output lacks %q:\n%s", want, got)
	}
}
