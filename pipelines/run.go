package pipelines

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"strings"
	"time"

	"botwork/handlers"
	"botwork/internal/bounded"
	"botwork/internal/tracing"
	"botwork/workqueue"

	"github.com/rs/zerolog"
)

// run is one run of a pipeline. It belongs to one goroutine.
type run struct {
	engine    *Engine
	p         *Pipeline
	in        RunInput
	tee       teeWriter
	listeners *listeners // nil until a step is called

	payload any

	// batch are the items of a run that may have several; nil: one, which is lead. members are
	// those that the steps work on, key is their key.
	batch   *workqueue.RunBatch
	lead    *workqueue.Item
	members []batchMember
	key     string

	// message is the value passed from step to step; producer is the step that produced it,
	// nil for the payload.
	message  any
	producer *Step

	// vars are nil in a pipeline without expressions; machine evaluates them.
	vars    map[string]any
	machine bounded.Machine

	traceID string // "": it is not traced
	counted bool   // the present step has reported a count
	result  Result
}

func newRun(e *Engine, p *Pipeline, in RunInput) *run {
	r := &run{engine: e, p: p, in: in}
	if in.Run != nil {
		r.in.Payload, r.tee = in.Run.Payload, teeWriter{e, in.Run}
		r.lead, r.batch = in.Run.Item, in.Run.Batch
		if r.batch == nil && p.Batch != nil {
			r.batch = &workqueue.RunBatch{Items: []*workqueue.Item{in.Run.Item}}
		}
		in.Run.Follow(p.Hash, p.Resilience)
		if p.Finish == FinishSync {
			in.Run.FinishSynchronously()
		}
	}
	r.result.Steps, r.result.Idle = make([]StepResult, 0, len(p.Steps)), in.Run == nil
	return r
}

func (r *run) execute(ctx context.Context) Result {
	r.traceID = tracing.TraceID(ctx)
	if err := r.gather(ctx); err != nil {
		r.badPayload(err)
		return r.result
	}
	r.message = r.payload
	if r.p.dynamic {
		r.vars = r.variables()
	}
	steps := r.p.Steps
	if r.in.Part != nil {
		steps = r.begin(r.in.Part)
	}
	for _, s := range steps {
		if ctx.Err() != nil {
			r.interrupt(ctx, s, nil)
			return r.result
		}
		if goOn := r.step(ctx, s); !goOn {
			break
		}
	}
	r.output()
	r.settle(ctx)
	return r.result
}

// badPayload fails the run before its first step.
func (r *run) badPayload(err error) {
	r.result.Verdict, r.result.Kind, r.result.Error = workqueue.Failed, payloadKind(err), r.bounded(err.Error())
}

// payloadKind returns the kind of failure of a wrong payload. One that is not JSON is a broken
// row, which no retry can repair; one that does not match the pipeline's `input` is wrong
// data, which a person must fix.
func payloadKind(err error) workqueue.ErrorKind {
	if wrong, ok := errors.AsType[*PayloadError](err); ok && wrong.NotJSON {
		return workqueue.KindPermanent
	}
	return workqueue.KindBusiness
}

// output encodes the last message as the run's output. A payload that no step has changed
// is not an output.
func (r *run) output() {
	if r.result.Verdict != workqueue.Succeeded || r.producer == nil || r.message == nil {
		return
	}
	text, err := jsonText(r.message)
	if err != nil {
		r.fail(context.Background(), r.producer, handlers.Permanent(fmt.Errorf("cannot encode the output as JSON: %w", err)))
		return
	}
	r.result.Value, r.result.Output = r.message, workqueue.JSONText(text)
	if r.engine.redactor.Redact(text) == text {
		return // the most common case, without a copy of the value
	}
	// The output is stored with the item, where everyone who may read items sees it.
	r.result.Value = r.engine.redactor.Value(r.message)
	if text, err = jsonText(r.result.Value); err == nil {
		r.result.Output = workqueue.JSONText(text)
	}
}

// step runs one step and reports whether the next one may run.
func (r *run) step(ctx context.Context, s *Step) (goOn bool) {
	if r.in.Run != nil {
		r.in.Run.EnterStep(s.Name)
	}
	r.counted = false
	started := time.Now()
	output, skipped, err := r.attempt(ctx, s)
	done := StepResult{Name: s.Name, Status: StepDone, Took: time.Since(started)}
	if r.in.Run != nil && len(r.p.Steps) > 1 && !skipped { // the time of an only step is that of the run
		r.in.Run.LeaveStep(s.Name, done.Took)
	}
	switch {
	case skipped:
		done.Status = StepSkipped
		r.remember(s, nil, true, nil)
		goOn = true
	case err == nil:
		r.message, r.producer = output, s
		r.remember(s, output, false, nil)
		goOn = true
	default:
		goOn = r.failed(ctx, s, err, &done)
	}
	r.result.Steps = append(r.result.Steps, done)
	r.result.Idle = r.result.Idle && (skipped || r.counted && len(r.result.Counts) == 0)
	return goOn
}

// failed decides the effect of a step's error on the run.
func (r *run) failed(ctx context.Context, s *Step, err error, done *StepResult) (goOn bool) {
	if broke, ok := errors.AsType[*handlers.BreakError](err); ok {
		done.Status, done.Error = StepBroke, r.bounded(broke.Reason)
		return false
	}
	drop, dropped := errors.AsType[*handlers.DropError](err)
	if dropped && r.in.Run == nil { // there is no item to delete
		done.Status, done.Error = StepBroke, r.bounded(drop.Reason)
		return false
	}
	done.Status, done.Error = StepFailed, r.bounded(err.Error())
	_, snoozed := errors.AsType[*handlers.SnoozeError](err)
	if s.OnError == OnErrorFail || snoozed || dropped || interrupted(ctx, err) {
		r.fail(ctx, s, err)
		return false
	}
	log := r.log(s)
	log.Warn().Str("handler", s.Handler).Str("error", done.Error).Str("on_error", string(s.OnError)).
		Msg("step failed; continuing the pipeline")
	if s.OnError == OnErrorBreak {
		return false
	}
	r.remember(s, nil, false, done.Error)
	return true
}

// panicked creates an error from a handler's panic; call it while panicking. The stack goes
// to the log: the readers of an item's error know their data, not this program.
func (r *run) panicked(log *zerolog.Logger, v any) error {
	log.Error().Str("panic", r.bounded(fmt.Sprint(v))).Str("stack", trimStack(debug.Stack())).Msg("handler panicked")
	return &panicError{v}
}

// trimStack removes the frames above the panic, and everything after the first thirty
// lines.
func trimStack(stack []byte) string {
	_, below, ok := strings.Cut(string(stack), "panic(")
	if !ok {
		below = string(stack)
	}
	lines := strings.Split(below, "\n")
	if ok && len(lines) > 2 {
		lines = lines[2:] // the rest of the panic call and its position
	}
	return strings.Join(lines[:min(len(lines), 30)], "\n")
}
