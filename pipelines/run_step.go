package pipelines

import (
	"context"
	"errors"
	"fmt"

	"botwork/handlers"
	"botwork/internal/tracing"
)

// attempt evaluates the step's condition, builds its handler and runs it as often as its
// retry policy allows.
func (r *run) attempt(ctx context.Context, s *Step) (output any, skipped bool, err error) {
	r.machine.Start(ctx)
	if s.condition != nil {
		wanted, err := r.holds(s)
		if err != nil || !wanted {
			return nil, err == nil, err
		}
	}
	h, with, err := r.handlerOf(s)
	if err != nil {
		return nil, false, err
	}
	if r.in.Handle != nil {
		h = &standIn{r.in.Handle, StepCall{Step: s, With: with, Handler: h}}
	}
	if s.retry == nil {
		output, err = r.once(ctx, s, h, r.call(s))
	} else {
		output, err = r.repeatedly(ctx, s, h)
	}
	return output, false, err
}

// repeatedly runs a handler as often as the step's retry policy allows.
func (r *run) repeatedly(ctx context.Context, s *Step, h handlers.Handler) (output any, err error) {
	call, retry := r.call(s), s.retry
	if r.in.Handle != nil {
		retry = newRetry(s.Attempts, s.backoff, false)
	}
	// After the context has ended, the executor returns the context's error, whatever the
	// handler returned; but the handler's last error counts.
	attempts, inTime := 0, false
	stopped := retry.WithContext(ctx).Run(func() error {
		if attempts++; attempts > 1 {
			call = r.call(s)
			call.Log.Warn().Str("error", r.bounded(err.Error())).Int("attempt", attempts).Int("attempts", s.Attempts).
				Msg("step failed; retrying")
		}
		output, err = r.once(ctx, s, h, call)
		inTime = ctx.Err() == nil
		return err
	})
	switch ended := ctx.Err(); {
	case attempts == 0:
		err = stopped // the context ended before the first attempt
	case inTime && ended != nil && errors.Is(stopped, ended) && !errors.Is(err, ended):
		err = &waitError{attempts, s.Attempts, err}
	}
	return output, err
}

// standIn is a handler that calls a function instead.
type standIn struct {
	handle func(context.Context, StepCall) (any, error)
	call   StepCall
}

func (h *standIn) Handle(ctx context.Context, call *handlers.Call) (any, error) {
	made := h.call
	made.Call = call
	return h.handle(ctx, made)
}

// holds evaluates the step's condition.
func (r *run) holds(s *Step) (bool, error) {
	v, err := s.condition.eval(&r.machine, r.vars)
	if err == nil {
		if wanted, ok := v.(bool); ok {
			return wanted, nil
		}
		err = s.condition.fail(0, fmt.Sprintf("the condition evaluates to %s, want true or false", describe(v)))
	}
	if fault, ok := errors.AsType[*ExpressionError](err); ok {
		fault.Key = "if"
	}
	return false, handlers.Permanent(err)
}

// describe names a value's type without showing the value, which may be a secret.
func describe(v any) string {
	switch v.(type) {
	case nil:
		return "nil"
	case string:
		return "a text"
	case int, float64:
		return "a number"
	default:
		return fmt.Sprintf("%T", v)
	}
}

// handlerOf returns the handler and the parameters of a step. It builds the handler unless
// all parameters are constant. Parameters that are wrong because of an expression are wrong
// at every attempt.
func (r *run) handlerOf(s *Step) (handlers.Handler, map[string]any, error) {
	if s.handler != nil {
		return s.handler, s.literal, nil
	}
	rendered, err := s.with.render(&r.machine, r.vars)
	if err != nil {
		return nil, nil, handlers.Permanent(err)
	}
	with := rendered.(map[string]any)
	h, err := r.build(s, with)
	if err != nil {
		return nil, nil, handlers.Permanent(fmt.Errorf("with: %w", err))
	}
	return h, with, nil
}

// build builds a step's handler; a panic becomes an error.
func (r *run) build(s *Step, with map[string]any) (h handlers.Handler, err error) {
	defer func() {
		if v := recover(); v != nil {
			log := r.log(s)
			h, err = nil, r.panicked(&log, v)
		}
	}()
	return s.kind.Build(with)
}

// handle calls a step's handler; a panic becomes an error.
func (r *run) handle(ctx context.Context, h handlers.Handler, call *handlers.Call) (output any, err error) {
	defer func() {
		if v := recover(); v != nil {
			output, err = nil, r.panicked(&call.Log, v)
		}
	}()
	return h.Handle(ctx, call)
}

// once runs one attempt, as a span of the item's trace.
func (r *run) once(ctx context.Context, s *Step, h handlers.Handler, call *handlers.Call) (any, error) {
	ctx, span := tracing.Child(ctx, "step")
	defer span.End()
	span.Text("botwork.step", s.Name)
	span.Text("botwork.handler", s.Handler)
	output, err := r.onceInTime(ctx, s, h, call)
	if err != nil {
		span.Fail(string(kindOf(err)))
		return output, err
	}
	r.failNamed(call)
	return output, nil
}

func (r *run) onceInTime(ctx context.Context, s *Step, h handlers.Handler, call *handlers.Call) (any, error) {
	if s.Timeout == 0 {
		return r.handle(ctx, h, call)
	}
	bounded, cancel := context.WithTimeout(ctx, s.Timeout)
	defer cancel()
	output, err := r.handle(bounded, h, call)
	if err != nil && ctx.Err() == nil && interrupted(bounded, err) {
		err = &timeoutError{s.Timeout, err}
	}
	return output, err
}
