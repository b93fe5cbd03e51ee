package run

import (
	"context"
	"errors"
	"time"

	"github.com/rs/zerolog"

	"botwork/cmd/internal/cli"
	"botwork/internal/process"
	"botwork/workqueue"
)

// patientProcess registers this process as a worker; see patiently.
func (a *Worker) patientProcess(ctx context.Context, p *programme, store cli.Store) (*process.Process, error) {
	r := registration{
		register: func() (*process.Process, error) { return a.newProcess(ctx, p, store) },
		answers:  func() error { _, err := store.Now(ctx); return err },
		status:   a.Supervisor.Status, log: p.log,
	}
	return r.patiently(ctx)
}

// registration is the attempts to register a worker.
type registration struct {
	register func() (*process.Process, error)
	answers  func() error // nil: the database answers
	status   func(string)
	log      zerolog.Logger
}

// registerAgain is the time between two attempts.
const registerAgain = time.Second

// patiently registers a worker. If the name belongs to a process of this host that may have
// ended, such as that of a restarted container, it waits until the lease of that process
// expires. If the other process sends a heartbeat meanwhile, it is alive and keeps the name:
// patiently returns the *workqueue.NameTakenError. While the database does not answer, it logs
// the error and tries again until ctx ends, as the opening of the database does.
func (r *registration) patiently(ctx context.Context) (*process.Process, error) {
	var first *workqueue.NameTakenError
	decides := false // the next error is not because the database is away
	for {
		proc, err := r.register()
		if err == nil || ctx.Err() != nil {
			return proc, err
		}
		wait := registerAgain
		taken := (*workqueue.NameTakenError)(nil)
		switch {
		case errors.As(err, &taken):
			if !process.MayHaveExited(taken) {
				return nil, err
			}
			if first == nil {
				first = taken
				r.noteTaken(taken)
			}
			if taken.InstanceID != first.InstanceID || taken.LastSeenAt.After(first.LastSeenAt) {
				return nil, err
			}
			wait = min(wait, taken.FreeIn+time.Millisecond)
		case decides:
			return nil, err
		default:
			decides = r.answers() == nil
			r.status("waiting for the database: " + err.Error())
			r.log.Error().Err(err).Stringer("again_in", wait).Msg("cannot register the worker; retrying")
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(wait):
		}
	}
}

func (r *registration) noteTaken(taken *workqueue.NameTakenError) {
	r.status("waiting for the lease of the previous worker of this name to expire")
	r.log.Warn().Str("worker", taken.Name).Str("host", taken.Host).Int("pid", taken.PID).
		Time("last_seen", taken.LastSeenAt).Time("lease_ends", taken.LeaseEnds).Float64("free_in_s", taken.FreeIn.Seconds()).
		Msg("another worker of this name may still be alive; waiting for its lease to expire")
}
