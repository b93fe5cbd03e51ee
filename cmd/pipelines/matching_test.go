package pipelines_test

import (
	"path/filepath"
	"testing"

	"botwork/cmd/internal/clitest"

	"github.com/google/go-cmp/cmp"
)

func TestPipelinesShowWhereItemsMayRun(t *testing.T) {
	clitest.InProject(t)
	clitest.WriteFile(t, filepath.Join("pipelines", "render.yaml"), `labels: {language: french}
selectors: [gpu = true]
distribution: {mode: best-worker, scoring: {rule: static, score: 1}}
steps: [{handler: Log, with: {message: hi}}]
`)
	type part struct {
		Labels       map[string]any
		Selectors    []map[string]any
		Distribution map[string]any
	}
	want := part{
		Labels:       map[string]any{"language": "french"},
		Selectors:    []map[string]any{{"key": "gpu", "operator": "equal", "value": true}},
		Distribution: map[string]any{"mode": "best-worker", "scoring": map[string]any{"rule": "static", "score": 1.0}},
	}
	if diff := cmp.Diff(want, clitest.Decode[part](t, clitest.Must(t, "pipelines", "show", "render", "-o", "json"))); diff != "" {
		t.Errorf("pipeline (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(part{}, clitest.Decode[part](t, clitest.Must(t, "pipelines", "show", "hello", "-o", "json"))); diff != "" {
		t.Errorf("a pipeline without these settings (-want +got):\n%s", diff)
	}
}
