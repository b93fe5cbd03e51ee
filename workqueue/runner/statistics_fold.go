package runner

import (
	"context"
	"time"

	"botwork/workqueue"
)

// foldEvery is how long each worker waits before it looks again whether statistics
// of the past are to be summed up. foldFor is how long it goes on with that at most.
const foldEvery, foldFor = time.Minute, 30 * time.Second

// foldStatistics sums up the statistics of the past, until ctx ends or the worker
// drains. It has a rhythm of its own instead of a place in the assignment pass or
// in a pipeline: nothing that gives out or claims items waits for it. Workers
// that start together do not look together, so one of them finds what is to be
// done, and the others, at the price of one small question, nothing.
func (r *Runner) foldStatistics(ctx context.Context) {
	wait := time.Duration(random() * float64(foldEvery))
	for r.pause(ctx, wait) {
		if err := r.fold(ctx); err != nil && ctx.Err() == nil {
			r.o.Log.Warn().Err(err).Msg("could not compact statistics; retrying in 1 minute")
		}
		wait = foldEvery
	}
}

// fold sums up batch by batch. Behind each it rests for as long as that took:
// work on the queue has the database for at least half of the time.
func (r *Runner) fold(ctx context.Context) error {
	for end := time.Now().Add(foldFor); time.Now().Before(end); {
		began := time.Now()
		bounded, cancel := context.WithTimeout(ctx, r.statementTime())
		taken, err := r.o.Store.CompactStatistics(bounded, workqueue.StatisticsBatch)
		cancel()
		if err != nil || taken < workqueue.StatisticsBatch || !r.pause(ctx, time.Since(began)) {
			return err
		}
	}
	return nil
}

// pause waits, and tells whether to go on: not when ctx has ended or the worker
// drains.
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
