package pipelines

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"botwork/handlers"
	"botwork/workqueue"

	"github.com/google/go-cmp/cmp"
)

// hang waits until its context ends and returns the cause.
func hang(ctx context.Context, _ *handlers.Call) (any, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

func TestStepTimeout(t *testing.T) {
	tests := []struct {
		name string
		do   do
		want workqueue.Outcome
	}{
		{"hanging handler", hang, workqueue.Outcome{Verdict: workqueue.Failed, Kind: workqueue.KindTimeout, Step: "s",
			Error: `step "s" (Do): timed out after 30s, the step's timeout: context deadline exceeded`}},
		{"error because of the end", func(ctx context.Context, _ *handlers.Call) (any, error) {
			<-ctx.Done()
			return nil, errors.New("connection closed")
		}, workqueue.Outcome{Verdict: workqueue.Failed, Kind: workqueue.KindTimeout, Step: "s",
			Error: `step "s" (Do): timed out after 30s, the step's timeout: connection closed`}},
		{"a late answer is an answer", func(ctx context.Context, _ *handlers.Call) (any, error) {
			<-ctx.Done()
			return "late", nil
		}, workqueue.Outcome{Output: `"late"`}},
		{"a late business error is one", func(ctx context.Context, _ *handlers.Call) (any, error) {
			<-ctx.Done()
			return nil, handlers.Business(errors.New("wrong date"))
		}, workqueue.Outcome{Verdict: workqueue.Failed, Kind: workqueue.KindBusiness, Step: "s", Error: `step "s" (Do): wrong date`}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := parse(t, testCompiler(map[string]do{"Do": test.do}), "steps: [{name: s, handler: Do, timeout: 30s}]")
				started := time.Now()
				got := testEngine(nil).Run(t.Context(), p, RunInput{})
				if diff := cmp.Diff(test.want, got.Outcome); diff != "" {
					t.Errorf("outcome (-want +got):\n%s", diff)
				}
				if took := time.Since(started); took != 30*time.Second {
					t.Errorf("the run took %v, want 30s", took)
				}
			})
		})
	}
}

// TestInterruption checks that the verdict of a run whose context ends follows from the
// cause.
func TestInterruption(t *testing.T) {
	released := func(cause error) workqueue.Outcome {
		return workqueue.Outcome{Verdict: workqueue.Released, Step: "s", Error: `step "s" (Do): ` + cause.Error()}
	}
	business := func(ctx context.Context, _ *handlers.Call) (any, error) {
		<-ctx.Done()
		return nil, handlers.Business(errors.New("wrong date"))
	}
	tests := []struct {
		name  string
		cause error
		do    do
		more  string
		want  workqueue.Outcome
	}{
		{"lease lost", workqueue.ErrLeaseLost, hang, "", released(workqueue.ErrLeaseLost)},
		{"draining", workqueue.ErrDraining, hang, "", released(workqueue.ErrDraining)},
		{"draining ends a retry", workqueue.ErrDraining, hang, ", retry: {attempts: 5}", released(workqueue.ErrDraining)},
		{"draining is no error to go on from", workqueue.ErrDraining, hang, ", onError: continue", released(workqueue.ErrDraining)},
		{"draining beats the step's timeout", workqueue.ErrDraining, hang, ", timeout: 1h", released(workqueue.ErrDraining)},
		{"the item's time is up", context.DeadlineExceeded, hang, "", workqueue.Outcome{Verdict: workqueue.Failed, Kind: workqueue.KindTimeout, Step: "s",
			Error: `step "s" (Do): the run timed out: context deadline exceeded`}},
		{"a business error is heard", workqueue.ErrDraining, business, ", retry: {attempts: 5}",
			workqueue.Outcome{Verdict: workqueue.Failed, Kind: workqueue.KindBusiness, Step: "s", Error: `step "s" (Do): wrong date`}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := parse(t, testCompiler(map[string]do{"Do": test.do}), "steps: [{name: s, handler: Do"+test.more+"}]")
				ctx, cancel := context.WithCancelCause(t.Context())
				time.AfterFunc(time.Minute, func() { cancel(test.cause) })
				got := testEngine(nil).Run(ctx, p, RunInput{})
				if diff := cmp.Diff(test.want, got.Outcome); diff != "" {
					t.Errorf("outcome (-want +got):\n%s", diff)
				}
			})
		})
	}
	t.Run("while a step waits, draining has precedence over the error of the attempt", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			p := parse(t, testCompiler(map[string]do{"Do": func(context.Context, *handlers.Call) (any, error) { panic("oh") }}),
				"steps: [{name: s, handler: Do, onError: continue, retry: {attempts: 2, delay: 1h}}]")
			ctx, cancel := context.WithCancelCause(t.Context())
			time.AfterFunc(time.Minute, func() { cancel(workqueue.ErrDraining) })
			got := testEngine(nil).Run(ctx, p, RunInput{})
			want := released(workqueue.ErrDraining)
			want.Error += ", while waiting for the next attempt: attempt 1 of 2 failed: panic: oh"
			if diff := cmp.Diff(want, got.Outcome); diff != "" {
				t.Errorf("outcome (-want +got):\n%s", diff)
			}
		})
	})
	t.Run("before the next step", func(t *testing.T) {
		ctx, cancel := context.WithCancelCause(t.Context())
		p := parse(t, testCompiler(map[string]do{"Do": func(context.Context, *handlers.Call) (any, error) {
			cancel(workqueue.ErrDraining)
			return 1, nil
		}}), "steps: [{handler: Do}, {name: s, handler: Echo}]")
		if got := testEngine(nil).Run(ctx, p, RunInput{}); got.Verdict != workqueue.Released || got.Step != "s" {
			t.Errorf("outcome = %+v, want released at s", got.Outcome)
		}
	})
}

// TestRunTimeout checks that the timeout of an item ends its run at any point of a step,
// and that the error names the timeout.
func TestRunTimeout(t *testing.T) {
	const whole = "timed out after 5m0s, the timeout of the whole run (resilience.timeout)"
	fails := func(err error) do {
		return func(context.Context, *handlers.Call) (any, error) { return nil, err }
	}
	tests := []struct {
		name  string
		do    do
		steps string
		want  string // the error; all are of the kind timeout
		after time.Duration
	}{
		{"in a handler", hang, "{name: s, handler: Do}", `step "s" (Do): ` + whole, 5 * time.Minute},
		{"in a handler that says what it was at", func(ctx context.Context, _ *handlers.Call) (any, error) {
			<-ctx.Done()
			return nil, errors.New("connection closed")
		}, "{name: s, handler: Do}", `step "s" (Do): ` + whole + ": connection closed", 5 * time.Minute},
		{"the step's own timeout comes first", hang, "{name: s, handler: Do, timeout: 1m}",
			`step "s" (Do): timed out after 1m0s, the step's timeout: context deadline exceeded`, time.Minute},
		{"before the step's own timeout", hang, "{name: s, handler: Do, timeout: 10m}", `step "s" (Do): ` + whole, 5 * time.Minute},
		{"no error to go on from", hang, "{name: s, handler: Do, onError: continue}", `step "s" (Do): ` + whole, 5 * time.Minute},
		{"in a later attempt of the step", hang, "{name: s, handler: Do, timeout: 90s, retry: {attempts: 9, delay: 30s, factor: 1, jitter: 0}}",
			`step "s" (Do): ` + whole, 5 * time.Minute},
		{"while the step waits to be tried again", fails(errors.New("no luck")), "{name: s, handler: Do, retry: {attempts: 3, delay: 2m, maxDelay: 1h, jitter: 0}}",
			`step "s" (Do): ` + whole + ", while waiting for the next attempt: attempt 2 of 3 failed: no luck", 5 * time.Minute},
		{"while the step waits after its own timeout", hang, "{name: s, handler: Do, timeout: 1m, retry: {attempts: 3, delay: 1h, jitter: 0}}",
			`step "s" (Do): ` + whole + ", while waiting for the next attempt: attempt 1 of 3 failed: " +
				"timed out after 1m0s, the step's timeout: context deadline exceeded", 5 * time.Minute},
		{"before a step", func(ctx context.Context, _ *handlers.Call) (any, error) {
			<-ctx.Done()
			return "late", nil
		}, "{handler: Do}, {name: s, handler: Echo}", `step "s" (Echo): ` + whole + ", before this step began", 5 * time.Minute},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := parse(t, testCompiler(map[string]do{"Do": test.do}), "steps: ["+test.steps+"]")
				ctx, cancel := context.WithCancelCause(t.Context())
				time.AfterFunc(5*time.Minute, func() { cancel(&workqueue.TimeLimitError{Limit: 5 * time.Minute}) })
				started := time.Now()
				got := testEngine(nil).Run(ctx, p, RunInput{})
				want := workqueue.Outcome{Verdict: workqueue.Failed, Kind: workqueue.KindTimeout, Step: "s", Error: test.want}
				if diff := cmp.Diff(want, got.Outcome); diff != "" {
					t.Errorf("outcome (-want +got):\n%s", diff)
				}
				if took := time.Since(started); took != test.after {
					t.Errorf("the run took %v, want %v", took, test.after)
				}
			})
		})
	}
}

// A run that is ended at the time by which its item must finish is expired, whatever its steps
// would do next.
func TestRunEndsAtFinishBy(t *testing.T) {
	at := time.Date(2090, 1, 31, 18, 0, 0, 0, time.UTC)
	hang := func(ctx context.Context, _ *handlers.Call) (any, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	for _, steps := range []string{"{name: s, handler: Do}", "{name: s, handler: Do, onError: continue}, {handler: Do}", "{name: s, handler: Do, retry: {attempts: 3, delay: 1s}}"} {
		synctest.Test(t, func(t *testing.T) {
			p := parse(t, testCompiler(map[string]do{"Do": hang}), "steps: ["+steps+"]")
			ctx, cancel := context.WithCancelCause(t.Context())
			time.AfterFunc(time.Minute, func() { cancel(&workqueue.FinishByError{At: at}) })
			got := testEngine(nil).Run(ctx, p, RunInput{})
			want := workqueue.Outcome{
				Verdict: workqueue.Failed, Kind: workqueue.KindExpired, Step: "s",
				Error: `step "s" (Do): expired: the item did not finish by 2090-01-31T18:00:00Z`,
			}
			if diff := cmp.Diff(want, got.Outcome); diff != "" {
				t.Errorf("%s (-want +got):\n%s", steps, diff)
			}
		})
	}
}

// TestRetry checks the number of attempts of a step and the waits between them.
func TestRetry(t *testing.T) {
	transient := errors.New("try again")
	tests := []struct {
		name  string
		retry string
		do    func(attempt int) (any, error)
		want  []time.Duration // when each attempt began
		kind  workqueue.ErrorKind
	}{
		{"until it succeeds", "{attempts: 5, delay: 1s, factor: 2, jitter: 0}", func(n int) (any, error) {
			if n < 4 {
				return nil, transient
			}
			return "ok", nil
		}, []time.Duration{0, time.Second, 3 * time.Second, 7 * time.Second}, ""},
		{"attempts count all tries", "{attempts: 2, jitter: 0}", func(int) (any, error) { return nil, transient },
			[]time.Duration{0, time.Second}, workqueue.KindError},
		{"maxDelay", "{attempts: 4, delay: 1s, factor: 10, maxDelay: 5s, jitter: 0}", func(int) (any, error) { return nil, transient },
			[]time.Duration{0, time.Second, 6 * time.Second, 11 * time.Second}, workqueue.KindError},
		{"a long delay is not cut by the default maxDelay", "{attempts: 2, delay: 5m, jitter: 0}", func(int) (any, error) { return nil, transient },
			[]time.Duration{0, 5 * time.Minute}, workqueue.KindError},
		{"no delay", "{attempts: 3, delay: 0s}", func(int) (any, error) { return nil, transient },
			[]time.Duration{0, 0, 0}, workqueue.KindError},
		{"the wait that the failure asks for", "{attempts: 2, delay: 1s, jitter: 0}", func(int) (any, error) { return nil, handlers.RetryAfter(transient, 20*time.Second) },
			[]time.Duration{0, 20 * time.Second}, workqueue.KindError},
		{"a wait that is too long for a slot", "{attempts: 2, maxDelay: 10s}", func(int) (any, error) { return nil, handlers.RetryAfter(transient, 20*time.Second) },
			[]time.Duration{0}, workqueue.KindError},
		{"permanent", "{attempts: 5}", func(int) (any, error) { return nil, handlers.Permanent(transient) }, []time.Duration{0}, workqueue.KindPermanent},
		{"business", "{attempts: 5}", func(int) (any, error) { return nil, handlers.Business(transient) }, []time.Duration{0}, workqueue.KindBusiness},
		{"break", "{attempts: 5}", func(int) (any, error) { return nil, handlers.Break("") }, []time.Duration{0}, ""},
		{"snooze", "{attempts: 5}", func(int) (any, error) { return nil, handlers.Snooze(0, "") }, []time.Duration{0}, ""},
		{"panic", "{attempts: 2, delay: 1s, jitter: 0}", func(int) (any, error) { panic("oh") }, []time.Duration{0, time.Second}, workqueue.KindPanic},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				started := time.Now()
				var began []time.Duration
				c := testCompiler(map[string]do{"Do": func(context.Context, *handlers.Call) (any, error) {
					began = append(began, time.Since(started))
					return test.do(len(began))
				}})
				got := testEngine(nil).Run(t.Context(), parse(t, c, "steps: [{handler: Do, retry: "+test.retry+"}]"), RunInput{})
				if diff := cmp.Diff(test.want, began); diff != "" {
					t.Errorf("attempts (-want +got):\n%s", diff)
				}
				if got.Kind != test.kind {
					t.Errorf("kind = %q (%s), want %q", got.Kind, got.Error, test.kind)
				}
			})
		})
	}
}

func TestRetryTimesOutEachAttempt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		started := time.Now()
		p := parse(t, testCompiler(map[string]do{"Do": hang}), "steps: [{handler: Do, timeout: 10s, retry: {attempts: 3, delay: 1s, factor: 1, jitter: 0}}]")
		got := testEngine(nil).Run(t.Context(), p, RunInput{})
		if took := time.Since(started); took != 32*time.Second || got.Kind != workqueue.KindTimeout {
			t.Errorf("the run took %v and failed with %q, want 32s and a timeout", took, got.Kind)
		}
	})
}

func TestMemoryBudgetStopsAnExpression(t *testing.T) {
	p := parse(t, testCompiler(nil), `steps: [{name: s, handler: Echo, with: {value: "${{ map(1..900000, map(1..900000, #)) }}"}}]`)
	got := testEngine(nil).Run(t.Context(), p, RunInput{})
	if got.Kind != workqueue.KindPermanent || !strings.Contains(got.Error, "memory budget") {
		t.Errorf("outcome = %+v, want a permanent failure for the memory budget", got.Outcome)
	}
}
