package runner

import (
	"context"
	"time"

	"botwork/workqueue/assign"
)

// maxPaced bounds the bands whose passes are repeated: pipelines have few.
const maxPaced = 16

// pacedPass is a pass that left items waiting because of a rate limit.
type pacedPass struct {
	assign.AssignParams
	at time.Time // when to repeat it
}

// repeatAfter repeats a pass after a delay. Otherwise items could start only at scheduled runs,
// and only as many as the rate allows at that moment: with a rate of ten a minute whose window
// opens shortly after each full minute, only ten items would start in two minutes.
func (r *Runner) repeatAfter(p assign.AssignParams, wait time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.pacing[p.Band] {
		return
	}
	select {
	case r.paced <- pacedPass{p, time.Now().Add(wait)}:
		r.pacing[p.Band] = true
	default: // the next scheduled run does it
	}
}

// pace repeats such passes until ctx ends or the worker drains. Items that they assign to this
// worker run at once; other workers notice theirs by themselves.
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
		// The heartbeat reports errors, and the next scheduled run tries again.
		if result, err := r.pass(ctx, p.AssignParams); err == nil && result.Assigned > 0 {
			r.o.Attend(p.Band)
		}
	}
}
