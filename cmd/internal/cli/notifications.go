package cli

import (
	"path/filepath"

	"botwork/handlers/queue"
	"botwork/internal/author/checker"
	"botwork/internal/database"
	"botwork/internal/doctor"
	"botwork/internal/notifier"
)

// NotificationPlan returns the rules and targets of the settings. Its sender uses the handlers of this
// program.
func (a *App) NotificationPlan() (notifier.Plan, error) {
	resources, err := a.Resources()
	if err != nil {
		return notifier.Plan{}, err
	}
	return checker.NotificationPlan(&a.Config, a.NewRegistry(resources, queue.Services{})), nil
}

// FreeSpace returns a line for each disk in which this process writes and whose free space is below a
// percentage.
func (a *App) FreeSpace(percent float64) []string {
	places := append([]string{a.Config.Pipelines.Dir}, a.Config.Handlers.Folders...)
	if file := database.SQLitePath(a.Config.Database.DSN.Reveal()); a.Config.Database.Driver == database.SQLite && file != "" {
		places = append(places, filepath.Dir(file))
	}
	if log := a.Config.Log.File.Path; log != "" {
		places = append(places, filepath.Dir(log))
	}
	var lines []string
	for _, s := range doctor.FreeSpace(places) {
		if 100*float64(s.Free) < percent*float64(s.Total) {
			lines = append(lines, s.String())
		}
	}
	return lines
}
