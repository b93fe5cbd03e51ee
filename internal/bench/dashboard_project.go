package bench

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/rs/zerolog"

	"botwork/handlers/queue"
	"botwork/internal/api"
	"botwork/internal/author/strictyaml"
	"botwork/internal/doctor"
	"botwork/internal/operations"
	"botwork/internal/process"
	"botwork/pipelines"
	"botwork/pipelines/shipped"
	"botwork/workqueue/assign"
	"botwork/workqueue/sqlstore"
)

// servedProject is the project of a server that is measured: the shipped pipelines and noop, without files.
type servedProject struct {
	store     *sqlstore.Store
	link      *process.Link
	catalogue *pipelines.Catalogue
}

var _ api.Project = (*servedProject)(nil)

func newServedProject(store *sqlstore.Store) (*servedProject, error) {
	link, catalogue, err := worker{handler: &tally{}}.project()
	if err != nil {
		return nil, err
	}
	link.SetCatalogue(catalogue)
	return &servedProject{store, link, catalogue}, nil
}

// Load implements api.Project.
func (p *servedProject) Load() (*operations.Project, error) {
	files := []pipelines.File{{Path: noop + ".yaml", Data: []byte(noopText)}}
	for _, f := range shipped.Files() {
		files = append(files, pipelines.File{Path: f.Name, Data: f.Data})
	}
	return &operations.Project{
		Folder: true, Catalogue: p.catalogue, Files: files,
		Engine: sync.OnceValue(func() *pipelines.Engine { return pipelines.NewEngine(pipelines.EngineOptions{Log: zerolog.Nop()}) }),
		Check:  func(pipelines.File) strictyaml.Findings { return nil },
		Passes: func([]*pipelines.Pipeline) []assign.SystemPipeline { list, _ := p.passes(); return list },
	}, nil
}

func (p *servedProject) passes() ([]assign.SystemPipeline, error) {
	list, leftOut := queue.SystemPipelines(p.link.Services(), p.catalogue.All(), zerolog.Nop())
	return list, errors.Join(leftOut...)
}

// WhyParams implements api.Project.
func (p *servedProject) WhyParams() (assign.WhyParams, error) {
	passes, err := p.passes()
	return queue.WhyParams(p.link.Services(), p.catalogue, p.store, passes), err
}

// Doctor implements api.Project. No page that is measured asks for it.
func (p *servedProject) Doctor(context.Context, time.Duration) (doctor.Report, error) {
	return doctor.Report{}, errors.New("a measured server has no settings to examine")
}
