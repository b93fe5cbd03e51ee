package bench

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"time"

	"github.com/rs/zerolog"

	"botwork/internal/author/strictyaml"
	"botwork/pipelines"
	"botwork/workqueue"
)

// StepsOptions are the options of [Steps].
type StepsOptions struct {
	Common
	Runs int // of each pipeline in each round
}

// Figures of [Steps]: microseconds that a step takes in addition to its handler.
const (
	PlainStepUs      Figure = "plainStepUs"
	IfStepUs         Figure = "ifStepUs"
	ExpressionStepUs Figure = "expressionStepUs"
	OutputStepUs     Figure = "outputStepUs"
)

// stepForms lists the measured forms of a step.
var stepForms = []struct {
	figure Figure
	step   string
}{
	{PlainStepUs, "  - {handler: Nothing}\n"},
	{IfStepUs, "  - {handler: Nothing, if: payload.n == 1}\n"},
	{ExpressionStepUs, "  - {handler: Take, with: {value: 'a ${{ payload.s }}'}}\n"},
	{OutputStepUs, "  - {handler: Take, with: {value: '${{ steps.rows.output }}'}}\n"},
}

// stepsMore is the number of additional steps in the longer of two pipelines.
const stepsMore = 10

// Work is the total that Progress reports.
func (o StepsOptions) Work() int { return o.work(o.Runs) * len(stepForms) }

// Steps measures the overhead of a step without a database: how much longer a pipeline
// takes with ten more steps whose handlers do almost nothing. The output is a list of a
// thousand objects that the next step reads.
func Steps(ctx context.Context, o StepsOptions) (Report, error) {
	o.Driver = "none"
	engine := pipelines.NewEngine(pipelines.EngineOptions{Log: zerolog.Nop()})
	b := &stepBench{engine: engine}
	b.compiler = pipelines.NewCompiler(stepKinds(&b.ran), pipelines.Options{})
	var all Count
	rounds, err := o.series(ctx, func(ctx context.Context, of size) (Sample, error) {
		s := Sample{}
		begin := startUsage()
		steps := 0
		for _, form := range stepForms {
			runs := of(o.Runs)
			extra, ran, err := b.extra(ctx, form.step, runs)
			if err != nil {
				return nil, err
			}
			s[form.figure] = float64(extra) / float64(time.Microsecond) / float64(runs*stepsMore)
			want := runs * (2 + stepsMore)
			all.add(Count{Items: want, Lost: max(want-ran, 0), RanTwice: max(ran-want, 0)})
			steps += want
			o.progress(runs)
		}
		s.usage(begin, steps)
		return s, nil
	})
	report := o.newReport("steps", o.Runs, rounds)
	return report, errors.Join(err, report.count(all))
}

type stepBench struct {
	engine   *pipelines.Engine
	compiler *pipelines.Compiler
	ran      atomic.Int64 // steps of the measured forms that ran
}

// extra returns the time that the additional steps took in the given number of runs, and
// how many steps of the form ran.
func (b *stepBench) extra(ctx context.Context, step string, runs int) (extra time.Duration, ran int, err error) {
	const first, last = "steps:\n  - {handler: Rows, name: rows}\n", "  - {handler: Last}\n"
	one, err := b.compile(first + step + last)
	if err != nil {
		return 0, 0, err
	}
	more, err := b.compile(first + strings.Repeat(step, 1+stepsMore) + last)
	if err != nil {
		return 0, 0, err
	}
	before := b.ran.Load()
	for range runs {
		if err := ctx.Err(); err != nil {
			return 0, 0, err
		}
		short, err := b.run(ctx, one)
		if err != nil {
			return 0, 0, err
		}
		long, err := b.run(ctx, more)
		if err != nil {
			return 0, 0, err
		}
		extra += long - short
	}
	return extra, int(b.ran.Load() - before), nil
}

func (b *stepBench) compile(text string) (*pipelines.Pipeline, error) {
	p, findings := b.compiler.Parse("steps.yaml", []byte(text))
	return p, strictyaml.Findings(findings).Err()
}

func (b *stepBench) run(ctx context.Context, p *pipelines.Pipeline) (time.Duration, error) {
	item := &workqueue.Item{ID: 1, QueueName: workqueue.DefaultQueue, Priority: workqueue.RequestPriority, Fence: 1, Payload: `{"n": 1, "s": "x"}`}
	in := pipelines.RunInput{Run: workqueue.NewRun(item)}
	started := time.Now()
	result := b.engine.Run(ctx, p, in)
	took := time.Since(started)
	if result.Verdict != workqueue.Succeeded {
		return 0, fmt.Errorf("a run of the measured pipeline: %s", result.Error)
	}
	return took, nil
}
