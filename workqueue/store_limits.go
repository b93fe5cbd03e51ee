package workqueue

import "context"

// LimitTx is what an assignment pass needs for queues with limits. A pass that reads
// no item of such a queue makes no call to it.
type LimitTx interface {
	// Limits returns the queues that have limits, by name, with their current use. It
	// updates the log of starts first: it records assigned items that are not
	// recorded yet, sets the start time of items that have started, removes items
	// that were released without a start, and removes some of the entries that are
	// too old to count. From then on, Write records the items that it assigns.
	Limits(ctx context.Context) ([]LimitUse, error)
}

// LimitUse is a queue's limits and their use. A use may be above its limit, since
// limits can be lowered while items run.
type LimitUse struct {
	Queue  string
	Limits QueueLimits

	// Use is the use of the whole queue, including items without a key. Keys is the
	// use of each key that has any, if the queue has limits per key.
	Use  Use
	Keys map[string]Use
}

// Use is what counts against limits.
type Use struct {
	// Held is the number of items that are assigned or running, including those that
	// a robot has checked out.
	Held int

	// Started is the number of items that started less than the rate's period ago or
	// that are assigned and have not started yet.
	Started int
}

// Full names the queues, keys and pipelines that can get no more items.
type Full struct {
	Queues []string
	Keys   []LimitKey

	// Pipelines are those that no worker may be given at present, as items name them.
	Pipelines []string
}

// LimitKey is a key in a queue.
type LimitKey struct {
	Queue string `json:"Queue"`
	Key   string `json:"Key"`
}
