package enqueue_test

import (
	"context"
	"testing"
	"time"

	"botwork/cmd/internal/clitest"
	"botwork/workqueue"
	"botwork/workqueue/assign"
	"botwork/workqueue/sqlstore"
)

// staleStore returns an item as it was before a worker claimed it, once.
type staleStore struct {
	*sqlstore.Store
	stale *workqueue.Item
}

func (s *staleStore) Item(ctx context.Context, id int64) (workqueue.Item, error) {
	if it := s.stale; it != nil {
		s.stale = nil
		return *it, nil
	}
	return s.Store.Item(ctx, id)
}

// A worker may claim the item while its start is predicted. That is no unknown start.
func TestWhyOfItemClaimedMeanwhile(t *testing.T) {
	clitest.InProject(t)
	clitest.Must(t, "enqueue", "--pipeline", "hello", "--priority", "700")
	store := clitest.OpenQueue(t)
	before, err := store.Item(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	worker, err := store.RegisterWorker(t.Context(), workqueue.WorkerSpec{Name: "bot-1", InstanceID: "1", Host: "h", Capacity: 1, Lease: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	clitest.ByHand(t, "UPDATE BotWorkQueueItems SET State = 1, WorkerId = 1, Fence = Fence + 1, StartedAt = '2998-01-01 00:00:00.000', LeaseExpiresAt = '2999-01-01 00:00:00.000'")
	pipeline := assign.SystemPipeline{Name: "ExecuteWorkQueue", Wake: true, Passes: []assign.AssignParams{{Band: workqueue.EveryPriority}}}
	r, err := assign.Why(t.Context(), &staleStore{store, &before}, 1, assign.WhyParams{Pipelines: []assign.SystemPipeline{pipeline}})
	if err != nil || r.Kind != assign.WhyRunning {
		t.Errorf("Why with worker %d = %s (%s; %s), %v, want that it runs", worker.ID, r.Kind, r.Text, r.Expected, err)
	}
}
