package runner

import (
	"context"
	"sync"
	"time"

	"botwork/workqueue"
)

// held are the claims of this process whose results are not written yet. The heartbeat renews
// their leases; watch cancels the runs whose leases could not be renewed in time.
type held struct {
	mu    sync.Mutex
	items map[int64]*heldItem
	ended error // why all runs were cancelled; runs that are added later are cancelled at once
}

type heldItem struct {
	ref     workqueue.ItemRef
	cancel  context.CancelCauseFunc
	claimed time.Time

	// until is when the lease may end by this machine's monotonic clock: the start of the
	// last statement that granted or renewed it, plus its length. It is never later than the
	// end in the database.
	until   time.Time
	lapsed  bool // until has passed or was about to pass, so the run was cancelled
	started bool // its run has started
	lost    bool // the database has reported that another holds the item, or none

	cleanUp func() // stops what the run does after its context has ended; nil: nothing
}

// lose cancels the run of an item whose lease is lost, and its cleaning up.
func (it *heldItem) lose() {
	it.cancel(workqueue.ErrLeaseLost)
	if it.cleanUp != nil {
		it.cleanUp()
	}
}

func newHeld() *held { return &held{items: map[int64]*heldItem{}} }

// add adds a claimed item and returns the context for its run and its cancel function. An
// earlier claim of the same item has lost its lease, so its run is cancelled.
func (h *held) add(parent context.Context, it *workqueue.Item, until time.Time) (context.Context, context.CancelCauseFunc) {
	ctx, cancel := context.WithCancelCause(parent)
	h.mu.Lock()
	defer h.mu.Unlock()
	if earlier := h.items[it.ID]; earlier != nil {
		earlier.lose()
	}
	if h.ended != nil {
		cancel(h.ended)
	}
	h.items[it.ID] = &heldItem{ref: workqueue.ItemRef{ItemID: it.ID, Fence: it.Fence}, cancel: cancel, claimed: time.Now(), until: until}
	return ctx, cancel
}

// remove drops a claim whose end has been written or refused.
func (h *held) remove(ref workqueue.ItemRef) {
	h.mu.Lock()
	defer h.mu.Unlock()
	// A later claim of the same item, with a higher fence, stays.
	if it := h.items[ref.ItemID]; it != nil && it.ref == ref {
		it.cancel(nil)
		if it.cleanUp != nil {
			it.cleanUp()
		}
		delete(h.items, ref.ItemID)
	}
}

// start records that the run of a claim starts now, so that the next heartbeat stores it, and
// returns how long the claim has waited.
func (h *held) start(ref workqueue.ItemRef, now time.Time) (waited time.Duration) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if it := h.items[ref.ItemID]; it != nil && it.ref == ref {
		it.started = true
		return now.Sub(it.claimed)
	}
	return 0
}

// onLost calls stop when the lease of a claim is lost, or at once if it is no longer held.
func (h *held) onLost(ref workqueue.ItemRef, stop func()) {
	h.mu.Lock()
	defer h.mu.Unlock()
	it := h.items[ref.ItemID]
	if it == nil || it.ref != ref || it.lost || it.lapsed {
		stop()
		return
	}
	it.cleanUp = stop
}

// refs lists the claims.
func (h *held) refs() []workqueue.ItemRef {
	h.mu.Lock()
	defer h.mu.Unlock()
	refs := make([]workqueue.ItemRef, 0, len(h.items))
	for _, it := range h.items {
		refs = append(refs, it.ref)
	}
	return refs
}

// started lists the claims whose run has started.
func (h *held) started() []workqueue.ItemRef {
	h.mu.Lock()
	defer h.mu.Unlock()
	var refs []workqueue.ItemRef
	for _, it := range h.items {
		if it.started {
			refs = append(refs, it.ref)
		}
	}
	return refs
}

// renewed records that the leases of refs end at the given time or later. Runs whose item is
// in lost are cancelled; it returns those that were not cancelled before. Those in locked were passed over: their leases end when they did.
func (h *held) renewed(refs []workqueue.ItemRef, lost, locked []int64, until time.Time) (cancelled []workqueue.ItemRef) {
	kept := make(map[int64]bool, len(locked))
	for _, id := range locked {
		kept[id] = true
	}
	gone := make(map[int64]bool, len(lost))
	for _, id := range lost {
		gone[id] = true
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, ref := range refs {
		it := h.items[ref.ItemID]
		if it == nil || it.ref != ref {
			continue
		}
		if gone[ref.ItemID] {
			it.lose()
			if !it.lost {
				it.lost = true
				cancelled = append(cancelled, ref)
			}
		} else if until.After(it.until) && !kept[ref.ItemID] {
			it.until, it.lapsed = until, false
		}
	}
	return cancelled
}

// cancelLost cancels the runs among refs whose item is in lost, and returns those that were not
// cancelled before.
func (h *held) cancelLost(refs []workqueue.ItemRef, lost []int64) (cancelled []workqueue.ItemRef) {
	if len(lost) == 0 {
		return nil
	}
	return h.renewed(refs, lost, nil, time.Time{})
}

// expire cancels the runs whose lease ends before the given time, and returns their number.
func (h *held) expire(before time.Time) int {
	h.mu.Lock()
	defer h.mu.Unlock()
	n := 0
	for _, it := range h.items {
		if !it.lapsed && it.until.Before(before) {
			it.lose()
			it.lapsed = true
			n++
		}
	}
	return n
}

// cancelAll cancels all runs with this cause, including runs that are added later.
func (h *held) cancelAll(cause error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.ended = cause
	for _, it := range h.items {
		it.cancel(cause)
	}
}

func (h *held) count() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.items)
}
