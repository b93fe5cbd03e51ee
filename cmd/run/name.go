package run

import (
	"context"
	"errors"
	"time"

	"botwork/cmd/internal/cli"
	"botwork/internal/process"
	"botwork/workqueue"
)

// patientProcess registers this process as a worker. While a process of this host has
// the name that may have ended, such as that of a container before it was restarted, it
// waits for the end of that one's lease. A process that beats meanwhile lives and keeps
// the name: the *workqueue.NameTakenError is returned.
func (a *Worker) patientProcess(ctx context.Context, p *programme, store cli.Store) (*process.Process, error) {
	const again = time.Second
	var first *workqueue.NameTakenError
	for {
		proc, err := a.newProcess(ctx, p, store)
		taken := (*workqueue.NameTakenError)(nil)
		if !errors.As(err, &taken) || !process.MayHaveEnded(taken) {
			return proc, err
		}
		if first == nil {
			first = taken
			a.Supervisor.Status("waiting for the end of the lease of the worker that had this name")
			p.log.Warn().Str("worker", taken.Name).Str("host", taken.Host).Int("pid", taken.PID).
				Time("last_seen", taken.LastSeenAt).Time("lease_ends", taken.LeaseEnds).Float64("free_in_s", taken.FreeIn.Seconds()).
				Msg("another worker of this name is alive, or was until its lease ends, which cannot be found out from here: waiting for the end of its lease")
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
