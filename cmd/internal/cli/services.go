package cli

import (
	"botwork/handlers/queue"
	"botwork/internal/process"
)

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
