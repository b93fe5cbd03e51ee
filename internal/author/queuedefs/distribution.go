package queuedefs

import (
	"errors"

	"botwork/internal/author/strictyaml"
	"botwork/workqueue"
	"botwork/workqueue/matching"
	"botwork/workqueue/scoring"
)

// distribution reads how the queue's items are given to workers. Whether the
// settings have the secrets that a scoring names, the pass finds out: the
// definition may stand in one machine's settings for the workers of another.
func (r *reader) distribution(n *strictyaml.Node) workqueue.JSONText {
	if !given(n) {
		return ""
	}
	d, err := matching.DecodeDistribution(n.Any())
	if err == nil {
		err = scoring.Check(d)
	}
	faults, _ := errors.AsType[matching.Faults](err)
	for _, f := range faults {
		at, hint := n.Descend(f.Path), strictyaml.Suggest(f.Got, f.Known)
		if !f.UnknownKey {
			r.report(at, "invalid-value", f.Message, hint)
			continue
		}
		for _, e := range n.Descend(f.Path[:len(f.Path)-1]).Entries {
			if e.Key == f.Got {
				finding := e.Finding("unknown-key", e.Value.Path+": "+f.Message, hint)
				finding.Edit = n.Descend(f.Path[:len(f.Path)-1]).Rename(e, f.Known)
				r.findings = append(r.findings, finding)
			}
		}
	}
	if len(faults) > 0 {
		return ""
	}
	return workqueue.JSONText(d.JSON())
}
