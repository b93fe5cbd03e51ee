package storetest

import (
	"botwork/workqueue"
	"botwork/workqueue/learned"
)

// Store is everything that a store of work items implements, by role. Programs
// declare the methods that they call themselves; only the conformance suite and
// tests need all of them.
type Store interface {
	workqueue.ItemStore
	workqueue.QueueStore
	workqueue.TaskStore
	workqueue.StatisticsStore
	learned.Store
	workqueue.TextStore
	workqueue.RobotStore
	workqueue.WorkerStore
	workqueue.LeaseStore
	workqueue.WaitingStore
	workqueue.ScheduleStore
	workqueue.HousekeepingStore
	workqueue.AssignStore
	workqueue.BatchStore
	workqueue.HistoryStore
}
