package cli

import (
	"context"
	"database/sql"
	"time"

	"botwork/internal/database"
	"botwork/workqueue"
	"botwork/workqueue/access"
	"botwork/workqueue/learned"
)

// Store is the database as commands use it. Package cmd opens it.
type Store interface {
	workqueue.AssignStore
	workqueue.AuditStore
	workqueue.EscalationStore
	workqueue.BatchStore
	workqueue.Checker
	workqueue.CleanUpStore
	workqueue.FailureStore
	workqueue.ForecastStore
	workqueue.HistoryStore
	workqueue.HousekeepingStore
	workqueue.ItemStore
	workqueue.LeaseStore
	workqueue.StepStore
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
	workqueue.MarkStore
	workqueue.WorkerControlStore
	workqueue.WorkerStore
	access.Store
	learned.Store

	// EndStalledSessions ends database sessions that have been idle inside a transaction for
	// at least after, and returns them.
	EndStalledSessions(ctx context.Context, after time.Duration) ([]workqueue.StalledSession, error)

	// LabelWorker replaces the labels of a worker. It returns ErrWorkerReplaced if
	// instanceID is not the worker's current instance.
	LabelWorker(ctx context.Context, workerID int64, instanceID string, labels workqueue.JSONText) error

	// Now returns the time of the database's clock.
	Now(ctx context.Context) (time.Time, error)

	// Migrate brings the schema up to date and returns the names of the migrations that it
	// applied. MigrationStatus lists all of them and changes nothing.
	Migrate(ctx context.Context) ([]string, error)
	MigrationStatus(ctx context.Context) ([]database.Migration, error)

	Driver() database.Driver

	// Pool returns figures of the connections that write and of those of listings.
	Pool() (writes, listings sql.DBStats)
	Close() error
}
