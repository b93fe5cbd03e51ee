package runner

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"strings"
	"time"

	"botwork/workqueue"
)

// ExecuteParams select which of this worker's items to run.
type ExecuteParams struct {
	// Band is the range of priorities to run; the zero Band means every
	// priority.
	Band workqueue.Band

	// Refill repeats the latest assignment pass that covers a priority of Band when the worker
	// runs out of items, and from time to time while it is busy, so that it is not idle until
	// the next scheduled run.
	Refill bool

	// Session is the session of the run that this step belongs to, and Step the step's name.
	// If it is nil, the call has its own session.
	Session *Session
	Step    string
}

// ExecuteResult counts the items that were run by their outcomes.
type ExecuteResult struct {
	Succeeded int `json:"succeeded"`
	Failed    int `json:"failed"` // attempts, retried or not
	Snoozed   int `json:"snoozed"`
	Released  int `json:"released"`
	Dropped   int `json:"dropped,omitempty"` // deleted by their pipeline
}

// Execute runs the items of a band on this worker. It returns when no item of the band is left:
// none is assigned to this worker, none runs, and all results are written. While it waits, free
// slots go to the most urgent items of all open bands. When ctx ends or the worker drains, no
// more items of the band are claimed, and Execute waits for the running ones; the worker's Stop
// limits that wait. The same applies when the session is halted. On a worker that drains or is gated Execute does nothing. An item whose queue or channel
// this worker does not serve is released with the reason.
func (r *Runner) Execute(ctx context.Context, p ExecuteParams) (ExecuteResult, error) {
	if !r.enter() {
		return ExecuteResult{}, nil
	}
	defer r.executing.Done()
	queues, err := r.readQueues(ctx)
	if err != nil {
		return ExecuteResult{}, err
	}
	if p.Band == (workqueue.Band{}) {
		p.Band = workqueue.EveryPriority
	}
	s := p.Session
	if s == nil {
		s = r.NewSession(SessionOptions{})
		defer s.End()
	}
	st := r.dispatch.open(ctx, s, p, queues)
	defer context.AfterFunc(ctx, func() { r.dispatch.runs.stop(st, context.Cause(ctx)) })()
	select {
	case <-st.done:
	case <-r.runs.Done(): // the worker has stopped without waiting for this step
	}
	result, left, err := r.dispatch.outcome(st)
	if errors.Is(err, errAllStuck) {
		r.releaseAssigned(ctx)
	}
	if errors.Is(err, workqueue.ErrDraining) || errors.Is(err, errGated) || errors.Is(err, errHalted) {
		err = nil // not a failure: the other items were released
	}
	if left > 0 {
		err = errors.Join(err, fmt.Errorf("%d items have not stopped or could not be written: %w", left, workqueue.ErrDraining))
	}
	return result, err
}

// readQueues reads the queues, with a timeout.
func (r *Runner) readQueues(ctx context.Context) ([]workqueue.Queue, error) {
	ctx, cancel := context.WithTimeout(ctx, r.statementTime())
	defer cancel()
	return r.o.Store.Queues(ctx)
}

// queuePolicy is a queue with its parsed resilience.
type queuePolicy struct {
	*workqueue.Queue
	resilience workqueue.Resilience
}

// queuePolicies are the queues' policies by name.
type queuePolicies map[string]queuePolicy

// of returns the policy of an item's queue. A row inserted by hand may have "ERP " for the
// queue "erp": SQL Server treats the two as the same name; the other engines refuse the row.
func (p queuePolicies) of(queue string) queuePolicy {
	if policy, ok := p[queue]; ok {
		return policy
	}
	for name, policy := range p {
		if sameQueue(name, queue) {
			return policy
		}
	}
	return queuePolicy{Queue: &workqueue.Queue{Name: queue}}
}

// sameQueue reports whether SQL Server treats the two names as the same.
func sameQueue(name, queue string) bool {
	return strings.EqualFold(strings.TrimRight(name, " "), strings.TrimRight(queue, " "))
}

// policies parses the queues' resilience.
func (r *Runner) policies(queues []workqueue.Queue) queuePolicies {
	policies := make(queuePolicies, len(queues))
	for i := range queues {
		q := &queues[i]
		policy, err := workqueue.ParseResilience(q.Resilience)
		if err != nil {
			r.o.Log.Warn().Err(err).Str("queue", q.Name).Msg("invalid resilience settings of the queue; using the defaults")
		}
		policies[q.Name] = queuePolicy{q, policy}
	}
	return policies
}

// runSafely turns a panic into a failed attempt.
func (r *Runner) runSafely(ctx context.Context, run *workqueue.Run) (outcome workqueue.Outcome) {
	defer func() {
		if p := recover(); p != nil {
			r.o.Log.Error().Int64("item_id", run.ID).Bytes("stack", debug.Stack()).Msgf("panic while running an item: %v", p)
			outcome = workqueue.Outcome{Verdict: workqueue.Failed, Kind: workqueue.KindPanic, Error: fmt.Sprintf("panic: %v", p)}
		}
	}()
	started := time.Now()
	outcome = r.run(ctx, run)
	took := time.Since(started)
	if ctx.Err() == nil { // the duration of a cancelled run is not typical
		r.learner.record(run.Item, outcome, took)
	}
	r.memory.ended(run.Item, &outcome)
	if r.o.Ended != nil && run.Batch == nil { // else it is called for each item
		r.o.Ended(ctx, run.Item, outcome, took)
	}
	return outcome
}

// run runs an item that can be read, and checks its result against the queue's schemas.
func (r *Runner) run(ctx context.Context, run *workqueue.Run) workqueue.Outcome {
	if run.Unreadable != "" {
		// Another worker may have the key: the attempt counts, and the item is retried.
		return workqueue.Outcome{Verdict: workqueue.Failed, Kind: workqueue.KindError, Error: "the item cannot be read: " + run.Unreadable}
	}
	if run.Oversized != "" {
		return workqueue.Outcome{Verdict: workqueue.Failed, Kind: workqueue.KindPermanent, Error: fmt.Sprintf(
			"%s, much more than the %d bytes (%s) of maxPayload of the queue %q, and was not loaded; hint: raise maxPayload in the queue's definition and repeat the item",
			run.Oversized, run.Queue.PayloadLimit(), workqueue.SizeText(run.Queue.PayloadLimit()), run.QueueName)}
	}
	return run.CheckResult(&r.schemas, r.o.RunItem(ctx, run))
}
