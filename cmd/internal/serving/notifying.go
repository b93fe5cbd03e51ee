package serving

import (
	"context"
	"path/filepath"

	"github.com/rs/zerolog"

	"botwork/cmd/internal/cli"
	"botwork/cmd/internal/projectdir"
	"botwork/config"
	"botwork/internal/database"
	"botwork/internal/doctor"
	"botwork/internal/notifier"
)

// StartNotifying evaluates and delivers the notifications of the settings until the returned function is
// called. by names this process in the records.
func StartNotifying(ctx context.Context, a *projectdir.App, plan notifier.Plan, store cli.Store, by string, log zerolog.Logger) (stop func()) {
	if plan.Empty() {
		return func() {}
	}
	n := notifier.Start(ctx, notifier.Options{Plan: plan, Store: store, By: by, Log: log, FreeSpace: func(percent float64) []string { return freeSpace(&a.Config, percent) }})
	log.Info().Int("rules", len(plan.Rules)).Int("targets", len(plan.Targets)).Msg("notifications started")
	return n.Stop
}

// freeSpace returns a line for each disk in which this process writes and whose free space is below a
// percentage.
func freeSpace(c *config.Config, percent float64) []string {
	places := append([]string{c.Pipelines.Dir}, c.Handlers.Folders...)
	if file := database.SQLitePath(c.Database.DSN.Reveal()); c.Database.Driver == database.SQLite && file != "" {
		places = append(places, filepath.Dir(file))
	}
	if log := c.Log.File.Path; log != "" {
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
