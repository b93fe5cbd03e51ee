package queue

import (
	"encoding/json"
	"fmt"
	"time"

	"botwork/workqueue"
)

// setPolicy sets the items' own policy. checkPolicy reports wrong values.
func (o *optionParams) setPolicy(it *workqueue.NewItem) {
	if o.Attempts != nil {
		it.Attempts = *o.Attempts
	}
	if o.Timeout != nil {
		it.Timeout = time.Duration(*o.Timeout)
	}
	if o.Backoff != nil {
		it.Backoff = time.Duration(*o.Backoff)
	}
	if len(o.Resilience) > 0 {
		if text, err := json.Marshal(o.Resilience); err == nil {
			it.ResilienceConfig = workqueue.JSONText(text)
		}
	}
}

// checkPolicy reports values that would count as not set. The item itself reports the others.
func (o *optionParams) checkPolicy(wrong func(name, message string)) {
	if o.Attempts != nil && *o.Attempts == 0 {
		wrong("attempts", "got 0, want 1 or more; 1 means no retry")
	}
	if o.Timeout != nil && *o.Timeout == 0 {
		wrong("timeout", "got 0s, want more than 0s")
	}
	if o.Backoff != nil && *o.Backoff == 0 {
		wrong("backoff", "got 0s, want more than 0s")
	}
	if _, err := json.Marshal(o.Resilience); err != nil {
		wrong("resilience", fmt.Sprintf("it cannot be written as JSON: %v", err))
	}
}
