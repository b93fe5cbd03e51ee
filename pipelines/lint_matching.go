package pipelines

import (
	"fmt"
	"slices"
	"strings"

	"botwork/internal/author/policykeys"
	"botwork/internal/author/strictyaml"
	"botwork/workqueue/matching"
	"botwork/workqueue/scoring"
)

// matching reads where the pipeline's items may run: labels, selectors and distribution.
func (c *compilation) matching(p *Pipeline, raw *rawPipeline) {
	dynamic := false
	for _, n := range []*strictyaml.Node{raw.Labels, raw.Selectors, raw.Distribution} {
		dynamic = c.holdsExpressions(n) || dynamic
	}
	if dynamic {
		return
	}
	labels, err := matching.DecodeLabels(raw.Labels.Any())
	policykeys.ReportFaults(&c.Reader, raw.Labels, err)
	selectors, err := matching.DecodeSelectors(raw.Selectors.Any())
	policykeys.ReportFaults(&c.Reader, raw.Selectors, err)
	for i, s := range selectors {
		if s.Expedite {
			// A pass finds such items by a column that is filled when they are
			// made, whatever the pipeline's file says by then.
			c.Report(raw.Selectors.Items[i], CodeInvalidValue, "got expedite, which is only allowed in an item's own selectors",
				"raise the priority of the items, or set the selector on each item")
		}
	}
	distribution, err := matching.DecodeDistribution(raw.Distribution.Any())
	if err == nil {
		err = scoring.Check(distribution)
	}
	policykeys.ReportFaults(&c.Reader, raw.Distribution, err)
	c.scoringSecrets(raw.Distribution, distribution.Scoring)
	p.Labels, p.Selectors, p.Distribution = labels, selectors, distribution
	p.SelectorsReplace = strictyaml.Value[bool](&c.Reader, raw.SelectorsReplace, nil)
}

// holdsExpressions reports the texts below n that look like expressions. They are not
// evaluated here: a label ${{ payload.site }} would be that literal text.
func (c *compilation) holdsExpressions(n *strictyaml.Node) bool {
	if n == nil {
		return false
	}
	if text, ok := n.Value.(string); ok && strings.Contains(text, "${{") {
		c.Report(n, CodeInvalidValue, "got an expression, want a fixed value: it is the same for all items of the pipeline",
			"set values that depend on the item when you enqueue it")
		return true
	}
	found := false
	for _, e := range n.Entries {
		found = c.holdsExpressions(e.Value) || found
	}
	for _, item := range n.Items {
		found = c.holdsExpressions(item) || found
	}
	return found
}

// scoringSecrets reports the secrets that the settings do not define.
func (c *compilation) scoringSecrets(n *strictyaml.Node, sc *matching.Scoring) {
	if c.opts.SecretNames == nil {
		return
	}
	for header, name := range scoring.SecretsOf(sc) {
		if !slices.Contains(c.opts.SecretNames, name) {
			c.Report(n.Descend([]string{"scoring", "http", "headers", header}), CodeUnknownSecret, fmt.Sprintf("unknown secret %q", name),
				strictyaml.Suggest(name, c.opts.SecretNames))
		}
	}
}
