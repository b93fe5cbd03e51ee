package queuedefs

import (
	"botwork/internal/author/policykeys"
	"botwork/internal/author/strictyaml"
	"botwork/workqueue"
	"botwork/workqueue/escalation"
)

// escalation reads what happens to items of the queue that wait too long.
func (r *reader) escalation(n *strictyaml.Node) workqueue.JSONText {
	if !n.HasValue() {
		return ""
	}
	rules, err := escalation.Decode(n.Any())
	before := len(r.Findings)
	policykeys.ReportFaults(&r.Reader, n, err)
	if len(r.Findings) > before {
		return ""
	}
	return workqueue.JSONText(escalation.JSON(rules))
}
