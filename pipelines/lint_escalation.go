package pipelines

import (
	"fmt"
	"strconv"

	"botwork/internal/author/policykeys"
	"botwork/internal/author/strictyaml"
	"botwork/workqueue"
	"botwork/workqueue/escalation"
)

// escalation reads what happens to the pipeline's items that wait too long.
func (c *compilation) escalation(n *strictyaml.Node) []escalation.Rule {
	if c.holdsExpressions(n) {
		return nil
	}
	rules, err := escalation.Decode(n.Any())
	policykeys.ReportFaults(&c.Reader, n, err)
	for i, r := range rules {
		if r.Keep > 0 {
			c.Report(n.Descend([]string{strconv.Itoa(i), "keep"}), CodeInvalidValue,
				fmt.Sprintf("got %d, want no keep: the items of a pipeline may be in several queues, each with its own order", r.Keep), "write the rule in the queue")
		}
	}
	return rules
}

// Escalations returns the rules of escalation of all pipelines that items run, ordered by pipeline.
func (k *Catalogue) Escalations() []workqueue.Escalation {
	var all []workqueue.Escalation
	for _, p := range k.All() {
		if p.Trigger == nil {
			all = append(all, workqueue.EscalationsOf(workqueue.EscalatePipeline, p.Name, p.Escalation)...)
		}
	}
	return all
}
