package process

import (
	"context"
	"crypto/rand"
	"errors"
	"os"
	"strings"

	"botwork/workqueue"
)

// thisProcess begins the instance ids of this process, which tells them from
// those of an earlier one that had its id.
var thisProcess = rand.Text()[:10] + "-"

// identify fills in what makes this start of the worker unlike all others.
func identify(spec *workqueue.WorkerSpec) {
	spec.InstanceID = thisProcess + rand.Text()
	spec.PID = os.Getpid()
	if spec.Host == "" {
		// A machine without a name is still a machine; the name only informs.
		spec.Host, _ = os.Hostname()
	}
}

// register takes the worker's name. After a crash the row of the dead process
// still looks alive until its lease ends; where that process ran on this
// machine and is gone, there is no need to wait.
func (p *Process) register(ctx context.Context) error {
	runner, err := p.newRunner()
	if err == nil {
		err = runner.Start(ctx)
	}
	taken := (*workqueue.NameTakenError)(nil)
	if errors.As(err, &taken) && taken.Host == p.o.Spec.Host && dead(taken) {
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

// dead tells whether the process that registered is gone for certain.
func dead(taken *workqueue.NameTakenError) bool {
	if taken.PID == os.Getpid() {
		// A container that starts anew often has the same id again.
		return !strings.HasPrefix(taken.InstanceID, thisProcess)
	}
	return !alive(taken.PID)
}
