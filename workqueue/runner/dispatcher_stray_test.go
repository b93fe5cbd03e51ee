package runner_test

import (
	"testing"
	"time"

	"botwork/workqueue"
	"botwork/workqueue/assign"
	"botwork/workqueue/sqlstore"
)

// An item that another worker's pass assigned to a worker without a free slot is released as soon
// as the worker is notified, unless the worker's own passes plan ahead.
func TestAssignedItemWithoutFreeSlotIsReleased(t *testing.T) {
	t.Parallel() // it is one of the longest
	for name, c := range map[string]struct {
		p    assign.AssignParams
		want workqueue.State
	}{
		"items go to free slots only": {assign.AssignParams{FreeSlots: true}, workqueue.Ready},
		"items are planned ahead":     {assign.AssignParams{}, workqueue.Assigned},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T, store *sqlstore.Store) {
				enqueue(t, store, 1, workqueue.NewItem{Priority: 700})
				w := startStaying(t, store, c.p, 10*time.Minute)
				stray := enqueue(t, store, 1, workqueue.NewItem{Priority: 900})[0]
				assignItem(t, store, stray, w.r.Worker().ID)
				time.Sleep(time.Minute)
				wantItem(t, store, stray, workqueue.Assigned, 0)
				w.Wake(false)
				time.Sleep(time.Second)
				it := wantItem(t, store, stray, c.want, 0)
				if it.ReleaseCount != 0 {
					t.Errorf("the item counts as released by %d dead workers", it.ReleaseCount)
				}
				w.leave(t)
				w.ran.wantOnce(t, []int64{1, stray})
			})
		})
	}
}
