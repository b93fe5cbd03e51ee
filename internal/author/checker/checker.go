// Package checker checks a project: its settings, queues, tasks and pipelines
// together. The command line, the start of a worker, a reload and the language
// server all use it, so that they accept the same files.
//
// A Checker checks texts that the caller has read. It runs nothing and connects to
// nothing. Open reads and checks a whole project, beginning with its settings file.
package checker

import (
	"fmt"
	"path/filepath"
	"slices"

	"botwork/config"
	"botwork/handlers"
	"botwork/handlers/builtin"
	"botwork/internal/api/hooks"
	"botwork/internal/author/queuedefs"
	"botwork/internal/author/strictyaml"
	"botwork/internal/database"
	"botwork/internal/notifier"
	"botwork/pipelines"
	"botwork/workqueue"
)

// Checker checks the files that belong to one settings file. Several goroutines can
// use it at the same time.
type Checker struct {
	settings *config.Config
	registry *handlers.Registry
	compiler *pipelines.Compiler
}

// New returns a checker for readable settings and for the handlers of the registry. A value that
// a pipeline reads is an error only if it is missing in the chosen environment.
func New(settings *config.Config, registry *handlers.Registry) (*Checker, error) {
	return newChecker(settings, registry, false)
}

// newChecker is New. With everywhere, a value that is missing in any environment is an error.
func newChecker(settings *config.Config, registry *handlers.Registry, everywhere bool) (*Checker, error) {
	zone, err := settings.Pipelines.Location()
	if err != nil {
		return nil, fmt.Errorf("pipelines.timezone: %w", err)
	}
	// Not nil: without secrets, any reference to a secret is a mistake.
	secrets := make([]string, 0, len(settings.Secrets))
	for name := range settings.Secrets {
		secrets = append(secrets, name)
	}
	return &Checker{
		settings: settings,
		registry: registry,
		compiler: pipelines.NewCompiler(registry, pipelines.Options{
			SecretNames: secrets, SecretEnv: settings.SecretVariables(), Values: Values(settings), Everywhere: everywhere, Location: zone,
		}),
	}, nil
}

// Compiler returns the compiler of single pipelines, such as those in items.
func (c *Checker) Compiler() *pipelines.Compiler { return c.compiler }

// Report is the result of a check.
type Report struct {
	// Catalogue contains the pipelines without mistakes.
	Catalogue *pipelines.Catalogue

	// Queues and Tasks are the definitions in the settings. The caller must not
	// use them if there are mistakes. Tasks is nil if the settings do not mention
	// tasks.
	Queues []workqueue.Queue
	Tasks  []workqueue.TaskRow

	// Hooks are the webhooks in the settings.
	Hooks []*hooks.Hook

	// Notifications are the rules and targets in the settings.
	Notifications notifier.Plan

	// Findings are all mistakes and warnings in the order of their positions.
	Findings strictyaml.Findings
}

// Mistakes returns the findings with which a file cannot be used.
func (r *Report) Mistakes() strictyaml.Findings { return r.Findings.WithSeverity(strictyaml.Error) }

// Warnings returns the other findings.
func (r *Report) Warnings() strictyaml.Findings { return r.Findings.WithSeverity(strictyaml.Warning) }

// Folder checks the files of a pipelines folder, each of them and all together. The
// catalogue contains the pipelines without mistakes; the findings are mistakes and
// warnings in the order of their positions.
func (c *Checker) Folder(files []pipelines.File) (*pipelines.Catalogue, strictyaml.Findings) {
	catalogue, findings := pipelines.Load(c.compiler, files)
	complete := len(findings) == 0
	findings = append(findings, catalogue.Warnings()...)
	findings = append(findings, c.crossCheck(catalogue, complete)...)
	findings.Sort()
	return catalogue, findings
}

// Named checks the named files together with those of the project's folder, because
// they can refer to each other. The report contains only the findings in the named
// files.
func (c *Checker) Named(named, folder []pipelines.File) *Report {
	isNamed, files := map[string]bool{}, slices.Clone(named)
	for _, f := range named {
		isNamed[absolutePath(f.Path)] = true
	}
	for _, f := range folder {
		if !isNamed[absolutePath(f.Path)] {
			files = append(files, f)
		}
	}
	_, findings := c.Folder(files)
	r := &Report{}
	r.Catalogue, _ = pipelines.Load(c.compiler, named)
	for _, f := range findings {
		if isNamed[absolutePath(f.File)] {
			r.Findings = append(r.Findings, f)
		}
	}
	return r
}

// absolutePath returns the absolute path of a file, or path if there is none.
func absolutePath(path string) string {
	if abs, err := filepath.Abs(path); err == nil {
		return abs
	}
	return path
}

// Project checks the files of the pipelines folder together with the queues and the
// tasks of the settings. The settings themselves were checked when they were read.
func (c *Checker) Project(files []pipelines.File) *Report {
	r := &Report{}
	r.Catalogue, r.Findings = c.Folder(files)
	queues, wrong := queuedefs.Decode(c.settings.Queues, nil)
	r.Queues = queues
	rows, wrongTasks := c.Tasks(r.Catalogue)
	r.Tasks = rows
	hooks, wrongHooks := c.Hooks(r.Catalogue)
	r.Hooks = hooks
	plan, wrongTargets := c.Notifications()
	r.Notifications = plan
	r.Findings = slices.Concat(r.Findings, wrong, wrongTasks, wrongHooks, wrongTargets, c.references(r.Catalogue), c.schemas(), c.missingFolders(), c.secretValues())
	r.Findings.Sort()
	return r
}

// connections returns the connections that steps can name. The checker does not
// connect to them.
func connections(settings *config.Config) (*builtin.Connections, error) {
	known := make(map[string]builtin.Connection, len(settings.Connections))
	for name, c := range settings.Connections {
		driver := string(c.Driver)
		if _, err := database.ParseDriver(driver); err != nil {
			driver = string(database.SQLite) // the check of the settings reports the driver
		}
		known[name] = builtin.Connection{Driver: driver, DSN: c.DSN.Reveal()}
	}
	return builtin.NewConnections(known)
}
