package workqueue

import (
	"context"
	"slices"
	"time"
)

// longRun is the expected length of a run from which its begin is recorded before it
// starts. The heartbeat records that of a shorter one, if it is there that long.
const longRun = time.Second

// beginsFirst reports whether the begin of an item's run has to be recorded before it
// starts, so that the run counts when it takes the process down with it. mean is that of
// the runs so far, for an item without an estimate; 0: not known, so it may be a long run.
func (it *Item) beginsFirst(mean time.Duration) bool {
	if it.AssignedEstimateMs != nil {
		mean = time.Duration(*it.AssignedEstimateMs) * time.Millisecond
	}
	return it.RecordBegin || mean == 0 || mean >= longRun
}

// begin records that the run of a claimed item begins now, and reports whether it may.
// What cannot be recorded must not start.
func (r *Runner) begin(ctx context.Context, ref ItemRef) bool {
	bounded, cancel := context.WithTimeout(ctx, r.statementTime())
	defer cancel()
	refused, err := r.o.Store.Begin(bounded, BeginParams{
		WorkerID: r.worker.ID, InstanceID: r.worker.InstanceID, Items: []ItemRef{ref},
	})
	if err != nil {
		r.o.Log.Warn().Err(err).Int64("item_id", ref.ItemID).Msg("gave back an item: its begin could not be recorded")
		return false
	}
	return !slices.Contains(refused, ref.ItemID)
}
