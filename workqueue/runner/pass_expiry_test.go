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

// Of items with the same selectors, each is judged by how long it has been due itself: the
// selectors of one may have expired while those of another still ask. A pass reads the
// selectors once for all items that are alike; which of the items it comes to first makes
// no difference.
func TestSelectorsExpireForEachItem(t *testing.T) {
	for _, c := range []struct {
		name       string
		old, fresh int // priorities: the more urgent item is looked at first
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
					t.Errorf("holders = %v, want worker %d for the two whose selector has expired, and nobody for the others", got, w.ID)
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
