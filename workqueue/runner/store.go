package runner

import (
	"context"

	"botwork/workqueue"
	"botwork/workqueue/learned"
)

// Store is what a runner calls. The contracts of the methods are those of the
// interfaces named here.
type Store interface {
	workqueue.LeaseStore
	workqueue.StepStore
	learned.Reader
	workqueue.AssignStore

	// As in workqueue.WorkerStore.
	RegisterWorker(ctx context.Context, w workqueue.WorkerSpec) (workqueue.Worker, error)
	DrainWorker(ctx context.Context, name, instanceID string) error
	StopWorker(ctx context.Context, workerID int64, instanceID string) error

	// As in workqueue.AuditStore.
	AuditEntries(ctx context.Context, f workqueue.AuditFilter) ([]workqueue.AuditEntry, error)

	// As in workqueue.ItemStore and workqueue.QueueStore.
	Item(ctx context.Context, id int64) (workqueue.Item, error)
	Queue(ctx context.Context, name string) (workqueue.Queue, error)
	Queues(ctx context.Context) ([]workqueue.Queue, error)

	// As in learned.Store.
	Learn(ctx context.Context, of []learned.Runs) error

	// As in workqueue.StatisticsStore.
	CompactStatistics(ctx context.Context, limit int) (compacted int, err error)

	workqueue.EscalationStore

	// As in workqueue.SeriesStore.
	FoldSeries(ctx context.Context, limit int) (taken int, err error)
	SampleGauges(ctx context.Context) (sampled bool, err error)
}
