package projectdir

import (
	"io"
	"maps"
	"slices"

	"botwork/cmd/internal/cli"
	"botwork/handlers"
	"botwork/handlers/builtin"
	"botwork/handlers/queue"
	"botwork/internal/author/checker"
	"botwork/internal/notifier"
	"botwork/internal/process"
)

// App is one call of the program, for commands that use the handlers and pipelines of a project.
type App struct {
	*cli.App

	Kinds []handlers.Kind // in addition to the built-in ones
}

// New returns a call of the program. environ has the form of os.Environ; kinds are handlers in
// addition to the built-in ones.
func New(stdin io.Reader, stderr io.Writer, environ []string, kinds []handlers.Kind) *App {
	return &App{App: cli.New(stdin, stderr, environ), Kinds: kinds}
}

// NewRegistry returns all kinds of handlers that pipelines may use. With zero services,
// handlers that use the queue can be checked and documented, but not run.
func (a *App) NewRegistry(resources builtin.Resources, services queue.Services) *handlers.Registry {
	registry := builtin.Registry(resources)
	registry.MustRegister(queue.Kinds(services)...)
	registry.MustRegister(a.Kinds...)
	return registry
}

// Resources returns the resources that the settings allow handlers to use. The caller closes
// the connections; a connection is opened when a step first uses it.
func (a *App) Resources() (builtin.Resources, error) {
	known := make(map[string]builtin.Connection, len(a.Config.Connections))
	for name, c := range a.Config.Connections {
		known[name] = builtin.Connection{Driver: string(c.Driver), DSN: c.DSN.Reveal()}
	}
	connections, err := builtin.NewConnections(known)
	if err != nil {
		return builtin.Resources{}, err
	}
	hosts, err := a.Config.Handlers.HTTP.Rules()
	return builtin.Resources{Connections: connections, Folders: a.Config.Handlers.Folders, Hosts: hosts, Programs: a.Programs, SecretEnv: slices.Collect(maps.Keys(a.Config.SecretVariables()))}, err
}

// Checker returns a checker for pipelines and related files, for commands that do not run them.
func (a *App) Checker() (*checker.Checker, error) {
	resources, err := a.Resources()
	if err != nil {
		return nil, err
	}
	return checker.New(&a.Config, a.NewRegistry(resources, queue.Services{}))
}

// OpenProject reads the settings and checks all files of the project, with everywhere for all
// environments. Config has the settings even if there are errors.
func (a *App) OpenProject(everywhere bool) (*checker.Project, error) {
	p, err := checker.Open(checker.Options{
		Settings: a.ConfigFile, Environ: a.Environ, Everywhere: everywhere, Shorten: cli.ShortPath,
		Registry: func(r builtin.Resources) *handlers.Registry { return a.NewRegistry(r, queue.Services{}) },
	})
	if err == nil {
		a.Config = p.Settings
		a.ForgetSecrets()
	}
	return p, err
}

// QueueServices returns what the queue's handlers use: the process of the link, and the
// secrets of the settings.
func (a *App) QueueServices(link *process.Link) queue.Services {
	services := link.Services()
	secrets := a.Secrets()
	services.Secrets = func(name string) (string, bool) {
		value, ok := secrets[name]
		return value, ok
	}
	return services
}

// NotificationPlan returns the rules and targets of the settings. Its sender uses the handlers of this
// program.
func (a *App) NotificationPlan() (notifier.Plan, error) {
	resources, err := a.Resources()
	if err != nil {
		return notifier.Plan{}, err
	}
	return checker.NotificationPlan(&a.Config, a.NewRegistry(resources, queue.Services{})), nil
}
