package check

import (
	"context"
	"time"

	"botwork/cmd/internal/cli"
	"botwork/workqueue"
)

type Event = checkEvent

func Watch(ctx context.Context, a *cli.App, store workqueue.Checker, interval, length time.Duration, output cli.Format) error {
	flags := checkFlags{watch: true, interval: interval, length: length}
	return (&command{a}).watch(ctx, store, workqueue.CheckParams{}, flags, output)
}
