// Package checker is the one checker of a project: its settings, queues, tasks and
// pipelines together. The command line, the start of a worker, a reload and an
// editor's language server all ask it, so that what one of them accepts no other
// refuses.
//
// A Checker judges texts that somebody has read; nothing runs, and nothing is
// connected to. Open reads a whole project from its settings file on.
package checker

import (
	"fmt"
	"path/filepath"
	"slices"

	"botwork/config"
	"botwork/handlers"
	"botwork/internal/author/queuedefs"
	"botwork/internal/author/strictyaml"
	"botwork/internal/database"
	"botwork/pipelines"
	"botwork/workqueue"
)

// Checker checks what belongs to one settings file. It may be used from several
// goroutines at once.
type Checker struct {
	settings *config.Config
	compiler *pipelines.Compiler
}

// New returns a checker for settings that could be read, and for the handlers of
// the registry.
func New(settings *config.Config, registry *handlers.Registry) (*Checker, error) {
	zone, err := settings.Pipelines.Location()
	if err != nil {
		return nil, fmt.Errorf("pipelines.timezone: %w", err)
	}
	// Not nil: without any secrets, naming one is a mistake.
	secrets := make([]string, 0, len(settings.Secrets))
	for name := range settings.Secrets {
		secrets = append(secrets, name)
	}
	return &Checker{
		settings: settings,
		compiler: pipelines.NewCompiler(registry, pipelines.Options{SecretNames: secrets, SecretEnv: settings.SecretVariables(), Location: zone}),
	}, nil
}

// Compiler compiles single pipelines, such as those that items carry.
func (c *Checker) Compiler() *pipelines.Compiler { return c.compiler }

// Report is what came of a check.
type Report struct {
	// Catalogue has the pipelines without mistakes.
	Catalogue *pipelines.Catalogue

	// Queues and Tasks are the definitions of the settings, and not to be used
	// when there are mistakes. Tasks is nil when the settings say nothing of
	// tasks.
	Queues []workqueue.Queue
	Tasks  []workqueue.TaskRow

	// Findings are all mistakes and warnings in the order of their places.
	Findings strictyaml.Findings
}

// Mistakes are the findings that keep something from being used.
func (r *Report) Mistakes() strictyaml.Findings { return r.Findings.Of(strictyaml.Error) }

// Warnings are the other findings.
func (r *Report) Warnings() strictyaml.Findings { return r.Findings.Of(strictyaml.Warning) }

// Folder checks the texts of a pipelines folder, each by itself and all together.
// The catalogue has the pipelines without mistakes; the findings are mistakes and
// warnings in the order of their places.
func (c *Checker) Folder(files []pipelines.File) (*pipelines.Catalogue, strictyaml.Findings) {
	catalogue, findings := pipelines.Load(c.compiler, files)
	whole := len(findings) == 0
	findings = append(findings, catalogue.Warnings()...)
	findings = append(findings, c.across(catalogue, whole)...)
	findings.Sort()
	return catalogue, findings
}

// Named checks some files beside those of the project's folder, for they may name
// each other. The report has what is found in the named ones alone.
func (c *Checker) Named(named, folder []pipelines.File) *Report {
	isNamed, files := map[string]bool{}, slices.Clone(named)
	for _, f := range named {
		isNamed[full(f.Path)] = true
	}
	for _, f := range folder {
		if !isNamed[full(f.Path)] {
			files = append(files, f)
		}
	}
	_, findings := c.Folder(files)
	r := &Report{}
	r.Catalogue, _ = pipelines.Load(c.compiler, named)
	for _, f := range findings {
		if isNamed[full(f.File)] {
			r.Findings = append(r.Findings, f)
		}
	}
	return r
}

// full is a path by which a file is known, however it was named.
func full(path string) string {
	if abs, err := filepath.Abs(path); err == nil {
		return abs
	}
	return path
}

// Project checks the texts of the pipelines folder with the queues and the tasks of
// the settings. The settings themselves have been checked where they were read.
func (c *Checker) Project(files []pipelines.File) *Report {
	r := &Report{}
	r.Catalogue, r.Findings = c.Folder(files)
	queues, wrong := queuedefs.Decode(c.settings.Queues, nil)
	r.Queues = queues
	rows, wrongTasks := c.Tasks(r.Catalogue)
	r.Tasks = rows
	r.Findings = append(append(r.Findings, wrong...), wrongTasks...)
	r.Findings.Sort()
	return r
}

// connections are the names that steps may use, for checking: nobody connects.
func connections(settings *config.Config) (*handlers.Connections, error) {
	known := make(map[string]handlers.Connection, len(settings.Connections))
	for name, c := range settings.Connections {
		driver := string(c.Driver)
		if _, err := database.ParseDriver(driver); err != nil {
			driver = string(database.SQLite) // the settings' own check has told of it
		}
		known[name] = handlers.Connection{Driver: driver, DSN: c.DSN.Reveal()}
	}
	return handlers.NewConnections(known)
}
