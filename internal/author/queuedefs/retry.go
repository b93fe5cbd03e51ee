package queuedefs

import (
	"encoding/json"

	"botwork/internal/author/policykeys"
	"botwork/internal/author/strictyaml"
	"botwork/workqueue"
)

type rawRetry struct {
	As *strictyaml.Node `yaml:"as"`
	policykeys.Resilience
}

// storedPolicy is a [workqueue.Resilience] in the form that the database stores. It
// includes an empty list of kinds, which retries nothing; without a list, the next
// policy applies.
type storedPolicy struct {
	Limit    int                   `json:"limit,omitempty"`
	Delay    workqueue.Duration    `json:"delay,omitempty"`
	Factor   float64               `json:"factor,omitempty"`
	MaxDelay workqueue.Duration    `json:"maxDelay,omitempty"`
	Jitter   *float64              `json:"jitter,omitempty"`
	RetryOn  []workqueue.ErrorKind `json:"retryOn,omitzero"`
	Timeout  workqueue.Duration    `json:"timeout,omitempty"`
	Within   workqueue.Duration    `json:"within,omitempty"`

	MaxRetryAfter workqueue.Duration `json:"maxRetryAfter,omitempty"`
}

// retry reads how failed items are retried, and by which policy.
func (r *reader) retry(n *strictyaml.Node) (workqueue.RetryAs, workqueue.JSONText) {
	if !n.HasValue() {
		return workqueue.RetrySame, ""
	}
	var raw rawRetry
	r.Decode(n, &raw)
	as := strictyaml.Choice(&r.Reader, raw.As, retriesAs...)
	text, err := json.Marshal(storedPolicy(raw.Read(&r.Reader)))
	if err != nil {
		r.Report(n, "invalid-value", err.Error(), "")
		return as, ""
	}
	if string(text) == "{}" {
		return as, ""
	}
	return as, workqueue.JSONText(text)
}
