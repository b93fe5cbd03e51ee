package runner

import (
	"context"
	"time"

	"botwork/workqueue"
)

// foldEvery is how often each worker checks whether old statistics can be compacted. foldFor
// is how long it then compacts at most.
const foldEvery, foldFor = time.Minute, 30 * time.Second

// foldStatistics compacts old statistics until ctx ends or the worker drains. It runs in its
// own goroutine and not in an assignment pass or a pipeline, so that no assignment or claim
// waits for it. Workers that start together check at different times: one of them finds the
// work, and each of the others makes one small query.
func (r *Runner) foldStatistics(ctx context.Context) {
	wait := time.Duration(random() * float64(foldEvery))
	for r.pause(ctx, wait) {
		if err := r.fold(ctx); err != nil && ctx.Err() == nil {
			r.o.Log.Warn().Err(err).Msg("could not compact statistics; retrying in 1 minute")
		}
		wait = foldEvery
	}
}

// fold compacts batch by batch. After each batch it pauses for as long as the batch took, so
// that it uses the database for at most half of the time.
func (r *Runner) fold(ctx context.Context) error {
	for end := time.Now().Add(foldFor); time.Now().Before(end); {
		started := time.Now()
		bounded, cancel := context.WithTimeout(ctx, r.statementTime())
		compacted, err := r.o.Store.CompactStatistics(bounded, workqueue.StatisticsBatch)
		cancel()
		if err != nil || compacted < workqueue.StatisticsBatch || !r.pause(ctx, time.Since(started)) {
			return err
		}
	}
	return nil
}

// pause waits, and reports whether to continue: not if ctx has ended or the worker drains.
func (r *Runner) pause(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-r.draining:
	case <-timer.C:
		return ctx.Err() == nil && !r.drains()
	}
	return false
}
