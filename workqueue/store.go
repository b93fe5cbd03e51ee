package workqueue

import (
	"context"
	"slices"
	"time"
)

// ItemStore creates, shows and changes items on somebody's word.
type ItemStore interface {
	// Enqueue inserts items, all or none, by the policies of their queues, and
	// returns what became of each. An item whose key is taken is not made: the
	// one that has the key is named, and that is no error. Results stand in the
	// order of the items; only of several items without keys, which one got
	// which of their ids is not told. An unknown queue is an
	// *UnknownQueueError, an item that its queue refuses a *BadItemError.
	Enqueue(ctx context.Context, items []NewItem) ([]Enqueued, error)

	// Item returns one item, or ErrNotFound.
	Item(ctx context.Context, id int64) (Item, error)

	// Items lists items, the newest (highest id) first.
	Items(ctx context.Context, f ItemFilter) ([]Item, error)

	// Attempts lists the attempts of an item that did not simply succeed, in
	// the order in which they ended.
	Attempts(ctx context.Context, itemID int64) ([]Attempt, error)

	// ChangeItem does to one item what a person asks for, in one statement that
	// repeats the state, and returns the id of the new item for Clone, else 0.
	// An item whose state forbids the action is left as it is:
	// *TransitionError. When another item has the key that the item would take
	// again: *DuplicateError.
	ChangeItem(ctx context.Context, id int64, c Change) (clone int64, err error)

	// ChangeItems does it to one page of the items that the filter picks and
	// whose state allows it, the newest first; f.Limit bounds the page (0: 500).
	// Items that it may not be done to are passed over. Call it again with the
	// result's Next as f.BeforeID until that is 0: items that were made
	// meanwhile are not reached.
	ChangeItems(ctx context.Context, f ItemFilter, c Change) (ChangeResult, error)
}

// ItemFilter picks items for a listing. The zero value of a field means any.
type ItemFilter struct {
	States []State

	// Lifecycles keeps the items in any of these, Statuses likewise. LifeDeleted or
	// StatusDeleted among them includes deleted items, which are hidden otherwise.
	Lifecycles []Lifecycle
	Statuses   []Status

	QueueName string
	Pipeline  string // equals IntegrationConfig
	Worker    string // name of the worker that holds or ran it
	Band      Band   // the zero Band means every priority

	NaturalKey string
	TaskName   string
	TagsAny    []string          // has one of these tags
	TagsAll    []string          // has all of these tags
	Metadata   map[string]string // has all of these pairs; sealed items have none

	// BeforeID keeps the items with a smaller id: the next page after a
	// listing is the one before its last id.
	BeforeID int64

	// Limit bounds the listing; 0 means 100.
	Limit int
}

// Deleted reports whether the filter asks for deleted items as well.
func (f *ItemFilter) Deleted() bool {
	return slices.Contains(f.Lifecycles, LifeDeleted) || slices.Contains(f.Statuses, StatusDeleted)
}

// WorkerStore keeps the workers' rows.
type WorkerStore interface {
	// RegisterWorker takes the name for a new instance and returns its row.
	// When a live process holds the name: *NameTakenError, unless it is the
	// instance that w.Replaces names. What was assigned to an earlier instance
	// stays assigned to the new one. If it is the one that w.Replaces names, it
	// is dead, and the leases of what it ran end at once, so that the next
	// assignment pass rescues it; else they are waited for.
	RegisterWorker(ctx context.Context, w WorkerSpec) (Worker, error)

	// Workers lists all workers by name.
	Workers(ctx context.Context) ([]Worker, error)

	// DrainWorker asks an active worker to take no more items. It learns of it
	// at its next heartbeat. An instance is drained if it still has the name;
	// "" drains whichever has it. ErrNotFound when there is no such worker.
	DrainWorker(ctx context.Context, name, instanceID string) error

	// StopWorker marks the instance as stopped and releases what is assigned
	// to it. ErrWorkerReplaced when it is not the present instance.
	StopWorker(ctx context.Context, workerID int64, instanceID string) error
}

// WorkerSpec is what a process says of itself when it registers.
type WorkerSpec struct {
	Name       string
	InstanceID string
	Host       string
	PID        int
	Version    string
	Capacity   int
	Labels     JSONText

	// ProcessKey identifies the process beyond its end, at most 200 characters; "" when
	// it cannot be identified. The store keeps it and gives it no meaning.
	ProcessKey string

	Lease time.Duration // how long a beat is good for

	// ReservedSlots of the capacity are kept free for items above HighPriority.
	ReservedSlots int

	// Channels are what an item of each channel takes; nil: every channel, at one
	// slot. Queues are those that the worker serves; nil: all.
	Channels Channels
	Queues   []string

	// Replaces is the instance id of a process that is known to be dead,
	// although its lease has not run out; "" for none.
	Replaces string
}

// LeaseStore moves the items of one worker. Each write repeats state, worker
// and fence; what does not match is not changed.
type LeaseStore interface {
	// Claim moves up to p.Max items that are assigned to the worker to
	// Blocked, in the order of CompareStarts,
	// with a new lease and fence + 1. It returns them in that order, and none when
	// nothing is assigned or the instance is not the present one. What may not start
	// now stays assigned: an item that is not due, deleted or expired, and one whose
	// queue is paused or for robots. Rescue gives it back.
	Claim(ctx context.Context, p ClaimParams) ([]Item, error)

	// Begin records that the runs of claimed items begin now, and returns the ids of
	// those that must not begin: the lease was lost or has run out, the deadline or the
	// time to live is over, the item is deleted, or its queue is paused. Those were not
	// changed. An item that has begun under the same fence is not refused for anything
	// but a lost lease, and keeps its start: the call may be repeated.
	Begin(ctx context.Context, p BeginParams) (refused []int64, err error)

	// Beat says that the worker lives, renews the leases of p.Held and records
	// which of them have begun. It returns ErrWorkerReplaced when the instance is
	// not the present one.
	Beat(ctx context.Context, p BeatParams) (BeatResult, error)

	// Progress records what runs have come to while they go on, and that they have
	// begun. It returns the ids whose lease was lost; those were not changed. Of one
	// claim there may be several notes, in their order.
	Progress(ctx context.Context, workerID int64, instanceID string, notes []ProgressNote) (lost []int64, err error)

	// Lost returns the ids of those claims that are the worker's no longer. It
	// changes nothing and renews no lease.
	Lost(ctx context.Context, workerID int64, instanceID string, held []ItemRef) (lost []int64, err error)

	// Finish records the ends of runs. It returns the ids whose lease was lost, each
	// once; those were not changed. Of several ends of one claim the first counts.
	Finish(ctx context.Context, workerID int64, instanceID string, finishes []Finish) (lost []int64, err error)

	// ReleaseAssigned gives back all that is assigned to the worker but not
	// claimed, and returns how many items that were.
	ReleaseAssigned(ctx context.Context, workerID int64, instanceID string) (int, error)

	// Stranded tells whether items lie about that nobody runs: running ones
	// whose lease has run out, assigned ones whose worker is gone, and those
	// that are assigned to this worker. The band spans their priorities.
	Stranded(ctx context.Context, workerID int64) (band Band, found bool, err error)
}

// ClaimParams says who claims what.
type ClaimParams struct {
	WorkerID   int64
	InstanceID string
	Band       Band
	Max        int
	Lease      time.Duration

	// Begin is how many of them begin at once. No other one is claimed behind items
	// that are expected to take longer than Work in all, or that have more than Bytes
	// of payload and pipeline; 0: no bound.
	Begin int
	Work  time.Duration
	Bytes int64

	// FullChannels are channels that have no room on this worker: their items are left.
	FullChannels []string
}

// ItemRef names a claim: an item and the fence that the claim gave.
type ItemRef struct {
	ItemID int64 `json:"id"`
	Fence  int64 `json:"fence"`
}

// BeginParams says who begins which of its claims.
type BeginParams struct {
	WorkerID   int64
	InstanceID string
	Items      []ItemRef
}

// BeatParams says who lives and what it holds.
type BeatParams struct {
	WorkerID   int64
	InstanceID string
	Lease      time.Duration
	Held       []ItemRef
	Begun      []ItemRef // those of Held whose run has begun
	Stuck      int       // slots whose handler was cancelled and does not stop

	// Ended is how long ago a run ended here last; nil: none has since the process
	// started. Passes give items to workers that have been free for longer.
	Ended *time.Duration
}

// BeatResult is what a worker learns from its beat.
type BeatResult struct {
	// State is what others want the worker to be, such as WorkerDraining.
	State WorkerState

	// Lost lists the held items whose lease is no longer this worker's.
	Lost []int64

	// History says that the database may have lost its latest transactions since the beat
	// before; nil: it has not.
	History *HistoryChange
}

// Finish is the end of one run, ready to be written. The next state has been
// decided from the item as it was claimed: the fence keeps that valid.
type Finish struct {
	ItemID     int64
	Fence      int64
	QueueName  string        // the item's; "": not known, and no archive is trimmed
	StartedAt  time.Time     // of the claim, by the database's clock; zero: not known
	State      State         // Processed, Ready or Cancelled
	RetryCount int           // the new value
	Delay      time.Duration // Ready, or Copy: due this long after now
	Output     JSONText      // "" keeps what was recorded, unless the item is Processed
	Analytics  JSONText      // "" keeps what was recorded
	Error      string        // the item's new Error: a snooze or a release repeats that of the last failure
	ErrorKind  ErrorKind
	Attempt    *AttemptNote // nil for a plain success, and for an item that is given back before its run began

	// Took is how long the run took, by the worker's steady clock; 0: not known. The
	// item's StartedAt becomes that long before the end, so that what it waited in the
	// worker's memory does not count as run time.
	Took time.Duration

	// Encrypted tells that the item's output has to be sealed.
	Encrypted bool

	// Copy makes a new item, linked by RootID, that tries again: the item
	// itself is Cancelled, and RetryCount and Delay are the copy's.
	Copy bool

	// Retain is how long the item is kept; 0 removes it at once, nil keeps it
	// until somebody cleans up.
	Retain *time.Duration

	// Delete removes the item, whatever Retain says, or hides it with Error as
	// the reason; "" keeps it.
	Delete Deletion

	// Step, Progress, Percent and LogTail are the run's last; "" and nil keep
	// what was recorded. An item that succeeded keeps its progress alone.
	Step, Progress, LogTail string
	Percent                 *int

	// PipelineHash is that of the text that ran; "" keeps what was recorded.
	PipelineHash string
}

// Released reports whether the item goes back as it was: its run was interrupted
// from outside, or never began. It keeps the time from which it waits, so that
// later items do not pass it.
func (f *Finish) Released() bool {
	return f.State == Ready && f.Delay == 0 && (f.Attempt == nil || f.Attempt.Outcome == "released")
}

// Returned reports whether the item is given back before its run began.
func (f *Finish) Returned() bool { return f.State == Ready && f.Attempt == nil }

// ProgressNote is what a run has come to so far; "" keeps what was recorded.
type ProgressNote struct {
	ItemRef
	Step     string
	Progress string
	Percent  *int   // 0 to 100
	LogTail  string // the last log lines, the latest last

	// PipelineHash is that of the text that runs.
	PipelineHash string

	// Output is what the run has to show already, sealed when the item is
	// Encrypted.
	Output    JSONText
	Encrypted bool
}

// AttemptNote is what a Finish adds to BotWorkItemAttempts.
type AttemptNote struct {
	Number  int
	Outcome string
	Step    string // "": the one that was recorded last

	// Reason is why a run was snoozed or released, "" where nobody said. Other
	// attempts have failed: their text is the Finish's Error.
	Reason string
}

// Failed reports whether the attempt is a failure, not a snooze or a release.
func (n *AttemptNote) Failed() bool { return n.Outcome != "snoozed" && n.Outcome != "released" }
