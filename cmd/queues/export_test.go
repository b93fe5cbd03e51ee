package queues

import (
	"context"

	"botwork/cmd/internal/cli"
	"botwork/workqueue"
)

type AllStatistics = allStatistics

func PurgePages(ctx context.Context, a *cli.App, store purger, p workqueue.PurgeParams, removed func(n int)) (int, error) {
	return (&command{a}).purgePages(ctx, context.WithoutCancel(ctx), store, p, removed)
}

func StatisticsTable(a *cli.App, all allStatistics) { (&command{a}).statisticsTable(all) }

func StatisticsSheet(a *cli.App, q *workqueue.QueueStatistics) { (&command{a}).statisticsSheet(q) }
