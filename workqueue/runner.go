package workqueue

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	"github.com/rs/zerolog"
)

// Runner keeps this process's place among the workers: its row and its
// heartbeat, the leases of what it holds, the slots in which items run, and
// the results that are not written yet. Methods may be called from several
// goroutines at once.
type Runner struct {
	o     RunnerOptions
	slots *slots
	held  *held

	// Set by Start.
	worker    Worker
	completer *completer

	// runs is the parent of all items' contexts; it outlives the calls of
	// Execute, so that a run ends by its grace and not with its pipeline.
	runs context.Context
	stop context.CancelFunc // ends the background loops
	loop sync.WaitGroup

	draining  chan struct{} // closed when no more items may be claimed
	drainOnce sync.Once
	executing sync.WaitGroup
	stopOnce  sync.Once
	replaced  chan struct{} // closed when another process has this worker's name

	lastAssign atomic.Pointer[AssignParams]
}

// RunnerOptions say who the worker is and how it works.
type RunnerOptions struct {
	Store   Store
	RunItem RunItem
	Log     zerolog.Logger

	// Spec is the worker's row; its Lease is also that of the items.
	Spec WorkerSpec

	// Heartbeat is how often the row and all leases are renewed; at most
	// half of the lease.
	Heartbeat time.Duration

	// ShutdownGrace is how long running items may go on when the worker
	// stops; then they are cancelled and released, uncounted.
	ShutdownGrace time.Duration
}

// cancelWait is how long Stop waits for handlers that were cancelled.
const cancelWait = 5 * time.Second

// NewRunner checks the options; it touches nothing.
func NewRunner(o RunnerOptions) (*Runner, error) {
	switch {
	case o.Store == nil || o.RunItem == nil:
		return nil, errors.New("a runner needs a store and a way to run items")
	case o.Spec.Capacity < 1:
		return nil, fmt.Errorf("capacity %d: want 1 or more slots", o.Spec.Capacity)
	case o.Heartbeat <= 0 || 2*o.Heartbeat > o.Spec.Lease:
		return nil, fmt.Errorf("heartbeat %s: want more than 0 and at most half of the lease, %s", o.Heartbeat, o.Spec.Lease)
	}
	return &Runner{
		o: o, slots: newSlots(o.Spec.Capacity), held: newHeld(),
		draining: make(chan struct{}), replaced: make(chan struct{}),
	}, nil
}

// Start registers the worker and begins to beat. A *NameTakenError says that
// another process works under the name.
func (r *Runner) Start(ctx context.Context) error {
	worker, err := r.o.Store.RegisterWorker(ctx, r.o.Spec)
	if err != nil {
		return err
	}
	r.worker = worker
	r.completer = newCompleter(r.o.Store, worker.ID, r.held, r.o.Log)
	// The background outlives ctx: Stop ends it when the last result is written.
	background, stop := context.WithCancel(context.WithoutCancel(ctx))
	r.runs, r.stop = background, stop
	for _, loop := range []func(context.Context){r.completer.run, r.heartbeat, r.watch} {
		r.loop.Go(func() { loop(background) })
	}
	return nil
}

// Worker returns the row that Start registered.
func (r *Runner) Worker() Worker { return r.worker }

// Replaced is closed when another process has taken this worker's name: this
// one must end.
func (r *Runner) Replaced() <-chan struct{} { return r.replaced }

// Draining is closed when the worker claims no more items.
func (r *Runner) Draining() <-chan struct{} { return r.draining }

// Assign runs an assignment pass. Execute repeats the latest one when the
// worker runs dry.
func (r *Runner) Assign(ctx context.Context, p AssignParams) (AssignResult, error) {
	r.lastAssign.Store(&p)
	return AssignPass(ctx, r.o.Store, p)
}

// Drain stops claiming and gives back what is assigned but not started.
// Running items go on.
func (r *Runner) Drain(ctx context.Context) {
	r.drainOnce.Do(func() {
		close(r.draining)
		if n, err := r.o.Store.ReleaseAssigned(ctx, r.worker.ID, r.worker.InstanceID); err != nil {
			r.o.Log.Warn().Err(err).Msg("assigned items were not given back; others take them when this worker is gone")
		} else if n > 0 {
			r.o.Log.Info().Int("items", n).Msg("gave back assigned items")
		}
	})
}

// Stop drains: running items get the grace, then their contexts are cancelled
// and they are released. It returns when all results are written, or when the
// leases have ended and nothing can be written any more; it says what is lost
// then. ctx ends the grace early.
func (r *Runner) Stop(ctx context.Context) error {
	var err error
	r.stopOnce.Do(func() {
		if r.completer == nil {
			return // never started
		}
		err = r.shutdown(ctx)
	})
	return err
}

func (r *Runner) shutdown(ctx context.Context) error {
	// Writes go on when ctx has ended: only waiting is cut short.
	writes := context.WithoutCancel(ctx)
	bounded, cancel := context.WithTimeout(writes, r.o.Spec.Lease)
	defer cancel()
	r.Drain(bounded)

	ended := make(chan struct{})
	go func() {
		r.executing.Wait()
		close(ended)
	}()
	var err error
	if !waitFor(ctx, ended, r.o.ShutdownGrace) {
		r.o.Log.Warn().Int("items", r.held.count()).Dur("grace_ms", r.o.ShutdownGrace).
			Msg("the grace is over: cancelling what still runs")
		r.held.cancelAll(ErrDraining)
		if !waitFor(writes, ended, cancelWait+r.o.Spec.Lease/2) {
			err = fmt.Errorf("%d items did not stop or could not be written: %v; they are rescued when their lease ends",
				r.held.count(), r.completer.unwritten())
		}
	}
	r.stop()
	r.loop.Wait()
	if serr := r.o.Store.StopWorker(bounded, r.worker.ID, r.worker.InstanceID); serr != nil && !errors.Is(serr, ErrWorkerReplaced) {
		err = errors.Join(err, serr)
	}
	return err
}

// waitFor tells whether done came before the time was over or ctx ended.
func waitFor(ctx context.Context, done <-chan struct{}, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-done:
		return true
	case <-ctx.Done():
		return false
	case <-timer.C:
		return false
	}
}

// random is the draw for jitter, in [0, 1).
func random() float64 { return rand.Float64() } //nolint:gosec // jitter is no secret
