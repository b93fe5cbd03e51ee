package cli

import (
	"botwork/handlers"
	"botwork/handlers/queue"
)

// NewRegistry returns all kinds of handlers that pipelines may use. With zero services,
// handlers that use the queue can be checked and documented, but not run.
func (a *App) NewRegistry(resources handlers.Resources, services queue.Services) *handlers.Registry {
	registry := handlers.Builtin(resources)
	registry.MustRegister(queue.Kinds(services)...)
	registry.MustRegister(a.Kinds...)
	return registry
}
