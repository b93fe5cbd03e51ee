package pipelines_test

import (
	"os"
	"strings"
	"testing"

	"botwork/cmd/internal/cli"
	"botwork/cmd/internal/clitest"
	"botwork/pipelines/graph"
)

func TestPipelinesGraph(t *testing.T) {
	clitest.InProject(t)
	clitest.WriteFile(t, "botwork.yaml", "tasks:\n  greet: {pipeline: hello, payload: {name: Ada}}\n")
	clitest.Golden(t, "pipelines_graph.txt", clitest.Must(t, "pipelines", "graph"))
	clitest.Golden(t, "pipelines_graph_hello.txt", clitest.Must(t, "pipelines", "graph", "hello"))

	clitest.Must(t, "pipelines", "graph", "hello", "CleanUp", "--svg", "two.svg")
	drawn, err := os.ReadFile("two.svg")
	if err != nil {
		t.Fatal(err)
	}
	if out := clitest.Must(t, "pipelines", "graph", "hello", "CleanUp", "-o", "svg"); out != string(drawn) || !strings.HasPrefix(out, "<svg ") || !strings.Contains(out, ">hello</text>") {
		t.Errorf("--svg and -o svg differ:\n%s", out)
	}
	charts := clitest.Decode[[]graph.Chart](t, clitest.Must(t, "pipelines", "graph", "hello", "-o", "json"))
	if len(charts) != 1 || len(charts[0].Nodes) != 5 || len(charts[0].Edges) != 4 {
		t.Errorf("-o json: %+v", charts)
	}
	clitest.Do(t, "pipelines", "graph", "hallo").WantFailure(t, cli.ExitUsage, `did you mean "hello"?`)
	clitest.Do(t, "pipelines", "graph", "-o", "png").WantFailure(t, cli.ExitUsage, "want mermaid, svg, json or yaml")
	clitest.Do(t, "pipelines", "graph", "--svg", "a.svg", "-o", "json").WantFailure(t, cli.ExitUsage, "want one of them")
	clitest.Do(t, "pipelines", "graph", "--svg", "nothere/a.svg").WantFailure(t, cli.ExitFailed, "nothere")
	clitest.Do(t, "pipelines", "graph", "--svg", "LPT1.svg").WantFailure(t, cli.ExitUsage, "LPT1 is a device on Windows")

	// A folder with a broken file is drawn without that file, and the error is reported.
	clitest.WriteFile(t, "pipelines/broken.yaml", "steps: []\n")
	r := clitest.Do(t, "pipelines", "graph")
	r.WantFailure(t, cli.ExitUsage, "pipelines/broken.yaml")
	if !strings.Contains(r.Stdout, "hello") {
		t.Errorf("the drawing lacks the others: %s", r.Stdout)
	}
}
