package pipelines

import (
	"errors"
	"math/rand/v2"
	"time"

	"botwork/handlers"
	"botwork/workqueue"

	"github.com/failsafe-go/failsafe-go"
	"github.com/failsafe-go/failsafe-go/retrypolicy"
)

// newRetry returns what retries a step within one run. Its waits follow the formula of
// items, [workqueue.Resilience.Backoff], and are at least as long as the failure asks for.
//
// Some failures are not retried: permanent ones, and those that ask for a longer wait than
// the policy allows, because a waiting step keeps a slot of its worker. The item's policy
// handles them. Without waits, the same attempts follow each other immediately.
func newRetry(attempts int, policy workqueue.Resilience, waits bool) failsafe.Executor[any] {
	longest := max(time.Duration(policy.MaxDelay), time.Duration(policy.Delay))
	retry := retrypolicy.NewBuilder[any]().
		WithMaxAttempts(attempts).
		ReturnLastFailure().
		HandleIf(func(_ any, err error) bool { return err != nil }).
		AbortIf(func(_ any, err error) bool { return !repeatable(err) || askedWait(err) > longest }).
		WithDelayFunc(func(exec failsafe.ExecutionAttempt[any]) time.Duration {
			if !waits {
				return 0
			}
			return max(policy.Backoff(exec.Attempts(), rand.Float64()), askedWait(exec.LastError()))
		}).
		Build()
	return failsafe.With(retry)
}

// repeatable reports whether another attempt may succeed.
func repeatable(err error) bool {
	kind := kindOf(err)
	return !deliberate(err) && kind != workqueue.KindPermanent && kind != workqueue.KindBusiness
}

// askedWait returns the wait that a failure asks for, 0 if none.
func askedWait(err error) time.Duration {
	if asked, ok := errors.AsType[*handlers.RetryAfterError](err); ok {
		return asked.After
	}
	return 0
}
