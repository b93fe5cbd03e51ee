package runner

import (
	"context"
	"errors"
	"fmt"
	"time"

	"botwork/workqueue"
)

// cancelWait is how long Stop waits for handlers that were cancelled.
const cancelWait = 5 * time.Second

// enter registers a call of Execute; it returns false if the worker takes no items.
func (r *Runner) enter() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed() != nil {
		return false
	}
	r.executing.Add(1)
	return true
}

// drains reports whether the worker claims no items now: it stops, or a user has asked it to
// drain.
func (r *Runner) drains() bool { return r.suspended.Load() || r.stops() }

// closed returns why the worker takes no new items now: it drains, or its machine is short of a
// resource; nil if it takes them.
func (r *Runner) closed() error {
	switch {
	case r.drains():
		return workqueue.ErrDraining
	case r.gated.Load():
		return errGated
	}
	return nil
}

// Suspended reports whether a user has asked the worker to drain. It claims no items until it is
// resumed.
func (r *Runner) Suspended() bool { return r.suspended.Load() }

// stops reports whether the worker claims no more items until it ends.
func (r *Runner) stops() bool {
	select {
	case <-r.draining:
		return true
	default:
		return false
	}
}

// Drain stops claiming and releases items that are assigned but not started. Running items
// continue. It happens once: later calls wait for it until ctx ends.
func (r *Runner) Drain(ctx context.Context) {
	r.mu.Lock()
	first, started := !r.stops(), r.started
	if first {
		close(r.draining)
		if started {
			r.cancelDispatch(workqueue.ErrDraining)
		}
	}
	r.mu.Unlock()
	r.dispatch.poke()
	if !first {
		select {
		case <-r.drained:
		case <-ctx.Done():
		}
		return
	}
	defer close(r.drained)
	if !started || r.isLost() {
		return
	}
	if err := r.recordDraining(ctx); err != nil {
		r.o.Log.Warn().Err(err).Msg("could not record that this worker is draining; items assigned to it meanwhile are released when it stops")
	}
	r.giveBackAssigned(ctx)
}

// giveBackAssigned releases the items that are assigned to this worker and not claimed.
func (r *Runner) giveBackAssigned(ctx context.Context) {
	if n, err := r.o.Store.ReleaseAssigned(ctx, r.worker.ID, r.worker.InstanceID); err != nil {
		r.o.Log.Warn().Err(err).Msg("could not release assigned items; other workers get them with a later pass")
	} else if n > 0 {
		r.o.Log.Info().Int("items", n).Msg("released assigned items")
	}
}

// recordDraining marks the worker's row as draining. Otherwise passes would assign items to
// the worker during the whole shutdown. A row that now belongs to another instance does not
// change.
func (r *Runner) recordDraining(ctx context.Context) error {
	err := r.o.Store.DrainWorker(ctx, r.worker.Name, r.worker.InstanceID)
	if errors.Is(err, workqueue.ErrNotFound) {
		return nil
	}
	return err
}

// Stop drains: running items may continue until the shutdown timeout, then their contexts are
// cancelled and they are released. It returns when all results are written, or when the leases
// have ended and nothing more can be written; the error then names what is lost, and wraps
// ErrDatabaseLost if that is the reason. The end of ctx ends the shutdown timeout early.
func (r *Runner) Stop(ctx context.Context) error {
	r.mu.Lock()
	started := r.started
	r.mu.Unlock()
	if !started {
		return nil
	}
	var err error
	r.stopOnce.Do(func() {
		err = r.shutdown(ctx)
		if r.isLost() && !errors.Is(err, workqueue.ErrDatabaseLost) {
			err = errors.Join(err, r.lostBecause)
		}
	})
	return err
}

func (r *Runner) shutdown(ctx context.Context) error {
	// Writes continue when ctx has ended; only waiting ends early.
	writes := context.WithoutCancel(ctx)
	drain, cancel := context.WithTimeout(writes, r.statementTime())
	defer cancel()
	r.Drain(drain)

	ended := make(chan struct{})
	go func() {
		r.executing.Wait()
		select {
		case <-r.dispatch.awaitQuiet(): // items whose step ended early still run
		case <-r.runs.Done():
		}
		close(ended)
	}()
	var err error
	if r.isLost() { // the runs were cancelled, and their results are lost
		if !waitFor(writes, ended, cancelWait) {
			err = fmt.Errorf("%d items did not stop", r.held.count())
		}
		r.stop()
		r.loop.Wait()
		return err
	}
	if !waitFor(ctx, ended, r.o.ShutdownGrace) {
		r.o.Log.Warn().Int("items", r.held.count()).Dur("grace_ms", r.o.ShutdownGrace).
			Msg("shutdown timeout reached; cancelling running items")
		r.held.cancelAll(workqueue.ErrDraining)
		if !waitFor(writes, ended, cancelWait+r.o.Spec.Lease/2) {
			err = fmt.Errorf("%d items did not stop or could not be written: %v; they are rescued when their lease ends",
				r.held.count(), r.completer.unwritten())
		}
	}
	r.stop()
	r.loop.Wait()
	// A new timeout: the shutdown may have taken longer than a lease.
	last, cancel := context.WithTimeout(writes, r.statementTime())
	defer cancel()
	if serr := r.o.Store.StopWorker(last, r.worker.ID, r.worker.InstanceID); serr != nil && !errors.Is(serr, workqueue.ErrWorkerReplaced) {
		err = errors.Join(err, serr)
	} else {
		r.learn(last) // the durations of the last runs; errors are not retried
	}
	return err
}

// statementTime returns the timeout of a statement: half of a lease. If the database has not
// answered by then, the connection is lost, and a later answer would be of little use.
func (r *Runner) statementTime() time.Duration { return r.o.Spec.Lease / 2 }

// waitFor reports whether done was closed before the timeout and before the end of ctx.
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
