package runner

import (
	"context"
	"errors"
	"time"

	"botwork/workqueue"
)

// foldEvery is how often each worker checks whether statistics can be compacted or added to
// those over time. foldFor is how long each of both takes at most.
const foldEvery, foldFor = time.Minute, 30 * time.Second

// foldStatistics compacts old statistics, adds to the statistics over time and samples the
// backlog, until ctx ends or the worker drains. It runs in its own goroutine and not in an
// assignment pass or a pipeline, so that no assignment or claim waits for it. Workers that start together check at different times: one of them finds the
// work, and each of the others makes one small query.
func (r *Runner) foldStatistics(ctx context.Context) {
	wait := time.Duration(random() * float64(foldEvery))
	for r.pause(ctx, wait) {
		if err := r.fold(ctx); err != nil && ctx.Err() == nil {
			r.o.Log.Warn().Err(err).Msg("could not compact statistics; retrying in 1 minute")
		}
		if err := r.keepSeries(ctx); err != nil && ctx.Err() == nil {
			r.o.Log.Warn().Err(err).Msg("could not add to the statistics over time; retrying in 1 minute")
		}
		wait = foldEvery
	}
}

// fold compacts old statistics.
func (r *Runner) fold(ctx context.Context) error {
	return r.inBatches(ctx, r.o.Store.CompactStatistics)
}

// keepSeries samples the backlog, unless another worker has done so in this minute, and adds
// to the statistics over time.
func (r *Runner) keepSeries(ctx context.Context) error {
	bounded, cancel := context.WithTimeout(ctx, r.statementTime())
	_, err := r.o.Store.SampleGauges(bounded)
	cancel()
	return errors.Join(err, r.inBatches(ctx, r.o.Store.FoldSeries))
}

// inBatches calls do batch by batch. After each batch it pauses for as long as the batch took,
// so that it uses the database for at most half of the time.
func (r *Runner) inBatches(ctx context.Context, do func(ctx context.Context, limit int) (int, error)) error {
	for end := time.Now().Add(foldFor); time.Now().Before(end); {
		started := time.Now()
		bounded, cancel := context.WithTimeout(ctx, r.statementTime())
		taken, err := do(bounded, workqueue.StatisticsBatch)
		cancel()
		if err != nil || taken < workqueue.StatisticsBatch || !r.pause(ctx, time.Since(started)) {
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
