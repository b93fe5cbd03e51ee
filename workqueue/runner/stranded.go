package runner

import (
	"context"
	"time"
)

// strandedEvery is how often a worker looks for abandoned items: often enough that, with the
// default lease of a minute, an item runs again within ninety seconds of its worker's death:
// 60 s of lease, 10 s until a worker notices and assigns it, 10 s until the worker that it was
// assigned to notices.
func (r *Runner) strandedEvery() time.Duration { return r.o.Spec.Lease / 6 }

// pollStranded calls Attend for abandoned items until ctx ends: those of a worker that died,
// and those that were assigned to this worker between its scheduled runs.
func (r *Runner) pollStranded(ctx context.Context) {
	ticker := time.NewTicker(r.strandedEvery())
	defer ticker.Stop()
	for !r.stops() {
		select {
		case <-ctx.Done():
			return
		case <-r.draining:
			return
		case <-ticker.C:
		}
		if r.closed() != nil {
			continue
		}
		bounded, cancel := context.WithTimeout(ctx, r.statementTime())
		band, found, err := r.o.Store.AbandonedBand(bounded, r.worker.ID)
		cancel()
		// The heartbeat reports errors.
		if err == nil && found {
			r.o.Attend(band)
		}
	}
}
