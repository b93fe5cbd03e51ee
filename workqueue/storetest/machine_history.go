package storetest

import (
	"slices"

	"pgregory.net/rapid"

	"botwork/workqueue"
	"botwork/workqueue/storetest/reference"
)

// history has the claims of all processes in order, and which of them have ended.
// It checks the store by the design's invariants alone, so that it also finds an error
// that the store and the model have in common.
type history struct {
	claims []claim
	ended  map[workqueue.ItemRef]bool
	began  map[workqueue.ItemRef]bool // recorded by any call
}

// claim is a claim that a process received, and the item as it was then.
type claim struct {
	process reference.Process
	ref     workqueue.ItemRef
	item    workqueue.Item
}

func newHistory() *history {
	return &history{ended: map[workqueue.ItemRef]bool{}, began: map[workqueue.ItemRef]bool{}}
}

// started records claims whose begin the store has accepted: those of refs, except
// those of items in lost. The call named the claims in all. If it named an item with two
// fences, either claim may have started.
func (h *history) started(refs, all []workqueue.ItemRef, lost []int64) {
	named := map[int64]int{}
	for _, ref := range each(all) {
		named[ref.ItemID]++
	}
	for _, ref := range refs {
		if named[ref.ItemID] > 1 || !slices.Contains(lost, ref.ItemID) {
			h.began[ref] = true
		}
	}
}

// last returns the latest claim of an item, nil if it has none.
func (h *history) last(id int64) *claim {
	for i := len(h.claims) - 1; i >= 0; i-- {
		if h.claims[i].ref.ItemID == id {
			return &h.claims[i]
		}
	}
	return nil
}

// item returns the item as the claim returned it. If no claim has this fence, it returns
// the item of the last claim.
func (h *history) item(ref workqueue.ItemRef) workqueue.Item {
	for _, c := range h.claims {
		if c.ref == ref {
			return c.item
		}
	}
	return h.last(ref.ItemID).item
}

// claimed checks that a fence is larger than all previous fences of the item, and records
// the claim.
func (h *history) claimed(t *rapid.T, p reference.Process, it workqueue.Item) {
	if previous := h.last(it.ID); previous != nil && it.Fence <= previous.ref.Fence {
		t.Fatalf("item %d was claimed with fence %d after fence %d", it.ID, it.Fence, previous.ref.Fence)
	}
	h.claims = append(h.claims, claim{p, workqueue.ItemRef{ItemID: it.ID, Fence: it.Fence}, it})
}

// finished checks that each end that was not lost belongs to the item's last claim, that
// this worker has the claim, and that the claim has not ended before.
func (h *history) finished(t *rapid.T, p reference.Process, ends []workqueue.Finish, lost []int64) {
	lostCount := map[int64]int{}
	for _, id := range lost {
		lostCount[id]++
	}
	accepted := map[workqueue.ItemRef]bool{}
	named := map[int64]int{}
	for _, f := range ends {
		if ref := (workqueue.ItemRef{ItemID: f.ItemID, Fence: f.Fence}); !accepted[ref] {
			accepted[ref] = true
			named[f.ItemID]++
		}
	}
	for ref := range accepted {
		if lostCount[ref.ItemID] >= named[ref.ItemID] {
			continue // all named claims of this item are lost
		}
		last := h.last(ref.ItemID)
		if ref != last.ref {
			if named[ref.ItemID] == 1 {
				t.Fatalf("the end of claim %+v was accepted, but the item's last claim is %+v", ref, last.ref)
			}
			continue // the call named another claim of the item, and the store accepted that one
		}
		if last.process.Worker != p.Worker {
			t.Fatalf("worker %d ended claim %+v of worker %d", p.Worker, ref, last.process.Worker)
		}
		if h.ended[ref] {
			t.Fatalf("claim %+v ended twice", ref)
		}
		h.ended[ref] = true
	}
}

// rescued: a rescued claim has ended, and an item whose count of deaths has reached the limit
// is not assigned again. A claim that had not begun counts no death, and passes may have
// different limits.
func (h *history) rescued(t *rapid.T, maxReleases int, ids []int64, before, after *reference.Model) {
	for _, id := range ids {
		if before.Items[id].State != workqueue.Blocked {
			continue // the item was not running
		}
		it, was := after.Items[id], before.Items[id]
		c := h.last(id)
		if c != nil {
			h.ended[c.ref] = true
		}
		if it == nil {
			continue // it had expired as well, and its queue removes such items: the same pass did both
		}
		if c != nil {
			if !h.began[c.ref] && it.ReleaseCount > was.ReleaseCount {
				t.Fatalf("a death was counted for item %d under fence %d, although the run had not begun", id, c.ref.Fence)
			}
		}
		if it.State != workqueue.Cancelled && it.ReleaseCount > was.ReleaseCount && it.ReleaseCount >= maxReleases {
			t.Fatalf("item %d is %s after %d deaths, limit %d", id, it.State, it.ReleaseCount, maxReleases)
		}
	}
}

// check compares the items before and after a step.
func (h *history) check(t *rapid.T, step string, before, after []workqueue.Item) {
	earlier := map[int64]workqueue.Item{}
	for _, it := range before {
		earlier[it.ID] = it
	}
	keys := map[string]int64{}
	for _, it := range after {
		was, known := earlier[it.ID]
		if other, exists := keys[it.IdempotencyKey]; exists || it.IdempotencyKey == "" {
			t.Fatalf("item %d has the idempotency key %q, and so has item %d, want a unique one", it.ID, it.IdempotencyKey, other)
		}
		keys[it.IdempotencyKey] = it.ID
		if known {
			if it.IdempotencyKey != was.IdempotencyKey && step != "repeat" {
				t.Fatalf("%s changed the idempotency key of item %d", step, it.ID)
			}
			if it.Fence < was.Fence || it.Fence > was.Fence+1 && it.Fence%workqueue.FencesOfEpoch != 1 || it.Fence > was.Fence && step != "claim" && step != "assign" {
				t.Fatalf("%s changed the fence of item %d from %d to %d", step, it.ID, was.Fence, it.Fence)
			}
			if it.RetryCount > was.RetryCount && (step != "finish" || it.RetryCount != was.RetryCount+1) {
				t.Fatalf("%s changed the failures of item %d from %d to %d", step, it.ID, was.RetryCount, it.RetryCount)
			}
			if it.ReleaseCount > was.ReleaseCount && (step != "assign" || it.ReleaseCount != was.ReleaseCount+1) {
				t.Fatalf("%s changed the releases of item %d from %d to %d", step, it.ID, was.ReleaseCount, it.ReleaseCount)
			}
			if it.State == workqueue.Processed && was.State != workqueue.Processed && (was.State != workqueue.Blocked || step != "finish") {
				t.Fatalf("%s changed item %d from %s to %s", step, it.ID, was.State, it.State)
			}
		}
		if it.State == workqueue.Blocked {
			if c := h.last(it.ID); c == nil || c.ref.Fence != it.Fence || h.ended[c.ref] {
				t.Fatalf("item %d is running with fence %d, but its last claim is %+v", it.ID, it.Fence, c)
			}
		}
	}
}

// checkAttempts checks that a claim has at most one attempt.
func (h *history) checkAttempts(t *rapid.T, id int64, attempts []workqueue.Attempt) {
	seen := map[int64]bool{}
	for _, a := range attempts {
		if seen[a.Fence] {
			t.Fatalf("item %d has two attempts with fence %d", id, a.Fence)
		}
		seen[a.Fence] = true
	}
}
