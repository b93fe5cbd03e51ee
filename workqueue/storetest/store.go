package storetest

import (
	"botwork/workqueue"
	"botwork/workqueue/access"
	"botwork/workqueue/learned"
)

// Store has all methods of a store of work items, by role. Programs declare
// interfaces with the methods that they call; only the conformance suite and
// tests need all of them.
type Store interface {
	workqueue.ItemStore
	workqueue.QueueStore
	workqueue.TaskStore
	workqueue.StatisticsStore
	workqueue.SeriesStore
	learned.Store
	workqueue.TextStore
	workqueue.FailureStore
	workqueue.ForecastStore
	workqueue.RobotStore
	workqueue.WorkerStore
	workqueue.WorkerControlStore
	workqueue.LeaseStore
	workqueue.StepStore
	workqueue.WaitingStore
	workqueue.MarkStore
	workqueue.RunCounter
	workqueue.ScheduleStore
	workqueue.PipelineStore
	workqueue.HousekeepingStore
	workqueue.AssignStore
	workqueue.BatchStore
	workqueue.HistoryStore
	workqueue.AuditStore
	workqueue.NotificationStore
	workqueue.EscalationStore
	access.Store
}
