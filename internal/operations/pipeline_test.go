package operations_test

import (
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
