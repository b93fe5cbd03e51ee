package runner_test

import (
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"botwork/workqueue"
	"botwork/workqueue/assign"
	"botwork/workqueue/matching"
	"botwork/workqueue/sqlstore"
)

// Selectors expire for each item separately, by the time since that item became due: those of
// one item may have expired while the same selectors of another are still valid. A pass parses
// the selectors once for all items that have them; the order of the items makes no difference.
func TestSelectorsExpireForEachItem(t *testing.T) {
	for _, c := range []struct {
		name       string
		old, fresh int // priorities: the pass plans the more urgent item first
	}{
		{"the expired one first", 800, 700},
		{"the expired one last", 700, 800},
	} {
		t.Run(c.name, func(t *testing.T) {
			bubble(t, func(t *testing.T, store *sqlstore.Store) {
				w := register(t, store, "ann", 9)
				nobody := []matching.Selector{{Key: "gpu", Operator: matching.Equal, Value: matching.Bool(true), ExpiresAfter: time.Minute}}
				like := workqueue.NewItem{Selectors: nobody}
				like.Priority = c.old
				ids := enqueue(t, store, 2, like)
				time.Sleep(time.Minute)
				synctest.Wait()
				like.Priority = c.fresh
				ids = append(ids, enqueue(t, store, 2, like)...)
				pass(t, store, assign.AssignParams{})
				if got := holders(t, store, ids); !slices.Equal(got, []int64{w.ID, w.ID, 0, 0}) {
					t.Errorf("holders = %v, want worker %d for the two with an expired selector, and none for the others", got, w.ID)
				}
				time.Sleep(time.Minute)
				pass(t, store, assign.AssignParams{})
				if got := holders(t, store, ids); slices.Contains(got, 0) {
					t.Errorf("holders a minute later = %v, want worker %d for all", got, w.ID)
				}
			})
		})
	}
}
