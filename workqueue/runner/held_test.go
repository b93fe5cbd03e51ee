package runner

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"botwork/workqueue"
)

var epoch = time.Date(2026, 11, 20, 9, 0, 0, 0, time.UTC)

func TestHeldRenewsLeasesThatAreNotLost(t *testing.T) {
	h := newHeld()
	kept, _ := h.add(t.Context(), &workqueue.Item{ID: 1, Fence: 5}, epoch)
	lost, _ := h.add(t.Context(), &workqueue.Item{ID: 2, Fence: 6}, epoch)
	refs := h.refs()
	slices.SortFunc(refs, func(a, b workqueue.ItemRef) int { return int(a.ItemID - b.ItemID) })
	if want := []workqueue.ItemRef{{ItemID: 1, Fence: 5}, {ItemID: 2, Fence: 6}}; !slices.Equal(refs, want) {
		t.Fatalf("refs = %v, want %v", refs, want)
	}
	h.renewed(refs, []int64{2}, nil, epoch.Add(time.Minute))
	if n := h.expire(epoch.Add(time.Minute)); n != 1 {
		t.Errorf("%d leases lapsed, want only that of the lost item", n)
	}
	if kept.Err() != nil {
		t.Errorf("a renewed run was cancelled: %v", context.Cause(kept))
	}
	if cause := context.Cause(lost); !errors.Is(cause, workqueue.ErrLeaseLost) {
		t.Errorf("a lost run's cause is %v, want ErrLeaseLost", cause)
	}
}

func TestHeldExpires(t *testing.T) {
	h := newHeld()
	run, _ := h.add(t.Context(), &workqueue.Item{ID: 1, Fence: 1}, epoch.Add(time.Minute))
	for _, test := range []struct {
		at   time.Duration
		want int
	}{{59 * time.Second, 0}, {time.Minute, 0}, {time.Minute + 1, 1}, {time.Hour, 0}} {
		if n := h.expire(epoch.Add(test.at)); n != test.want {
			t.Errorf("after %s %d leases lapsed, want %d", test.at, n, test.want)
		}
	}
	if cause := context.Cause(run); !errors.Is(cause, workqueue.ErrLeaseLost) {
		t.Errorf("cause %v, want ErrLeaseLost", cause)
	}
	h.renewed(h.refs(), nil, nil, epoch.Add(2*time.Minute))
	if n := h.expire(epoch.Add(3 * time.Minute)); n != 1 {
		t.Errorf("%d leases lapsed after a late renewal, want 1", n)
	}
}

// A slow answer must not shorten a lease that a later answer has extended.
func TestHeldNeverShortensALease(t *testing.T) {
	h := newHeld()
	run, _ := h.add(t.Context(), &workqueue.Item{ID: 1, Fence: 1}, epoch.Add(time.Minute))
	h.renewed(h.refs(), nil, nil, epoch)
	if h.expire(epoch.Add(time.Second)); run.Err() != nil {
		t.Error("a renewal shortened the lease")
	}
}

func TestHeldLaterClaimOfTheSameItem(t *testing.T) {
	h := newHeld()
	first, _ := h.add(t.Context(), &workqueue.Item{ID: 1, Fence: 1}, epoch)
	refs := h.refs()
	second, _ := h.add(t.Context(), &workqueue.Item{ID: 1, Fence: 2}, epoch)
	if cause := context.Cause(first); !errors.Is(cause, workqueue.ErrLeaseLost) {
		t.Errorf("the earlier run's cause is %v, want ErrLeaseLost", cause)
	}
	h.renewed(refs, []int64{1}, nil, epoch) // a heartbeat that began before the second claim
	h.remove(workqueue.ItemRef{ItemID: 1, Fence: 1})
	if second.Err() != nil || h.count() != 1 {
		t.Errorf("the later claim ended with the earlier one: %v, %d held", context.Cause(second), h.count())
	}
	h.remove(workqueue.ItemRef{ItemID: 1, Fence: 2})
	if second.Err() == nil || h.count() != 0 {
		t.Errorf("the removed claim is still held: %v, %d held", second.Err(), h.count())
	}
}

func TestHeldCancelAllIncludesLaterRuns(t *testing.T) {
	h := newHeld()
	before, _ := h.add(t.Context(), &workqueue.Item{ID: 1}, epoch)
	h.cancelAll(workqueue.ErrDraining)
	after, _ := h.add(t.Context(), &workqueue.Item{ID: 2}, epoch)
	for _, ctx := range []context.Context{before, after} {
		if cause := context.Cause(ctx); !errors.Is(cause, workqueue.ErrDraining) {
			t.Errorf("cause %v, want ErrDraining", cause)
		}
	}
}
