// Package run is the command `botwork run`, and the worker that other commands start.
package run

import (
	"context"
	"errors"
	"time"

	"github.com/rs/zerolog"
	"github.com/spf13/cobra"

	"botwork/cmd/internal/cli"
	"botwork/cmd/internal/definitions"
	"botwork/cmd/internal/projectdir"
	"botwork/cmd/internal/serving"
	"botwork/cmd/version"
	"botwork/internal/author/strictyaml"
	"botwork/internal/metrics"
	"botwork/internal/process"
	"botwork/workqueue"
)

// Worker is a worker in this process.
type Worker struct {
	*projectdir.App

	// Supervisor receives the status of the worker.
	Supervisor Supervisor

	// Alarms receives the log lines from the level of warnings; nil drops them.
	Alarms zerolog.LevelWriter
}

// New returns a worker without a supervisor.
func New(a *projectdir.App) *Worker { return &Worker{App: a, Supervisor: Unsupervised{}} }

// Command returns `botwork run`.
func Command(a *projectdir.App) *cobra.Command { return New(a).runCommand() }

const runDoc = `Starts a worker: it registers in the database, starts pipelines with a trigger when
they are due, and runs the items that are assigned to it. It updates the queues and
tasks in the database from botwork.yaml.

It does not start if the settings have errors. A pipeline file with errors is left
out: the worker logs the position of each error and starts with the other files.
Items of a broken pipeline wait, without a failure, until its file is fixed or their
deadline passes. With --strict, or if no system pipeline is left, the worker does
not start.

When pipeline files change, the worker loads them within seconds; running items keep
the version with which they started. If a changed file has errors, its previous
version stays in use. The settings are read only at the start.

Ctrl-C (or SIGTERM) drains the worker: it starts no more items, releases assigned
items, and gives running items worker.shutdownGrace to finish. A second Ctrl-C, at
least one second later, kills the programs of Exec steps and exits immediately;
other workers rescue the items that were running when their leases expire.

The name of a worker is unique. While another process uses it, this one does not
start. If that process may have crashed, for example in a container that was
restarted, this one waits until its lease has expired (worker.lease).

With --once the named pipelines (by default all with a trigger) run one time, and
the program exits when they have ended: with 0 if all succeeded, and 2 if one of
them could not run because its file has errors. While a worker of this name runs,
they run under its name followed by "-once".`

func (a *Worker) runCommand() *cobra.Command {
	var once, strict bool
	cmd := &cobra.Command{
		Use:   "run [--once [PIPELINE…]]",
		Short: "Start a worker, or run system pipelines one time",
		Long:  runDoc,
		Example: `  botwork run
  botwork run --worker nightly-2 --capacity 8
  botwork run --once ExecuteWorkQueue`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 && !once {
				return cli.Usagef("got the pipeline %q, want pipelines only with --once", args[0])
			}
			if err := a.LoadConfig(); err != nil {
				return err
			}
			if err := a.applyFlags(cmd); err != nil {
				return err
			}
			if once {
				return a.runSystem(cmd.Context(), strict, args)
			}
			return a.Run(cmd.Context(), strict)
		},
	}
	flags := cmd.Flags()
	flags.BoolVar(&once, "once", false, "run the named system pipelines, or all, one time and exit")
	flags.BoolVar(&strict, "strict", false, "do not start if any file has an error")
	flags.String("worker", "", "the worker's `NAME` (worker.name)")
	flags.Int("capacity", 0, "how many items run at the same time (worker.capacity)")
	flags.String("pipelines", "", "the folder of pipelines, `DIR` (pipelines.dir)")
	flags.String("log-level", "", "trace, debug, info, warn or error (log.level)")
	return cmd
}

// applyFlags applies the given flags, which override the file and the environment.
func (a *Worker) applyFlags(cmd *cobra.Command) error {
	flags := cmd.Flags()
	for _, f := range []struct {
		flag, setting string
		set           func() error
	}{
		{"worker", "worker.name", func() (err error) { a.Config.Worker.Name, err = flags.GetString("worker"); return }},
		{"capacity", "worker.capacity", func() (err error) { a.Config.Worker.Capacity, err = flags.GetInt("capacity"); return }},
		{"pipelines", "pipelines.dir", func() (err error) { a.Config.Pipelines.Dir, err = flags.GetString("pipelines"); return }},
		{"log-level", "log.level", func() (err error) { a.Config.Log.Level, err = flags.GetString("log-level"); return }},
	} {
		if !flags.Changed(f.flag) {
			continue
		}
		if err := f.set(); err != nil {
			return err
		}
		a.Config.SetFrom(f.setting, "--"+f.flag)
	}
	if a.Config.Worker.Name == "" {
		// The host's name is the default only without the flag; an unset variable in a script must not
		// select it.
		return &cli.UsageError{Message: "--worker: got an empty name", Hint: "without the flag the name is taken from the settings"}
	}
	return a.Config.Validate()
}

// Run runs the worker until ctx ends. The pipelines in first run one time before the schedules
// start.
func (a *Worker) Run(ctx context.Context, strict bool, first ...string) error {
	p, err := a.loadProgramme(strict)
	if err != nil {
		return err
	}
	defer p.resources.Connections.Close() //nolint:errcheck // the process ends
	defer a.openGate(p)()
	ctx, stopTracing := a.StartTracing(ctx, version.Current().Version, p.log)
	defer stopTracing()
	ctx = workqueue.WithActor(ctx, a.WorkerActor())
	figures := metrics.NewProcess()
	if !a.Config.HTTP.Off {
		a.ObserveStatement, p.observer = figures.Statement, figures
	}
	a.Supervisor.Ready(a.Config.Worker.StopIn(), a.Config.Worker.Heartbeat)
	store, err := a.patientStore(ctx, p.log)
	if err != nil {
		return err
	}
	a.attendFile(p.log)
	proc, err := a.patientProcess(ctx, p, store)
	if err != nil {
		return errors.Join(err, store.Close())
	}
	if err := a.defineAll(ctx, p, store); err != nil {
		return errors.Join(err, a.stop(ctx, p, proc), store.Close())
	}
	w := proc.Worker()
	p.log.Info().Str("worker", w.Name).Int("capacity", w.Capacity).Int("pipelines", len(p.catalogue.All())).
		Str("database", string(store.Driver())).Str("version", version.Current().Version).Msg("worker started; press Ctrl-C to drain and stop")
	a.Supervisor.Status(workingAs(w.Name, len(p.findings.WithSeverity(strictyaml.Error))))
	if !projectdir.HasTriggers(p.catalogue) {
		p.log.Warn().Str("folder", a.Config.Pipelines.Dir).Msg("no pipeline has a trigger; this worker runs no items")
	}
	stopServing := a.serve(ctx, p, store, figures)
	stopNotifying := serving.StartNotifying(ctx, a.App, p.notifications, store, w.Name, p.log)
	if len(first) > 0 {
		err = proc.RunOnce(ctx, first...)
	}
	if err == nil {
		err = proc.Start(ctx)
	}
	if err == nil {
		stopFollowing := a.follow(ctx, p, proc)
		select {
		case <-ctx.Done():
			a.Supervisor.Status("draining")
			p.log.Info().Stringer("grace", a.Config.Worker.ShutdownGrace).Msg("draining; press Ctrl-C again to stop immediately")
		case <-proc.Replaced():
			err = workqueue.ErrWorkerReplaced
		case <-proc.Lost():
			a.Supervisor.Status("stopping: the connection to the database is lost")
		}
		stopFollowing()
	}
	stopServing()
	stopNotifying()
	return errors.Join(err, a.stop(ctx, p, proc), store.Close())
}

// serve serves the HTTP API until the returned function is called. A worker runs items also if
// it cannot serve, such as the second worker on a machine.
func (a *Worker) serve(ctx context.Context, p *programme, store cli.Store, figures *metrics.Process) (stop func()) {
	if a.Config.HTTP.Off {
		return func() {}
	}
	server, err := serving.Start(ctx, serving.Options{
		App: a.App, Store: store, Figures: figures, Hooks: p.hooks, Notifications: p.notifications, Log: p.log, Terminal: serving.Terminal(&a.Streams),
	})
	if err != nil {
		p.log.Warn().Err(err).Msg("the HTTP API is not served; the worker runs without it")
		return func() {}
	}
	return func() {
		if err := server.Stop(ctx); err != nil {
			p.log.Warn().Err(err).Msg("the HTTP API did not stop cleanly")
		}
	}
}

// defineAll updates queues and tasks in the database from the settings: queues first, because
// tasks refer to them.
func (a *Worker) defineAll(ctx context.Context, p *programme, store cli.Store) error {
	if err := definitions.Queues(ctx, a.App.App, p.log, store, p.queues); err != nil {
		return err
	}
	return definitions.Tasks(ctx, a.App.App, p.log, store, p.tasks)
}

// stop drains the worker, also if ctx has ended.
func (a *Worker) stop(ctx context.Context, p *programme, proc *process.Process) error {
	started := time.Now()
	err := proc.Stop(context.WithoutCancel(ctx))
	p.log.Info().Int64("took_ms", time.Since(started).Milliseconds()).Msg("worker stopped")
	return err
}

// runSystem runs system pipelines one time. It does not wait for a missing database, so that
// scripts get the error.
func (a *Worker) runSystem(ctx context.Context, strict bool, names []string) error {
	p, err := a.loadProgramme(strict)
	if err != nil {
		return err
	}
	defer p.resources.Connections.Close() //nolint:errcheck // the process ends
	defer a.openGate(p)()
	ctx, stopTracing := a.StartTracing(ctx, version.Current().Version, p.log)
	defer stopTracing()
	if len(names) == 0 && !projectdir.HasTriggers(p.catalogue) {
		return cli.Usagef("no pipeline of %s has a trigger, want one or more that --once can run", a.Config.Pipelines.Dir)
	}
	for _, name := range names {
		if broken := p.catalogue.BrokenPipeline(name); broken != nil {
			return broken.Findings
		}
	}
	ctx = workqueue.WithActor(ctx, a.WorkerActor())
	store, err := a.migratedStore(ctx)
	if err != nil {
		return err
	}
	a.attendFile(p.log)
	proc, err := a.newProcess(ctx, p, store)
	if taken := (*workqueue.NameTakenError)(nil); errors.As(err, &taken) {
		// A worker with this name is running; use another name for this short-lived worker.
		a.Config.Worker.Name += "-once"
		proc, err = a.newProcess(ctx, p, store)
	}
	if err != nil {
		return errors.Join(err, store.Close())
	}
	if err = a.defineAll(ctx, p, store); err == nil {
		err = proc.RunOnce(ctx, names...)
	}
	if unknown := (*process.UnknownPipelineError)(nil); errors.As(err, &unknown) {
		err = &cli.UsageError{Message: err.Error()}
	}
	if err == nil && len(names) == 0 {
		err = brokenSystem(p.catalogue).Err() // the caller also requested the broken ones
	}
	return errors.Join(err, ctx.Err(), a.stop(ctx, p, proc), store.Close())
}
