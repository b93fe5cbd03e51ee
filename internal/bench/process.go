package bench

import (
	"cmp"
	"context"
	"time"

	"github.com/rs/zerolog"

	"botwork/handlers"
	"botwork/handlers/queue"
	"botwork/internal/author/strictyaml"
	"botwork/internal/process"
	"botwork/pipelines"
	"botwork/pipelines/shipped"
	"botwork/workqueue"
	"botwork/workqueue/sqlstore"
)

// noop is the pipeline of the measured items: one step, whose handler counts them.
const noop, noopText = "noop", "steps:\n  - handler: Count\n"

// worker has the parameters of a worker process.
type worker struct {
	name     string
	capacity int
	handler  handlers.Handler  // of the pipeline noop
	text     string            // of the pipeline noop; "": noopText
	files    map[string]string // further pipelines, by file name
	bare     bool              // without the shipped pipelines
	lease    time.Duration     // 0: a minute
}

// start registers a worker with the shipped pipelines and noop. The worker runs nothing
// until Start is called. The caller must stop it.
func (w worker) start(ctx context.Context, store *sqlstore.Store) (*process.Process, error) {
	link, catalogue, err := w.project()
	if err != nil {
		return nil, err
	}
	lease := cmp.Or(w.lease, time.Minute)
	return process.New(ctx, process.Options{
		Store: store, Link: link, Catalogue: catalogue, Log: zerolog.Nop(),
		Engine:    pipelines.NewEngine(pipelines.EngineOptions{Log: zerolog.Nop()}),
		Spec:      workqueue.WorkerSpec{Name: w.name, Capacity: w.capacity, Lease: lease, Version: "bench"},
		Heartbeat: lease / 3, ShutdownGrace: 10 * time.Second,
		Finished: func(*workqueue.Item, workqueue.Outcome, time.Duration) {},
	})
}

// project returns the pipelines of the worker.
func (w worker) project() (*process.Link, *pipelines.Catalogue, error) {
	link := &process.Link{}
	registry := handlers.NewRegistry()
	registry.MustRegister(queue.Kinds(link.Services())...)
	registry.MustRegister(handlers.Kind{Name: "Count", New: func() handlers.Handler { return w.handler }})
	catalogue := pipelines.NewCatalogue(pipelines.NewCompiler(registry, pipelines.Options{}))
	findings := catalogue.Add(noop+".yaml", []byte(cmp.Or(w.text, noopText)))
	for _, f := range shipped.Files() {
		if !w.bare {
			findings = append(findings, catalogue.Add(f.Name, f.Data)...)
		}
	}
	for name, text := range w.files {
		findings = append(findings, catalogue.Add(name, []byte(text))...)
	}
	return link, catalogue, strictyaml.Findings(findings).Err()
}

// enqueueAtOnce is the number of items that one call of the store enqueues.
const enqueueAtOnce = 10_000

// newItem returns a measured item.
func newItem() workqueue.NewItem {
	return workqueue.NewItem{
		State: workqueue.Pending, Priority: workqueue.RequestPriority, IntegrationConfig: noop,
		Payload: `{"n": 1}`, Estimate: time.Millisecond,
	}
}
