// Package worker starts Botwork inside a Go program, for examples that observe a worker.
// It combines settings, handlers, pipelines, database and worker as the command line
// does.
package worker

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"time"

	"github.com/rs/zerolog"

	"botwork/config"
	"botwork/handlers/builtin"
	"botwork/handlers/queue"
	"botwork/internal/process"
	"botwork/pipelines"
	"botwork/workqueue"
	"botwork/workqueue/sqlstore"
)

// Options describe the project of a worker.
type Options struct {
	Config  string   // path of the project's botwork.yaml
	Environ []string // as from os.Environ; BOTWORK_… overrides the file
	Name    string   // the name of the worker; "" uses the settings
	Log     io.Writer

	// Finished is called for each item that has run; nil writes to the log.
	Finished func(it *workqueue.Item, o workqueue.Outcome, took time.Duration)
}

// Worker is a registered worker with its own connections to the database. Its schedules
// run after Start; RunOnce works without Start.
type Worker struct {
	*process.Process

	Store *sqlstore.Store

	connections *builtin.Connections
}

// New loads the project, migrates its database and registers the worker.
func New(ctx context.Context, o Options) (*Worker, error) {
	cfg, err := config.Load(o.Config, o.Environ)
	if err != nil {
		return nil, err
	}
	if o.Name != "" {
		cfg.Worker.Name = o.Name
	}
	w := &Worker{}
	p, err := w.project(cfg, o)
	if err != nil {
		return nil, errors.Join(err, w.connections.Close())
	}
	if p.Store, err = w.open(ctx, cfg.Database); err == nil {
		w.Process, err = process.New(ctx, p)
	}
	if err != nil {
		return nil, errors.Join(err, w.close())
	}
	return w, nil
}

// Stop drains the worker and closes what New opened.
func (w *Worker) Stop(ctx context.Context) error {
	return errors.Join(w.Process.Stop(ctx), w.close())
}

func (w *Worker) close() error {
	err := w.connections.Close()
	if w.Store != nil {
		err = errors.Join(err, w.Store.Close())
	}
	return err
}

// project loads everything except the store, so that errors in files are found before the
// database is used.
func (w *Worker) project(cfg config.Config, o Options) (process.Options, error) {
	if err := cfg.CheckSecrets(); err != nil {
		return process.Options{}, err
	}
	known := map[string]builtin.Connection{}
	for name, c := range cfg.Connections {
		known[name] = builtin.Connection{Driver: string(c.Driver), DSN: c.DSN.Reveal()}
	}
	var err error
	if w.connections, err = builtin.NewConnections(known); err != nil {
		return process.Options{}, err
	}
	hosts, err := cfg.Handlers.HTTP.Rules()
	if err != nil {
		return process.Options{}, err
	}
	secrets := map[string]string{}
	for name, text := range cfg.Secrets {
		secrets[name] = text.Reveal()
	}
	values, _ := cfg.Values.Any().(map[string]any)
	link := &process.Link{}
	registry := builtin.Registry(builtin.Resources{Connections: w.connections, Folders: cfg.Handlers.Folders, Hosts: hosts, SecretEnv: slices.Collect(maps.Keys(cfg.SecretVariables()))})
	services := link.Services()
	services.Secrets = func(name string) (string, bool) { text, ok := secrets[name]; return text, ok }
	registry.MustRegister(queue.Kinds(services)...)
	zone, err := cfg.Pipelines.Location()
	if err != nil {
		return process.Options{}, fmt.Errorf("pipelines.timezone: %w", err)
	}
	names := slices.AppendSeq([]string{}, maps.Keys(secrets)) // not nil, because nil allows every name
	compiler := pipelines.NewCompiler(registry, pipelines.Options{SecretNames: names, SecretEnv: cfg.SecretVariables(), Location: zone})
	catalogue, findings, err := pipelines.LoadDir(compiler, cfg.Pipelines.Dir)
	if err = errors.Join(err, findings.Err()); err != nil {
		return process.Options{}, err
	}
	labels, err := labelsOf(cfg.Worker)
	if err != nil {
		return process.Options{}, err
	}
	redactor := pipelines.NewRedactor(cfg.SecretValues()...)
	log := zerolog.New(redactor.Writer(zerolog.ConsoleWriter{Out: o.Log, NoColor: true, TimeFormat: time.TimeOnly})).
		Level(zerolog.WarnLevel).With().Timestamp().Str("worker", cfg.Worker.Name).Logger()
	return process.Options{
		Link: link, Catalogue: catalogue, Log: log,
		Engine: pipelines.NewEngine(pipelines.EngineOptions{
			Env: pipelines.Environ(), SecretEnv: cfg.SecretVariables(), Secrets: secrets, Values: values, WorkerName: cfg.Worker.Name, Log: log, Redactor: redactor,
		}),
		Spec: workqueue.WorkerSpec{
			Name: cfg.Worker.Name, Version: "example", Capacity: cfg.Worker.Capacity, Labels: labels, Lease: cfg.Worker.Lease,
			ReservedSlots: cfg.Worker.ReservedSlots, Channels: channelsOf(cfg.Worker), Queues: cfg.Worker.Queues,
		},
		Heartbeat: cfg.Worker.Heartbeat, ShutdownGrace: cfg.Worker.ShutdownGrace, Finished: o.Finished,
	}, nil
}

// channelsOf returns the channels of a worker; nil: all.
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

// labelsOf returns a worker's labels in the format of the database.
func labelsOf(w config.Worker) (workqueue.JSONText, error) {
	if len(w.Labels) == 0 {
		return "", nil
	}
	text, err := json.Marshal(w.Labels)
	return workqueue.JSONText(text), err
}

func (w *Worker) open(ctx context.Context, db config.Database) (*sqlstore.Store, error) {
	store, err := sqlstore.Open(ctx, sqlstore.Options{
		Driver: string(db.Driver), DSN: db.DSN.Reveal(),
		MaxOpen: db.Pool.MaxOpen, MaxIdle: db.Pool.MaxIdle, MaxLifetime: db.Pool.MaxLifetime,
	})
	if err != nil {
		return nil, err
	}
	w.Store = store
	_, err = store.Migrate(ctx)
	return store, err
}
