package operations_test

import (
	"strings"
	"testing"

	"botwork/handlers/builtin"
	"botwork/internal/operations"
	"botwork/pipelines"
)

func TestViewPipelineWithBatch(t *testing.T) {
	c := pipelines.NewCompiler(builtin.Registry(builtin.Resources{}), pipelines.Options{})
	p, findings := c.Parse("letters.yaml", []byte("batch: {by: '${{ payload.customer }}', wait: 10s}\nsteps: [{handler: Log, with: {message: x}}]\n"))
	if len(findings) > 0 {
		t.Fatal(findings)
	}
	want := operations.PipelineBatch{By: "${{ payload.customer }}", Max: 100, Wait: "10s", AtMost: "5m"}
	if got := operations.ViewPipeline(p).Batch; got == nil || *got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

// The steps of blocks, and those of a called pipeline, follow the step around them.
func TestViewPipelineWithBlocks(t *testing.T) {
	c := pipelines.NewCompiler(builtin.Registry(builtin.Resources{}), pipelines.Options{})
	k, findings := pipelines.Load(c, []pipelines.File{
		{Path: "pipelines/common/ledger.yaml", Data: []byte("steps: [{name: sign, handler: Log, with: {message: x}}]\n")},
		{Path: "pipelines/order.yaml", Data: []byte(`steps:
  - name: lines
    foreach: ${{ payload.lines }}
    as: line
    parallel: 4
    steps:
      - {handler: Log, with: {message: "${{ line }}"}}
      - {name: post, uses: common/ledger}
  - {name: both, parallel: true, steps: [{name: one, handler: Log, with: {message: x}}, {name: two, handler: Log, with: {message: x}}]}
`)},
	})
	p, ok := k.Get("order")
	if len(findings) > 0 || !ok {
		t.Fatal(findings)
	}
	want := "lines block, lines / Log Log, lines / post uses common/ledger, lines / post / sign Log, both parallel, both / one Log, both / two Log"
	v := operations.ViewPipeline(p)
	if callee, _ := k.Get("ledger"); v.RunHash == "" || v.RunHash == v.Hash || operations.ViewPipeline(callee).RunHash != "" {
		t.Errorf("got the hashes %q and %q of a pipeline that calls another, and %q of the other", v.Hash, v.RunHash, operations.ViewPipeline(callee).RunHash)
	}
	var got []string
	for _, s := range v.Steps {
		got = append(got, s.Path+" "+s.Kind)
	}
	if text := strings.Join(got, ", "); text != want {
		t.Errorf("got  %s\nwant %s", text, want)
	}
	if s := v.Steps[0]; s.Foreach != "${{ payload.lines }}" || s.As != "line" || s.Parallel != 4 || s.Handler != "" || v.Steps[2].Uses != "common/ledger" {
		t.Errorf("got the loop %+v and the call %+v", s, v.Steps[2])
	}
	got = nil
	for _, s := range operations.RunDry(pipelines.NewEngine(pipelines.EngineOptions{}), p, `{"lines": ["a"]}`, nil).Steps {
		got = append(got, s.Path+" "+s.Kind)
	}
	if text := strings.Join(got, ", "); text != want {
		t.Errorf("dry run: got %s\nwant %s", text, want)
	}
}
