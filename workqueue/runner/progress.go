package runner

import (
	"context"
	"slices"
	"time"

	"botwork/workqueue"
)

// progressEvery is how often the steps, progress and log lines of running
// items are recorded. A run that ends sooner writes nothing but its end.
const progressEvery = 2 * time.Second

// progressBatch bounds the runs that one statement writes.
const progressBatch = 500

// tellProgress records the progress of running items until ctx ends.
func (r *Runner) tellProgress(ctx context.Context) {
	ticker := time.NewTicker(progressEvery)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			r.recordProgress(ctx, time.Now().Add(-progressEvery))
			r.askLost(ctx)
		}
	}
}

// recordProgress writes what has changed in the runs that began before a time. Progress that
// cannot be written goes into the next write; a lost lease ends its run.
func (r *Runner) recordProgress(ctx context.Context, before time.Time) {
	notes, runs := r.active.news(before)
	for len(notes) > 0 {
		n := min(len(notes), progressBatch)
		batch, of := notes[:n], runs[:n]
		notes, runs = notes[n:], runs[n:]
		bounded, cancel := context.WithTimeout(ctx, r.statementTime())
		lost, err := r.o.Store.Progress(bounded, r.worker.ID, r.worker.InstanceID, batch)
		cancel()
		if err != nil {
			// The heartbeat, which matters more, logs that the database is unreachable.
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
		r.held.lose(refs, lost)
	}
}

// askLost stops the runs that have lost their items, such as items that a person cancelled:
// the next heartbeat would notice that only later.
func (r *Runner) askLost(ctx context.Context) {
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
	r.held.lose(refs, lost)
}
