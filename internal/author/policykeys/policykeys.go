// Package policykeys reads the keys that pipelines and queues share: how failed items
// are retried, and which worker gets an item.
package policykeys

import (
	"errors"
	"fmt"
	"strconv"
	"time"

	"botwork/handlers"
	"botwork/internal/author/strictyaml"
	"botwork/workqueue"
	"botwork/workqueue/matching"
)

// Backoff lists the keys of the waits between attempts.
type Backoff struct {
	Delay    *strictyaml.Node `yaml:"delay"`
	Factor   *strictyaml.Node `yaml:"factor"`
	MaxDelay *strictyaml.Node `yaml:"maxDelay"`
	Jitter   *strictyaml.Node `yaml:"jitter"`
}

// Resilience lists the keys of a [workqueue.Resilience].
type Resilience struct {
	Limit *strictyaml.Node `yaml:"limit"`
	Backoff
	RetryOn *strictyaml.Node `yaml:"retryOn"`
	Timeout *strictyaml.Node `yaml:"timeout"`
	Within  *strictyaml.Node `yaml:"within"`

	MaxRetryAfter *strictyaml.Node `yaml:"maxRetryAfter"`
}

// Read reads the policy of retrying items. A field without a value is zero, so that the
// next policy applies.
func (raw *Resilience) Read(r *strictyaml.Reader) workqueue.Resilience {
	policy := raw.Backoff.Read(r, Positive)
	policy.Limit = strictyaml.Value(r, raw.Limit, Attempts)
	policy.RetryOn = retryOn(r, raw.RetryOn)
	policy.Timeout = Span(r, raw.Timeout, Positive)
	policy.Within = Span(r, raw.Within, Positive)
	policy.MaxRetryAfter = Span(r, raw.MaxRetryAfter, Positive)
	return policy
}

// Read reads the waits between attempts. delay checks the first wait: the delay of an
// item must be positive, because 0s would mean "not set", but a step can be retried
// immediately.
func (raw *Backoff) Read(r *strictyaml.Reader, delay func(time.Duration) string) workqueue.Resilience {
	policy := workqueue.Resilience{
		Delay:    Span(r, raw.Delay, delay),
		MaxDelay: Span(r, raw.MaxDelay, Positive),
		Factor: strictyaml.Value(r, raw.Factor, func(f float64) string {
			if f < 1 {
				return fmt.Sprintf("got %v, want 1 or more", f)
			}
			return ""
		}),
	}
	findings := len(r.Findings)
	jitter := strictyaml.Value(r, raw.Jitter, func(f float64) string {
		if f < 0 || f > 1 {
			return fmt.Sprintf("got %v, want a number from 0 to 1", f)
		}
		return ""
	})
	if raw.Jitter.HasValue() && len(r.Findings) == findings {
		policy.Jitter = &jitter
	}
	return policy
}

// retryOn reads the kinds of failures that are retried. An empty list is not nil: it
// retries nothing.
func retryOn(r *strictyaml.Reader, n *strictyaml.Node) []workqueue.ErrorKind {
	if !n.HasValue() {
		return nil
	}
	if n.Kind != strictyaml.Sequence {
		strictyaml.Value[[]string](r, n, nil) // reports the wrong type
		return nil
	}
	kinds := []workqueue.ErrorKind{}
	for _, item := range n.Items {
		if item.Kind == strictyaml.Null {
			r.Report(item, "wrong-type", "got nothing, want error, timeout or business", "")
			continue
		}
		kinds = append(kinds, strictyaml.Choice(r, item, workqueue.ErrorKinds...))
	}
	return kinds
}

// Attempts checks a number of attempts.
func Attempts(n int) string {
	if n < 1 {
		return fmt.Sprintf("got %d, want 1 or more: it counts all attempts, including the first", n)
	}
	return ""
}

// Span reads a duration; a day ("7d") is 24 hours. check returns the duration that is
// wanted instead, or "" if the value is valid.
func Span(r *strictyaml.Reader, n *strictyaml.Node, check func(time.Duration) string) workqueue.Duration {
	return workqueue.Duration(strictyaml.Value(r, n, func(d handlers.Duration) string {
		if want := check(time.Duration(d)); want != "" {
			return fmt.Sprintf("got %s, want %s", n.Text, want)
		}
		return ""
	}))
}

// Size reads a number of bytes, such as 5MB. It returns 0 if the node is absent or has a finding.
func Size(r *strictyaml.Reader, n *strictyaml.Node) int64 {
	return SizeWithin(r, n, 1, workqueue.MostSize)
}

// SizeWithin is Size with other bounds.
func SizeWithin(r *strictyaml.Reader, n *strictyaml.Node, least, most int64) int64 {
	return int64(strictyaml.Value(r, n, func(s handlers.Size) string {
		if int64(s) < least || int64(s) > most {
			return fmt.Sprintf("got %s, want %s to %s", n.Text, leastSize(least), workqueue.SizeText(most))
		}
		return ""
	}))
}

func leastSize(n int64) string {
	if n == 1 {
		return "1 byte"
	}
	return strconv.FormatInt(n, 10)
}

// Positive and NotNegative are checks for Span.
func Positive(d time.Duration) string {
	if d <= 0 {
		return "more than 0"
	}
	return ""
}

func NotNegative(d time.Duration) string {
	if d < 0 {
		return "0 or more"
	}
	return ""
}

// ReportFaults reports the [matching.Faults] of err at their positions below n.
func ReportFaults(r *strictyaml.Reader, n *strictyaml.Node, err error) {
	faults, _ := errors.AsType[matching.Faults](err)
	for _, f := range faults {
		hint := strictyaml.Suggest(f.Got, f.Known)
		if !f.UnknownKey {
			r.Report(n.Descend(f.Path), "invalid-value", f.Message, hint)
			continue
		}
		mapping := n.Descend(f.Path[:len(f.Path)-1])
		for _, e := range mapping.Entries {
			if e.Key == f.Got {
				finding := e.Finding("unknown-key", e.Value.Path+": "+f.Message, hint)
				finding.Edit = mapping.Rename(e, f.Known)
				r.Findings = append(r.Findings, finding)
			}
		}
	}
}
