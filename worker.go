package botwork

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/rs/zerolog"

	"botwork/handlers"
	"botwork/handlers/queue"
	"botwork/internal/process"
	"botwork/pipelines"
	"botwork/pipelines/shipped"
	"botwork/workqueue"
)

// WorkerOptions describe a worker. All fields may be zero.
type WorkerOptions struct {
	// Name identifies the worker in the database; only one process at a time may have it, and a
	// process that is started again should use the same. "" means the names of the host and the
	// program, such as "srv4-invoices".
	Name string

	// Capacity is how many items run at the same time; 0 means the number of processors, at
	// least 4.
	Capacity int

	// Queues are the queues that the worker serves; nil means all. Set it if other workers share
	// the database: an item whose function or pipeline the worker does not have fails for good.
	Queues []string

	// Lease is how long the worker counts as live after a heartbeat (0: one minute), and
	// Heartbeat the time between two (0: 20 seconds). Items of a worker that has died start again
	// on another one after the lease.
	Lease, Heartbeat time.Duration

	// ShutdownGrace is how long running items may continue when Run stops; 0 means 30 seconds.
	// Then their contexts end, and they become ready again without counting an attempt.
	ShutdownGrace time.Duration

	// Log receives the log lines; nil writes those from level info on as JSON to the standard
	// error.
	Log *zerolog.Logger

	// Finished is called for each run of an item that has ended; nil logs it. It must return
	// soon.
	Finished func(item *Item, outcome Outcome, took time.Duration)
}

// Worker runs the items of the functions that Handle registers.
type Worker struct {
	store     *Store
	o         WorkerOptions
	functions map[string]function
}

// NewWorker returns a worker without functions. It does not use the database: see Run.
func NewWorker(store *Store, o WorkerOptions) *Worker {
	if o.Name == "" {
		host, _ := os.Hostname() // the program's name alone is a name, too
		program := filepath.Base(os.Args[0])
		o.Name = strings.Trim(host+"-"+strings.TrimSuffix(program, filepath.Ext(program)), "-")
	}
	if o.Log == nil {
		log := zerolog.New(os.Stderr).Level(zerolog.InfoLevel).With().Timestamp().Str("worker", o.Name).Logger()
		o.Log = &log
	}
	o.Capacity = cmp.Or(o.Capacity, max(4, runtime.NumCPU()))
	o.Lease = cmp.Or(o.Lease, time.Minute)
	o.Heartbeat = cmp.Or(o.Heartbeat, 20*time.Second)
	o.ShutdownGrace = cmp.Or(o.ShutdownGrace, 30*time.Second)
	return &Worker{store: store, o: o, functions: map[string]function{}}
}

// Run migrates the database, registers the worker and runs items until ctx ends; then it drains:
// it starts no more items, and waits for the running ones up to ShutdownGrace. It returns nil
// after a drain. While another process has the worker's name, it returns a
// *workqueue.NameTakenError; if another process takes it over, workqueue.ErrWorkerReplaced.
func (w *Worker) Run(ctx context.Context) error {
	if err := w.check(); err != nil {
		return err
	}
	options, err := w.process()
	if err != nil {
		return err
	}
	if err := w.store.Migrate(ctx); err != nil {
		return err
	}
	p, err := process.New(ctx, options)
	if err != nil {
		return err
	}
	if err = p.Start(ctx); err == nil {
		select {
		case <-ctx.Done():
		case <-p.Replaced():
			err = workqueue.ErrWorkerReplaced
		case <-p.Lost():
		}
	}
	return errors.Join(err, p.Stop(context.WithoutCancel(ctx)))
}

func (w *Worker) check() error {
	switch o := &w.o; {
	case len(w.functions) == 0:
		return errors.New("worker: got no functions; register them with botwork.Handle before Run")
	case o.Capacity < 0:
		return fmt.Errorf("worker: capacity: got %d, want 1 or more", o.Capacity)
	case o.Heartbeat < 0 || o.Lease < 2*o.Heartbeat:
		return fmt.Errorf("worker: lease: got %v with a heartbeat each %v, want at least two heartbeats", o.Lease, o.Heartbeat)
	case o.ShutdownGrace < 0:
		return fmt.Errorf("worker: shutdown grace: got %v, want 0s or more", o.ShutdownGrace)
	}
	return nil
}

// process returns the parts of the worker: its functions as pipelines of one step, and the
// shipped pipelines that assign and run items.
func (w *Worker) process() (process.Options, error) {
	link := &process.Link{}
	registry := handlers.NewRegistry()
	registry.MustRegister(queue.Kinds(link.Services())...)
	registry.MustRegister(w.kind())
	catalogue := pipelines.NewCatalogue(pipelines.NewCompiler(registry, pipelines.Options{Location: time.Local}))
	for _, file := range shipped.Files() {
		if file.Name != "ExecuteWorkQueue.yaml" && file.Name != "ExecuteLowPriorityWorkQueue.yaml" {
			continue
		}
		if err := catalogue.Add(file.Name, file.Data).Err(); err != nil {
			return process.Options{}, err
		}
	}
	for name := range w.functions {
		if err := catalogue.Add(name, pipelineOf(name)).Err(); err != nil {
			return process.Options{}, fmt.Errorf("function %q: %w", name, err)
		}
	}
	return process.Options{
		Store: w.store.s, Link: link, Catalogue: catalogue, Log: *w.o.Log, Finished: w.finished(),
		Engine: pipelines.NewEngine(pipelines.EngineOptions{WorkerName: w.o.Name, Log: *w.o.Log}),
		Spec: workqueue.WorkerSpec{
			Name: w.o.Name, Version: "go", Capacity: w.o.Capacity, Queues: w.o.Queues, Lease: w.o.Lease,
		},
		Heartbeat: w.o.Heartbeat, ShutdownGrace: w.o.ShutdownGrace,
	}, nil
}

// finished returns WorkerOptions.Finished for the type of package workqueue.
func (w *Worker) finished() func(*workqueue.Item, workqueue.Outcome, time.Duration) {
	if w.o.Finished == nil {
		return nil
	}
	return func(it *workqueue.Item, outcome workqueue.Outcome, took time.Duration) {
		w.o.Finished((*Item)(it), outcome, took)
	}
}
