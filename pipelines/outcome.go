package pipelines

import (
	"context"
	"errors"
	"fmt"
	"time"

	"botwork/handlers"
	"botwork/workqueue"
)

// maxErrorText bounds the text of an error, in characters. A handler may include a whole
// response in its error, and the text is stored with the item.
const maxErrorText = 8_000

// panicError is a handler's panic.
type panicError struct{ value any }

func (e *panicError) Error() string { return fmt.Sprintf("panic: %v", e.value) }

// timeoutError means that an attempt of a step exceeded the step's timeout.
type timeoutError struct {
	after time.Duration
	err   error // what the handler returned
}

func (e *timeoutError) Error() string {
	return fmt.Sprintf("timed out after %v, the step's timeout: %v", e.after, e.err)
}

func (e *timeoutError) Unwrap() error { return e.err }

// TimedOut returns the error of a handler call that took too long: err with the step's
// timeout, if the step has one. It is for replacements of handlers.
func TimedOut(s *Step, err error) error {
	if s.Timeout == 0 {
		return fmt.Errorf("%w: %w", err, context.DeadlineExceeded)
	}
	return &timeoutError{s.Timeout, err}
}

// waitError means that the run's context ended while a step waited for its next attempt.
type waitError struct {
	attempt, of int
	err         error // why the attempt failed
}

func (e *waitError) Error() string {
	return fmt.Sprintf("while waiting for the next attempt: attempt %d of %d failed: %v", e.attempt, e.of, e.err)
}

func (e *waitError) Unwrap() error { return e.err }

// kindOf returns the kind of failure of an error. A kind that the handler set takes
// precedence.
func kindOf(err error) workqueue.ErrorKind {
	if _, ok := errors.AsType[*panicError](err); ok {
		return workqueue.KindPanic
	}
	if _, ok := errors.AsType[*handlers.PermanentError](err); ok {
		return workqueue.KindPermanent
	}
	if _, ok := errors.AsType[*handlers.BusinessError](err); ok {
		return workqueue.KindBusiness
	}
	if _, ok := errors.AsType[*timeoutError](err); ok || errors.Is(err, context.DeadlineExceeded) {
		return workqueue.KindTimeout
	}
	return workqueue.KindError
}

// deliberate reports whether an error is not a failure but a handler's decision: break,
// snooze or drop.
func deliberate(err error) bool {
	_, broke := errors.AsType[*handlers.BreakError](err)
	_, snoozed := errors.AsType[*handlers.SnoozeError](err)
	_, dropped := errors.AsType[*handlers.DropError](err)
	return broke || snoozed || dropped
}

// interrupted reports whether err is only the effect of the end of the run's context. Any
// other error of a handler, such as a business error, still counts.
func interrupted(ctx context.Context, err error) bool {
	if ctx.Err() == nil {
		return false
	}
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return true
	}
	if _, waited := errors.AsType[*waitError](err); waited {
		return true // another attempt was to follow, whatever the error of this one
	}
	kind := kindOf(err)
	return !deliberate(err) && (kind == workqueue.KindError || kind == workqueue.KindTimeout)
}

// stepError is the error of a step that ends the run.
type stepError struct {
	path string
	step *Step
	err  error
}

func (e *stepError) Error() string {
	return fmt.Sprintf("step %q (%s): %v", e.path, e.step.Kind(), e.err)
}

func (e *stepError) Unwrap() error { return e.err }

// inStep returns the error of a step, which may be that of one of its own steps.
func inStep(path string, s *Step, err error) error {
	if inner, ok := err.(*stepError); ok { //nolint:errorlint // a wrapped one is another error: a timeout, or a failed element
		return inner
	}
	return &stepError{path, s, err}
}

// stopError means that a step ends the pipeline, successfully.
type stopError struct{}

func (*stopError) Error() string { return "the pipeline has ended" }

// notBegunError means that the context ended before a step began.
type notBegunError struct{ err error }

func (e *notBegunError) Error() string { return e.err.Error() + ", before this step began" }

func (e *notBegunError) Unwrap() error { return e.err }

// end sets the result for the error with which the steps of the pipeline have ended.
func (r *run) end(ctx context.Context, err error) {
	if at, failed := errors.AsType[*stepError](err); failed {
		r.fail(ctx, at)
	}
}

// innermost returns the path of the step that failed: a step of a block, if it was one.
func (e *stepError) innermost() string {
	path := e.path
	for inner, ok := e, true; ok; inner, ok = errors.AsType[*stepError](inner.err) {
		path = inner.path
	}
	return path
}

// fail sets the result for an error of a step.
func (r *run) fail(ctx context.Context, at *stepError) {
	err := at.err
	o := &r.result.Outcome
	o.Step = at.innermost()
	snooze, snoozed := errors.AsType[*handlers.SnoozeError](err)
	drop, dropped := errors.AsType[*handlers.DropError](err)
	_, uncounted := errors.AsType[*handlers.UncountedError](err)
	switch {
	case interrupted(ctx, err):
		r.interrupt(ctx, at)
		return
	case dropped:
		o.Verdict, o.Error = workqueue.Dropped, r.bounded(drop.Reason)
		return
	case snoozed:
		o.Verdict, o.After, o.Error = workqueue.Snoozed, snooze.After, r.bounded(snooze.Reason)
		return
	default:
		o.Verdict, o.Kind, o.After, o.Uncounted = workqueue.Failed, kindOf(err), askedWait(err), uncounted
	}
	o.Error = r.bounded(at.Error())
}

// interrupt sets the result after the run's context has ended: the run timed out, or the
// worker must give up the item.
func (r *run) interrupt(ctx context.Context, at *stepError) {
	err := at.err
	o := &r.result.Outcome
	o.Verdict = workqueue.Released
	cause := context.Cause(ctx)
	text := cause.Error()
	if errors.Is(cause, context.DeadlineExceeded) {
		o.Verdict, o.Kind = workqueue.Failed, workqueue.KindTimeout
		text = "the run timed out: " + text
		if bound, ok := errors.AsType[*workqueue.TimeLimitError](cause); ok {
			text = fmt.Sprintf("timed out after %v, the timeout of the whole run (resilience.timeout)", bound.Limit)
		}
		if end, ok := errors.AsType[*workqueue.FinishByError](cause); ok {
			o.Kind, text = workqueue.KindExpired, "expired: "+end.Error()
		}
	}
	_, waited := errors.AsType[*waitError](err)
	_, notBegun := errors.AsType[*notBegunError](err)
	switch bare := errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded); {
	case notBegun:
		text += ", before this step began"
	case waited:
		text += ", " + err.Error()
	case o.Verdict == workqueue.Failed && !bare:
		text += ": " + err.Error()
	}
	o.Error = r.bounded((&stepError{at.path, at.step, errors.New(text)}).Error())
}

// bounded returns a text without secrets, cut to its maximum length.
func (r *run) bounded(text string) string {
	text = r.engine.redactor.Redact(text)
	count := 0
	for i := range text {
		if count++; count > maxErrorText {
			return text[:i] + " … (cut)"
		}
	}
	return text
}
