package projectdir

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
	"botwork/workqueue/learned"
)

// Passes is what the project's pipelines say of assignment passes, for commands
// that make none.
type Passes struct {
	Catalogue *pipelines.Catalogue
	Findings  strictyaml.Findings // of files that the catalogue lacks
	Services  queue.Services
	Log       zerolog.Logger
}

// LoadPasses loads the pipelines. Mistakes in their files keep nobody from asking:
// what a broken file says is not known, and that is told.
func LoadPasses(a *cli.App) (*Passes, error) {
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
		fmt.Fprintf(a.Stderr, "botwork: no pipeline is known: %v\n", err)
		catalogue = pipelines.NewCatalogue(checker.Compiler())
	}
	for _, f := range findings {
		fmt.Fprintf(a.Stderr, "botwork: without this file: %v\n", f)
	}
	link := &process.Link{}
	link.SetCatalogue(catalogue)
	return &Passes{Catalogue: catalogue, Findings: findings, Services: a.QueueServices(link), Log: log}, nil
}

// SystemPipelines are the pipelines that assign items or run them. Steps whose
// parameters are known only in a run are left out, and named.
func SystemPipelines(a *cli.App, b *Passes) []assign.SystemPipeline {
	list, leftOut := queue.SystemPipelines(b.Services, b.Catalogue.All(), b.Log)
	for _, err := range leftOut {
		fmt.Fprintf(a.Stderr, "botwork: left out: %v\n", err)
	}
	return list
}

// WhyParams are what Why knows beside the database.
func WhyParams(a *cli.App, b *Passes, store cli.Store) assign.WhyParams {
	return assign.WhyParams{
		Profiles: b.Services.Profiles, Learned: learned.NewEstimates(store), Resilience: b.resilience, Pipelines: SystemPipelines(a, b),
	}
}

// resilience is the policy of the pipeline that an item names or holds.
func (b *Passes) resilience(integrationConfig string) workqueue.Resilience {
	p, err := b.Catalogue.Resolve(integrationConfig)
	if err != nil {
		return workqueue.Resilience{}
	}
	return p.Resilience
}
