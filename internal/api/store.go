package api

import (
	"context"
	"time"

	"botwork/workqueue"
	"botwork/workqueue/access"
	"botwork/workqueue/learned"
)

// Store is the database as the API uses it.
type Store interface {
	access.Store
	learned.Store
	workqueue.AssignStore
	workqueue.AuditStore
	workqueue.EscalationStore
	workqueue.BatchStore
	workqueue.Checker
	workqueue.FailureStore
	workqueue.ForecastStore
	workqueue.HistoryStore
	workqueue.ItemStore
	workqueue.MarkStore
	workqueue.NotificationStore
	workqueue.PipelineStore
	workqueue.QueueStore
	workqueue.RobotStore
	workqueue.RunCounter
	workqueue.ScheduleStore
	workqueue.SeriesStore
	workqueue.StatisticsStore
	workqueue.TaskStore
	workqueue.TextStore
	workqueue.WaitingStore
	workqueue.WorkerControlStore
	workqueue.WorkerStore

	// PurgeQueue permanently removes one page of a queue's items.
	PurgeQueue(ctx context.Context, p workqueue.PurgeParams) (workqueue.PurgeResult, error)

	// Now returns the time of the database's clock.
	Now(ctx context.Context) (time.Time, error)
}
