package cmd

import (
	"fmt"

	"github.com/rs/zerolog"

	"botwork/cmd/internal/cli"
	"botwork/handlers/queue"
	"botwork/internal/author/strictyaml"
	"botwork/internal/process"
	"botwork/pipelines"
	"botwork/workqueue"
	"botwork/workqueue/assign"
	"botwork/workqueue/sqlstore"
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
	checker, err := a.Checker()
	if err != nil {
		return nil, err
	}
	log, _, err := cli.NewLogger(a.Stderr, a.Config.Log, a.Redactor())
	if err != nil {
		return nil, err
	}
	catalogue, findings, err := a.catalogue(checker)
	if err != nil {
		fmt.Fprintf(a.Stderr, "botwork: no pipeline is known: %v\n", err)
		catalogue = pipelines.NewCatalogue(checker.Compiler())
	}
	for _, f := range findings {
		fmt.Fprintf(a.Stderr, "botwork: without this file: %v\n", f)
	}
	link := &process.Link{}
	link.SetCatalogue(catalogue)
	return &passBook{catalogue: catalogue, findings: findings, services: a.QueueServices(link), log: log}, nil
}

// systemPipelines are the pipelines that assign items or run them. Steps whose
// parameters are known only in a run are left out, and named.
func (a *app) systemPipelines(b *passBook) []assign.SystemPipeline {
	list, leftOut := queue.SystemPipelines(b.services, b.catalogue.All(), b.log)
	for _, err := range leftOut {
		fmt.Fprintf(a.Stderr, "botwork: left out: %v\n", err)
	}
	return list
}

// whyParams are what Why knows beside the database.
func (a *app) whyParams(b *passBook, store *sqlstore.Store) assign.WhyParams {
	return assign.WhyParams{
		Profiles: b.services.Profiles, Learned: workqueue.NewLearned(store), Resilience: b.resilience, Pipelines: a.systemPipelines(b),
	}
}

// resilience is the policy of the pipeline that an item names or holds.
func (b *passBook) resilience(integrationConfig string) workqueue.Resilience {
	p, err := b.catalogue.Resolve(integrationConfig)
	if err != nil {
		return workqueue.Resilience{}
	}
	return p.Resilience
}
