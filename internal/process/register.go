package process

import (
	"context"
	"crypto/rand"
	"errors"
	"os"

	"botwork/internal/procid"
	"botwork/workqueue"
)

// identify sets the fields that identify this process.
func identify(spec *workqueue.WorkerSpec) {
	spec.InstanceID = rand.Text()
	spec.PID = os.Getpid()
	spec.ProcessKey = procid.Key(spec.InstanceID)
	if spec.Host == "" {
		// The host name is only for people, so it may be empty.
		spec.Host, _ = os.Hostname()
	}
}

// register registers the worker under its name. After a crash the row of the dead process
// looks alive until its lease expires; if that process is known to have ended, register
// takes the name over without waiting.
func (p *Process) register(ctx context.Context) error {
	runner, err := p.newRunner()
	if err == nil {
		err = runner.Start(ctx)
	}
	inUse := (*workqueue.NameTakenError)(nil)
	if errors.As(err, &inUse) && holder(p.o.Spec.Host, inUse) == procid.Ended {
		p.o.Log.Info().Str("worker", inUse.Name).Int("pid", inUse.PID).
			Msg("the previous process with this worker name has ended; taking over")
		p.o.Spec.Replaces = inUse.InstanceID
		if runner, err = p.newRunner(); err == nil {
			err = runner.Start(ctx)
		}
	}
	if err != nil {
		return err
	}
	p.runner = runner
	return nil
}

// MayHaveExited reports whether the process that holds the name ran on this host and may
// have ended, which cannot be determined, for example after the container or the machine was
// restarted. The caller should then wait until its lease expires.
func MayHaveExited(inUse *workqueue.NameTakenError) bool {
	host, err := os.Hostname()
	return err == nil && inUse.Host == host && holder(host, inUse) == procid.Unknown
}

// holder returns the state of the process that holds the name, as far as this host knows it.
func holder(host string, inUse *workqueue.NameTakenError) procid.State {
	if host != inUse.Host {
		return procid.Unknown
	}
	return procid.StateOfKey(inUse.InstanceID, inUse.ProcessKey)
}
