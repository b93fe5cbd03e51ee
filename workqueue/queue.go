package workqueue

import (
	"cmp"
	"encoding/json"
	"time"
)

// Queue is a row of BotQueues: a named set of items with one policy. The zero
// value of each field of the policy is its default. Times are UTC by the
// database's clock. JSON field names are part of the command line's contract.
type Queue struct {
	ID          int64   `json:"id"`
	Name        string  `json:"name"`
	Description *string `json:"description"`

	// Paused: its items are not assigned and not given to robots; running ones
	// continue. A definition (DefineQueues) never changes it.
	Paused bool `json:"paused"`

	// Consumer is who runs the items; "" means ConsumerWorkers.
	Consumer Consumer `json:"consumer"`

	// PriorityOffset is added to the priority of each new item; it may be negative.
	PriorityOffset int `json:"priorityOffset"`

	// Resilience is the policy for retrying failed items: how many attempts, and
	// which kinds of failure are retried. See ParseResilience.
	Resilience JSONText `json:"resilienceConfig"`

	// RetryAs is the form of a retry; "" means RetrySame.
	RetryAs RetryAs `json:"retryAs"`

	// Distribution is how the items are given to workers if their pipeline does not
	// define it: a matching.Distribution; "": as the pass defines it.
	Distribution JSONText `json:"distribution"`

	// Escalation is a list of escalation.Rule: what happens to items that wait too long; "":
	// nothing.
	Escalation JSONText `json:"escalation"`

	// MaxReleases is how many workers may die with an item before it is cancelled as
	// poison; 0 means DefaultMaxReleases.
	MaxReleases int `json:"maxReleases"`

	QueueKeys
	QueueLife
	QueueSchemas
	QueueAccess
	QueueLimits
	QueueSizes

	// Encrypted: payload, output and metadata of new items are encrypted at
	// rest. Existing items stay unchanged.
	Encrypted bool `json:"encrypted"`

	// Revision starts at 1 and is incremented by every change that the program makes
	// to the row or to its robots; a change by hand does not increment it.
	Revision int64 `json:"revision"`

	// DefinedBy names the worker or the user that last changed the definition; nil:
	// it was created by hand.
	DefinedBy *string    `json:"definedBy"`
	CreatedAt time.Time  `json:"createdAt"`
	UpdatedAt *time.Time `json:"updatedAt"` // nil: never changed by the program

	// Override is set while a command's policy is in force instead of the definition in
	// the settings.
	Override *QueueOverride `json:"override"`
}

// Consumer is who runs the items of a queue.
type Consumer string

// The consumers.
const (
	// ConsumerWorkers: items are assigned to workers, which run their pipelines.
	ConsumerWorkers Consumer = "workers"

	// ConsumerRobots: robots check items out over the API. Items need no
	// pipeline and are never assigned to a worker.
	ConsumerRobots Consumer = "robots"
)

// RetryAs is the form of a retry of a failed item.
type RetryAs string

// The forms of a retry.
const (
	RetrySame RetryAs = "same" // the same item, due again
	RetryCopy RetryAs = "copy" // a new item with a new id, linked to the first one by RootID
)

// KeyScope is the set of items in which a natural key is unique.
type KeyScope string

// The scopes of natural keys.
const (
	KeyScopeNone   KeyScope = "none"   // keys may repeat
	KeyScopeQueue  KeyScope = "queue"  // unique in the queue
	KeyScopeGlobal KeyScope = "global" // unique among the items of all queues whose scope is global
)

// Deletion is how an item is deleted.
type Deletion string

// The kinds of deletion.
const (
	DeletionPhysical Deletion = "physical" // the row is removed
	DeletionLogical  Deletion = "logical"  // the row gets DeletedAt and DeletedReason, and is shown on request
)

// OnExpiry is what becomes of an item that expires while it waits.
type OnExpiry string

// What becomes of expired items.
const (
	ExpiryArchive OnExpiry = "archive" // it is cancelled with the kind KindExpired, and kept like other cancelled items
	ExpiryRemove  OnExpiry = "remove"  // it is counted as such, and its row and its attempts are removed
)

// Payloads is who sees the data of a queue's items in the HTTP API and on its pages.
type Payloads string

// Who sees the data of items.
const (
	PayloadsVisible Payloads = "visible" // all who may see the queue
	PayloadsHidden  Payloads = "hidden"  // editors, admins, and the robot that holds the item
)

// QueueKeys is the policy of natural keys.
type QueueKeys struct {
	// KeyScope "" means KeyScopeNone.
	KeyScope KeyScope `json:"keyScope"`

	// DeletedKeysCount: logically deleted items keep their keys.
	DeletedKeysCount bool `json:"deletedKeysCount"`
}

// QueueLife defines how long items are kept. Durations are precise to the
// millisecond.
type QueueLife struct {
	// TTL counts from an item's creation: an older item that does not run is
	// cancelled as expired. 0: no bound.
	TTL Duration `json:"ttl"`

	// OnExpiry is what becomes of an item that does not start before its deadline, its time to
	// finish by or the end of its TTL; "" means ExpiryArchive. It does not depend on Deletion.
	OnExpiry OnExpiry `json:"onExpiry"`

	// Retain is how long a completed item is kept; 0 deletes it at once, nil leaves
	// it to the CleanUp pipeline.
	Retain *Duration `json:"retain"`

	// ArchiveAge and ArchiveLimit bound the cancelled items that are kept for
	// inspection: older items, and items beyond that number, the oldest first, are
	// deleted. 0 keeps none, nil means that the queue has no bound of its own.
	ArchiveAge   *Duration `json:"archiveAge"`
	ArchiveLimit *int      `json:"archiveLimit"`

	// Deletion "" means DeletionPhysical.
	Deletion Deletion `json:"deletion"`
}

// QueueSchemas are JSON Schemas for an item's data: the payload is checked when the
// item is enqueued, output and analytics when it ends; "": anything.
type QueueSchemas struct {
	PayloadSchema   JSONText `json:"payloadSchema"`
	OutputSchema    JSONText `json:"outputSchema"`
	AnalyticsSchema JSONText `json:"analyticsSchema"`
}

// QueueAccess defines what robots may do over the API.
type QueueAccess struct {
	// Private: only the robots listed in Robots may use the queue, each by its
	// rights; otherwise any robot may read and write. The column PublicAccess has the
	// opposite value.
	Private bool `json:"private"`

	// Robots are the listed robots by name. While the queue is not private, the list
	// is kept but has no effect.
	Robots []QueueRobot `json:"robots"`

	// Payloads is who sees the payloads, outputs, analytics, metadata and logs of the items; ""
	// means PayloadsVisible. See HidesPayloads.
	Payloads Payloads `json:"payloads"`

	// RobotDeletesOnlyOwn: a robot may delete only items that it enqueued.
	RobotDeletesOnlyOwn bool `json:"robotDeletesOnlyOwn"`

	// Checkout is the lease of an item that a robot has checked out; 0 means
	// DefaultCheckout.
	Checkout Duration `json:"checkout"`
}

// QueueRobot is a row of BotQueueRobots: what one robot may do.
type QueueRobot struct {
	Robot string `json:"robot"`
	Read  bool   `json:"read"`  // read items, check them out and finish them
	Write bool   `json:"write"` // enqueue, change and delete items
}

// QueueLimits apply to the whole cluster; 0 is no limit.
type QueueLimits struct {
	// Concurrency is how many items of the queue, KeyConcurrency how many of
	// one LimitKey, may be assigned or run at a time. Items without a LimitKey
	// are not limited by key.
	Concurrency    int `json:"concurrencyLimit"`
	KeyConcurrency int `json:"keyConcurrencyLimit"`

	// Rate is how many items of the queue, KeyRate how many of one LimitKey,
	// may start in a period.
	Rate    Rate `json:"rateLimit"`
	KeyRate Rate `json:"keyRateLimit"`
}

// MarshalJSON writes null for fields that are not set, and an empty list of robots.
func (q Queue) MarshalJSON() ([]byte, error) {
	type plain Queue
	if q.Robots == nil {
		q.Robots = []QueueRobot{}
	}
	return json.Marshal(struct {
		plain
		TTL            *Duration `json:"ttl"`
		MaxReleases    *int      `json:"maxReleases"`
		Checkout       *Duration `json:"checkout"`
		Concurrency    *int      `json:"concurrencyLimit"`
		Rate           *Rate     `json:"rateLimit"`
		KeyConcurrency *int      `json:"keyConcurrencyLimit"`
		KeyRate        *Rate     `json:"keyRateLimit"`
		MaxPayload     *int64    `json:"maxPayload"`
		MaxOutput      *int64    `json:"maxOutput"`
	}{
		plain(q), OrNil(q.TTL), OrNil(q.MaxReleases), OrNil(q.Checkout), OrNil(q.Concurrency), OrNil(q.Rate), OrNil(q.KeyConcurrency), OrNil(q.KeyRate),
		OrNil(q.MaxPayload), OrNil(q.MaxOutput),
	})
}

// HidesPayloads reports whether the data of the queue's items is only for editors, admins, and the
// robot that holds the item. That of encrypted queues always is.
func (q *Queue) HidesPayloads() bool { return q.Payloads == PayloadsHidden || q.Encrypted }

// OrNil returns a pointer to the value, or nil for the zero value.
func OrNil[T comparable](v T) *T {
	if v == *new(T) {
		return nil
	}
	return &v
}

// DefaultMaxReleases is Queue.MaxReleases for a queue that sets none.
const DefaultMaxReleases = 5

// Releases returns how many workers may die with an item of the queue before it is
// cancelled as poison.
func (q *Queue) Releases() int { return cmp.Or(q.MaxReleases, DefaultMaxReleases) }

// DefaultCheckout is the lease of a checkout in a queue that sets none.
const DefaultCheckout = 10 * time.Minute

// CheckoutLease returns the lease of a checkout of the queue.
func (q *Queue) CheckoutLease() time.Duration {
	if q.Checkout > 0 {
		return time.Duration(q.Checkout)
	}
	return DefaultCheckout
}
