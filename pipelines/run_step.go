package pipelines

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"botwork/handlers"
	"botwork/internal/tracing"
)

// attempt evaluates the step's condition and runs the step, or its loop.
func (f *frame) attempt(ctx context.Context, s *Step) (output any, skipped bool, err error) {
	f.machine.Start(ctx)
	if s.condition != nil && !s.perElement {
		wanted, err := f.holds(s)
		if err != nil || !wanted {
			return nil, err == nil, err
		}
	}
	if s.Foreach != nil {
		output, err = f.loop(ctx, s)
	} else {
		output, err = f.tries(ctx, s)
	}
	return output, false, err
}

// tries runs a step, or one iteration of it, as often as its retry policy allows.
func (f *frame) tries(ctx context.Context, s *Step) (output any, err error) {
	h, with, err := f.handlerOf(s)
	if err != nil {
		return nil, err
	}
	if f.in.Handle != nil && s.Block == nil {
		h = &standIn{f.in.Handle, StepCall{Step: s, Path: f.path(s), With: with, Handler: h}}
	}
	if s.retry == nil {
		return f.once(ctx, s, h, f.call(s))
	}
	return f.repeatedly(ctx, s, h)
}

// repeatedly runs a handler as often as the step's retry policy allows.
func (f *frame) repeatedly(ctx context.Context, s *Step, h handlers.Handler) (output any, err error) {
	call, retry := f.call(s), s.retry
	if f.in.Handle != nil {
		retry = newRetry(s.Attempts, s.backoff, false)
	}
	// After the context has ended, the executor returns the context's error, whatever the
	// handler returned; but the handler's last error counts.
	attempts, inTime := 0, false
	stopped := retry.WithContext(ctx).Run(func() error {
		if attempts++; attempts > 1 {
			call = f.call(s)
			call.Log.Warn().Str("error", f.bounded(err.Error())).Int("attempt", attempts).Int("attempts", s.Attempts).
				Msg("step failed; retrying")
		}
		output, err = f.once(ctx, s, h, call)
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
func (f *frame) holds(s *Step) (bool, error) {
	v, err := s.condition.eval(&f.machine, f.vars)
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
	case int, float64, json.Number:
		return "a number"
	default:
		return fmt.Sprintf("%T", v)
	}
}

// handlerOf returns the handler and the parameters of a step. It builds the handler unless
// all parameters are constant. Parameters that are wrong because of an expression are wrong
// at every attempt.
func (f *frame) handlerOf(s *Step) (handlers.Handler, map[string]any, error) {
	switch {
	case s.handler != nil:
		return s.handler, s.literal, nil
	case s.Block != nil && s.Block.Parallel:
		return &branches{f, s}, nil, nil
	case s.Block != nil:
		return &sequence{f, s}, nil, nil
	case s.Uses != "":
		c, err := f.calledBy(s)
		if err != nil {
			return nil, nil, err
		}
		with, _ := c.payload.(map[string]any)
		return c, with, nil
	}
	rendered, err := s.with.render(&f.machine, f.vars)
	if err != nil {
		return nil, nil, handlers.Permanent(err)
	}
	with := rendered.(map[string]any)
	var h handlers.Handler
	if err = s.checkRendered(with); err == nil {
		h, err = f.build(s, with)
	}
	if err != nil {
		return nil, nil, handlers.Permanent(fmt.Errorf("with: %w", err))
	}
	return h, with, nil
}

// build builds a step's handler; a panic becomes an error.
func (f *frame) build(s *Step, with map[string]any) (h handlers.Handler, err error) {
	defer func() {
		if v := recover(); v != nil {
			log := f.log(s)
			h, err = nil, f.panicked(&log, v)
		}
	}()
	return s.kind.Build(with)
}

// handle calls a step's handler; a panic becomes an error.
func (f *frame) handle(ctx context.Context, h handlers.Handler, call *handlers.Call) (output any, err error) {
	defer func() {
		if v := recover(); v != nil {
			output, err = nil, f.panicked(&call.Log, v)
		}
	}()
	return h.Handle(ctx, call)
}

// once runs one attempt, as a span of the item's trace.
func (f *frame) once(ctx context.Context, s *Step, h handlers.Handler, call *handlers.Call) (any, error) {
	ctx, span := tracing.Child(ctx, "step")
	defer span.End()
	span.Text("botwork.step", f.path(s))
	span.Text("botwork.handler", s.Kind())
	output, err := f.onceInTime(ctx, s, h, call)
	if err != nil {
		span.Fail(string(kindOf(err)))
		return output, err
	}
	f.failNamed(call)
	return output, nil
}

func (f *frame) onceInTime(ctx context.Context, s *Step, h handlers.Handler, call *handlers.Call) (any, error) {
	if s.Timeout == 0 {
		return f.handle(ctx, h, call)
	}
	bounded, cancel := context.WithTimeout(ctx, s.Timeout)
	defer cancel()
	output, err := f.handle(bounded, h, call)
	if err != nil && ctx.Err() == nil && interrupted(bounded, err) {
		err = &timeoutError{s.Timeout, err}
	}
	return output, err
}
