package service

import (
	"context"

	"github.com/rs/zerolog"

	"botwork/cmd/internal/projectdir"
	"botwork/cmd/run"
)

const (
	ExitNotInstalled = exitNotInstalled
	ExitNotRunning   = exitNotRunning
)

var AlarmText = alarmText

// Serve runs the service with this writer for alarms.
func Serve(ctx context.Context, a *projectdir.App, alarms zerolog.LevelWriter, name string) int {
	return (&command{App: a, supervisor: run.Unsupervised{}, alarms: alarms}).serve(ctx, name)
}
