package pipelines

import (
	"context"
	"errors"
	"maps"
	"sync"
	"time"

	"botwork/handlers"
	"botwork/workqueue"
)

// What a step runs is a handler: that of its kind, or one of those below.
var (
	_ handlers.Handler = (*sequence)(nil)
	_ handlers.Handler = (*branches)(nil)
	_ handlers.Handler = (*callee)(nil)
)

// sequence runs the steps of a block one after another.
type sequence struct {
	f *frame
	s *Step
}

// Handle implements handlers.Handler.
func (h *sequence) Handle(ctx context.Context, _ *handlers.Call) (any, error) {
	f := h.f
	message, producer := f.message, f.producer
	f.forget(h.s.Block)
	f.producer = nil
	err := f.steps(ctx, h.s.Block.Steps)
	if _, stopped := errors.AsType[*stopError](err); stopped {
		if f.producer == nil {
			f.producer = producer
		}
		return nil, err // what is passed on now is the output of the run
	}
	output := f.message
	if f.producer == nil {
		output = noOutput{}
	}
	f.message, f.producer = message, producer
	if f.vars != nil {
		f.vars[varInput] = message
	}
	return output, err
}

// forget makes the steps of a block look as if they had not run.
func (f *frame) forget(b *Block) {
	if f.vars == nil || !f.p.readsSteps {
		return
	}
	steps := f.vars[varSteps].(map[string]any)
	b.each(func(s *Step) bool {
		steps[s.Name] = notRun
		return true
	})
}

// fork returns a frame for a branch or for iterations. beside reports whether other frames run at the same time.
func (f *frame) fork(beside bool) *frame {
	g := &frame{
		run: f.run, p: f.p, payload: f.payload, prefix: f.prefix, callPrefix: f.callPrefix,
		message: f.message, producer: f.producer, vars: maps.Clone(f.vars), iterations: f.iterations, resuming: f.resuming, branch: f.branch || beside, looping: f.looping,
	}
	if steps, ok := g.vars[varSteps].(map[string]any); ok {
		g.vars[varSteps] = maps.Clone(steps)
	}
	return g
}

// oneByOne reports whether branches and iterations run one after another: tests of pipelines are the
// same each time.
func (r *run) oneByOne() bool { return r.in.Handle != nil }

// branches runs the steps of a block side by side.
type branches struct {
	f *frame
	s *Step
}

// Handle implements handlers.Handler. The first failure cancels the other branches.
func (h *branches) Handle(ctx context.Context, _ *handlers.Call) (any, error) {
	steps := h.s.Block.Steps
	outputs := make([]any, len(steps))
	side := newBeside(ctx, len(steps))
	if h.f.oneByOne() {
		side.most = 1
	}
	err := side.run(len(steps), func() func(context.Context, int) error {
		return func(ctx context.Context, i int) (err error) {
			f := h.f.fork(side.most > 1)
			f.producer = nil
			if err := f.steps(ctx, steps[i:i+1]); err != nil {
				return err
			}
			if f.producer != nil {
				outputs[i] = f.message
			}
			return nil
		}
	})
	h.f.resuming = false
	if err != nil {
		return nil, err
	}
	output := make(map[string]any, len(steps))
	for i, s := range steps {
		output[s.Name] = outputs[i]
	}
	return output, nil
}

// beside runs functions side by side. The first error cancels the context of the others, and no
// more begin.
type beside struct {
	ctx    context.Context
	cancel context.CancelFunc
	most   int // how many run at the same time

	mu    sync.Mutex
	next  int
	first error
}

func newBeside(ctx context.Context, most int) *beside {
	b := &beside{most: most}
	b.ctx, b.cancel = context.WithCancel(ctx)
	return b
}

// run calls a function for each index below n. lane returns the function of one goroutine. The error
// is the first one. When it returns, all functions have returned.
func (b *beside) run(n int, lane func() func(ctx context.Context, i int) error) error {
	defer b.cancel()
	if most := min(b.most, n); most > 1 {
		var lanes sync.WaitGroup
		for range most {
			lanes.Go(func() { b.serve(n, lane()) })
		}
		lanes.Wait()
	} else {
		b.serve(n, lane())
	}
	return b.first
}

func (b *beside) serve(n int, do func(context.Context, int) error) {
	for {
		b.mu.Lock()
		i := b.next
		b.next++
		stop := i >= n || b.first != nil
		b.mu.Unlock()
		if stop {
			return
		}
		if err := protect(func() error { return do(b.ctx, i) }); err != nil {
			b.mu.Lock()
			if b.first == nil {
				b.first = err
				b.cancel()
			}
			b.mu.Unlock()
		}
	}
}

// protect makes an error of a panic: a panic in another goroutine would end the process.
func protect(do func() error) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = &panicError{v}
		}
	}()
	return do()
}

// callee runs the pipeline that a step calls.
type callee struct {
	f       *frame
	s       *Step
	p       *Pipeline
	payload any
}

// Handle implements handlers.Handler.
func (h *callee) Handle(ctx context.Context, _ *handlers.Call) (any, error) {
	f := h.f
	if err := h.p.checkValue(h.payload); err != nil {
		return nil, handlers.Business(err)
	}
	g := &frame{
		run: f.run, p: h.p, payload: h.payload, message: h.payload, resuming: f.resuming, branch: f.branch, looping: f.looping,
		prefix: f.path(h.s) + workqueue.PathSeparator, callPrefix: f.place(h.s) + workqueue.PathSeparator,
	}
	if err := g.pipeline(ctx); err != nil {
		return nil, err
	}
	if g.producer == nil {
		return noOutput{}, nil
	}
	return g.message, nil
}

// pipeline runs the steps of a pipeline that a step has called. A step that ends it, ends only it.
func (f *frame) pipeline(ctx context.Context) error {
	started := time.Now()
	if f.p.dynamic {
		f.vars = f.variables()
		if err := f.defineVars(ctx); err != nil {
			return err
		}
	}
	err := f.steps(ctx, f.p.Steps)
	if _, stopped := errors.AsType[*stopError](err); stopped {
		err = nil
	}
	message, producer := f.message, f.producer
	_, lost := f.after(ctx, f.ended(ctx, err), started)
	f.message, f.producer = message, producer
	if lost {
		return context.Canceled // the run is interrupted: its own context has ended, too
	}
	return err
}

// calledBy returns the pipeline that a step calls, and its payload.
func (f *frame) calledBy(s *Step) (*callee, error) {
	c := &callee{f: f, s: s, p: f.p.callees[s.Uses], payload: map[string]any{}}
	if c.p == nil {
		return nil, handlers.Permanent(&UnknownPipelineError{unlinked(s.Uses)})
	}
	if s.with == nil {
		return c, nil
	}
	payload, err := s.with.render(&f.machine, f.vars)
	if err != nil {
		return nil, handlers.Permanent(err)
	}
	c.payload = payload
	return c, nil
}
