package cmd

import (
	"os"
	"strings"
	"testing"

	"botwork/cmd/internal/cli"
	"botwork/pipelines/graph"
)

func TestPipelinesGraph(t *testing.T) {
	inProject(t)
	writeFile(t, "botwork.yaml", "tasks:\n  greet: {pipeline: hello, payload: {name: Ada}}\n")
	golden(t, "pipelines_graph.txt", mustDo(t, "pipelines", "graph"))
	golden(t, "pipelines_graph_hello.txt", mustDo(t, "pipelines", "graph", "hello"))

	mustDo(t, "pipelines", "graph", "hello", "CleanUp", "--svg", "two.svg")
	drawn, err := os.ReadFile("two.svg")
	if err != nil {
		t.Fatal(err)
	}
	if out := mustDo(t, "pipelines", "graph", "hello", "CleanUp", "-o", "svg"); out != string(drawn) || !strings.HasPrefix(out, "<svg ") || !strings.Contains(out, ">hello</text>") {
		t.Errorf("--svg writes something else than -o svg prints:\n%s", out)
	}
	charts := decode[[]graph.Chart](t, mustDo(t, "pipelines", "graph", "hello", "-o", "json"))
	if len(charts) != 1 || len(charts[0].Nodes) != 5 || len(charts[0].Edges) != 4 {
		t.Errorf("-o json: %+v", charts)
	}
	botwork(t, "pipelines", "graph", "hallo").wantFailure(t, cli.ExitUsage, `did you mean "hello"?`)
	botwork(t, "pipelines", "graph", "-o", "png").wantFailure(t, cli.ExitUsage, "want mermaid, svg, json or yaml")
	botwork(t, "pipelines", "graph", "--svg", "a.svg", "-o", "json").wantFailure(t, cli.ExitUsage, "want one of them")
	botwork(t, "pipelines", "graph", "--svg", "nothere/a.svg").wantFailure(t, cli.ExitFailed, "nothere")

	// A folder with a broken file is drawn without it, and told.
	writeFile(t, "pipelines/broken.yaml", "steps: []\n")
	r := botwork(t, "pipelines", "graph")
	r.wantFailure(t, cli.ExitUsage, "pipelines/broken.yaml")
	if !strings.Contains(r.stdout, "hello") {
		t.Errorf("the drawing lacks the others: %s", r.stdout)
	}
}
