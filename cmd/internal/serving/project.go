package serving

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/rs/zerolog"

	"botwork/cmd/internal/cli"
	"botwork/cmd/internal/examine"
	"botwork/cmd/internal/projectdir"
	"botwork/cmd/version"
	"botwork/config"
	"botwork/handlers/queue"
	"botwork/internal/api"
	"botwork/internal/author/checker"
	"botwork/internal/author/strictyaml"
	"botwork/internal/doctor"
	"botwork/internal/operations"
	"botwork/internal/process"
	"botwork/internal/reload"
	"botwork/pipelines"
	"botwork/pipelines/graph"
	"botwork/tasks"
	"botwork/workqueue/assign"
)

var _ api.Project = (*project)(nil)

// keepProject is how long a project that was read answers requests.
const keepProject = 2 * time.Second

// project reads the pipelines folder of the settings for the API.
type project struct {
	app   *projectdir.App
	store cli.Store
	log   zerolog.Logger

	mu   sync.Mutex
	read *operations.Project
	at   time.Time
}

// Load returns the project as its files are now, or were less than two seconds ago.
func (p *project) Load() (*operations.Project, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.read != nil && time.Since(p.at) < keepProject {
		return p.read, nil
	}
	judge, err := p.app.Checker()
	if err != nil {
		return nil, err
	}
	_, missing := os.Stat(p.app.Config.Pipelines.Dir)
	folder := !errors.Is(missing, fs.ErrNotExist)
	var files []pipelines.File
	if folder {
		if files, err = pipelines.ReadDir(shortDir(p.app), nil); err != nil {
			return nil, err
		}
	}
	read := &operations.Project{Folder: folder, Dir: shortDir(p.app), Files: files, Engine: func() *pipelines.Engine { return projectdir.DryEngine(p.app) }}
	read.Catalogue, read.Findings = reload.Start(judge.Folder, files)
	read.Check = func(file pipelines.File) strictyaml.Findings { return check(judge, file, files) }
	read.Compile = func(file pipelines.File) (*pipelines.Pipeline, strictyaml.Findings) {
		return judge.Compiler().Parse(file.Path, file.Data)
	}
	read.Passes = func(of []*pipelines.Pipeline) []assign.SystemPipeline { return p.passes(read, of) }
	defined, _ := tasks.Decode(p.app.Config.Tasks, p.app.Config.Pipelines.Timezone)
	for _, t := range defined {
		task := graph.Task{Name: t.Name, Pipeline: t.Pipeline}
		if t.Notify != nil {
			task.Notify = t.Notify.Pipeline
		}
		read.Tasks = append(read.Tasks, task)
	}
	p.read, p.at = read, time.Now()
	return read, nil
}

// forget makes the next Load read the files.
func (p *project) forget() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.read = nil
}

func check(judge *checker.Checker, file pipelines.File, files []pipelines.File) strictyaml.Findings {
	return judge.Named([]pipelines.File{file}, files).Findings
}

func (p *project) passes(read *operations.Project, of []*pipelines.Pipeline) []assign.SystemPipeline {
	list, leftOut := queue.SystemPipelines(p.services(read), of, p.log)
	for _, err := range leftOut {
		p.log.Warn().Err(err).Msg("an assignment step is left out of the preview")
	}
	return list
}

func (p *project) services(read *operations.Project) queue.Services {
	link := &process.Link{}
	link.SetCatalogue(read.Catalogue)
	return p.app.QueueServices(link)
}

// WhyParams implements api.Project.
func (p *project) WhyParams() (assign.WhyParams, error) {
	read, err := p.Load()
	if err != nil {
		return assign.WhyParams{}, err
	}
	passes := &projectdir.Passes{Catalogue: read.Catalogue, Findings: read.Findings, Services: p.services(read), Log: p.log}
	return passes.WhyParams(p.store, p.passes(read, read.Catalogue.All())), nil
}

// Doctor examines the machine with the settings as they are in their files now.
func (p *project) Doctor(ctx context.Context, timeout time.Duration) (doctor.Report, error) {
	app := projectdir.New(strings.NewReader(""), io.Discard, p.app.Environ, p.app.Kinds)
	app.ConfigFile, app.Services = p.app.ConfigFile, p.app.Services
	d := doctor.New(examine.Options(app, config.ServiceName))
	report := d.Report(ctx, timeout)
	report.Version, report.Settings = version.Current().Version, app.Config.File
	return report, d.Close()
}
