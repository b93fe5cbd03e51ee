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

// newRetry makes what repeats a step within one run. Its waits follow the same
// formula as an item's, [workqueue.Resilience.Backoff], and are at least what
// the failure itself asks for.
//
// Some failures are not repeated: those that no repetition can mend, and those
// that ask for a longer wait than the policy allows, for a step that waits
// keeps a slot of its worker. The item's own policy deals with them. Without
// waits the attempts follow each other at once, the same ones.
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

// repeatable tells whether another attempt may go better.
func repeatable(err error) bool {
	kind := kindOf(err)
	return !deliberate(err) && kind != workqueue.KindPermanent && kind != workqueue.KindBusiness
}

// askedWait is the wait that a failure asks for, 0 if none.
func askedWait(err error) time.Duration {
	if asked, ok := errors.AsType[*handlers.RetryAfterError](err); ok {
		return asked.After
	}
	return 0
}
