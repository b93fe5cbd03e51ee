package pipelines

import (
	"context"
	"errors"
	"time"

	"botwork/workqueue"
)

// cleanupTimeout is how long the steps of onSuccess, onFailure and finally may take in all by
// default.
const cleanupTimeout = time.Minute

// after runs the steps that follow the steps of a pipeline: those of onSuccess or onFailure, and those of
// finally. o is how the pipeline has ended; the steps do not change it. It returns what failed, as a
// text to add to the error of a failed run. lost reports that the steps did not run to their end, because
// the item's lease is lost: the run must not count as ended then, else they would never run.
func (f *frame) after(ctx context.Context, o workqueue.Outcome, started time.Time) (failures string, lost bool) {
	p := f.p
	if !p.hasAfter() {
		return "", false
	}
	if isLost(ctx) {
		return "", true
	}
	ctx, lose := context.WithCancelCause(context.WithoutCancel(ctx))
	defer lose(nil)
	if it := f.in.Run; it != nil {
		it.CleanUp(p.CleanupTimeout)
		defer it.CleanUp(0)
		if it.OnLeaseLost != nil {
			it.OnLeaseLost(func() { lose(workqueue.ErrLeaseLost) })
		}
	}
	ctx, cancel := context.WithTimeout(ctx, p.CleanupTimeout)
	defer cancel()
	f.resuming = false // these steps run after each attempt
	f.describeEnd(o, started)
	list := p.OnSuccess
	switch o.Verdict {
	case workqueue.Failed:
		list = p.OnFailure
	case workqueue.Snoozed, workqueue.Released, workqueue.Dropped:
		list = nil
	}
	for _, b := range []*Block{list, p.Finally} {
		if b != nil {
			failures += f.cleanUp(ctx, b)
		}
	}
	return failures, isLost(ctx)
}

// isLost reports whether ctx has ended because the item's lease is lost.
func isLost(ctx context.Context) bool { return errors.Is(context.Cause(ctx), workqueue.ErrLeaseLost) }

// lose ends the run as one that is interrupted: what it has reached counts for nothing.
func (r *run) lose() {
	r.result.Outcome = workqueue.Outcome{Verdict: workqueue.Released, Error: workqueue.ErrLeaseLost.Error()}
	r.result.Value = nil
}

// hasAfter reports whether steps run after the others.
func (p *Pipeline) hasAfter() bool {
	return p.OnSuccess != nil || p.OnFailure != nil || p.Finally != nil
}

// cleanUp runs one list of steps.
func (f *frame) cleanUp(ctx context.Context, b *Block) (failure string) {
	err := f.steps(ctx, b.Steps)
	if at, ok := errors.AsType[*stepError](err); ok {
		text := f.bounded(at.Error())
		log := f.log(at.step)
		log.Error().Str("error", text).Msg("step failed; the outcome of the run stays the same")
		return "\n" + text
	}
	return ""
}

// describeEnd sets the variables that describe how the pipeline has ended.
func (f *frame) describeEnd(o workqueue.Outcome, started time.Time) {
	if f.vars == nil {
		return
	}
	attempt, final := 1, true
	if it := f.in.Run; it != nil {
		attempt, final = f.lead.Attempt(), o.Verdict == workqueue.Failed && o.Final(it, time.Since(started))
	}
	f.vars[varAttempt], f.vars[varError] = attempt, nil
	kind := o.Kind
	switch o.Verdict {
	case workqueue.Failed:
	case workqueue.Released:
		kind = "released"
	default:
		return
	}
	f.vars[varError] = map[string]any{"text": o.Error, "kind": string(kind), "step": o.Step, "final": final}
}

// ended returns the outcome of a called pipeline that has ended with this error, for its own
// onFailure and finally.
func (f *frame) ended(ctx context.Context, err error) workqueue.Outcome {
	at, failed := errors.AsType[*stepError](err)
	if !failed {
		if err == nil {
			return workqueue.Outcome{Verdict: workqueue.Succeeded}
		}
		at = &stepError{f.p.Name, &Step{Uses: f.p.Name}, err}
	}
	r := &run{engine: f.engine, in: f.in}
	r.fail(ctx, at)
	return r.result.Outcome
}
