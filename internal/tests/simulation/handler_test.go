package simulation

import (
	"context"
	"errors"
	"fmt"
	"time"

	"botwork/workqueue"
)

// plan is the expected life of an item without interference.
type plan struct {
	fails     int  // attempts that fail before one succeeds
	limit     int  // number of attempts
	permanent bool // the first attempt fails for good
	outlives  bool // the first attempt takes longer than the policy's timeout
	deaf      bool // handlers ignore that they were cancelled
	snoozes   bool // the first run snoozes
	long      bool // a run takes longer than a lease
	brief     bool // a run takes some milliseconds
	resumes   bool // its pipeline has `resume: true`
}

// planOf returns an item's plan. Seven of eight items in a burst are brief.
func (w *world) planOf(id int64) plan {
	if first := w.burstAfter.Load(); first >= 0 && id > first && id <= first+int64(w.rules.Burst) && (id-first)%8 != 0 {
		return plan{limit: 3, brief: true}
	}
	p := planOf(w.seed, id)
	if d := roll(w.seed, "steps of item", int(id)); w.rules.Steps && d.chance(75) {
		p.resumes, p.deaf = true, !p.outlives && d.chance(35)
	}
	return p
}

// planOf draws an item's plan.
func planOf(seed uint64, id int64) plan {
	d := roll(seed, fmt.Sprintf("plan of item %d", id), 0)
	p := plan{limit: 1 + d.IntN(3), long: d.chance(20), deaf: d.chance(6), snoozes: d.chance(10)}
	if d.chance(35) {
		p.fails = 1 + d.IntN(3)
	}
	p.permanent = d.chance(5)
	if d.chance(5) {
		p.outlives, p.long = true, false // a second long run would outlive it again
	}
	return p
}

// timeLimit is the timeout in the policy of an item that outlives it.
const timeLimit = 90 * time.Second

// policy returns the item's resilience, without jitter.
func (p plan) policy() workqueue.JSONText {
	text := fmt.Sprintf(`{"limit": %d, "delay": "10s", "factor": 2, "jitter": 0`, p.limit)
	if p.outlives {
		text += fmt.Sprintf(`, "timeout": "%s"`, timeLimit)
	}
	return workqueue.JSONText(text + "}")
}

// end returns how the item ends, and with how many failures.
func (p plan) end() (state workqueue.State, failures int) {
	fails := p.fails
	if p.outlives {
		fails = max(fails, 1)
	}
	switch {
	case p.permanent && p.outlives: // the attempt after the one that took too long
		return workqueue.Cancelled, min(2, p.limit)
	case p.permanent:
		return workqueue.Cancelled, 1
	case fails >= p.limit:
		return workqueue.Cancelled, p.limit
	}
	return workqueue.Processed, fails
}

// runItem runs an item as its plan says, and reports its effects to the judge.
func (p *process) runItem(ctx context.Context, run *workqueue.Run) workqueue.Outcome {
	defer p.occupy(run)()
	plan := p.w.planOf(run.ID)
	d := roll(p.w.seed, fmt.Sprintf("run %d of item %d", run.Fence, run.ID), 0)
	took := d.between(200*time.Millisecond, 20*time.Second)
	if plan.brief {
		took = d.between(time.Millisecond, 10*time.Millisecond)
	}
	if plan.long {
		took = d.between(p.w.rules.Lease, 2*p.w.rules.Lease)
	}
	if plan.outlives && run.RetryCount == 0 {
		took = d.between(timeLimit+30*time.Second, 2*timeLimit)
	}
	if plan.resumes {
		return p.resume(ctx, run, plan, took)
	}
	ref := workqueue.ItemRef{ItemID: run.ID, Fence: run.Fence}
	run.Follow("", workqueue.Resilience{})
	p.w.judge.begins(p, ref, plan.deaf)
	const ticks = 4
	for i := range ticks {
		run.EnterStep(fmt.Sprintf("step %d", i+1))
		if err := p.work(ctx, plan.deaf, took/ticks); err != nil {
			return p.interrupted(ctx, ref, err)
		}
		p.w.judge.effect(p, ref)
	}
	outcome := plan.outcome(run)
	p.w.judge.ends(p, ref, outcome)
	return outcome
}

// work waits for d. Only a deaf handler continues when ctx has ended.
func (p *process) work(ctx context.Context, deaf bool, d time.Duration) error {
	if deaf {
		ctx = context.WithoutCancel(ctx)
	}
	return p.sleep(ctx, d)
}

// interrupted returns the outcome of a run whose context has ended, like the engine does.
func (p *process) interrupted(ctx context.Context, ref workqueue.ItemRef, err error) workqueue.Outcome {
	// Each run notices the end after a different time. Otherwise the order in which runs that
	// are cancelled together are written would be random.
	seen := roll(p.w.seed, fmt.Sprintf("interrupt %v", ref), 0).between(time.Microsecond, time.Millisecond)
	_ = p.sleep(context.WithoutCancel(ctx), seen)
	cause := context.Cause(ctx)
	o := workqueue.Outcome{Verdict: workqueue.Released, Error: fmt.Sprint(cause)}
	if errors.Is(err, errKilled) {
		return o // a dead process writes nothing
	}
	if errors.Is(cause, context.DeadlineExceeded) {
		o.Verdict, o.Kind = workqueue.Failed, workqueue.KindTimeout
	}
	if errors.Is(cause, workqueue.ErrLeaseLost) {
		p.stopped(ref)
		return o // there is nothing to write
	}
	p.w.judge.ends(p, ref, o)
	return o
}

// outcome returns the end of a run without interruption.
func (p plan) outcome(run *workqueue.Run) workqueue.Outcome {
	switch {
	case p.snoozes && run.Fence == 1:
		return workqueue.Outcome{Verdict: workqueue.Snoozed, After: 10 * time.Second}
	case p.permanent:
		return workqueue.Outcome{Verdict: workqueue.Failed, Kind: workqueue.KindPermanent, Error: "permanent"}
	case run.RetryCount < p.fails:
		return workqueue.Outcome{Verdict: workqueue.Failed, Kind: workqueue.KindError, Error: "fails this time"}
	}
	return workqueue.Outcome{Output: workqueue.JSONText(fmt.Sprintf(`"fence %d"`, run.Fence))}
}
