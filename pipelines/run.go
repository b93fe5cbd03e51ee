package pipelines

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"time"

	"botwork/handlers"
	"botwork/internal/bounded"
	"botwork/internal/tracing"
	"botwork/workqueue"

	"github.com/rs/zerolog"
)

// run is one run of a pipeline. Its steps run in frames.
type run struct {
	engine *Engine
	p      *Pipeline
	in     RunInput
	tee    teeWriter

	// batch are the items of a run that may have several; nil: one, which is lead. members are
	// those that the steps work on, key is their key.
	batch   *workqueue.RunBatch
	lead    *workqueue.Item
	members []batchMember
	key     string

	traceID string // "": it is not traced

	// resume keeps what the steps have done for the next attempt; nil: nothing is kept.
	resume *resume

	// top is the frame of the pipeline's own steps.
	top frame

	// mu guards what branches share: what follows, and batch. A frame that is no branch needs no lock.
	mu        sync.Mutex
	listeners listeners // empty until a handler is called
	result    Result
	active    []string       // the steps of branches that run now
	places    map[string]int // the index of a step in result.Steps; nil outside of loops
}

// frame is where steps run one after another: a pipeline, a branch, or the iterations of a loop.
// It belongs to one goroutine.
type frame struct {
	*run

	// p is the pipeline of the steps, and payload its payload. prefix is the path of the step
	// that has called it, with a separator; "" for the pipeline of the run.
	p       *Pipeline
	payload any
	prefix  string

	// callPrefix and iterations add the numbers of iterations to the paths in logs and calls.
	callPrefix string
	iterations []iteration

	// message is the value passed from step to step; producer is the step that produced it,
	// nil for the payload.
	message  any
	producer *Step

	// vars are nil in a pipeline without expressions; machine evaluates them.
	vars    map[string]any
	machine bounded.Machine

	// resuming reports whether steps that have ended well in an earlier attempt are kept.
	resuming bool

	counted bool // the present step has reported a count
	branch  bool // other frames run at the same time
	looping bool // the steps are those of a loop
}

func newRun(e *Engine, p *Pipeline, in RunInput) *run {
	r := &run{engine: e, p: p, in: in}
	r.top.run, r.top.p = r, p
	if in.Run != nil {
		r.in.Payload, r.tee = in.Run.Payload, teeWriter{e, in.Run}
		r.lead, r.batch = in.Run.Item, in.Run.Batch
		if r.batch == nil && p.Batch != nil {
			r.batch = &workqueue.RunBatch{Items: []*workqueue.Item{in.Run.Item}}
		}
		in.Run.Follow(p.RunHash, p.Resilience)
		if p.Finish == FinishSync {
			in.Run.FinishSynchronously()
		}
	}
	r.result.Steps, r.result.Idle = make([]StepResult, 0, len(p.Steps)), in.Run == nil
	return r
}

// execute runs the pipeline to its end.
func (r *run) execute(ctx context.Context) Result {
	r.traceID = tracing.TraceID(ctx)
	f := &r.top
	if err := r.gather(ctx); err != nil {
		r.badPayload(err)
		return r.result
	}
	f.message = f.payload
	var started time.Time
	if r.p.hasAfter() {
		started = time.Now()
	}
	if r.p.dynamic {
		f.vars = f.variables()
		if err := f.defineVars(ctx); err != nil {
			r.result.Verdict, r.result.Kind, r.result.Error = workqueue.Failed, kindOf(err), r.bounded(err.Error())
			return r.result
		}
	}
	steps := r.p.Steps
	if r.in.Part != nil {
		steps = f.begin(r.in.Part)
	} else if r.p.Resume {
		r.beginResume(ctx)
	}
	if err := f.steps(ctx, steps); err != nil {
		r.end(ctx, err)
	}
	r.output()
	r.settle(ctx)
	switch failures, lost := f.after(ctx, r.result.Outcome, started); {
	case lost && r.result.Verdict != workqueue.Released:
		r.lose()
	case r.result.Verdict == workqueue.Failed:
		r.result.Error += failures
	}
	return r.result
}

// steps runs steps one after another. The error is that of the first step that ends the run.
func (f *frame) steps(ctx context.Context, steps []*Step) error {
	for _, s := range steps {
		if ctx.Err() != nil {
			return &stepError{f.path(s), s, &notBegunError{ctx.Err()}}
		}
		if err := f.step(ctx, s); err != nil {
			return err
		}
	}
	return nil
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
	if r.result.Verdict != workqueue.Succeeded || r.top.producer == nil || r.top.message == nil {
		return
	}
	text, err := jsonText(r.top.message)
	if err != nil {
		r.fail(context.Background(), &stepError{r.top.producer.Path, r.top.producer, handlers.Permanent(fmt.Errorf("cannot encode the output as JSON: %w", err))})
		return
	}
	r.result.Value, r.result.Output = r.top.message, workqueue.JSONText(text)
	if r.engine.redactor.Redact(text) == text {
		return // the most common case, without a copy of the value
	}
	// The output is stored with the item, where everyone who may read items sees it.
	r.result.Value = r.engine.redactor.Value(r.top.message)
	if text, err = jsonText(r.result.Value); err == nil {
		r.result.Output = workqueue.JSONText(text)
	}
}

// step runs one step. The error is a *stepError if the run ends with it, else nil.
func (f *frame) step(ctx context.Context, s *Step) error {
	path, place := f.enter(s)
	if f.resuming {
		if done, kept := f.keep(s, path); kept {
			f.leave(place, done)
			return nil
		}
	}
	f.counted = false
	started := time.Now()
	output, skipped, err := f.attempt(ctx, s)
	done := StepResult{Name: path, Status: StepDone, Took: time.Since(started)}
	switch {
	case skipped:
		done.Status = StepSkipped
		f.remember(s, nil, true, nil)
	case err == nil:
		f.produced(s, output)
	default:
		err = f.failed(ctx, s, err, &done)
	}
	if f.resuming = false; err == nil && f.resume != nil {
		f.record(ctx, s, done)
	}
	f.leave(place, done)
	return err
}

// produced records the output of a step.
func (f *frame) produced(s *Step, output any) {
	result, isLoop := output.(loopResult)
	if isLoop {
		output = result.outputs
	}
	if _, nothing := output.(noOutput); nothing {
		f.remember(s, nil, false, nil)
	} else {
		f.message, f.producer = output, s
		f.remember(s, output, false, nil)
	}
	if isLoop && f.vars != nil && f.p.readsSteps {
		f.vars[varSteps].(map[string]any)[s.Name].(map[string]any)[fieldErrors] = result.errors
	}
}

// noOutput is the output of a step whose steps had none: its input is passed on.
type noOutput struct{}

// path returns the path of a step, with that of the calling step.
func (f *frame) path(s *Step) string {
	if f.prefix == "" {
		return s.Path
	}
	return f.prefix + s.Path
}

// place returns the path of a step with the numbers of the iterations around it: "lines[3] / sign".
func (f *frame) place(s *Step) string {
	if len(f.iterations) == 0 {
		return f.callPrefix + s.Path
	}
	name := s.Name
	for _, i := range f.iterations {
		if i.loop == s {
			name = fmt.Sprintf("%s[%d]", name, i.index)
		}
	}
	if s.parent != nil {
		return f.place(s.parent) + workqueue.PathSeparator + name
	}
	return f.callPrefix + name
}

// enter records that a step begins. It returns the step's path and its place in the results.
func (f *frame) enter(s *Step) (path string, place int) {
	path = f.path(s)
	if f.branch {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.active = append(f.active, path)
		f.showActive()
	} else if f.in.Run != nil {
		f.in.Run.EnterStep(path)
	}
	if f.looping {
		if at, again := f.places[path]; again {
			return path, at
		}
		f.places[path] = len(f.result.Steps)
	}
	f.result.Steps = append(f.result.Steps, StepResult{Name: path, Status: StepSkipped})
	return path, len(f.result.Steps) - 1
}

// showActive shows which steps of branches run, each once and without the blocks around them. The
// caller holds mu.
func (r *run) showActive() {
	if r.in.Run == nil || len(r.active) == 0 {
		return
	}
	var shown []string
	for i, path := range r.active {
		inner := func(other string) bool { return workqueue.PathIn(other, path) }
		if !slices.Contains(r.active[:i], path) && !slices.ContainsFunc(r.active, inner) {
			shown = append(shown, path)
		}
	}
	r.in.Run.EnterStep(strings.Join(shown, ", "))
}

// leave records how a step has ended.
func (f *frame) leave(place int, done StepResult) {
	if f.branch {
		f.mu.Lock()
		defer f.mu.Unlock()
		if at := slices.Index(f.active, done.Name); at >= 0 {
			f.active = slices.Delete(f.active, at, at+1)
			f.showActive()
		}
	}
	skipped := done.Status == StepSkipped
	f.result.Idle = f.result.Idle && (skipped || f.counted && len(f.result.Counts) == 0)
	of := &f.result.Steps[place]
	if f.looping {
		of.add(done)
		return
	}
	*of = done
	f.time(done)
}

// time records the time of a step. The time of an only step is that of the run.
func (f *frame) time(done StepResult) {
	if f.in.Run != nil && done.Status != StepSkipped && done.Status != StepKept && (len(f.result.Steps) > 1 || len(f.run.p.Steps) > 1) {
		f.in.Run.LeaveStep(done.Name, done.Took)
	}
}

// add adds an iteration: the status is the worst of all.
func (r *StepResult) add(one StepResult) {
	r.Took += one.Took
	if r.Status == StepSkipped || one.Status == StepFailed {
		r.Status = one.Status
	}
	if r.Error == "" {
		r.Error = one.Error
	}
}

// failed decides the effect of a step's error on the run: it returns nil if the run continues.
func (f *frame) failed(ctx context.Context, s *Step, err error, done *StepResult) error {
	ended := inStep(f.path(s), s, err)
	if _, stopped := errors.AsType[*stopError](err); stopped { // by one of the step's own steps
		done.Status = StepBroke
		return err
	}
	if broke, ok := errors.AsType[*handlers.BreakError](err); ok {
		done.Status, done.Error = StepBroke, f.bounded(broke.Reason)
		return &stopError{}
	}
	drop, dropped := errors.AsType[*handlers.DropError](err)
	if dropped && f.in.Run == nil { // there is no item to delete
		done.Status, done.Error = StepBroke, f.bounded(drop.Reason)
		return &stopError{}
	}
	done.Status, done.Error = StepFailed, f.bounded(err.Error())
	_, snoozed := errors.AsType[*handlers.SnoozeError](err)
	if s.OnError == OnErrorFail || snoozed || dropped || interrupted(ctx, err) {
		return ended
	}
	log := f.log(s)
	log.Warn().Str("handler", s.Kind()).Str("error", done.Error).Str("on_error", string(s.OnError)).
		Msg("step failed; continuing the pipeline")
	if s.OnError == OnErrorBreak {
		return &stopError{}
	}
	f.remember(s, nil, false, done.Error)
	return nil
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
