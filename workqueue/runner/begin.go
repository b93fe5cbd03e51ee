package runner

import (
	"context"
	"time"

	"botwork/workqueue"
)

// longRun is the expected length of a run from which its begin is recorded before it
// starts. The heartbeat records that of a shorter one, if it is there that long.
const longRun = time.Second

// beginsFirst reports whether the start of an item's run must be recorded before it begins, so
// that the run counts if it takes the process down. A run of unknown length may be long, unless
// the worker's items are short now.
func beginsFirst(it *workqueue.Item, short bool) bool {
	if it.RecordBegin || it.AssignedEstimateMs == nil {
		return it.RecordBegin || !short
	}
	return *it.AssignedEstimateMs >= longRun.Milliseconds()
}

// begin records that the runs of claimed items begin now, and returns the items that must not
// start. If it cannot record them, none may start.
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
