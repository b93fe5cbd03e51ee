package runner

import (
	"errors"
	"time"

	"botwork/workqueue"
	"botwork/workqueue/assign"
)

// Observer receives what a runner does, for metrics. Its methods are called from several goroutines
// and must return at once.
type Observer interface {
	// ObservePass is called after each assignment pass.
	ObservePass(p Pass)

	// ObserveClaim is called after each claim that got items, with their number. A pass that also
	// claims is one.
	ObserveClaim(items int)

	// ObserveFinish is called after the results of so many runs have been written together.
	ObserveFinish(results int)
}

// PassOutcome is how an assignment pass ended.
type PassOutcome string

// The outcomes of passes.
const (
	PassAssigned PassOutcome = "assigned" // it assigned at least one item
	PassEmpty    PassOutcome = "empty"    // there was nothing to assign, or no worker with room
	PassFailed   PassOutcome = "failed"

	// PassYielded is a pass of a worker for itself alone that wrote nothing, because another pass
	// came first, or because only a pass over all workers can decide.
	PassYielded PassOutcome = "yielded"
)

// PassOutcomes lists the outcomes.
func PassOutcomes() []PassOutcome {
	return []PassOutcome{PassAssigned, PassEmpty, PassYielded, PassFailed}
}

// Pass is an assignment pass that has ended.
type Pass struct {
	Outcome PassOutcome
	Took    time.Duration
	Result  assign.AssignResult // zero if it has failed
}

// unobserved is the Observer of a runner without one.
type unobserved struct{}

func (unobserved) ObservePass(Pass)  {}
func (unobserved) ObserveClaim(int)  {}
func (unobserved) ObserveFinish(int) {}

// observePass reports a pass over all workers.
func (r *Runner) observePass(began time.Time, result assign.AssignResult, err error) {
	p := Pass{Outcome: PassEmpty, Took: time.Since(began), Result: result}
	switch {
	case err != nil:
		p.Outcome, p.Result = PassFailed, assign.AssignResult{} // its counts may have been rolled back
	case result.Assigned+result.Moved > 0:
		p.Outcome = PassAssigned
	}
	r.o.Observer.ObservePass(p)
	r.observeClaim(len(result.Claimed))
}

// observeSelfAssign reports a pass of this worker for itself alone.
func (r *Runner) observeSelfAssign(began time.Time, claimed workqueue.Claimed, done bool, err error) {
	p := Pass{Outcome: PassEmpty, Took: time.Since(began), Result: assign.AssignResult{Assigned: claimed.Len()}}
	switch {
	case err == nil && !done, errors.Is(err, assign.ErrConcurrentPass):
		p.Outcome = PassYielded
	case err != nil:
		p.Outcome = PassFailed
	case claimed.Len() > 0:
		p.Outcome = PassAssigned
	}
	r.o.Observer.ObservePass(p)
	r.observeClaim(claimed.Len())
}

func (r *Runner) observeClaim(items int) {
	if items > 0 {
		r.o.Observer.ObserveClaim(items)
	}
}
