package lsp

import (
	"path/filepath"
	"time"

	"botwork/cmd/internal/projectdir"
	"botwork/config"
	"botwork/handlers"
	"botwork/handlers/builtin"
	"botwork/handlers/queue"
	"botwork/internal/author/checker"
	"botwork/internal/author/lsp"
	"botwork/internal/author/strictyaml"
	"botwork/internal/database"
	"botwork/pipelines"
)

// openForEditor reads and checks a project with the files as they are in the editor.
func (a *command) openForEditor(settings string, read func(path string) ([]byte, error)) (*lsp.Project, error) {
	options := checker.Options{
		Settings: settings, Environ: a.Environ, Everywhere: true, Read: read,
		Registry: func(r builtin.Resources) *handlers.Registry { return a.NewRegistry(r, queue.Services{}) },
	}
	if settings == "" {
		// Use the defaults, and ignore the folder in which the editor was started.
		options.Settings = filepath.Join(string(filepath.Separator), "botwork.yaml")
		options.Read = func(string) ([]byte, error) { return nil, nil }
		options.Environ, options.Everywhere = config.WithEnvironment(a.Environ, ""), false
	}
	opened, err := checker.Open(options)
	if err != nil {
		return nil, err
	}
	if opened.Checker == nil {
		return a.guessForEditor(settings, read, opened.Findings)
	}
	p := projectdir.Language(settings, &opened.Settings, opened.Checker, opened.Files)
	p.Findings = opened.Findings
	if settings == "" {
		p.Dir, p.Findings, p.Files = "", nil, nil
	}
	return p, nil
}

// guessForEditor opens a project whose settings are not valid YAML at the moment. It reads as
// much of the settings as possible, so that pipelines get no error marks because of an error
// in the settings.
func (a *command) guessForEditor(settings string, read func(path string) ([]byte, error), findings strictyaml.Findings) (*lsp.Project, error) {
	data, _ := read(settings) // the findings report a missing file
	guess := lsp.GuessSettings(string(data))
	p := &lsp.Project{Settings: settings, Dir: guess.Dir, Secrets: map[string]bool{}, Findings: findings}
	if !filepath.IsAbs(p.Dir) {
		p.Dir = filepath.Join(filepath.Dir(settings), p.Dir)
	}
	known := map[string]builtin.Connection{}
	for _, name := range guess.Connections {
		known[name] = builtin.Connection{Driver: string(database.SQLite)}
	}
	connections, err := builtin.NewConnections(known)
	if err != nil {
		return nil, err
	}
	for _, name := range guess.Secrets {
		p.Secrets[name] = false
	}
	p.Registry = a.NewRegistry(builtin.Resources{Connections: connections, Folders: guess.Folders}, queue.Services{})
	p.Compiler = pipelines.NewCompiler(p.Registry, pipelines.Options{SecretNames: guess.Secrets, Location: time.UTC})
	files, err := pipelines.ReadDir(p.Dir, read)
	if err != nil {
		return p, nil //nolint:nilerr // the folder is a guess anyway
	}
	catalogue, wrong := pipelines.Load(p.Compiler, files)
	p.Findings = append(append(p.Findings, wrong...), catalogue.Warnings()...)
	p.Files = projectdir.LanguageFiles(files)
	return p, nil
}
