package projectdir

import (
	"fmt"

	"github.com/rs/zerolog"

	"botwork/cmd/internal/cli"
	"botwork/handlers/queue"
	"botwork/internal/author/strictyaml"
	"botwork/internal/process"
	"botwork/pipelines"
	"botwork/workqueue/assign"
	"botwork/workqueue/learned"
)

// Passes has the assignment passes of the project's pipelines, for commands that only simulate
// them.
type Passes struct {
	Catalogue *pipelines.Catalogue
	Findings  strictyaml.Findings // of files that the catalogue lacks
	Services  queue.Services
	Log       zerolog.Logger
}

// LoadPasses loads the pipelines. It prints the errors in their files and continues without
// these files.
func LoadPasses(a *App) (*Passes, error) {
	checker, err := a.Checker()
	if err != nil {
		return nil, err
	}
	log, _, err := cli.NewLogger(a.Stderr, a.Config.Log, a.Redactor())
	if err != nil {
		return nil, err
	}
	catalogue, findings, err := Catalogue(a, checker)
	if err != nil {
		fmt.Fprintf(a.Stderr, "botwork: could not load any pipeline: %v\n", err)
		catalogue = pipelines.NewCatalogue(checker.Compiler())
	}
	for _, f := range findings {
		fmt.Fprintf(a.Stderr, "botwork: without this file: %v\n", f)
	}
	link := &process.Link{}
	link.SetCatalogue(catalogue)
	return &Passes{Catalogue: catalogue, Findings: findings, Services: a.QueueServices(link), Log: log}, nil
}

// SystemPipelines returns the pipelines that assign or run items. Steps whose parameters are
// known only in a run are left out and printed.
func SystemPipelines(a *App, b *Passes) []assign.SystemPipeline {
	list, leftOut := queue.SystemPipelines(b.Services, b.Catalogue.All(), b.Log)
	for _, err := range leftOut {
		fmt.Fprintf(a.Stderr, "botwork: left out: %v\n", err)
	}
	return list
}

// WhyParams returns the parameters of Why that are not in the database.
func WhyParams(a *App, b *Passes, store cli.Store) assign.WhyParams {
	return b.WhyParams(store, SystemPipelines(a, b))
}

// WhyParams returns the parameters of Why that are not in the database.
func (b *Passes) WhyParams(store learned.Store, list []assign.SystemPipeline) assign.WhyParams {
	return queue.WhyParams(b.Services, b.Catalogue, store, list)
}
