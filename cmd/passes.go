package cmd

import (
	"fmt"
	"time"

	"github.com/rs/zerolog"

	"botwork/handlers/queue"
	"botwork/internal/process"
	"botwork/internal/strictyaml"
	"botwork/pipelines"
	"botwork/workqueue"
)

// passBook is what the project's pipelines say of assignment passes, for commands
// that make none.
type passBook struct {
	catalogue *pipelines.Catalogue
	findings  strictyaml.Findings // of files that the catalogue lacks
	services  queue.Services
	log       zerolog.Logger
}

// passBook loads the pipelines. Mistakes in their files keep nobody from asking:
// what a broken file says is not known, and that is told.
func (a *app) passBook() (*passBook, error) {
	checker, err := a.checker()
	if err != nil {
		return nil, err
	}
	log, _, err := newLogger(a.stderr, a.cfg.Log, a.redactor())
	if err != nil {
		return nil, err
	}
	catalogue, findings, err := a.catalogue(checker)
	if err != nil {
		fmt.Fprintf(a.stderr, "botwork: no pipeline is known: %v\n", err)
		catalogue = pipelines.NewCatalogue(checker.Compiler())
	}
	for _, f := range findings {
		fmt.Fprintf(a.stderr, "botwork: without this file: %v\n", f)
	}
	link := &process.Link{}
	link.SetCatalogue(catalogue)
	return &passBook{catalogue: catalogue, findings: findings, services: a.queueServices(link), log: log}, nil
}

// passes are the next passes of pipelines, one for each AssignTasksToWorker step.
func (b *passBook) passes(of []*pipelines.Pipeline) ([]workqueue.ComingPass, error) {
	var list []workqueue.ComingPass
	for _, p := range of {
		for _, step := range p.Steps {
			if step.Handler != queue.AssignKind {
				continue
			}
			params, err := queue.AssignParams(b.services, step.With, b.log)
			if err != nil {
				return nil, fmt.Errorf("pipeline %q, step %q: its parameters are known only when it runs: %w", p.Name, step.Name, err)
			}
			pass := workqueue.ComingPass{Pipeline: p.Name, Params: params}
			if p.Trigger != nil && p.Trigger.Schedule != nil {
				pass.At = p.Trigger.Schedule.Next(time.Now()).UTC()
			}
			list = append(list, pass)
		}
	}
	return list, nil
}

// knownPasses are the passes of all pipelines whose parameters can be told before they
// run; the others are named.
func (a *app) knownPasses(b *passBook) []workqueue.ComingPass {
	var list []workqueue.ComingPass
	for _, p := range b.catalogue.All() {
		passes, err := b.passes([]*pipelines.Pipeline{p})
		if err != nil {
			fmt.Fprintf(a.stderr, "botwork: left out: %v\n", err)
		}
		list = append(list, passes...)
	}
	return list
}

// resilience is the policy of the pipeline that an item names or holds.
func (b *passBook) resilience(integrationConfig string) workqueue.Resilience {
	p, err := b.catalogue.Resolve(integrationConfig)
	if err != nil {
		return workqueue.Resilience{}
	}
	return p.Resilience
}
