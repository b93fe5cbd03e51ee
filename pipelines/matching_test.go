package pipelines

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"botwork/workqueue/matching"
)

func TestParseLabelsAndSelectors(t *testing.T) {
	p, findings := testCompiler(nil).Parse("render.yaml", []byte(`
labels: {language: french, size: 3}
selectors: [gpu = true, {key: site, operator: in, values: [lisbon], expiresAfter: 45s}]
selectorsReplace: true
distribution: {mode: best-worker, scoring: {rule: map, label: skill, scores: {expert: 10}}}
steps: [{handler: Echo}]
`))
	if len(findings) > 0 {
		t.Fatal(findings)
	}
	type part struct {
		Labels       matching.Labels
		Selectors    []matching.Selector
		Replace      bool
		Distribution matching.Distribution
	}
	want := part{
		Labels: matching.Labels{"language": matching.Text("french"), "size": matching.Number(3)},
		Selectors: []matching.Selector{
			{Key: "gpu", Operator: matching.Equal, Value: matching.Bool(true)},
			{Key: "site", Operator: matching.In, Values: []matching.Value{matching.Text("lisbon")}, ExpiresAfter: 45 * time.Second},
		},
		Replace: true,
		Distribution: matching.Distribution{Mode: matching.BestWorker, Scoring: &matching.Scoring{
			Rule: matching.MapRule, Label: "skill", Scores: map[string]float64{"expert": 10},
		}},
	}
	if diff := cmp.Diff(want, part{p.Labels, p.Selectors, p.SelectorsReplace, p.Distribution}); diff != "" {
		t.Errorf("pipeline (-want +got):\n%s", diff)
	}
}
