package runner

import (
	"context"
	"errors"

	"botwork/workqueue"
)

// Gate reports whether this machine has room for more items. Its methods are called by several
// goroutines.
type Gate interface {
	// Closed returns why the worker takes no new items now, such as "cpu 97% over 90%"; "" if it
	// takes them.
	Closed() string

	// Changed receives a value when Closed returns "" and did not before, or the reverse, and when
	// there is another reason.
	Changed() <-chan struct{}
}

// errGated ends the steps of a worker that is gated.
var errGated = errors.New("this machine is short of a resource")

// Gated reports whether the worker takes no new items because its machine is short of a resource.
// Its running items continue, and it takes items again by itself.
func (r *Runner) Gated() bool { return r.gated.Load() }

// gateChanged returns the channel of changes; nil, which never receives, without a gate.
func (r *Runner) gateChanged() <-chan struct{} {
	if r.o.Gate == nil {
		return nil
	}
	return r.o.Gate.Changed()
}

// obeyGate returns the reason for the worker's row. A gate that has closed takes effect at once; one
// that has opened does when the row says so, because passes assign no items to the worker before.
func (r *Runner) obeyGate() string {
	if r.o.Gate == nil {
		return ""
	}
	reason := r.o.Gate.Closed()
	if reason != "" && !r.gated.Swap(true) {
		r.dispatch.poke()
	}
	return reason
}

// recordGate does what follows when a heartbeat has written the reason: items that are assigned and
// have not started go to other workers, or this worker takes items again.
func (r *Runner) recordGate(ctx context.Context, reason string) {
	switch {
	case reason != "" && !r.gateWritten:
		r.gateWritten = true
		r.giveBackAssigned(ctx)
	case reason == "" && r.gated.Load():
		r.gateWritten = false
		r.restart(errGated, func() { r.gated.Store(false) })
		if !r.drains() && r.o.Attend != nil {
			r.o.Attend(workqueue.EveryPriority)
		}
	}
}
