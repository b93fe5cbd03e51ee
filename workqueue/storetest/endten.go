package storetest

import (
	"context"
	"errors"
	"time"

	"botwork/workqueue"
)

// EndTen enqueues ten items to the default queue. Worker w claims them and finishes them
// with success.
func EndTen(ctx context.Context, store Store, w workqueue.Worker) error {
	batch := make([]workqueue.NewItem, 10)
	for i := range batch {
		batch[i] = workqueue.NewItem{IntegrationConfig: Pipeline}
	}
	made, err := store.Enqueue(ctx, batch)
	if err != nil {
		return err
	}
	err = store.Assign(ctx, func(ctx context.Context, tx workqueue.AssignTx) error {
		var assignments []workqueue.Assignment
		for _, id := range workqueue.IDs(made) {
			assignments = append(assignments, workqueue.Assignment{ItemID: id, WorkerID: w.ID})
		}
		_, err := tx.Write(ctx, assignments)
		return err
	})
	if err != nil {
		return err
	}
	items, err := store.Claim(ctx, workqueue.ClaimParams{
		WorkerID: w.ID, InstanceID: w.InstanceID, Band: workqueue.EveryPriority, Max: len(batch), Lease: time.Hour,
	})
	if err != nil {
		return err
	}
	var ends []workqueue.Finish
	for _, it := range items {
		ends = append(ends, workqueue.Finish{ItemID: it.ID, Fence: it.Fence, State: workqueue.Processed})
	}
	lost, err := store.Finish(ctx, w.ID, w.InstanceID, ends)
	if err == nil && len(lost) > 0 {
		err = errors.New("ends were lost")
	}
	return err
}
