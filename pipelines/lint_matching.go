package pipelines

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"botwork/internal/author/strictyaml"
	"botwork/workqueue/matching"
	"botwork/workqueue/scoring"
)

// matching reads what the pipeline says of where its items may run: labels,
// selectors, and how they are given to workers.
func (c *compilation) matching(p *Pipeline, raw *rawPipeline) {
	dynamic := false
	for _, n := range []*strictyaml.Node{raw.Labels, raw.Selectors, raw.Distribution} {
		dynamic = c.holdsExpressions(n) || dynamic
	}
	if dynamic {
		return
	}
	labels, err := matching.DecodeLabels(raw.Labels.Any())
	c.mismatches(raw.Labels, err)
	selectors, err := matching.DecodeSelectors(raw.Selectors.Any())
	c.mismatches(raw.Selectors, err)
	for i, s := range selectors {
		if s.Expedite {
			// A pass finds such items by a column that is filled when they are
			// made, whatever the pipeline's file says by then.
			c.report(raw.Selectors.Items[i], CodeInvalidValue, "got expedite, which only an item's own selectors can say",
				"give the items a higher priority, or the selector to each of them")
		}
	}
	distribution, err := matching.DecodeDistribution(raw.Distribution.Any())
	if err == nil {
		err = scoring.Check(distribution)
	}
	c.mismatches(raw.Distribution, err)
	c.scoringSecrets(raw.Distribution, distribution.Scoring)
	p.Labels, p.Selectors, p.Distribution = labels, selectors, distribution
	p.SelectorsReplace = value[bool](c, raw.SelectorsReplace, nil)
}

// holdsExpressions reports the texts below n that look like expressions: none is
// evaluated here, and a label ${{ payload.site }} would be that very text.
func (c *compilation) holdsExpressions(n *strictyaml.Node) bool {
	if n == nil {
		return false
	}
	if text, ok := n.Value.(string); ok && strings.Contains(text, "${{") {
		c.report(n, CodeInvalidValue, "got an expression, want the value itself: this is the same for all items of the pipeline",
			"say what depends on an item where it is enqueued")
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

// mismatches reports faults at their places below n.
func (c *compilation) mismatches(n *strictyaml.Node, err error) {
	faults, _ := errors.AsType[matching.Faults](err)
	for _, f := range faults {
		at, hint := descend(n, f.Path), strictyaml.Suggest(f.Got, f.Known)
		if !f.UnknownKey {
			c.report(at, CodeInvalidValue, f.Message, hint)
			continue
		}
		for _, e := range descend(n, f.Path[:len(f.Path)-1]).Entries {
			if e.Key == f.Got {
				c.reportAt(placeOfKey(e), "unknown-key", at.Path+": "+f.Message, hint)
				c.mend(descend(n, f.Path[:len(f.Path)-1]).Rename(e, f.Known))
			}
		}
	}
}

// scoringSecrets reports the names of secrets that the settings do not have.
func (c *compilation) scoringSecrets(n *strictyaml.Node, sc *matching.Scoring) {
	if c.opts.SecretNames == nil {
		return
	}
	for header, name := range scoring.SecretsOf(sc) {
		if !slices.Contains(c.opts.SecretNames, name) {
			c.report(descend(n, []string{"scoring", "http", "headers", header}), CodeUnknownSecret, fmt.Sprintf("unknown secret %q", name),
				strictyaml.Suggest(name, c.opts.SecretNames))
		}
	}
}
