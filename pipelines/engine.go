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

// EngineOptions are what all runs share.
type EngineOptions struct {
	// Env is the value of `env` in expressions; see Environ. SecretEnv are the variables
	// that are left out; see Options.
	Env       map[string]string
	SecretEnv map[string]string

	// Secrets is the value of `secrets` in expressions, by name.
	Secrets map[string]string

	// Values is `values` in expressions; see Values.
	Values map[string]any

	// WorkerName is `worker.name`.
	WorkerName string

	// Log is the parent of the handlers' loggers. Build it on Redactor.Writer so that no
	// line contains a secret.
	Log zerolog.Logger

	// LogTo is the writer of Log. If set, the run of an item keeps its last log lines; if
	// nil, it keeps none.
	LogTo io.Writer

	// Redactor removes secrets from error texts; nil creates one from Secrets.
	Redactor *Redactor
}

// Engine runs pipelines. It is immutable and safe for concurrent runs. It starts goroutines only
// for branches and iterations that run side by side, and waits for them.
type Engine struct {
	env, secrets, values, worker map[string]any

	redactor *Redactor
	log      zerolog.Logger
	logTo    io.Writer
}

// NewEngine returns an engine.
func NewEngine(opts EngineOptions) *Engine {
	env := maps.Clone(opts.Env)
	maps.DeleteFunc(env, func(name, _ string) bool { return secretEnv(opts.SecretEnv).setting(name) != "" })
	e := &Engine{
		env: anyMap(env), secrets: anyMap(opts.Secrets), values: opts.Values, worker: map[string]any{"name": opts.WorkerName},
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

// RunInput is the input of one run.
type RunInput struct {
	// Run is the run of an item; nil if a trigger or a person started the run.
	Run *workqueue.Run

	// Payload is the payload of a run without an item, as JSON; "" is null.
	Payload workqueue.JSONText

	// Part selects the steps to run; nil selects all. [Pipeline.CheckPart] checks it.
	Part *Part

	// Now is the value of `now` in expressions; zero means the start of the run.
	Now time.Time

	// Handle, if not nil, is called instead of the handlers of all steps, and waits between
	// the attempts of a step take no time. It is for tests of pipelines. Its result and its
	// panic count as the handler's.
	Handle func(context.Context, StepCall) (any, error)
}

// StepCall is the handler call that RunInput.Handle receives.
type StepCall struct {
	Step *Step

	// Path has also the names of the blocks around the step, and of the steps that have called
	// its pipeline: "post / sign".
	Path string

	// With are the parameters, with all expressions evaluated; do not change them. Handler
	// is built from them. For a step that calls a pipeline they are its payload, and Handler
	// runs it.
	With    map[string]any
	Handler handlers.Handler

	Call *handlers.Call
}

// StepStatus is how a step ended.
type StepStatus string

// The statuses of a step.
const (
	StepDone    StepStatus = "done"
	StepSkipped StepStatus = "skipped" // its `if` was false
	StepBroke   StepStatus = "broke"   // it ended the pipeline, successfully
	StepFailed  StepStatus = "failed"
	StepKept    StepStatus = "kept" // it ended well in an earlier attempt; see Pipeline.Resume
)

// StepResult describes one step of a run.
type StepResult struct {
	// Name is the step's path; see StepCall. The iterations of a loop are one result.
	Name   string
	Status StepStatus
	Took   time.Duration // the sum of all iterations
	Error  string        // why it failed or broke
}

// Result is how a run ended.
type Result struct {
	workqueue.Outcome

	// Value is Output before it was encoded as JSON.
	Value any

	// Steps are the steps that the run reached, in order.
	Steps []StepResult

	// Counts are the sums of what the steps of a run without an item reported, and Idle is
	// true if all steps that ran reported counts and all of these are 0.
	Counts handlers.Counts
	Idle   bool
}

// Run runs a pipeline to its end. It never panics and returns no error: every failure is in
// the result.
func (e *Engine) Run(ctx context.Context, p *Pipeline, in RunInput) Result {
	return newRun(e, p, in).execute(ctx)
}

// Resolver finds the pipeline of an item's IntegrationConfig.
type Resolver interface {
	Resolve(integrationConfig string) (*Pipeline, error)
}

// brokenWait is how long an item waits after a worker could not run it because the worker's
// file has errors. Another worker may have a valid version.
const brokenWait = time.Minute

// RunItem returns the function that runs a worker's items. An item whose pipeline does not
// exist, or whose inline pipeline has errors, fails for good. An item whose pipeline file
// has errors is snoozed for brokenWait.
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
