package service

import (
	"context"

	"github.com/rs/zerolog"

	"botwork/cmd/internal/cli"
	"botwork/cmd/run"
)

const (
	ExitNotInstalled = exitNotInstalled
	ExitNotRunning   = exitNotRunning
)

var AlarmText = alarmText

// Serve works as the service does that has these alarms.
func Serve(ctx context.Context, a *cli.App, alarms zerolog.LevelWriter, name string) int {
	return (&command{App: a, supervisor: run.Unsupervised{}, alarms: alarms}).serve(ctx, name)
}
