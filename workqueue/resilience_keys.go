package workqueue

import (
	"fmt"
	"strings"
	"time"

	"botwork/internal/author/keydocs"
	"botwork/internal/spans"
)

// ErrorKinds are the kinds that RetryOn may contain.
var ErrorKinds = []ErrorKind{KindError, KindTimeout, KindBusiness}

// ResilienceKeys describes the keys of a policy, for a pipeline, a queue, a task or
// an item.
func ResilienceKeys() keydocs.Keys {
	d := DefaultResilience()
	text := func(d Duration) string { return spans.Text(time.Duration(d)) }
	return keydocs.Keys{
		{Name: "limit", Type: "whole number", Min: new(1.0), Default: fmt.Sprint(d.Limit), Doc: "attempts in all: 3 means one and two more"},
		{Name: "delay", Type: "duration", Min: new(0.0), Default: text(d.Delay), Doc: "the wait before the second attempt; more than 0"},
		{Name: "factor", Type: "number", Min: new(1.0), Default: fmt.Sprint(d.Factor), Doc: "each further wait is that many times longer"},
		{
			Name: "maxDelay", Type: "duration", Min: new(0.0), Default: text(d.MaxDelay),
			Doc: "no wait is longer, before jitter; a longer `delay` is not cut by the default",
		},
		{
			Name: "jitter", Type: "number", Min: new(0.0), Max: new(1.0), Default: fmt.Sprint(*d.Jitter),
			Doc: "the random share: 0.1 spreads a wait over ±10 %",
		},
		{
			Name: "retryOn", Type: "list of string", Enum: keydocs.Words(ErrorKinds...),
			Default: "[" + strings.Join(keydocs.Words(d.RetryOn...), ", ") + "]",
			Doc:     "which failures are tried again: of `error`, `timeout` and `business`; a panic counts as `error`. `[]` tries none again",
		},
		{
			Name: "timeout", Type: "duration", Min: new(0.0), Example: "10m",
			Doc: "how long one run of the item may take, all its steps and the waits of their `retry` together",
		},
		{
			Name: "within", Type: "duration", Min: new(0.0), Example: "1d",
			Doc: "no attempt begins later than this after the first one began: then the item has failed, whatever `limit` leaves",
		},
		{
			Name: "maxRetryAfter", Type: "duration", Min: new(0.0), Default: text(d.MaxRetryAfter),
			Doc: "the longest wait that a failure may ask for, such as the `Retry-After` of an HTTP response; what is longer is cut to this, and to `within` if that is shorter",
		},
	}
}
