package pipelines

import (
	"time"

	"botwork/internal/author/policykeys"
	"botwork/internal/author/strictyaml"
	"botwork/workqueue"
)

type rawRetry struct {
	Attempts *strictyaml.Node `yaml:"attempts,required"`
	policykeys.Backoff
}

func (c *compilation) resilience(n *strictyaml.Node) workqueue.Resilience {
	if !n.HasValue() {
		return workqueue.Resilience{}
	}
	var raw policykeys.Resilience
	c.decodeMapping(n, &raw, countAs("limit"))
	return raw.Read(&c.Reader)
}

// stepBackoff returns the defaults of a step's `retry`. A waiting step keeps its slot, so
// the waits are short.
func stepBackoff() workqueue.Resilience {
	jitter := 0.1
	return workqueue.Resilience{
		Delay: workqueue.Duration(time.Second), Factor: 2, MaxDelay: workqueue.Duration(time.Minute), Jitter: &jitter,
	}
}

// retry reads how a step is retried within one run.
func (c *compilation) retry(n *strictyaml.Node) (attempts int, policy workqueue.Resilience) {
	if !n.HasValue() {
		return 1, policy
	}
	var raw rawRetry
	c.decodeMapping(n, &raw, countAs("attempts"))
	attempts = max(1, strictyaml.Value(&c.Reader, raw.Attempts, policykeys.Attempts))
	policy = raw.Read(&c.Reader, policykeys.NotNegative)
	noDelay := raw.Delay.HasValue() && policy.Delay == 0
	policy = policy.Or(stepBackoff())
	if noDelay {
		policy.Delay = 0
	}
	if !raw.MaxDelay.HasValue() {
		policy.MaxDelay = max(policy.MaxDelay, policy.Delay) // a default must not shorten the requested delay
	}
	return attempts, policy
}
