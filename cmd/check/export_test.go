package check

import (
	"context"
	"time"

	"botwork/cmd/internal/cli"
	"botwork/cmd/internal/projectdir"
	"botwork/workqueue"
)

type Event = checkEvent

func Watch(ctx context.Context, a *projectdir.App, store workqueue.Checker, interval, length time.Duration, output cli.Format) error {
	flags := checkFlags{watch: true, interval: interval, length: length}
	read := func(ctx context.Context) (workqueue.CheckReport, error) {
		return workqueue.ConfirmedCheck(ctx, store, workqueue.CheckParams{})
	}
	return (&command{a}).watch(ctx, read, flags, output)
}
