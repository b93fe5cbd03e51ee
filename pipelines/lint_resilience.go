package pipelines

import (
	"fmt"
	"time"

	"botwork/handlers"
	"botwork/internal/author/strictyaml"
	"botwork/workqueue"
)

// rawBackoff lists the keys that an item's and a step's retry policy share.
type rawBackoff struct {
	Delay    *strictyaml.Node `yaml:"delay"`
	Factor   *strictyaml.Node `yaml:"factor"`
	MaxDelay *strictyaml.Node `yaml:"maxDelay"`
	Jitter   *strictyaml.Node `yaml:"jitter"`
}

type rawResilience struct {
	Limit *strictyaml.Node `yaml:"limit"`
	rawBackoff
	RetryOn *strictyaml.Node `yaml:"retryOn"`
	Timeout *strictyaml.Node `yaml:"timeout"`
	Within  *strictyaml.Node `yaml:"within"`

	MaxRetryAfter *strictyaml.Node `yaml:"maxRetryAfter"`
}

type rawRetry struct {
	Attempts *strictyaml.Node `yaml:"attempts,required"`
	rawBackoff
}

func (c *compilation) resilience(n *strictyaml.Node) workqueue.Resilience {
	var raw rawResilience
	if !given(n) {
		return workqueue.Resilience{}
	}
	c.findings = append(c.findings, n.Decode(&raw)...)
	r := c.backoff(raw.rawBackoff, positive)
	r.Limit = value(c, raw.Limit, oneOrMore)
	r.Timeout = workqueue.Duration(value(c, raw.Timeout, positive))
	r.Within = workqueue.Duration(value(c, raw.Within, positive))
	r.MaxRetryAfter = workqueue.Duration(value(c, raw.MaxRetryAfter, positive))
	if given(raw.RetryOn) && raw.RetryOn.Kind == strictyaml.Sequence {
		r.RetryOn = []workqueue.ErrorKind{} // an empty list is a policy: retry nothing
		for _, item := range raw.RetryOn.Items {
			r.RetryOn = append(r.RetryOn, choice(c, item, workqueue.ErrorKinds...))
		}
	} else if given(raw.RetryOn) {
		value[[]string](c, raw.RetryOn, nil)
	}
	return r
}

// backoff reads the keys that both share. An item's delay of 0s would mean "not set", so it
// is refused; a step may be retried immediately.
func (c *compilation) backoff(raw rawBackoff, delay func(handlers.Duration) string) workqueue.Resilience {
	r := workqueue.Resilience{
		Delay:    workqueue.Duration(value(c, raw.Delay, delay)),
		MaxDelay: workqueue.Duration(value(c, raw.MaxDelay, positive)),
		Factor: value(c, raw.Factor, func(f float64) string {
			if f < 1 {
				return fmt.Sprintf("got %v, want 1 or more", f)
			}
			return ""
		}),
	}
	if given(raw.Jitter) {
		share := value(c, raw.Jitter, func(f float64) string {
			if f < 0 || f > 1 {
				return fmt.Sprintf("got %v, want a number from 0 to 1", f)
			}
			return ""
		})
		r.Jitter = &share
	}
	return r
}

func oneOrMore(n int) string {
	if n < 1 {
		return fmt.Sprintf("got %d, want 1 or more: it counts all attempts, including the first", n)
	}
	return ""
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
	if !given(n) {
		return 1, policy
	}
	var raw rawRetry
	c.findings = append(c.findings, n.Decode(&raw)...)
	attempts = max(1, value(c, raw.Attempts, oneOrMore))
	policy = c.backoff(raw.rawBackoff, notNegative)
	noDelay := given(raw.Delay) && policy.Delay == 0
	policy = policy.Or(stepBackoff())
	if noDelay {
		policy.Delay = 0
	}
	if !given(raw.MaxDelay) {
		policy.MaxDelay = max(policy.MaxDelay, policy.Delay) // a default must not shorten the requested delay
	}
	return attempts, policy
}
