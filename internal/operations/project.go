package operations

import (
	"path/filepath"
	"strings"

	"botwork/internal/author/strictyaml"
	"botwork/pipelines"
	"botwork/pipelines/graph"
	"botwork/workqueue/assign"
)

// Project is a project as its files were when they were read.
type Project struct {
	// Folder is false if there is no folder of pipelines, so that unknown names are no errors.
	Folder bool

	// Dir is the folder, in the form in which the paths of Files begin with it.
	Dir string

	// Catalogue has the pipelines as a worker would start with them, and the files with errors
	// as broken.
	Catalogue *pipelines.Catalogue
	Files     []pipelines.File

	// Findings are the errors and warnings in the files of the pipelines.
	Findings strictyaml.Findings

	// Tasks are the tasks of the settings, for the chart of the project.
	Tasks []graph.Task

	// Check checks the text of a file together with the files of the project.
	Check func(file pipelines.File) strictyaml.Findings

	// Compile compiles the text of a file. The pipeline is nil if the text has errors.
	Compile func(file pipelines.File) (*pipelines.Pipeline, strictyaml.Findings)

	// Engine returns an engine for dry runs.
	Engine func() *pipelines.Engine

	// Passes returns the assignment passes of these pipelines.
	Passes func(of []*pipelines.Pipeline) []assign.SystemPipeline
}

// Find returns one pipeline by name. The error is a *RefusedError: there is none, or its file has
// errors.
func (p *Project) Find(name string) (*pipelines.Pipeline, error) {
	if found, ok := p.Catalogue.Get(name); ok {
		return found, nil
	}
	if broken := p.Catalogue.BrokenPipeline(name); broken != nil {
		return nil, &RefusedError{Code: CodeBroken, Message: "the file of pipeline \"" + name + "\" has errors", Findings: broken.Findings}
	}
	var names []string
	for _, one := range p.Catalogue.All() {
		names = append(names, one.Name)
	}
	return nil, &RefusedError{Code: CodeNotFound, Message: "there is no pipeline \"" + name + "\"", Hint: strictyaml.Suggest(name, names)}
}

// Select returns the pipeline of a name, or all for "". The error is that of Find.
func (p *Project) Select(name string) ([]*pipelines.Pipeline, error) {
	if name == "" {
		return p.Catalogue.All(), nil
	}
	one, err := p.Find(name)
	if err != nil {
		return nil, err
	}
	return []*pipelines.Pipeline{one}, nil
}

// File returns the file of a pipeline, which may have errors; nil if there is none.
func (p *Project) File(name string) *PipelineFile { return FileOf(p.Catalogue, p.Files, name) }

// CheckText checks the text of a file together with the other files. name is the name of a file
// of the folder that it replaces, or of a new one.
func (p *Project) CheckText(name, text string) strictyaml.Findings {
	path := name
	for _, f := range p.Files {
		if filepath.ToSlash(f.Path) == name || strings.HasSuffix(filepath.ToSlash(f.Path), "/"+name) {
			path = f.Path
			break
		}
	}
	return p.CheckFile(path, text)
}

// CheckFile checks the text of a file, which need not be saved, together with the other files.
func (p *Project) CheckFile(path, text string) strictyaml.Findings {
	return p.Check(pipelines.File{Path: path, Data: []byte(text)})
}

// CompileFile compiles the text of a file, which need not be saved. If it has errors, the error is a
// *RefusedError.
func (p *Project) CompileFile(path, text string) (*pipelines.Pipeline, error) {
	compiled, found := p.Compile(pipelines.File{Path: path, Data: []byte(text)})
	if compiled == nil {
		return nil, &RefusedError{Code: CodeTextErrors, Message: "the text has errors", Findings: found.WithSeverity(strictyaml.Error)}
	}
	return compiled, nil
}
