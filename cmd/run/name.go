package run

import (
	"context"
	"errors"
	"time"

	"botwork/cmd/internal/cli"
	"botwork/internal/process"
	"botwork/workqueue"
)

// patientProcess registers this process as a worker. If the name belongs to a process of this
// host that may have ended, such as that of a restarted container, it waits until the lease of
// that process expires. If the other process sends a heartbeat meanwhile, it is alive and
// keeps the name: patientProcess returns the *workqueue.NameTakenError.
func (a *Worker) patientProcess(ctx context.Context, p *programme, store cli.Store) (*process.Process, error) {
	const again = time.Second
	var first *workqueue.NameTakenError
	for {
		proc, err := a.newProcess(ctx, p, store)
		taken := (*workqueue.NameTakenError)(nil)
		if !errors.As(err, &taken) || !process.MayHaveExited(taken) {
			return proc, err
		}
		if first == nil {
			first = taken
			a.Supervisor.Status("waiting for the lease of the previous worker of this name to expire")
			p.log.Warn().Str("worker", taken.Name).Str("host", taken.Host).Int("pid", taken.PID).
				Time("last_seen", taken.LastSeenAt).Time("lease_ends", taken.LeaseEnds).Float64("free_in_s", taken.FreeIn.Seconds()).
				Msg("another worker of this name may still be alive; waiting for its lease to expire")
		}
		if taken.InstanceID != first.InstanceID || taken.LastSeenAt.After(first.LastSeenAt) {
			return nil, err
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(min(again, taken.FreeIn+time.Millisecond)):
		}
	}
}
