package workqueue

import (
	"encoding/json"
	"time"
)

// OwnPolicy returns the item's own policy: its ResilienceConfig, or the one that
// Attempts, Timeout and Backoff describe.
func (it *NewItem) OwnPolicy() JSONText {
	if it.Attempts <= 0 && it.Timeout <= 0 && it.Backoff <= 0 || it.ResilienceConfig != "" {
		return it.ResilienceConfig
	}
	text, err := json.Marshal(Resilience{Limit: it.Attempts, Timeout: Duration(it.Timeout), Delay: Duration(it.Backoff)})
	if err != nil {
		return "" // unreachable: numbers and durations always encode
	}
	return JSONText(text)
}

// policyFaults checks the item's own policy.
func (it *NewItem) policyFaults() []error {
	var errs []error
	if it.Attempts < 0 {
		errs = append(errs, fault("attempts", "attempts: got %d, want 1 or more; 1 means no retry", it.Attempts))
	}
	for _, d := range []struct {
		field string
		value time.Duration
	}{{"timeout", it.Timeout}, {"backoff", it.Backoff}} {
		if d.value < 0 {
			errs = append(errs, fault(d.field, "%s: got %v, want more than 0s", d.field, Duration(d.value)))
		}
	}
	if it.ResilienceConfig == "" {
		return errs
	}
	for _, short := range []struct {
		field, key string
		set        bool
	}{{"attempts", "limit", it.Attempts != 0}, {"timeout", "timeout", it.Timeout != 0}, {"backoff", "delay", it.Backoff != 0}} {
		if short.set {
			errs = append(errs, fault(short.field, "%s: got it together with resilience, want one of them; hint: set %q in resilience", short.field, short.key))
		}
	}
	if _, err := ParseResilience(it.ResilienceConfig); err != nil {
		errs = append(errs, &ItemFault{"resilience", err})
	}
	return errs
}
