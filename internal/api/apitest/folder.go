package apitest

import (
	"context"
	"path/filepath"
	"time"

	"botwork/handlers/builtin"
	"botwork/internal/api"
	"botwork/internal/author/strictyaml"
	"botwork/internal/doctor"
	"botwork/internal/operations"
	"botwork/internal/savefile"
	"botwork/pipelines"
	"botwork/workqueue/assign"
)

// Folder is a project of a folder of pipelines that can be edited. No passes and no machine belong to
// it. It proposes the whole text at any position, and explains the first line.
type Folder struct {
	savefile.Folder

	host     string
	compiler *pipelines.Compiler
}

var (
	_ api.Project = (*Folder)(nil)
	_ api.Editor  = (*Folder)(nil)
)

// NewFolder returns the project of a folder on a host.
func NewFolder(dir, host string) *Folder {
	return &Folder{Folder: savefile.Folder{Path: dir}, host: host, compiler: pipelines.NewCompiler(builtin.Registry(builtin.Resources{}), pipelines.Options{})}
}

// Load implements api.Project.
func (f *Folder) Load() (*operations.Project, error) {
	files, err := pipelines.ReadDir(f.Path, nil)
	if err != nil {
		return nil, err
	}
	p := &operations.Project{Folder: true, Dir: f.Path, Files: files, Engine: func() *pipelines.Engine { return pipelines.NewEngine(pipelines.EngineOptions{}) }}
	p.Passes = func([]*pipelines.Pipeline) []assign.SystemPipeline { return nil }
	p.Catalogue, p.Findings = pipelines.Load(f.compiler, files)
	p.Compile = func(file pipelines.File) (*pipelines.Pipeline, strictyaml.Findings) {
		return f.compiler.Parse(file.Path, file.Data)
	}
	p.Check = func(file pipelines.File) strictyaml.Findings {
		_, found := p.Compile(file)
		return found
	}
	return p, nil
}

// WhyParams implements api.Project.
func (f *Folder) WhyParams() (assign.WhyParams, error) { return assign.WhyParams{}, nil }

// Doctor implements api.Project.
func (f *Folder) Doctor(context.Context, time.Duration) (doctor.Report, error) {
	return doctor.Report{}, nil
}

// Place implements api.Editor.
func (f *Folder) Place() api.EditorPlace { return api.EditorPlace{Host: f.host, Folder: f.Path} }

// Complete implements api.Editor.
func (f *Folder) Complete(d api.Draft) ([]api.Proposal, error) {
	return []api.Proposal{{Label: filepath.Base(d.File), Text: d.Text, Range: api.TextRange{From: d.At, To: d.At}}}, nil
}

// Explain implements api.Editor.
func (f *Folder) Explain(d api.Draft) (*api.Explanation, error) {
	if d.At.Line > 0 {
		return nil, nil
	}
	return &api.Explanation{Text: "**name**"}, nil
}
