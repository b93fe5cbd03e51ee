package storetest

import (
	"slices"

	"pgregory.net/rapid"

	"botwork/workqueue"
	"botwork/workqueue/storetest/reference"
)

// history is what the processes saw: their claims in order, and which of them
// ended. It judges the store by the design's invariants alone, so that a mistake
// that store and model shared would still be found.
type history struct {
	claims []claim
	ended  map[workqueue.ItemRef]bool
	began  map[workqueue.ItemRef]bool // recorded by whatever records it
}

// claim is one that a process was given, and the item as it was then.
type claim struct {
	process reference.Process
	ref     workqueue.ItemRef
	item    workqueue.Item
}

func newHistory() *history {
	return &history{ended: map[workqueue.ItemRef]bool{}, began: map[workqueue.ItemRef]bool{}}
}

// begun: the store has accepted that these claims, some of those that the call named, have
// begun, but for those of the items in lost. Of an item that was named with two fences,
// either may have.
func (h *history) begun(refs, all []workqueue.ItemRef, lost []int64) {
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

// last is the latest claim of an item, nil if it has none.
func (h *history) last(id int64) *claim {
	for i := len(h.claims) - 1; i >= 0; i-- {
		if h.claims[i].ref.ItemID == id {
			return &h.claims[i]
		}
	}
	return nil
}

// item returns the item as the claim gave it, or as the item's last claim did if no
// claim has this fence.
func (h *history) item(ref workqueue.ItemRef) workqueue.Item {
	for _, c := range h.claims {
		if c.ref == ref {
			return c.item
		}
	}
	return h.last(ref.ItemID).item
}

// claimed: a fence is larger than any that the item had, and the lease of the
// previous claim has expired or was ended by a call.
func (h *history) claimed(t *rapid.T, p reference.Process, it workqueue.Item) {
	if before := h.last(it.ID); before != nil && it.Fence <= before.ref.Fence {
		t.Fatalf("item %d was claimed with fence %d after fence %d", it.ID, it.Fence, before.ref.Fence)
	}
	h.claims = append(h.claims, claim{p, workqueue.ItemRef{ItemID: it.ID, Fence: it.Fence}, it})
}

// finished: what was not lost belongs to the item's last claim, which this
// worker was given and which had no end before.
func (h *history) finished(t *rapid.T, p reference.Process, ends []workqueue.Finish, lost []int64) {
	gone := map[int64]int{}
	for _, id := range lost {
		gone[id]++
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
		if gone[ref.ItemID] >= named[ref.ItemID] {
			continue // all claims of this item that were named are lost
		}
		last := h.last(ref.ItemID)
		if ref != last.ref {
			if named[ref.ItemID] == 1 {
				t.Fatalf("the end of claim %+v was accepted, but the item's last claim is %+v", ref, last.ref)
			}
			continue // another claim of the item was named with it, and that one counts
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

// rescued: a claim that was taken away can end no more, and an item whose deaths have reached the
// limit with this one is not assigned again. One that had not begun counts no death, and passes
// may have other limits.
func (h *history) rescued(t *rapid.T, maxReleases int, ids []int64, before, after *reference.Model) {
	for _, id := range ids {
		if before.Items[id].State != workqueue.Blocked {
			continue // nothing had started
		}
		it, was := after.Items[id], before.Items[id]
		if c := h.last(id); c != nil {
			h.ended[c.ref] = true
			if !h.began[c.ref] && it.ReleaseCount > was.ReleaseCount {
				t.Fatalf("item %d was counted as the cause of a death under fence %d, with which nothing had begun", id, c.ref.Fence)
			}
		}
		if it.State != workqueue.Cancelled && it.ReleaseCount > was.ReleaseCount && it.ReleaseCount >= maxReleases {
			t.Fatalf("item %d is %s after %d deaths, limit %d", id, it.State, it.ReleaseCount, maxReleases)
		}
	}
}

// judge looks at two pictures of the store, a step apart.
func (h *history) judge(t *rapid.T, step string, before, after []workqueue.Item) {
	earlier := map[int64]workqueue.Item{}
	for _, it := range before {
		earlier[it.ID] = it
	}
	keys := map[string]int64{}
	for _, it := range after {
		was, known := earlier[it.ID]
		if other, taken := keys[it.IdempotencyKey]; taken || it.IdempotencyKey == "" {
			t.Fatalf("item %d has the idempotency key %q, that of item %d, want one of its own", it.ID, it.IdempotencyKey, other)
		}
		keys[it.IdempotencyKey] = it.ID
		if known {
			if it.IdempotencyKey != was.IdempotencyKey && step != "repeat" {
				t.Fatalf("%s gave item %d another idempotency key", step, it.ID)
			}
			if it.Fence < was.Fence || it.Fence > was.Fence+1 && it.Fence%workqueue.FencesOfEpoch != 1 || it.Fence > was.Fence && step != "claim" && step != "assign" {
				t.Fatalf("%s moved the fence of item %d from %d to %d", step, it.ID, was.Fence, it.Fence)
			}
			if it.RetryCount > was.RetryCount && (step != "finish" || it.RetryCount != was.RetryCount+1) {
				t.Fatalf("%s counted the failures of item %d from %d to %d", step, it.ID, was.RetryCount, it.RetryCount)
			}
			if it.ReleaseCount > was.ReleaseCount && (step != "assign" || it.ReleaseCount != was.ReleaseCount+1) {
				t.Fatalf("%s counted the releases of item %d from %d to %d", step, it.ID, was.ReleaseCount, it.ReleaseCount)
			}
			if it.State == workqueue.Processed && was.State != workqueue.Processed && (was.State != workqueue.Blocked || step != "finish") {
				t.Fatalf("%s brought item %d from %s to %s", step, it.ID, was.State, it.State)
			}
		}
		if it.State == workqueue.Blocked {
			if c := h.last(it.ID); c == nil || c.ref.Fence != it.Fence || h.ended[c.ref] {
				t.Fatalf("item %d runs with fence %d, but its last claim is %+v", it.ID, it.Fence, c)
			}
		}
	}
}

// judgeAttempts: a claim has at most one end.
func (h *history) judgeAttempts(t *rapid.T, id int64, attempts []workqueue.Attempt) {
	seen := map[int64]bool{}
	for _, a := range attempts {
		if seen[a.Fence] {
			t.Fatalf("item %d has two attempts with fence %d", id, a.Fence)
		}
		seen[a.Fence] = true
	}
}
