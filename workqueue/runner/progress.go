package runner

import (
	"context"
	"errors"
	"slices"
	"time"

	"botwork/workqueue"
)

// progressEvery is how often the steps, progress and log lines of running items are recorded.
// For a shorter run only the outcome is written.
const progressEvery = 2 * time.Second

// progressBatch bounds the runs that one statement writes.
const progressBatch = 500

// reportProgress records the progress of running items until ctx ends.
func (r *Runner) reportProgress(ctx context.Context) {
	ticker := time.NewTicker(progressEvery)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			r.recordProgress(ctx, time.Now().Add(-progressEvery))
			r.checkLost(ctx)
		}
	}
}

// recordProgress writes what has changed in the runs that started before a time. Progress that
// cannot be written goes into the next write; a run whose lease is lost is cancelled.
func (r *Runner) recordProgress(ctx context.Context, before time.Time) {
	notes, runs := r.active.progressNotes(before)
	for len(notes) > 0 {
		n := min(len(notes), progressBatch)
		batch, of := notes[:n], runs[:n]
		notes, runs = notes[n:], runs[n:]
		bounded, cancel := context.WithTimeout(ctx, r.statementTime())
		lost, err := r.o.Store.Progress(bounded, r.worker.ID, r.worker.InstanceID, batch)
		cancel()
		if errors.As(err, new(*workqueue.LockedError)) {
			// All of the batch is written again, which changes nothing.
			for _, run := range of {
				run.KeepProgress()
			}
			continue
		}
		if err != nil {
			// The heartbeat logs that the database is unreachable.
			r.o.Log.Debug().Err(err).Int("items", len(batch)).Msg("could not save progress; retrying")
			for _, run := range slices.Concat(of, runs) {
				run.KeepProgress()
			}
			return
		}
		refs := make([]workqueue.ItemRef, len(batch))
		for i := range batch {
			refs[i] = batch[i].ItemRef
		}
		r.logLost(ctx, r.held.cancelLost(refs, lost))
	}
}

// checkLost stops runs that have lost their items, for example because a user cancelled them.
// The next heartbeat would stop them only later.
func (r *Runner) checkLost(ctx context.Context) {
	refs := r.active.claims(time.Now().Add(-progressEvery))
	if len(refs) == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, r.statementTime())
	defer cancel()
	lost, err := r.o.Store.Lost(ctx, r.worker.ID, r.worker.InstanceID, refs)
	if err != nil {
		r.o.Log.Debug().Err(err).Msg("could not check leases; retrying")
		return
	}
	r.logLost(ctx, r.held.cancelLost(refs, lost))
}
