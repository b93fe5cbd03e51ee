package process

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"github.com/rs/zerolog"

	"botwork/handlers/queue"
	"botwork/internal/scheduler"
	"botwork/internal/tracing"
	"botwork/pipelines"
	"botwork/tasks"
	"botwork/workqueue"
	"botwork/workqueue/report"
	"botwork/workqueue/runner"
)

// Store is what a process needs of the database.
type Store interface {
	runner.Store
	scheduler.Store
	tasks.Store
	queue.Enqueuer
	workqueue.CleanUpStore
	workqueue.WaitingStore
	report.Store
	queue.ForecastStore

	// KeepTexts is as in workqueue.TextStore.
	KeepTexts(ctx context.Context, texts []workqueue.PipelineText) error

	// LabelWorker replaces the labels of a worker. It returns ErrWorkerReplaced if
	// instanceID is not the worker's current instance.
	LabelWorker(ctx context.Context, workerID int64, instanceID string, labels workqueue.JSONText) error

	// EndStalledSessions ends database sessions that have been idle inside a transaction for
	// at least after, and returns them.
	EndStalledSessions(ctx context.Context, after time.Duration) ([]workqueue.StalledSession, error)
}

// Options are the parts of a process. All are required unless a field says otherwise.
type Options struct {
	Store     Store
	Link      *Link                // the one that the catalogue was compiled with
	Catalogue *pipelines.Catalogue // replaced by ReplacePipelines
	Engine    *pipelines.Engine
	Log       zerolog.Logger

	// Spec describes the worker. New sets InstanceID, Host and PID and adds the broken
	// pipelines to the labels.
	Spec          workqueue.WorkerSpec
	Heartbeat     time.Duration
	ShutdownGrace time.Duration

	// AfterHeartbeat is called after each round of the heartbeat loop; may be nil.
	AfterHeartbeat func()

	// Observer receives what the process does, for metrics; may be nil.
	Observer Observer

	// Gate closes while this machine is short of a resource: the worker takes no new items then;
	// nil: it has no bounds.
	Gate runner.Gate

	// By is who calls RunOnce, for the records of its runs; may be "".
	By string

	// Finished is called for each item that has run; nil logs the item.
	Finished func(it *workqueue.Item, o workqueue.Outcome, took time.Duration)
}

// Observer receives what a process does. Its methods are called from several goroutines and must
// return at once.
type Observer interface {
	runner.Observer

	// ObserveStart is called after each start of a planned run of a system pipeline, with the time
	// from its planned instant.
	ObserveStart(pipeline string, late time.Duration)
}

// Process is a running worker with its schedules.
type Process struct {
	o         Options
	runner    *runner.Runner
	scheduler *scheduler.Scheduler
	waker     *waker
	guard     sessionGuard

	// settingsLabels are the labels from the settings, labels those of the worker's row.
	settingsLabels, labels workqueue.JSONText

	// started is true once the schedules run. Before, and in a process that runs
	// pipelines once, only requested pipelines run.
	started atomic.Bool
}

// New registers the worker and prepares its schedules. Start starts them; RunOnce works
// without Start. If another process uses the name, the error is a *workqueue.NameTakenError.
func New(ctx context.Context, o Options) (*Process, error) {
	_ = headroom()
	p := &Process{o: o, settingsLabels: o.Spec.Labels}
	p.waker = newWaker(p)
	p.waker.adopt(o.Catalogue)
	identify(&p.o.Spec)
	p.labels = withBroken(p.settingsLabels, o.Catalogue)
	p.o.Spec.Labels = p.labels
	o.Link.SetCatalogue(o.Catalogue)
	if err := p.register(ctx); err != nil {
		return nil, err
	}
	o.Link.SetStore(o.Store)
	o.Link.runner.Store(p.runner)
	if err := p.KeepTexts(ctx); err != nil {
		return nil, errors.Join(err, p.Stop(ctx))
	}
	schedules := scheduler.Options{Store: o.Store, Worker: p.runner.Worker(), Log: o.Log, By: o.By}
	if o.Observer != nil {
		schedules.Started = o.Observer.ObserveStart
	}
	p.scheduler = scheduler.New(ctx, schedules)
	for _, pipeline := range system(o.Catalogue) {
		if err := p.scheduler.Add(p.job(pipeline)); err != nil {
			return nil, errors.Join(err, p.Stop(ctx))
		}
	}
	return p, nil
}

// Start starts the schedules.
func (p *Process) Start(ctx context.Context) error {
	p.logPooler(ctx)
	err := p.scheduler.Start(ctx)
	p.started.Store(err == nil)
	if err == nil {
		p.waker.start(ctx)
		p.guard.start(ctx, p.o)
	}
	return err
}

// logPooler logs that the connections go through a pooler, which changes how statements are run.
func (p *Process) logPooler(ctx context.Context) {
	store, ok := p.o.Store.(interface {
		ThroughPooler(ctx context.Context) (bool, error)
	})
	if !ok {
		return // no test's stand-in has one
	}
	if pooled, err := store.ThroughPooler(ctx); err == nil && pooled {
		p.o.Log.Info().Msg("connected through a pooler such as PgBouncer: statements are not prepared, unless the DSN sets default_query_exec_mode")
	}
}

// Worker returns the registered worker.
func (p *Process) Worker() workqueue.Worker { return p.runner.Worker() }

// Replaced is closed when another process has taken the worker's name.
func (p *Process) Replaced() <-chan struct{} { return p.runner.Replaced() }

// Lost is closed when the database was replaced or lost data after it was opened.
// Stop returns the error then.
func (p *Process) Lost() <-chan struct{} { return p.runner.Lost() }

// Stop drains and stops the process. The end of ctx ends the shutdown timeout early.
func (p *Process) Stop(ctx context.Context) error {
	stopped := make(chan error, 1)
	if p.scheduler == nil {
		stopped <- nil
	} else {
		// Pipelines wait for their items, and the runner bounds how long those run.
		patience := p.o.ShutdownGrace + p.o.Spec.Lease
		go func() {
			ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience)
			defer cancel()
			stopped <- p.scheduler.Stop(ctx)
		}()
	}
	p.waker.end()
	p.guard.end()
	err := p.runner.Stop(ctx)
	return errors.Join(err, <-stopped)
}

func (p *Process) newRunner() (*runner.Runner, error) {
	return runner.New(runner.Options{
		Store: p.o.Store, Observer: p.o.Observer, RunItem: p.o.Engine.RunItem(p.o.Link), Ended: p.ended, Log: p.o.Log, Spec: p.o.Spec,
		Heartbeat: p.o.Heartbeat, AfterHeartbeat: p.o.AfterHeartbeat, ShutdownGrace: p.o.ShutdownGrace, Attend: p.attend, Profiles: p.o.Link.profile,
		Gate: p.o.Gate, Escalations: p.o.Link.escalations,
	})
}

// system returns the current pipelines that have a trigger.
func (p *Process) system() []*pipelines.Pipeline { return system(p.o.Link.catalogue.Load()) }

func system(of *pipelines.Catalogue) []*pipelines.Pipeline {
	return slices.DeleteFunc(of.All(), func(pl *pipelines.Pipeline) bool { return pl.Trigger == nil })
}

func (p *Process) job(pl *pipelines.Pipeline) scheduler.Job {
	t := pl.Trigger
	name := scheduler.TriggerCron
	if t.Every > 0 {
		name = scheduler.TriggerEvery
	}
	return scheduler.Job{
		Name: pl.Name, Schedule: t.Schedule, TriggerName: name, AtStart: t.AtStart,
		Overlap: scheduler.Overlap(t.Overlap), Scope: scheduler.Scope(t.Scope), CatchUp: t.CatchUp,
		Work: p.work(pl),
	}
}

// run runs a system pipeline. In a backfill, `now` is the planned time.
func (p *Process) run(ctx context.Context, pl *pipelines.Pipeline, start scheduler.Start) (scheduler.Report, error) {
	var in pipelines.RunInput
	if start.Trigger == scheduler.TriggerBackfill {
		in.Now = start.PlannedAt
	}
	result := p.o.Engine.Run(ctx, pl, in)
	report := scheduler.Report{Idle: result.Idle, Counts: result.Counts, Step: result.Step}
	if len(result.Counts) > 0 {
		summary, err := json.Marshal(result.Counts)
		if err != nil {
			return report, fmt.Errorf("encode the numbers of the run: %w", err)
		}
		report.Summary = workqueue.JSONText(summary)
	}
	return report, runError(&result)
}

// runError returns the error of a system pipeline's run: anything but a success.
func runError(result *pipelines.Result) error {
	switch result.Verdict {
	case workqueue.Succeeded:
		return nil
	case workqueue.Failed:
		return errors.New(result.Error)
	default:
		if result.Error == "" {
			return fmt.Errorf("ended early by step %q", result.Step)
		}
		return fmt.Errorf("ended early by step %q: %s", result.Step, result.Error)
	}
}

// ended reports the outcome of a run.
func (p *Process) ended(ctx context.Context, it *workqueue.Item, o workqueue.Outcome, took time.Duration) {
	if p.o.Finished != nil {
		p.o.Finished(it, o, took)
		return
	}
	p.logItem(tracing.TraceID(ctx), it, o, took)
}

func (p *Process) logItem(traceID string, it *workqueue.Item, o workqueue.Outcome, took time.Duration) {
	// Below the log level the event is nil, and its methods cost nothing.
	line := p.o.Log.Info
	if o.Verdict == workqueue.Failed {
		line = p.o.Log.Warn
	}
	log := line().Int64("item_id", it.ID).Str("pipeline", pipelineName(it)).Int("priority", it.Priority).
		Int("attempt", it.Attempt()).Int64("took_ms", took.Milliseconds())
	if traceID != "" {
		log = log.Str("trace_id", traceID)
	}
	switch o.Verdict {
	case workqueue.Succeeded:
		log.Msg("item succeeded")
	case workqueue.Failed:
		log.Str("error_kind", string(o.Kind)).Str("error", o.Error).Msg("item failed")
	case workqueue.Snoozed:
		log.Int64("after_ms", o.After.Milliseconds()).Str("step", o.Step).Str("reason", o.Error).Msg("item snoozed")
	case workqueue.Released:
		log.Str("reason", o.Error).Msg("item released")
	case workqueue.Dropped:
		log.Str("reason", o.Error).Msg("item dropped")
	}
}

// pipelineName returns the item's pipeline, or "(inline)" for a long text.
func pipelineName(it *workqueue.Item) string {
	const most = 100
	if len(it.IntegrationConfig) > most {
		return "(inline)"
	}
	return it.IntegrationConfig
}
