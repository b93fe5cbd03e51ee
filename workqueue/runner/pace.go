package runner

import (
	"context"
	"time"

	"botwork/workqueue/assign"
)

// maxPaced bounds the bands whose passes are to be repeated: pipelines have few.
const maxPaced = 16

// pacedPass is a pass that left items waiting for a place under a rate.
type pacedPass struct {
	assign.AssignParams
	at time.Time // when to look again
}

// repeatAfter has a pass repeated. From one tick to the next only as many items
// could start else as have a place in the moment of the tick: a rate of ten a
// minute, whose places come free a little after each full minute, would let ten
// start in two.
func (r *Runner) repeatAfter(p assign.AssignParams, wait time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.pacing[p.Band] {
		return
	}
	select {
	case r.paced <- pacedPass{p, time.Now().Add(wait)}:
		r.pacing[p.Band] = true
	default: // the next tick does it
	}
}

// pace repeats such passes until ctx ends or the worker drains. What they assign
// to this worker is attended to at once; other workers notice what is theirs.
func (r *Runner) pace(ctx context.Context) {
	for {
		var p pacedPass
		select {
		case <-ctx.Done():
			return
		case <-r.draining:
			return
		case p = <-r.paced:
		}
		timer := time.NewTimer(time.Until(p.at))
		select {
		case <-ctx.Done():
			timer.Stop()
			return
		case <-r.draining:
			timer.Stop()
			return
		case <-timer.C:
		}
		r.mu.Lock()
		delete(r.pacing, p.Band)
		r.mu.Unlock()
		// An error is the heartbeat's to report, and the next tick tries again.
		if result, err := r.pass(ctx, p.AssignParams); err == nil && result.Assigned > 0 {
			r.o.Attend(p.Band)
		}
	}
}
