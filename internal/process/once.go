package process

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"botwork/internal/strictyaml"
	"botwork/pipelines"
)

// UnknownPipelineError says that no system pipeline has the name.
type UnknownPipelineError struct {
	Name  string
	Known []string
}

func (e *UnknownPipelineError) Error() string {
	hint := strictyaml.Suggest(e.Name, e.Known)
	if hint == "" {
		hint = "known are " + strings.Join(e.Known, ", ")
	}
	return fmt.Sprintf("no system pipeline is called %q (one with a trigger); %s", e.Name, hint)
}

// RunOnce runs the named system pipelines one time, one after the other; all
// of them when there are no names: then those that only make work come first,
// and those that run items come after, together, so that the slots go to the
// most urgent items. It returns when they have ended.
func (p *Process) RunOnce(ctx context.Context, names ...string) error {
	known := make([]string, 0)
	for _, pl := range p.system() {
		known = append(known, pl.Name)
	}
	for _, name := range names {
		if !slices.Contains(known, name) {
			return &UnknownPipelineError{Name: name, Known: known}
		}
	}
	if len(names) > 0 {
		return p.runEach(ctx, names)
	}
	var first, second []string
	for _, pl := range p.system() {
		if runsItems(pl) {
			second = append(second, pl.Name)
		} else {
			first = append(first, pl.Name)
		}
	}
	return errors.Join(p.runEach(ctx, first), p.runTogether(ctx, second))
}

func (p *Process) runEach(ctx context.Context, names []string) error {
	var errs []error
	for _, name := range names {
		if ctx.Err() != nil {
			break
		}
		errs = append(errs, p.runNamed(ctx, name))
	}
	return errors.Join(errs...)
}

func (p *Process) runTogether(ctx context.Context, names []string) error {
	errs := make([]error, len(names))
	var wg sync.WaitGroup
	for i, name := range names {
		wg.Go(func() { errs[i] = p.runNamed(ctx, name) })
	}
	wg.Wait()
	return errors.Join(errs...)
}

func (p *Process) runNamed(ctx context.Context, name string) error {
	if err := p.scheduler.Trigger(ctx, name); err != nil && ctx.Err() == nil {
		return fmt.Errorf("pipeline %q: %w", name, err)
	}
	return nil
}

// runsItems tells whether a pipeline has a step that runs items.
func runsItems(pl *pipelines.Pipeline) bool {
	return slices.ContainsFunc(pl.Steps, func(s *pipelines.Step) bool { return s.Handler == "ExecuteWorkItems" })
}
