package cli

import (
	"botwork/handlers/queue"
	"botwork/internal/process"
)

// QueueServices are what the queue's handlers work with: the process that the
// link leads to, and the secrets of the settings.
func (a *App) QueueServices(link *process.Link) queue.Services {
	services := link.Services()
	secrets := a.Secrets()
	services.Secrets = func(name string) (string, bool) {
		value, ok := secrets[name]
		return value, ok
	}
	return services
}
