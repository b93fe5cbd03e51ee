package assign

import (
	"fmt"
	"time"

	"botwork/workqueue"
)

// leastHeld is how long a transaction must have been open to be the reason why an item waits: those
// of Botwork itself end sooner.
const leastHeld = 2 * time.Second

// longHolder returns the session that has held a row for longest, if that is long; else nil.
func longHolder(list []workqueue.RowHolder) (longest *workqueue.RowHolder) {
	for i := range list {
		if h := &list[i]; h.Open >= leastHeld && (longest == nil || h.Open > longest.Open) {
			longest = h
		}
	}
	return longest
}

// locked explains items that workers pass over because another session holds their rows.
func (w *why) locked() Reason {
	return Reason{Kind: WhyLocked, Text: w.lockedText(), Since: new(w.now.Add(-w.holder.Open)), Change: w.lockedChange()}
}

func (w *why) lockedText() string {
	return "its row is locked in the database, so no worker changes it: " + w.holder.String()
}

func (w *why) lockedChange() string {
	return fmt.Sprintf("commit or roll back that transaction; or end the session: %s", w.holder.End)
}
