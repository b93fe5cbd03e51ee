package workqueue

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"time"

	"botwork/internal/spans"
)

// Resilience is the policy for retrying a failed item. In JSON:
//
//	{"limit": 3, "delay": "30s", "factor": 2, "maxDelay": "1h", "jitter": 0.1, "retryOn": ["error", "timeout"],
//	 "timeout": "10m", "within": "24h", "maxRetryAfter": "1h"}
//
// A field that is absent is filled in from the next policy: the item's own, then its
// pipeline's, then its queue's, then DefaultResilience.
type Resilience struct {
	// Limit is the number of attempts in all; 1 means no retry.
	Limit int `json:"limit,omitempty"`

	// Delay is the wait before the second attempt.
	Delay Duration `json:"delay,omitempty"`

	// Factor multiplies the wait for each further attempt; 1 keeps it constant.
	Factor float64 `json:"factor,omitempty"`

	// MaxDelay bounds the wait before jitter.
	MaxDelay Duration `json:"maxDelay,omitempty"`

	// Jitter is the random share of the wait: 0.1 spreads it over ±10 %.
	Jitter *float64 `json:"jitter,omitempty"`

	// RetryOn lists the kinds of failure that are retried: error (panics
	// count as errors), timeout, business.
	RetryOn []ErrorKind `json:"retryOn,omitempty"`

	// Timeout bounds one run of the item, all its steps together; 0: no bound.
	Timeout Duration `json:"timeout,omitempty"`

	// Within is the time limit for retries: no attempt begins later than this after
	// the first one began; 0: no bound. An item that is released because its worker
	// died is run regardless.
	Within Duration `json:"within,omitempty"`

	// MaxRetryAfter bounds the wait that a failure may request, such as the
	// Retry-After of an HTTP response. Within bounds it as well.
	MaxRetryAfter Duration `json:"maxRetryAfter,omitempty"`
}

// DefaultResilience is the policy if no other one is defined: three attempts, the
// second after 30 s, the third after 60 s, each ±10 %.
func DefaultResilience() Resilience {
	jitter := 0.1
	return Resilience{
		Limit:    3,
		Delay:    Duration(30 * time.Second),
		Factor:   2,
		MaxDelay: Duration(time.Hour),
		Jitter:   &jitter,
		RetryOn:  []ErrorKind{KindError, KindTimeout},

		MaxRetryAfter: Duration(time.Hour),
	}
}

// ParseResilience reads a policy strictly: an unknown key, a zero and text after the
// policy are errors. An empty text is an empty policy.
func ParseResilience(text JSONText) (Resilience, error) {
	var r Resilience
	if text == "" {
		return r, nil
	}
	dec := json.NewDecoder(bytes.NewReader([]byte(text)))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&r); err != nil {
		return Resilience{}, fmt.Errorf("resilience %s: %w", text, err)
	}
	if _, err := dec.Token(); err != io.EOF {
		return Resilience{}, fmt.Errorf("resilience %s: want one JSON object and nothing after it", text)
	}
	if err := errors.Join(r.Validate(), refuseZeros(text)); err != nil {
		return Resilience{}, fmt.Errorf("resilience %s: %w", text, err)
	}
	return r, nil
}

// refuseZeros finds explicit zeros. They would be filled in from the next policy like
// absent fields: "limit": 0 would mean three attempts.
func refuseZeros(text JSONText) error {
	var written struct {
		Limit                            *int
		Factor                           *float64
		Delay, MaxDelay, Timeout, Within *Duration
		MaxRetryAfter                    *Duration
	}
	if err := json.Unmarshal([]byte(text), &written); err != nil {
		return err
	}
	var errs []error
	if written.Limit != nil && *written.Limit == 0 {
		errs = append(errs, errors.New("limit 0: want 1 or more attempts; 1 means no retry"))
	}
	if written.Factor != nil && *written.Factor == 0 {
		errs = append(errs, errors.New("factor 0: want 1 or more"))
	}
	if written.Delay != nil && *written.Delay == 0 {
		errs = append(errs, errors.New("delay 0: want a wait above 0, such as 1ms"))
	}
	if written.MaxDelay != nil && *written.MaxDelay == 0 {
		errs = append(errs, errors.New("maxDelay 0: want a wait above 0"))
	}
	if written.Timeout != nil && *written.Timeout == 0 {
		errs = append(errs, errors.New("timeout 0: want a time above 0, such as 10m"))
	}
	if written.Within != nil && *written.Within == 0 {
		errs = append(errs, errors.New("within 0: want a time above 0, such as 24h"))
	}
	if written.MaxRetryAfter != nil && *written.MaxRetryAfter == 0 {
		errs = append(errs, errors.New("maxRetryAfter 0: want a wait above 0, such as 1ms"))
	}
	return errors.Join(errs...)
}

// Validate checks the fields that are set, all at once.
func (r Resilience) Validate() error {
	var errs []error
	if r.Limit < 0 {
		errs = append(errs, fmt.Errorf("limit %d: want 1 or more attempts", r.Limit))
	}
	if r.Delay < 0 || r.MaxDelay < 0 {
		errs = append(errs, errors.New("delay and maxDelay: want 0 or more"))
	}
	if r.Timeout < 0 || r.Within < 0 {
		errs = append(errs, errors.New("timeout and within: want 0 or more"))
	}
	if r.MaxRetryAfter < 0 {
		errs = append(errs, errors.New("maxRetryAfter: want 0 or more"))
	}
	if r.Factor != 0 && r.Factor < 1 || math.IsNaN(r.Factor) || math.IsInf(r.Factor, 0) {
		errs = append(errs, fmt.Errorf("factor %v: want 1 or more", r.Factor))
	}
	if r.Jitter != nil && !(*r.Jitter >= 0 && *r.Jitter <= 1) {
		errs = append(errs, fmt.Errorf("jitter %v: want 0 to 1", *r.Jitter))
	}
	for _, k := range r.RetryOn {
		if k != KindError && k != KindTimeout && k != KindBusiness {
			errs = append(errs, fmt.Errorf("retryOn %q: want error, timeout or business", k))
		}
	}
	return errors.Join(errs...)
}

// Or fills the fields that r does not set from the less specific policy. The
// fallback's MaxDelay does not cut a Delay that r sets: 2h stays 2h despite the
// default's 1h.
func (r Resilience) Or(fallback Resilience) Resilience {
	if r.Limit == 0 {
		r.Limit = fallback.Limit
	}
	if r.MaxDelay == 0 && fallback.MaxDelay > 0 {
		r.MaxDelay = max(fallback.MaxDelay, r.Delay)
	}
	if r.Delay == 0 {
		r.Delay = fallback.Delay
	}
	if r.Factor == 0 {
		r.Factor = fallback.Factor
	}
	if r.Jitter == nil {
		r.Jitter = fallback.Jitter
	}
	if r.RetryOn == nil {
		r.RetryOn = fallback.RetryOn
	}
	if r.Timeout == 0 {
		r.Timeout = fallback.Timeout
	}
	if r.Within == 0 {
		r.Within = fallback.Within
	}
	if r.MaxRetryAfter == 0 {
		r.MaxRetryAfter = fallback.MaxRetryAfter
	}
	return r
}

// tooLate returns an error if the next attempt would begin later than Within allows.
// after is the time from the start of the current attempt to the next one, waited the
// time from the claim to the start of the current attempt. All times of the item are
// from the database's clock, and no other clock is compared with them.
func (r Resilience) tooLate(it *Item, waited, after time.Duration) error {
	if r.Within <= 0 || it.StartedAt == nil || it.FirstStartedAt == nil {
		return nil
	}
	age := after
	if earlier := it.StartedAt.Sub(*it.FirstStartedAt); earlier > 0 {
		age += earlier + waited // the first attempt's own start has no wait before it
	}
	if age > time.Duration(r.Within) {
		return fmt.Errorf("given up: the next attempt would begin %s after the first one, and \"within\" allows %s",
			Duration(age.Round(time.Second)), r.Within)
	}
	return nil
}

// Retries reports whether a failure of this kind is followed by another attempt.
// failures counts the failed attempts, including this one: limit N allows N attempts
// in all.
func (r Resilience) Retries(kind ErrorKind, failures int) bool {
	switch kind {
	case KindPanic:
		kind = KindError
	case KindPermanent, KindPoison, KindCancelled:
		return false
	}
	return failures < r.Limit && slices.Contains(r.RetryOn, kind)
}

// Backoff returns the wait after the given number of failures:
//
//	min(delay · factor^(failures−1), maxDelay) · (1 + jitter·(2·random − 1))
//
// random is in [0, 1). Delay 30s, factor 2, maxDelay 1h: failures 1, 2, 3 and 8 wait
// 30s, 1m, 2m and 1h before jitter.
func (r Resilience) Backoff(failures int, random float64) time.Duration {
	if r.Delay <= 0 {
		return 0
	}
	wait := float64(r.Delay)
	if r.Factor > 1 {
		wait *= math.Pow(r.Factor, float64(max(failures, 1)-1))
	}
	if limit := float64(r.MaxDelay); r.MaxDelay > 0 && wait > limit {
		wait = limit
	}
	if r.Jitter != nil {
		wait *= 1 + *r.Jitter*(2*random-1)
	}
	if wait >= math.MaxInt64 {
		return math.MaxInt64
	}
	return time.Duration(wait)
}

// retryAfter returns the part of a requested wait that is allowed. The other side may
// request years, by mistake or to do harm.
func (r Resilience) retryAfter(requested time.Duration) time.Duration {
	for _, limit := range []Duration{r.MaxRetryAfter, r.Within} {
		if limit > 0 {
			requested = min(requested, time.Duration(limit))
		}
	}
	return max(requested, 0)
}

// Duration is a duration that is written as text ("90s", "7d") in JSON.
type Duration time.Duration

// UnmarshalText accepts the same texts as botwork.yaml, since users write this JSON
// by hand.
func (d *Duration) UnmarshalText(text []byte) error {
	v, err := spans.Parse(string(text))
	if err != nil {
		return err
	}
	*d = Duration(v)
	return nil
}

// String returns the duration in the form that users write: 15m, 7d.
func (d Duration) String() string { return spans.Text(time.Duration(d)) }

// MarshalText returns the form of time.Duration.
func (d Duration) MarshalText() ([]byte, error) { return []byte(time.Duration(d).String()), nil }
