package process

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"botwork/internal/author/strictyaml"
	"botwork/pipelines"
	"botwork/workqueue"
)

// UnknownPipelineError reports that no system pipeline has the name.
type UnknownPipelineError struct {
	Name  string
	Known []string
}

func (e *UnknownPipelineError) Error() string {
	hint := strictyaml.Suggest(e.Name, e.Known)
	if hint == "" {
		hint = "want one of " + strings.Join(e.Known, ", ")
	}
	return fmt.Sprintf("unknown system pipeline %q (a pipeline with a trigger); %s", e.Name, hint)
}

// RunOnce runs the named system pipelines once, one after the other. Without names it runs
// all of them: first those that only create items, then those that run items, the most
// urgent first. It returns when they have ended.
func (p *Process) RunOnce(ctx context.Context, names ...string) error {
	all := p.system()
	// Not concurrently: while one pipeline runs items, the next would see a busy worker and
	// leave its items waiting.
	slices.SortStableFunc(all, func(a, b *pipelines.Pipeline) int { return cmp.Compare(urgency(b), urgency(a)) })
	known := make([]string, 0, len(all))
	for _, pl := range all {
		known = append(known, pl.Name)
	}
	for _, name := range names {
		if !slices.Contains(known, name) {
			slices.Sort(known)
			return &UnknownPipelineError{Name: name, Known: known}
		}
	}
	if len(names) == 0 {
		names = known
	}
	return p.runEach(ctx, names)
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

func (p *Process) runNamed(ctx context.Context, name string) error {
	if err := p.scheduler.Trigger(ctx, name); err != nil && ctx.Err() == nil {
		return fmt.Errorf("pipeline %q: %w", name, err)
	}
	return nil
}

// urgency returns the highest lower bound of the priorities that the pipeline's steps run,
// or the largest int if no step runs items.
func urgency(pl *pipelines.Pipeline) int {
	bands := bands(pl, pipelines.ExecuteHandler)
	if len(bands) == 0 {
		return math.MaxInt
	}
	return slices.MaxFunc(bands, func(a, b workqueue.Band) int { return cmp.Compare(a.Min, b.Min) }).Min
}
