package client

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"runtime/debug"
	"sync"
	"time"
)

// Handler does the work on an item. Its output is encoded as JSON. An error is tried again by the
// policy of the queue; see Business and Later for other ends. ctx ends when the robot must stop:
// the cause is ErrCancelled, ErrLeaseLost, ErrDraining or, if the server no longer accepts the token,
// its *Problem; the result is not reported then.
type Handler func(ctx context.Context, it *Item) (output any, err error)

// ErrDraining is the cause of a handler's context whose robot has been stopped, when the grace is over.
var ErrDraining = errors.New("the robot is stopping")

// Business returns an error of a handler that says that the data is wrong: most queues do not try
// again then.
func Business(err error) error { return &businessError{err} }

type businessError struct{ err error }

func (e *businessError) Error() string { return e.err.Error() }

func (e *businessError) Unwrap() error { return e.err }

// Later returns an error of a handler that postpones the item. No failure is counted.
func Later(in time.Duration, reason string) error { return &laterError{in, reason} }

type laterError struct {
	in     time.Duration
	reason string
}

func (e *laterError) Error() string { return fmt.Sprintf("postponed for %v: %s", e.in, e.reason) }

// Robot takes items of a queue and works on them.
type Robot struct {
	Client   *Client
	Queue    string
	Parallel int           // items at the same time; 0 means 1
	Lease    time.Duration // 0 means the queue's; a heartbeat renews it each third of it
	Filter   Filter        // the zero filter selects all

	// Wait is how long one request waits for items; 0 means 30s.
	Wait time.Duration

	// Grace is how long running items may go on when the robot is stopped; 0 means 30s, and a
	// negative value not at all. Those that still run then are released.
	Grace time.Duration

	// Trouble, if not nil, is called for errors after which the robot goes on. It may be called
	// from several goroutines at the same time.
	Trouble func(error)
}

// The waits after requests for items that failed although the client had tried several times.
const (
	firstPause = time.Second
	lastPause  = 30 * time.Second
)

// reportTime bounds the report of a result.
const reportTime = 2 * time.Minute

// Run takes and handles items until ctx ends; then it returns nil after the running items have
// ended or were released. It returns an error if the server refuses the robot, for example because
// its token was revoked.
func (r *Robot) Run(ctx context.Context, handle Handler) error {
	slots := make(chan struct{}, max(r.Parallel, 1))
	working, stop := context.WithCancelCause(context.WithoutCancel(ctx))
	defer stop(nil)
	var running sync.WaitGroup
	err := r.takeAll(ctx, slots, func(it *Item, begun time.Time) {
		running.Go(func() {
			defer func() { <-slots }()
			r.work(working, it, begun, handle)
		})
	})
	ended := make(chan struct{})
	go func() {
		running.Wait()
		close(ended)
	}()
	grace := time.NewTimer(max(cmp.Or(r.Grace, 30*time.Second), 0))
	defer grace.Stop()
	select {
	case <-ended:
	case <-grace.C:
		stop(ErrDraining)
		<-ended
	}
	return err
}

// takeAll takes items until ctx ends or the server refuses the robot. It holds a slot for each item
// that it asks for.
func (r *Robot) takeAll(ctx context.Context, slots chan struct{}, start func(it *Item, begun time.Time)) error {
	pause := firstPause
	for {
		free := 0
		select {
		case slots <- struct{}{}:
			free++
		case <-ctx.Done():
			return nil
		}
		for more := true; more && free < cap(slots); {
			select {
			case slots <- struct{}{}:
				free++
			default:
				more = false
			}
		}
		begun := time.Now()
		items, err := r.Client.Take(ctx, r.Queue, Take{Max: free, Filter: r.Filter, Lease: r.Lease, Wait: cmp.Or(r.Wait, 30*time.Second)})
		for range free - len(items) {
			<-slots
		}
		for _, it := range items {
			start(it, begun)
		}
		switch {
		case ctx.Err() != nil:
			return nil
		case err == nil:
			pause = firstPause
			continue
		case refused(err):
			return err
		}
		r.trouble(err)
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return nil
		}
		pause = min(2*pause, lastPause)
	}
}

// refused reports whether the server would refuse the next request, too.
func refused(err error) bool {
	p, ok := errors.AsType[*Problem](err)
	return ok && p.Status >= 400 && p.Status < 500 && p.Status != 408 && p.Status != 429
}

// lockedOut reports whether the server no longer accepts the token, so that no result can be reported.
func lockedOut(err error) bool {
	p, ok := errors.AsType[*Problem](err)
	return ok && (p.Status == http.StatusUnauthorized || p.Status == http.StatusForbidden)
}

func (r *Robot) trouble(err error) {
	if r.Trouble != nil && err != nil {
		r.Trouble(err)
	}
}

// work handles an item and reports its end, unless it is no longer the robot's.
func (r *Robot) work(ctx context.Context, it *Item, begun time.Time, handle Handler) {
	run, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var beating sync.WaitGroup
	beats, endBeats := context.WithCancel(ctx)
	defer endBeats()
	if it.LeaseExpiresAt != nil && it.StartedAt != nil && it.lease == 0 {
		it.lease = it.LeaseExpiresAt.Sub(*it.StartedAt) // the queue's
	}
	if it.lease > 0 {
		beating.Go(func() { r.beat(beats, it, begun, cancel) })
	}
	output, err := callHandler(run, it, handle)
	// Stop the heartbeat before the report: one that arrives after it finds no lease.
	endBeats()
	beating.Wait()
	report, done := context.WithTimeout(context.WithoutCancel(ctx), reportTime)
	defer done()
	cause := context.Cause(run)
	switch {
	case errors.Is(cause, ErrLeaseLost) || errors.Is(cause, ErrCancelled) || lockedOut(cause):
		return
	case errors.Is(cause, ErrDraining) && err != nil:
		_, err = r.Client.Release(report, it.Hold(), "the robot was stopped")
	default:
		err = r.report(report, it, output, err)
	}
	if err != nil {
		r.trouble(fmt.Errorf("report the end of item %d: %w", it.ID, err))
	}
}

// callHandler calls the handler, and makes a panic an error.
func callHandler(ctx context.Context, it *Item, handle Handler) (output any, err error) {
	defer func() {
		if p := recover(); p != nil {
			output, err = nil, fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
	}()
	return handle(ctx, it)
}

// report reports the end of an item. A result that the queue's schemas refuse is a failure.
func (r *Robot) report(ctx context.Context, it *Item, output any, failure error) error {
	h := it.Hold()
	if failure == nil {
		_, err := r.Client.Succeed(ctx, h, output, nil)
		p, ok := errors.AsType[*Problem](err)
		if !ok || p.Status != http.StatusUnprocessableEntity && p.Status != http.StatusRequestEntityTooLarge {
			return err // it says nothing about the result, which may be accepted by the next attempt
		}
		failure = Business(fmt.Errorf("the server refused the result: %w", p))
	}
	if later, ok := errors.AsType[*laterError](failure); ok {
		_, err := r.Client.Postpone(ctx, h, later.in, later.reason)
		return err
	}
	_, business := errors.AsType[*businessError](failure)
	_, err := r.Client.Fail(ctx, h, Failure{Error: cmp.Or(failure.Error(), "failed without a text"), Business: business})
	return err
}

// beat renews the lease of an item each third of it. It cancels the work when the server says so,
// or when the lease has ended without an answer.
func (r *Robot) beat(ctx context.Context, it *Item, begun time.Time, cancel context.CancelCauseFunc) {
	until := begun.Add(it.lease) // the server began to count later
	tick := time.NewTicker(max(it.lease/3, time.Millisecond))
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		sent := time.Now()
		inTime, done := context.WithDeadline(ctx, until)
		b, err := r.Client.Heartbeat(inTime, it.Hold(), r.Lease, Progress{})
		done()
		switch {
		case ctx.Err() != nil:
			return
		case err == nil && b.Continue:
			until = sent.Add(it.lease)
		case err == nil:
			cancel(cmp.Or(b.Reason, ErrLeaseLost))
			return
		case lockedOut(err):
			r.trouble(fmt.Errorf("heartbeat of item %d: %w", it.ID, err))
			cancel(err)
			return
		case !time.Now().Before(until):
			cancel(ErrLeaseLost)
			return
		default:
			r.trouble(fmt.Errorf("heartbeat of item %d: %w", it.ID, err))
		}
	}
}
