package runner

import (
	"context"
	"time"

	"botwork/workqueue"
)

// longRun is the expected duration from which the start of a run is recorded before it runs.
// For shorter runs, the next heartbeat records the start if they are still running.
const longRun = time.Second

// mustRecordBegin reports whether the start of an item's run must be recorded before it begins, so
// that the run counts if it takes the process down. A run of unknown length may be long, unless
// the worker's items are short now.
func mustRecordBegin(it *workqueue.Item, short bool) bool {
	if it.RecordBegin || it.AssignedEstimateMs == nil {
		return it.RecordBegin || !short
	}
	return *it.AssignedEstimateMs >= longRun.Milliseconds()
}

// begin records that claimed items start now, and returns the items that must not start. If
// the starts cannot be recorded, it returns all of them.
func (r *Runner) begin(ctx context.Context, refs ...workqueue.ItemRef) (refused []int64) {
	bounded, cancel := context.WithTimeout(ctx, r.statementTime())
	defer cancel()
	refused, err := r.o.Store.Begin(bounded, workqueue.BeginParams{
		WorkerID: r.worker.ID, InstanceID: r.worker.InstanceID, Items: refs,
	})
	if err != nil {
		r.o.Log.Warn().Err(err).Int("items", len(refs)).Int64("item_id", refs[0].ItemID).Msg("released items: could not record their start")
		refused = nil
		for _, ref := range refs {
			refused = append(refused, ref.ItemID)
		}
	}
	return refused
}
