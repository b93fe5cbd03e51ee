package process

import (
	"context"
	"crypto/rand"
	"errors"
	"os"

	"botwork/internal/procid"
	"botwork/workqueue"
)

// identify fills in what makes this start of the worker unlike all others.
func identify(spec *workqueue.WorkerSpec) {
	spec.InstanceID = rand.Text()
	spec.PID = os.Getpid()
	spec.ProcessKey = procid.Key(spec.InstanceID)
	if spec.Host == "" {
		// A machine without a name is still a machine; the name only informs.
		spec.Host, _ = os.Hostname()
	}
}

// register takes the worker's name. After a crash the row of the dead process still
// looks alive until its lease ends; where that process is known to have ended, there is
// no need to wait.
func (p *Process) register(ctx context.Context) error {
	runner, err := p.newRunner()
	if err == nil {
		err = runner.Start(ctx)
	}
	taken := (*workqueue.NameTakenError)(nil)
	if errors.As(err, &taken) && holder(p.o.Spec.Host, taken) == procid.Ended {
		p.o.Log.Info().Str("worker", taken.Name).Int("pid", taken.PID).
			Msg("the process that had this worker's name has died; taking over")
		p.o.Spec.Replaces = taken.InstanceID
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

// MayHaveEnded reports whether the process that has the name ran on this host and may
// have ended: that cannot be found out from here, such as after a container was
// restarted or the machine was. Then it is worth to wait for the end of its lease.
func MayHaveEnded(taken *workqueue.NameTakenError) bool {
	host, err := os.Hostname()
	return err == nil && taken.Host == host && holder(host, taken) == procid.Unknown
}

// holder returns what is known on this host of the process that has the name.
func holder(host string, taken *workqueue.NameTakenError) procid.State {
	if host != taken.Host {
		return procid.Unknown
	}
	return procid.LookUp(taken.InstanceID, taken.ProcessKey)
}
