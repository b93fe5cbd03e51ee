package sqlstore_test

import (
	"context"
	"testing"
	"time"

	"botwork/internal/faultproxy"
	"botwork/workqueue/assign"
	"botwork/workqueue/runner"
)

// A connection that accepts requests and never answers must not block a pipeline: meanwhile
// overlap skips its next scheduled run, and items that other workers assign to this worker,
// which still sends heartbeats, are not started.
func TestRunnerCallsTimeOut(t *testing.T) {
	t.Parallel()
	for name, call := range map[string]func(ctx context.Context, r *runner.Runner) error{
		"Assign": func(ctx context.Context, r *runner.Runner) error {
			_, err := r.Assign(ctx, assign.AssignParams{})
			return err
		},
		"Execute": func(ctx context.Context, r *runner.Runner) error {
			_, err := r.Execute(ctx, runner.ExecuteParams{})
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			eachProxied(t, func(x *behindProxy) {
				w := x.startWorker("w", &runLog{})
				x.proxy.Set(faultproxy.Swallow())
				returned := make(chan error, 1)
				go func() { returned <- call(x.Context(), w.runner) }()
				select {
				case err := <-returned:
					if err == nil {
						x.Error("no error with a connection that does not answer")
					}
				case <-time.After(2*tormentedLease + 10*time.Second):
					x.Error("the call still waits, long after the lease has ended")
					x.proxy.Drop()
					<-returned
				}
				x.proxy.Restore()
				x.proxy.Drop()
			})
		})
	}
}
