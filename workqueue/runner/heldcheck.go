package runner

import (
	"context"
	"time"

	"botwork/workqueue"
)

const (
	// checkAfter is how long an item waits in line before the worker checks that it still
	// holds the item: a user may have cancelled it.
	checkAfter = 40 * time.Millisecond

	// checkAhead is how soon an item must start for a check to be unnecessary.
	checkAhead = 10 * time.Millisecond
)

// heldChecker checks that this worker still holds the items that wait for their slots: a user
// may have cancelled them. board.mu guards it.
type heldChecker struct {
	*board
	checking   bool      // a check is under way
	retryCheck time.Time // no check before this time: the last one failed
}

// nextCheck returns when the items in line must be checked; zero if not now.
func (hc *heldChecker) nextCheck(now time.Time) time.Time {
	if hc.checking || len(hc.line.items) == 0 {
		return time.Time{}
	}
	at := hc.line.stalest().Add(checkAfter)
	if at.Before(hc.retryCheck) {
		at = hc.retryCheck
	}
	if !now.Before(at) && len(hc.line.heldBefore(now.Add(-checkAfter))) <= hc.expectedStarts(checkAhead, now) {
		return now.Add(checkAhead)
	}
	return at
}

// checkLine starts a check of the items in line if one is due.
func (hc *heldChecker) checkLine(now time.Time) {
	if at := hc.nextCheck(now); at.IsZero() || now.Before(at) {
		return
	}
	hc.checking = true
	refs := hc.line.heldBefore(now.Add(-checkAfter / 2))
	hc.background.Go(func() { hc.checkHeld(refs) })
}

// checkHeld asks the database which of the items this worker still holds. Items that it no
// longer holds do not start.
func (hc *heldChecker) checkHeld(refs []workqueue.ItemRef) {
	ctx, cancel := context.WithTimeout(hc.r.dispatchCtx, hc.r.statementTime())
	defer cancel()
	since := time.Now()
	lost, err := hc.r.o.Store.Lost(ctx, hc.r.worker.ID, hc.r.worker.InstanceID, refs)
	var cancelled []workqueue.ItemRef
	defer func() { hc.r.logLost(ctx, cancelled) }() // without the lock
	hc.mu.Lock()
	defer hc.mu.Unlock()
	hc.checking = false
	if err != nil {
		hc.r.o.Log.Debug().Err(err).Msg("could not check claimed items; retrying")
		hc.retryCheck = time.Now().Add(leastPause)
		return
	}
	cancelled = hc.r.held.cancelLost(refs, lost)
	of := make(map[workqueue.ItemRef]bool, len(refs))
	for _, ref := range refs {
		of[ref] = true
	}
	for _, it := range hc.line.items {
		if of[it.ref()] {
			it.held = since
		}
	}
	hc.poke()
}
