package runner

import (
	"context"
	"time"

	"botwork/workqueue"
)

// longRun is the expected length of a run from which its begin is recorded before it
// starts. The heartbeat records that of a shorter one, if it is there that long.
const longRun = time.Second

// beginsFirst reports whether the begin of an item's run has to be recorded before it
// starts, so that the run counts when it takes the process down with it. A run of
// unknown length may be a long one, unless the worker's items are short at present.
func beginsFirst(it *workqueue.Item, short bool) bool {
	if it.RecordBegin || it.AssignedEstimateMs == nil {
		return it.RecordBegin || !short
	}
	return *it.AssignedEstimateMs >= longRun.Milliseconds()
}

// begin records that the runs of claimed items begin now, and returns those that must
// not. What cannot be recorded must not start.
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
