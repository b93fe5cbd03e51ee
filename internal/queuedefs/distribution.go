package queuedefs

import (
	"errors"

	"botwork/internal/strictyaml"
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
		at, hint := descend(n, f.Path), strictyaml.Suggest(f.Got, f.Known)
		if !f.UnknownKey {
			r.report(at, "invalid-value", f.Message, hint)
			continue
		}
		for _, e := range descend(n, f.Path[:len(f.Path)-1]).Entries {
			if e.Key == f.Got {
				r.findings = append(r.findings, strictyaml.Finding{
					File: n.File, Line: e.KeyLine, Column: e.KeyColumn, Code: "unknown-key", Message: e.Value.Path + ": " + f.Message, Hint: hint,
				})
			}
		}
	}
	if len(faults) > 0 {
		return ""
	}
	return workqueue.JSONText(d.JSON())
}
