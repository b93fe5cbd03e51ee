package queuedefs

import (
	"botwork/internal/author/policykeys"
	"botwork/internal/author/strictyaml"
	"botwork/workqueue"
	"botwork/workqueue/matching"
	"botwork/workqueue/scoring"
)

// distribution reads how the queue's items are distributed to workers. It does not
// check the names of secrets: the pass does, because the workers can run on other
// machines with other settings.
func (r *reader) distribution(n *strictyaml.Node) workqueue.JSONText {
	if !n.HasValue() {
		return ""
	}
	d, err := matching.DecodeQueueDistribution(n.Any())
	if err == nil {
		err = scoring.Check(d)
	}
	before := len(r.Findings)
	policykeys.ReportFaults(&r.Reader, n, err)
	if len(r.Findings) > before {
		return ""
	}
	return workqueue.JSONText(d.JSON())
}
