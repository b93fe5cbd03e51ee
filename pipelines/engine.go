package pipelines

import (
	"context"
	"errors"
	"io"
	"maps"
	"time"

	"botwork/handlers"
	"botwork/workqueue"

	"github.com/rs/zerolog"
)

// EngineOptions are what runs share.
type EngineOptions struct {
	// Env is what expressions read as `env`; see Environ. SecretEnv are the
	// variables that are left out of it, as Options has them.
	Env       map[string]string
	SecretEnv map[string]string

	// Secrets are what expressions read as `secrets`, by name.
	Secrets map[string]string

	// WorkerName is `worker.name`.
	WorkerName string

	// Log is the parent of the loggers that handlers get. Build it over
	// Redactor.Writer, so that no line holds a secret.
	Log zerolog.Logger

	// LogTo is what Log writes to; with it, the run of an item keeps its last
	// lines. nil: it keeps none.
	LogTo io.Writer

	// Redactor keeps secrets out of error texts; nil: one is made of Secrets.
	Redactor *Redactor
}

// Engine runs pipelines. It is immutable; any number of runs may go on at the
// same time. It starts no goroutines.
type Engine struct {
	env, secrets, worker map[string]any

	redactor *Redactor
	log      zerolog.Logger
	logTo    io.Writer
}

// NewEngine returns an engine.
func NewEngine(opts EngineOptions) *Engine {
	env := maps.Clone(opts.Env)
	maps.DeleteFunc(env, func(name, _ string) bool { return secretEnv(opts.SecretEnv).setting(name) != "" })
	e := &Engine{
		env: anyMap(env), secrets: anyMap(opts.Secrets), worker: map[string]any{"name": opts.WorkerName},
		redactor: opts.Redactor, log: opts.Log, logTo: opts.LogTo,
	}
	if e.redactor == nil {
		values := make([]string, 0, len(opts.Secrets))
		for _, v := range opts.Secrets {
			values = append(values, v)
		}
		e.redactor = NewRedactor(values...)
	}
	return e
}

func anyMap(m map[string]string) map[string]any {
	out := make(map[string]any, len(m))
	for k, v := range m {
		out[k] = v
	}
	return out
}

// RunInput is what one run is given.
type RunInput struct {
	// Run is the run of an item; nil for a run that a trigger or a person
	// started.
	Run *workqueue.Run

	// Payload is the payload of a run without an item, as JSON; "" is null.
	Payload workqueue.JSONText

	// Part says which of the steps run; nil: all of them. [Pipeline.CheckPart]
	// says whether it can be.
	Part *Part

	// Now is what expressions read as `now`; zero: the time of the run's start.
	Now time.Time

	// Handle, when not nil, is called in place of the handlers of all steps, and
	// the waits between the attempts of a step take no time. It is for tests of
	// pipelines. What it returns, and its panic, count as the handler's own.
	Handle func(context.Context, StepCall) (any, error)
}

// StepCall is a call of a step's handler that RunInput.Handle gets instead.
type StepCall struct {
	Step *Step

	// With are the parameters without expressions; read them, do not change
	// them. Handler is made of them.
	With    map[string]any
	Handler handlers.Handler

	Call *handlers.Call
}

// StepStatus is what became of a step.
type StepStatus string

// The statuses of a step.
const (
	StepDone    StepStatus = "done"
	StepSkipped StepStatus = "skipped" // its `if` was false
	StepBroke   StepStatus = "broke"   // it ended the pipeline, successfully
	StepFailed  StepStatus = "failed"
)

// StepResult tells of one step of a run.
type StepResult struct {
	Name   string
	Status StepStatus
	Took   time.Duration
	Error  string // why it failed or broke
}

// Result is what a run came to.
type Result struct {
	workqueue.Outcome

	// Value is Output before it was written as JSON.
	Value any

	// Steps are the steps that the run reached, in order.
	Steps []StepResult
}

// Run runs a pipeline to its end. It never panics and returns no error: all
// that can go wrong is in the result.
func (e *Engine) Run(ctx context.Context, p *Pipeline, in RunInput) Result {
	return newRun(e, p, in).execute(ctx)
}

// Resolver finds the pipeline that an item's IntegrationConfig means.
type Resolver interface {
	Resolve(integrationConfig string) (*Pipeline, error)
}

// brokenWait is how long an item waits that was given to a worker whose file of its
// pipeline has mistakes: another worker may have a version that runs.
const brokenWait = time.Minute

// RunItem returns the function by which a worker runs its items. An item whose
// pipeline does not exist, or is inline and has mistakes, fails for good. One whose
// pipeline's file has mistakes is snoozed for brokenWait.
func (e *Engine) RunItem(from Resolver) workqueue.RunItem {
	return func(ctx context.Context, it *workqueue.Run) workqueue.Outcome {
		p, err := from.Resolve(it.IntegrationConfig)
		if broken, ok := errors.AsType[*BrokenPipelineError](err); ok {
			r := run{engine: e}
			return workqueue.Outcome{Verdict: workqueue.Snoozed, After: brokenWait, Error: r.bounded(broken.Error())}
		}
		if err != nil {
			r := run{engine: e}
			return workqueue.Outcome{Verdict: workqueue.Failed, Kind: kindOf(err), Error: r.bounded(err.Error())}
		}
		return e.Run(ctx, p, RunInput{Run: it}).Outcome
	}
}
