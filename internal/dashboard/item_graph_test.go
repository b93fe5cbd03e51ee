package dashboard

import (
	"slices"
	"strings"
	"testing"

	"botwork/pipelines/graph"
)

func TestMarkRun(t *testing.T) {
	steps := []step{{Path: "load"}, {Path: "check", If: "payload.a"}, {Path: "soft", OnError: "continue"}, {Path: "post"}, {Path: "report"}}
	chart := func() *graph.Chart {
		c := &graph.Chart{Nodes: []graph.Node{{Shape: graph.Start, Lines: []string{"an item"}}}}
		for i := range steps {
			c.Nodes = append(c.Nodes, graph.Node{Shape: graph.Step, Path: steps[i].Path, Lines: []string{steps[i].Path, "Log"}})
		}
		return &graph.Chart{Nodes: append(c.Nodes, graph.Node{Shape: graph.Condition, Lines: []string{"if", "load"}}, graph.Node{Shape: graph.End, Lines: []string{"succeeded"}})}
	}
	const times = `[{"step":"load","ms":1200},{"step":"soft","ms":0},{"step":"post","ms":61000}]`
	for _, c := range []struct {
		name string
		run  *latestRun
		want string
	}{
		{"none", nil, ":|:|:|:|:|:|:|:"},
		{"failed", &latestRun{Outcome: "failed", Step: "post", Times: times, Log: "continuing the pipeline step=soft"},
			"done:|done:✓ Ran · 1.2 s|unreached:– Skipped|failed:✗ Failed, the run went on · 0 ms|failed:✗ Failed · 1 min 1 s|unreached:– Not reached|:|:"},
		{"running", &latestRun{Outcome: "running", Step: "check"}, "done:|done:✓ Ran|active:▶ Running|unreached:– Not reached|unreached:– Not reached|unreached:– Not reached|:|:"},
		{"rescued", &latestRun{Outcome: "rescued", Step: "load"}, "done:|active:… Interrupted|unreached:– Not reached|unreached:– Not reached|unreached:– Not reached|unreached:– Not reached|:|:"},
		{"succeeded", &latestRun{Outcome: "succeeded"}, "done:|done:✓ Ran|:? Not recorded|done:✓ Ran|done:✓ Ran|done:✓ Ran|:|done:"},
	} {
		drawn, marked := chart(), stepsOf(steps, c.run)
		markRun(drawn, marked, c.run)
		var got []string
		for _, n := range drawn.Nodes {
			got = append(got, string(n.Mark)+":"+strings.Join(n.Lines[min(2, len(n.Lines)):], " "))
		}
		// The start, the condition and the end have fewer lines.
		got[0] = string(drawn.Nodes[0].Mark) + ":"
		if text := strings.Join(got, "|"); text != c.want {
			t.Errorf("%s: got %s, want %s", c.name, text, c.want)
		}
	}
}

// The steps of a block are marked by their paths.
func TestMarkNestedSteps(t *testing.T) {
	steps := []step{{Path: "post", Kind: "block"}, {Path: "post / sign"}, {Path: "sign"}}
	run := &latestRun{Outcome: "failed", Step: "post / sign"}
	c := &graph.Chart{Nodes: []graph.Node{{Shape: graph.Frame, Path: "post"}, {Shape: graph.Step, Path: "post / sign"}, {Shape: graph.Step, Path: "sign"}}}
	markRun(c, stepsOf(steps, run), run)
	for i, want := range []graph.Mark{graph.Failed, graph.Failed, graph.Unreached} {
		if n := c.Nodes[i]; n.Mark != want {
			t.Errorf("%s is %q, want %q", n.Path, n.Mark, want)
		}
	}
}

// Every look of a step has a mark in the graph, so that none is drawn without a sign.
func TestEveryLookHasAMark(t *testing.T) {
	looks := []look{stepRan, stepWentOn, stepUnsure, stepUnreached, stepSkipped}
	for _, l := range stepHere {
		looks = append(looks, l)
	}
	if i := slices.IndexFunc(looks, func(l look) bool { return marks[l].sign == "" }); i >= 0 {
		t.Errorf("%v has no mark", looks[i])
	}
}

// The address of a graph is another one when the graph is.
func TestAddressOfRunGraph(t *testing.T) {
	it, p := &item{ID: 7}, &itemPipeline{pipeline: pipeline{Name: "x", Hash: "a"}}
	steps := []step{{Path: "load"}, {Path: "post"}}
	seen := map[string]string{}
	for name, run := range map[string]*latestRun{
		"at the first": {Number: 1, Outcome: "running", Step: "load"}, "at the second": {Number: 1, Outcome: "running", Step: "post"},
		"again": {Number: 2, Outcome: "running", Step: "load"}, "failed": {Number: 1, Outcome: "failed", Step: "load"},
	} {
		at := runGraph(it, p, run, stepsOf(steps, run))
		if !strings.HasPrefix(at, "/drawings/items/7?of=") || seen[at] != "" {
			t.Errorf("%s has the address %s, like %q", name, at, seen[at])
		}
		seen[at] = name
	}
	run := &latestRun{Number: 1, Outcome: "failed", Step: "load"}
	for _, hash := range []string{"b", "c"} { // of the pipelines that it calls
		p.RunHash = hash
		at := runGraph(it, p, run, stepsOf(steps, run))
		if seen[at] != "" {
			t.Errorf("the text of a called pipeline changes, and the address is that of %q", seen[at])
		}
		seen[at] = "hash " + hash
	}
	if at := runGraph(it, p, nil, nil) + runGraph(it, nil, &latestRun{}, nil); at != "" {
		t.Errorf("a graph without a run or a pipeline: %s", at)
	}
}
