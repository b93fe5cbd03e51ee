package run

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/rs/zerolog"

	"botwork/cmd/internal/cli"
	"botwork/cmd/version"
	"botwork/config"
	"botwork/handlers/builtin"
	"botwork/internal/api/hooks"
	"botwork/internal/author/checker"
	"botwork/internal/author/strictyaml"
	"botwork/internal/database"
	"botwork/internal/notifier"
	"botwork/internal/process"
	"botwork/pipelines"
	"botwork/workqueue"
	"botwork/workqueue/runner"
)

// programme is everything that a process runs. It is loaded before the database is opened, so
// that errors in files are reported first.
type programme struct {
	link      *process.Link
	resources builtin.Resources
	judge     *checker.Checker
	catalogue *pipelines.Catalogue // of the start
	findings  strictyaml.Findings  // of the start's files
	queues    []workqueue.Queue
	tasks     []workqueue.TaskRow // nil: the settings have no key tasks
	hooks     []*hooks.Hook       // webhooks

	notifications notifier.Plan

	redactor *pipelines.Redactor
	log      zerolog.Logger
	logTo    io.Writer
	observer process.Observer // nil: no metrics
	gate     runner.Gate      // nil: the settings bound nothing
}

// loadProgramme reads the secrets and compiles the pipelines of the settings. Files with
// errors are left out, unless strict is set.
func (a *Worker) loadProgramme(strict bool) (*programme, error) {
	if err := a.Config.CheckSecrets(); err != nil {
		return nil, err
	}
	if _, err := a.Cipher(); err != nil {
		return nil, err // check it now: later, the worker would treat it as a missing database and wait
	}
	resources, err := a.Resources()
	if err != nil {
		return nil, err
	}
	p := &programme{link: &process.Link{}, resources: resources, redactor: a.Redactor()}
	if p.log, p.logTo, err = a.OpenLog(p.redactor, a.Alarms); err != nil {
		return nil, err
	}
	judge, err := checker.New(&a.Config, a.NewRegistry(resources, a.QueueServices(p.link)))
	if err != nil {
		return nil, err
	}
	files, err := pipelines.ReadDir(a.Config.Pipelines.Dir, nil)
	if err != nil {
		return nil, &cli.UsageError{Message: err.Error()}
	}
	p.judge = judge
	if err := p.startWith(files, a.Config.Pipelines.Dir, strict); err != nil {
		return nil, err
	}
	p.logFindings()
	return p, nil
}

// patientStore opens the database and updates its schema. While the database is not available,
// it logs the error and tries again until ctx ends.
func (a *Worker) patientStore(ctx context.Context, log zerolog.Logger) (cli.Store, error) {
	const first, longest = time.Second, 30 * time.Second
	for wait := first; ; wait = min(2*wait, longest) {
		store, err := a.migratedStore(ctx)
		if _, missing := errors.AsType[*database.MissingFileError](err); err == nil || missing || ctx.Err() != nil {
			return store, err
		}
		a.Supervisor.Status("waiting for the database: " + err.Error())
		log.Error().Err(err).Stringer("again_in", wait).Msg("cannot use the database; retrying")
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(wait):
		}
	}
}

func (a *Worker) migratedStore(ctx context.Context) (cli.Store, error) {
	store, err := a.Connect(ctx)
	if err != nil {
		return nil, err
	}
	if _, err := store.Migrate(ctx); err != nil {
		return nil, errors.Join(err, store.Close())
	}
	return store, nil
}

// attendFile records which SQLite file this worker uses, and warns if other users can replace
// or delete it.
func (a *Worker) attendFile(log zerolog.Logger) {
	dsn := a.Config.Database.DSN.Reveal()
	path := database.SQLitePath(dsn)
	if a.Config.Database.Driver != database.SQLite || path == "" {
		return
	}
	if err := database.MarkSQLite(dsn, true); err != nil {
		log.Warn().Err(err).Msg("could not mark the database file as used; if it is deleted, the next start creates an empty one")
	}
	if risk := database.FolderRisk(path, os.Geteuid()); risk != "" {
		log.Warn().Str("risk", risk).Msg("other users can read or replace the database file")
	}
}

// channelsOf returns the channels of a worker's settings.
func channelsOf(w config.Worker) workqueue.Channels {
	if len(w.Channels) == 0 {
		return nil
	}
	channels := make(workqueue.Channels, len(w.Channels))
	for name, c := range w.Channels {
		channel := workqueue.Channel{Cost: c.Cost}
		if c.Max != nil {
			channel.Max = *c.Max
		}
		channels[name] = channel
	}
	return channels
}

// newProcess registers this process as a worker.
func (a *Worker) newProcess(ctx context.Context, p *programme, store cli.Store) (*process.Process, error) {
	var labels []byte // none: NULL
	if len(a.Config.Worker.Labels) > 0 {
		var err error
		if labels, err = json.Marshal(a.Config.Worker.Labels); err != nil {
			return nil, fmt.Errorf("worker.labels: %w", err)
		}
	}
	w := a.Config.Worker
	return process.New(ctx, process.Options{
		Store: store, Link: p.link, Catalogue: p.catalogue, Log: p.log, By: cli.UserName(),
		Engine: pipelines.NewEngine(pipelines.EngineOptions{
			Env: pipelines.Environ(), SecretEnv: a.Config.SecretVariables(), Secrets: a.Secrets(), Values: a.Values(), WorkerName: w.Name, Log: p.log, LogTo: p.logTo,
			Redactor: p.redactor,
		}),
		Spec: workqueue.WorkerSpec{
			Name: w.Name, Version: version.Current().Version, Capacity: w.Capacity, Labels: workqueue.JSONText(labels), Lease: w.Lease,
			ReservedSlots: w.ReservedSlots, Channels: channelsOf(w), Queues: w.Queues,
		},
		Heartbeat: w.Heartbeat, ShutdownGrace: w.ShutdownGrace, AfterHeartbeat: a.Supervisor.Beat, Observer: p.observer, Gate: p.gate,
	})
}
