package queuedefs

import (
	"encoding/json"
	"fmt"

	"botwork/internal/author/strictyaml"
	"botwork/workqueue"
)

type rawRetry struct {
	As       *strictyaml.Node `yaml:"as"`
	Limit    *strictyaml.Node `yaml:"limit"`
	Delay    *strictyaml.Node `yaml:"delay"`
	Factor   *strictyaml.Node `yaml:"factor"`
	MaxDelay *strictyaml.Node `yaml:"maxDelay"`
	Jitter   *strictyaml.Node `yaml:"jitter"`
	RetryOn  *strictyaml.Node `yaml:"retryOn"`
	Timeout  *strictyaml.Node `yaml:"timeout"`
	Within   *strictyaml.Node `yaml:"within"`

	MaxRetryAfter *strictyaml.Node `yaml:"maxRetryAfter"`
}

// policy is a workqueue.Resilience as the database keeps it. An empty list of
// kinds is written: it retries nothing, while no list falls through.
type policy struct {
	Limit    int                    `json:"limit,omitempty"`
	Delay    workqueue.Duration     `json:"delay,omitempty"`
	Factor   float64                `json:"factor,omitempty"`
	MaxDelay workqueue.Duration     `json:"maxDelay,omitempty"`
	Jitter   *float64               `json:"jitter,omitempty"`
	RetryOn  *[]workqueue.ErrorKind `json:"retryOn,omitempty"`
	Timeout  workqueue.Duration     `json:"timeout,omitempty"`
	Within   workqueue.Duration     `json:"within,omitempty"`

	MaxRetryAfter workqueue.Duration `json:"maxRetryAfter,omitempty"`
}

// retry reads what a retry is, and when there is one.
func (r *reader) retry(n *strictyaml.Node) (workqueue.RetryAs, workqueue.JSONText) {
	if !given(n) {
		return workqueue.RetrySame, ""
	}
	var raw rawRetry
	r.findings = append(r.findings, n.Decode(&raw)...)
	as := choice(r, raw.As, retriesAs...)
	p := policy{
		Limit: value(r, raw.Limit, func(n int) string {
			if n < 1 {
				return fmt.Sprintf("got %d, want 1 or more: it counts all attempts, including the first", n)
			}
			return ""
		}),
		Delay: span(r, raw.Delay, positive),
		Factor: value(r, raw.Factor, func(f float64) string {
			if f < 1 {
				return fmt.Sprintf("got %v, want 1 or more", f)
			}
			return ""
		}),
		MaxDelay: span(r, raw.MaxDelay, positive),
		Jitter: orNil(r, raw.Jitter, func(n *strictyaml.Node) float64 {
			return value(r, n, func(f float64) string {
				if f < 0 || f > 1 {
					return fmt.Sprintf("got %v, want a number from 0 to 1", f)
				}
				return ""
			})
		}),
		RetryOn: r.retryOn(raw.RetryOn),
		Timeout: span(r, raw.Timeout, positive),
		Within:  span(r, raw.Within, positive),

		MaxRetryAfter: span(r, raw.MaxRetryAfter, positive),
	}
	if p == (policy{}) {
		return as, ""
	}
	text, err := json.Marshal(p)
	if err != nil {
		r.report(n, "invalid-value", err.Error(), "")
		return as, ""
	}
	return as, workqueue.JSONText(text)
}

func (r *reader) retryOn(n *strictyaml.Node) *[]workqueue.ErrorKind {
	if !given(n) {
		return nil
	}
	if n.Kind != strictyaml.Sequence {
		value[[]string](r, n, nil) // which reports it
		return nil
	}
	kinds := []workqueue.ErrorKind{}
	for _, item := range n.Items {
		if item.Kind == strictyaml.Null {
			r.report(item, "wrong-type", "got nothing, want error, timeout or business", "")
			continue
		}
		kinds = append(kinds, choice(r, item, workqueue.ErrorKinds...))
	}
	return &kinds
}
