package bench

import (
	"testing"

	"botwork/internal/testdb"
	"botwork/workqueue"
	"botwork/workqueue/sqlstore"
)

func TestBacklog(t *testing.T) {
	testdb.Each(t, func(t *testing.T, e testdb.Engine) {
		t.Parallel()
		progress := &counter{}
		o := BacklogOptions{Common: common(t, e, progress), Items: 100, Capacity: 2, Processed: 300, Waiting: 40, Scheduled: 30, CleanUp: 600}
		r, err := Backlog(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		wantPositive(t, r, ItemsPerSecond, EmptyItemsPerSecond, BacklogShare, CleanUpItemsPerSecond, CleanUpShare, EnqueuedPerSecond, P50Ms)
		if cleaned := r.Figures[CleanedRows]; cleaned.Smallest < 0 || cleaned.Largest > 600 {
			t.Errorf("cleaned rows %+v, want at most the 600 old rows", cleaned)
		}
		if *r.Lost != 0 || *r.RanTwice != 0 {
			t.Errorf("report %+v, want none lost, none twice", r)
		}
		if got := progress.sum(); got != o.Work() {
			t.Errorf("progress of %d, want %d", got, o.Work())
		}
	})
}

// TestBacklogHasTheShapeOfItems checks that the program sees the backlog as described,
// and that CleanUp finds only the old items.
func TestBacklogHasTheShapeOfItems(t *testing.T) {
	testdb.Each(t, func(t *testing.T, e testdb.Engine) {
		t.Parallel()
		o := BacklogOptions{Common: common(t, e, nil), Capacity: 2, Processed: 5, Waiting: 4, Scheduled: 3}
		err := o.inStore(t.Context(), func(store *sqlstore.Store, dsn string) error {
			f, err := o.fill(t.Context(), store, dsn)
			if err != nil {
				return err
			}
			defer f.db.Close()
			seen := map[workqueue.Lifecycle]int{}
			now, err := store.Now(t.Context())
			if err != nil {
				return err
			}
			items, err := store.Items(t.Context(), workqueue.ItemFilter{Limit: 100})
			for _, it := range items {
				life := it.Lifecycle
				seen[life]++
				if life == workqueue.LifeCompleted && (it.FinishedAt == nil || it.FinishedAt.After(now) || it.WorkerID == nil || it.Fence != 1) {
					t.Errorf("processed: %+v", it)
				}
			}
			want := map[workqueue.Lifecycle]int{workqueue.LifeCompleted: 5 + 1, workqueue.LifePending: 4 + 1, workqueue.LifeScheduled: 3 + 1}
			for life, n := range want {
				if seen[life] != n {
					t.Errorf("%d items are %s, want %d of %v", seen[life], life, n, seen)
				}
			}
			return err
		})
		if err != nil {
			t.Error(err)
		}
	})
}
