package runner

import (
	"time"

	"botwork/workqueue"
)

// endAtFinishBy cancels the run of an item at the time by which it must finish, if it has one,
// until stop is called. The time since the claim is measured by this machine from before the
// claim was requested, so that the run ends a little early rather than late, and a wrong clock
// does not matter.
func (it *claimed) endAtFinishBy(now time.Time) (stop func()) {
	left, ok := it.FinishWithin(now.Sub(it.since))
	if !ok {
		return func() {}
	}
	end := func() { it.cancel(&workqueue.FinishByError{At: *it.FinishBy}) }
	if left <= 0 {
		end()
		return func() {}
	}
	timer := time.AfterFunc(left, end)
	return func() { timer.Stop() }
}
