package pipelines

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"

	"botwork/handlers"
)

const (
	// mostErrors is how many failed iterations `errors` lists, and mostElementError how long the
	// text of each is, in bytes: a loop may have a hundred thousand of them.
	mostErrors       = 1_000
	mostElementError = 1_000

	// progressEvery is how often a loop reports how far it is.
	progressEvery = 100 * time.Millisecond
)

// iteration is the present iteration of a loop.
type iteration struct {
	loop  *Step
	index int
}

// elementError is the failure of one iteration.
type elementError struct {
	index, of int
	err       error
}

func (e *elementError) Error() string {
	return fmt.Sprintf("element %d of %d: %v", e.index+1, e.of, e.err)
}

func (e *elementError) Unwrap() error { return e.err }

// loopResult is the result of a loop: its outputs, noOutput if it collects none, and its errors.
type loopResult struct{ outputs, errors any }

// loop is a running loop.
type loop struct {
	f        *frame
	s        *Step
	elements []any
	outputs  []any // nil: they are not collected

	// progress reports whether this loop shows how far it is: one inside of another does not.
	progress bool

	mu       sync.Mutex
	kept     keptIterations
	errors   []any
	failed   int
	done     int
	reported time.Time
}

// loop runs a step once for each element of its list.
func (f *frame) loop(ctx context.Context, s *Step) (any, error) {
	value, err := s.Foreach.list.render(&f.machine, f.vars)
	if err != nil {
		return nil, handlers.Permanent(err)
	}
	l := &loop{f: f, s: s, progress: !f.looping}
	if l.elements, err = elementsOf(value); err != nil {
		return nil, handlers.Permanent(fmt.Errorf("foreach: %w", err))
	}
	if s.Foreach.Collect {
		l.outputs = make([]any, len(l.elements))
	}
	l.resumeLoop(f.resuming)
	first := f.beginLoop()
	side := newBeside(ctx, s.Foreach.Parallel)
	if f.oneByOne() {
		side.most = 1
	}
	err = side.run(len(l.elements), l.lane)
	f.endLoop(l.progress, first)
	if err != nil || ctx.Err() != nil {
		l.saveLoop(ctx)
	}
	if err == nil && ctx.Err() != nil && l.done < len(l.elements) {
		err = &notBegunError{ctx.Err()}
	}
	if err != nil {
		return nil, err
	}
	if l.failed > 0 {
		log := f.log(s)
		log.Warn().Int("failed", l.failed).Int("elements", len(l.elements)).Msg("elements failed; continuing the pipeline")
	}
	result := loopResult{outputs: noOutput{}, errors: l.errors}
	if l.errors == nil {
		result.errors = []any{}
	}
	if l.outputs != nil {
		result.outputs = l.outputs
	}
	return result, nil
}

// beginLoop returns the number of results before those of the loop.
func (f *frame) beginLoop() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.looping {
		f.places = map[string]int{}
	}
	return len(f.result.Steps)
}

// endLoop records the times of the steps of the outermost loop.
func (f *frame) endLoop(outermost bool, first int) {
	if !outermost {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.places = nil
	for _, one := range f.result.Steps[first:] {
		f.time(one)
	}
}

// lane returns the function that runs iterations in one goroutine, one after another.
func (l *loop) lane() func(context.Context, int) error {
	f := l.f.fork(l.s.Foreach.Parallel > 1 && !l.f.oneByOne())
	f.looping, f.resuming = true, false
	f.iterations = append(slices.Clip(f.iterations), iteration{loop: l.s})
	last := len(f.iterations) - 1
	return func(ctx context.Context, i int) error {
		if l.kept.ended != nil && l.kept.ended[i] {
			return nil
		}
		f.iterations[last].index = i
		output, err := l.iterate(ctx, f, i)
		return l.ended(ctx, f, i, output, err)
	}
}

// iterate runs one iteration.
func (l *loop) iterate(ctx context.Context, f *frame, i int) (output any, err error) {
	if ctx.Err() != nil {
		return nil, &notBegunError{ctx.Err()}
	}
	f.message, f.producer = l.elements[i], nil
	f.machine.Start(ctx)
	f.vars[varInput] = f.message
	f.vars[varEach], f.vars[varEachIndex] = l.elements[i], i
	if as := l.s.Foreach.As; as != "" {
		f.vars[as] = l.elements[i]
	}
	if l.s.perElement {
		wanted, err := f.holds(l.s)
		if err != nil || !wanted {
			return nil, err
		}
	}
	output, err = f.tries(ctx, l.s)
	switch out := output.(type) {
	case noOutput:
		output = nil
	case loopResult:
		output = out.outputs
	}
	return output, err
}

// ended records the end of an iteration. The error is nil if the loop continues.
func (l *loop) ended(ctx context.Context, f *frame, i int, output any, err error) error {
	if err != nil && (l.s.OnError != OnErrorContinue || !l.mayContinue(ctx, err)) {
		return l.failure(i, err)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case err != nil:
		if l.failed++; l.failed <= mostErrors {
			l.errors = append(l.errors, map[string]any{"index": i, "error": cutBytes(f.bounded(err.Error()), mostElementError), "kind": string(kindOf(err))})
		}
		log := f.log(l.s)
		log.Debug().Int("index", i).Str("error", f.bounded(err.Error())).Msg("element failed")
	case l.outputs != nil:
		l.outputs[i] = output
	}
	if l.done++; l.kept.on {
		l.kept.ended[i] = true
		if time.Since(l.kept.saved) >= saveEvery && l.done < len(l.elements) {
			l.saveLoop(ctx)
		}
	}
	l.report()
	return nil
}

// mayContinue reports whether an error is the failure of one element only.
func (l *loop) mayContinue(ctx context.Context, err error) bool {
	_, stopped := errors.AsType[*stopError](err)
	return !stopped && !deliberate(err) && !interrupted(ctx, err)
}

// failure returns the error with which the loop ends. A decision about the item is not a failure of
// the element.
func (l *loop) failure(i int, err error) error {
	if _, stopped := errors.AsType[*stopError](err); stopped || deliberate(err) {
		return err
	}
	return &elementError{i, len(l.elements), err}
}

// report shows how far the loop is. The caller holds mu.
func (l *loop) report() {
	run := l.f.in.Run
	if !l.progress || run == nil || l.done < len(l.elements) && time.Since(l.reported) < progressEvery {
		return
	}
	l.reported = time.Now()
	run.ReportProgress(grouped(l.done) + " of " + grouped(len(l.elements)))
	run.ReportPercent(100 * l.done / len(l.elements))
}

// grouped formats a number with commas between thousands.
func grouped(n int) string {
	digits := fmt.Sprint(n)
	var b strings.Builder
	for i, d := range digits {
		if i > 0 && (len(digits)-i)%3 == 0 {
			b.WriteByte(',')
		}
		b.WriteRune(d)
	}
	return b.String()
}

// cutBytes cuts a text to a number of bytes, between characters.
func cutBytes(text string, most int) string {
	if len(text) <= most {
		return text
	}
	for most > 0 && text[most]&0xc0 == 0x80 {
		most--
	}
	return text[:most] + "…"
}

// elementsOf returns the elements of a list, or those of a map as {key, value} in the order of the
// keys.
func elementsOf(value any) ([]any, error) {
	switch v := value.(type) {
	case []any:
		return v, nil
	case map[string]any:
		elements := make([]any, 0, len(v))
		for _, key := range sortedKeys(v) {
			elements = append(elements, map[string]any{"key": key, "value": v[key]})
		}
		return elements, nil
	case nil:
		return nil, errors.New("got nil, want a list or a map; append ?? [] if there may be none")
	}
	if v := reflect.ValueOf(value); v.Kind() == reflect.Slice {
		elements := make([]any, v.Len())
		for i := range elements {
			elements[i] = v.Index(i).Interface()
		}
		return elements, nil
	}
	return nil, fmt.Errorf("got %s, want a list or a map", describe(value))
}
