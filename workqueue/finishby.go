package workqueue

import (
	"fmt"
	"time"
)

// FinishWithin returns how long a claimed item may still run, the given time after its
// claim began, and false if it has no time to finish by. Only the database's clock is
// compared: StartedAt is when the item was claimed.
func (it *Item) FinishWithin(sinceClaim time.Duration) (time.Duration, bool) {
	if it.FinishBy == nil || it.StartedAt == nil {
		return 0, false
	}
	return it.FinishBy.Sub(*it.StartedAt) - sinceClaim, true
}

// pastFinishBy returns an error if the time, given as the time since the claim, is
// later than the time by which the item must finish.
func (it *Item) pastFinishBy(sinceClaim time.Duration) error {
	if left, ok := it.FinishWithin(sinceClaim); ok && left < 0 {
		return fmt.Errorf("given up: the next attempt would begin after %s, the time by which the item must finish",
			it.FinishBy.UTC().Format(time.RFC3339))
	}
	return nil
}
