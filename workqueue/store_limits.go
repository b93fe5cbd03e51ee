package workqueue

import "context"

// LimitTx is what an assignment pass needs for queues with limits. A pass that
// meets no item of such a queue asks nothing of it.
type LimitTx interface {
	// Limits returns the queues that have limits, by name, with what of them is
	// used now. It brings the log of starts up to date first: it notes the items
	// that are assigned and not noted yet, fixes the time of what has started,
	// forgets what came back unstarted, and removes some of what is too old to
	// matter. Write notes what it assigns from then on.
	Limits(ctx context.Context) ([]LimitUse, error)
}

// LimitUse is a queue's limits and what of them is used. A number may be above
// its limit: limits are lowered while items run.
type LimitUse struct {
	Queue  string
	Limits QueueLimits

	// Use is of the whole queue, items without a key included; Keys is of each
	// key that has any, where the queue has limits per key.
	Use  Use
	Keys map[string]Use
}

// Use counts against limits.
type Use struct {
	// Held items are assigned or running, under a robot's checkout too.
	Held int

	// Started counts the items that started less than the rate's period ago,
	// and those that are assigned and have not started yet.
	Started int
}

// Full names what has no place left.
type Full struct {
	Queues []string
	Keys   []LimitKey

	// Pipelines are those that no worker may be given at present, as items name
	// them.
	Pipelines []string
}

// LimitKey is a key inside a queue.
type LimitKey struct {
	Queue string `json:"Queue"`
	Key   string `json:"Key"`
}
