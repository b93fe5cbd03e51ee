package workqueue

import (
	"context"
	"time"
)

// ItemStore creates, lists and changes items on request.
type ItemStore interface {
	// Enqueue inserts items, all or none, by the policies of their queues, and
	// returns one result for each item, in the order of the items. If another item
	// already has an item's unique key, that item is not created; its result names
	// the existing one, and this is not an error. The ids of several items without
	// keys may be in any order among these items. An unknown queue is an
	// *UnknownQueueError, an item that its queue refuses a *BadItemError.
	Enqueue(ctx context.Context, items []NewItem) ([]Enqueued, error)

	// Item returns one item, or ErrNotFound.
	Item(ctx context.Context, id int64) (Item, error)

	// Items lists items in the order of the filter. A filter by payload allows only the newest
	// first; if its search left items out, the error is an *IncompleteError, and the
	// items are those that were found.
	Items(ctx context.Context, f ItemFilter) ([]Item, error)

	// CountItems counts the items that the filter selects, up to CountAtMost and without regard
	// to its page size. If the search left items out, the error is an
	// *IncompleteError, and the number is that of the items that were found.
	CountItems(ctx context.Context, f ItemFilter) (int64, error)

	// Attempts lists the attempts of an item that did not simply succeed, in the
	// order in which they ended.
	Attempts(ctx context.Context, itemID int64) ([]Attempt, error)

	// ChangeItem applies the action that a user requested to one item, in one
	// statement that repeats the state. It returns the id of the new item for Clone,
	// else 0. If the item's state forbids the action, the item stays unchanged:
	// *TransitionError. If another item has the key that the item would get back:
	// *DuplicateError.
	ChangeItem(ctx context.Context, id int64, c Change) (clone int64, err error)

	// ChangeItems applies the action to one page of the items that the filter selects
	// and whose state allows it, the newest first. f.Limit bounds the page (0: 500).
	// Items whose state forbids the action are skipped. Call it again with the
	// result's Next as f.BeforeID until that is 0; items that were created meanwhile
	// are not included. A page of a search by payload ends after MaxPayloadSearch items, and
	// may have no items to change although others follow.
	ChangeItems(ctx context.Context, f ItemFilter, c Change) (ChangeResult, error)
}

// WorkerStore keeps the workers' rows.
type WorkerStore interface {
	// RegisterWorker assigns the name to a new instance and returns its row. If a
	// live process has the name: *NameTakenError, unless it is the instance that
	// w.Replaces names. Items that were assigned to an earlier instance stay assigned
	// to the new one. If the earlier instance is the one that w.Replaces names, it is
	// dead: the leases of its running items end at once, so that the next assignment
	// pass rescues them. Otherwise these leases run until they expire.
	RegisterWorker(ctx context.Context, w WorkerSpec) (Worker, error)

	// Workers lists all workers by name.
	Workers(ctx context.Context) ([]Worker, error)

	// DrainWorker asks an active worker to claim no more items until its process is
	// restarted. The worker receives the request with its next heartbeat. If instanceID
	// is not "", the worker is drained only while that instance has the name.
	// ErrNotFound if there is no such worker.
	DrainWorker(ctx context.Context, name, instanceID string) error

	// StopWorker marks the instance as stopped and releases the items that are
	// assigned to it. ErrWorkerReplaced if it is not the current instance.
	StopWorker(ctx context.Context, workerID int64, instanceID string) error
}

// WorkerControlStore is what people change of a worker while it runs, and for its next
// process. A worker applies it at its next heartbeat.
type WorkerControlStore interface {
	// SetWorker changes the settings of a worker, running or not: it removes what was
	// set before if reset is true, and then adds the overrides. It returns the worker's
	// row. ErrNotFound if there is no such worker; a *WorkerSettingsError if the settings
	// do not fit together.
	SetWorker(ctx context.Context, name string, reset bool, add WorkerOverrides) (Worker, error)

	// RequestDrain asks a worker, running or not, to claim no more items: this process,
	// and each later one, until ResumeWorker. ErrNotFound if there is no such worker.
	RequestDrain(ctx context.Context, name string) error

	// ResumeWorker ends what RequestDrain or DrainWorker began. changed is false if the
	// worker was not draining. A process that is shutting down does not resume.
	// ErrNotFound if there is no such worker.
	ResumeWorker(ctx context.Context, name string) (changed bool, err error)
}

// WorkerSpec is what a process reports about itself when it registers.
type WorkerSpec struct {
	Name       string
	InstanceID string
	Host       string
	PID        int
	Version    string
	Capacity   int
	Labels     JSONText

	// ProcessKey identifies the process even after its end, in at most 200
	// characters; "" if it cannot be identified. The store keeps the key and does not
	// interpret it.
	ProcessKey string

	Lease time.Duration // how long the worker counts as live after a heartbeat

	// ReservedSlots of the capacity are kept free for items above HighPriority.
	ReservedSlots int

	// Channels are the channels whose items the worker runs, with the slots that an
	// item needs; nil: every channel, at one slot an item. Queues are the queues that
	// the worker serves; nil: all.
	Channels Channels
	Queues   []string

	// Replaces is the instance id of a process that is known to be dead although its
	// lease has not expired; "" for none.
	Replaces string
}

// LeaseStore moves the items of one worker. Each write repeats state, worker and
// fence; items that do not match stay unchanged.
type LeaseStore interface {
	// Claim moves up to p.Max items that are assigned to the worker to Blocked, in
	// the order of CompareStarts, with a new lease and fence + 1. It returns them in
	// that order. It returns none if nothing is assigned or the instance is not the
	// current one. Items that may not start now stay assigned: items that are not
	// due, deleted or expired, and items of a queue that is paused or for robots.
	// Rescue releases them.
	Claim(ctx context.Context, p ClaimParams) ([]Item, error)

	// Begin records that the runs of claimed items begin now. It returns the ids of
	// those that must not begin: the lease was lost or has expired, the deadline or
	// the time to live has passed, the item is deleted, or its queue is paused. These
	// stay unchanged. The call may be repeated: an item that has begun under the same
	// fence keeps its start time and is refused only if its lease was lost.
	Begin(ctx context.Context, p BeginParams) (refused []int64, err error)

	// Join leases waiting items to the worker that run together with an item that it has
	// claimed: those of its queue and pipeline with the same BatchKey, the most urgent
	// first, each with its own lease and fence. Items that a worker died with do not join,
	// and none joins such an item. It returns no items and ErrLeaseLost if the worker no
	// longer holds the leader.
	Join(ctx context.Context, p JoinParams) ([]Item, error)

	// Beat records that the worker is alive, renews the leases of p.Held and records
	// which of them have begun. It returns ErrWorkerReplaced if the instance is not
	// the current one.
	Beat(ctx context.Context, p BeatParams) (BeatResult, error)

	// Progress records the progress of runs, and that they have begun. It returns the
	// ids whose lease was lost; these stay unchanged. There may be several notes for
	// one claim, in their order. The error is a *LockedError if other sessions hold
	// some of the rows; all others are written.
	Progress(ctx context.Context, workerID int64, instanceID string, notes []ProgressNote) (lost []int64, err error)

	// Lost returns the ids of those claims that the worker no longer holds. It
	// changes nothing and renews no lease.
	Lost(ctx context.Context, workerID int64, instanceID string, held []ItemRef) (lost []int64, err error)

	// Finish records the ends of runs. It returns the ids whose lease was lost, each
	// once; these stay unchanged. If there are several ends of one claim, the first
	// counts. The error is a *LockedError if other sessions hold some of the rows; all
	// others are written.
	Finish(ctx context.Context, workerID int64, instanceID string, finishes []Finish) (lost []int64, err error)

	// ReleaseAssigned releases all items that are assigned to the worker but not
	// claimed, and returns their number.
	ReleaseAssigned(ctx context.Context, workerID int64, instanceID string) (int, error)

	// AbandonedBand reports whether there are abandoned items: running ones whose lease
	// has expired, assigned ones whose worker is gone, and those that are assigned to
	// this worker. The band covers their priorities.
	AbandonedBand(ctx context.Context, workerID int64) (band Band, found bool, err error)
}

// ClaimParams are the parameters of Claim.
type ClaimParams struct {
	WorkerID   int64
	InstanceID string
	Band       Band
	Max        int
	Lease      time.Duration

	// Begin is how many of them begin at once. Beyond these, an item is claimed only
	// while the items before it are together expected to take no longer than Work and
	// have no more than Bytes of payload and pipeline; 0: no bound.
	Begin int
	Work  time.Duration
	Bytes int64

	// FullChannels are channels that have no room on this worker: their items are not
	// claimed.
	FullChannels []string
}

// ItemRef names a claim: an item and the fence that the claim gave.
type ItemRef struct {
	ItemID int64 `json:"id"`
	Fence  int64 `json:"fence"`
}

// BeginParams are the parameters of Begin.
type BeginParams struct {
	WorkerID   int64
	InstanceID string
	Items      []ItemRef
}

// JoinParams are the parameters of Join.
type JoinParams struct {
	WorkerID   int64
	InstanceID string
	Leader     ItemRef // the claim that the items join
	Lease      time.Duration

	// Max bounds the items, without the leader. Bytes bounds what they have to read, like
	// ClaimParams.Bytes; 0: no bound.
	Max   int
	Bytes int64
}

// BeatParams are the parameters of Beat.
type BeatParams struct {
	WorkerID   int64
	InstanceID string
	Lease      time.Duration
	Held       []ItemRef
	Started    []ItemRef // those of Held whose run has begun
	Stuck      int       // slots whose handler was cancelled but has not stopped

	// Gate is why the worker takes no new items, "" if it takes them: Worker.Gate.
	Gate string

	// Ended is the time since a run last ended here; nil: no run has ended since the
	// process started. Passes prefer workers that have been free for longer.
	Ended *time.Duration
}

// BeatResult is the database's answer to a heartbeat.
type BeatResult struct {
	// State is the state that was requested for the worker, such as WorkerDraining; "" if it
	// cannot be read, because another session of the database holds the worker's row.
	State WorkerState

	// Overrides are the settings that a person set for the worker: Worker.Overrides.
	Overrides JSONText

	// Lost lists the held items whose lease is no longer this worker's.
	Lost []int64

	// Locked lists those whose lease was not renewed, because another session of the
	// database holds their rows.
	Locked []int64

	// History is set if the database may have lost its latest transactions since the
	// previous heartbeat; nil: it has not.
	History *HistoryChange
}

// Finish is the end of one run, ready to be written. The next state has been computed
// from the item as it was claimed; the fence guarantees that it is still valid.
type Finish struct {
	ItemID     int64
	Fence      int64
	QueueName  string        // the item's; "": unknown, and no archive is trimmed
	StartedAt  time.Time     // of the claim, by the database's clock; zero: unknown
	Pipeline   string        // the item's IntegrationConfig; "": unknown
	Priority   int           // the item's, if Pipeline is known
	DueAt      time.Time     // the item's AvailableAt when it was claimed; zero: unknown, and its wait is not counted
	State      State         // Processed, Ready or Cancelled
	RetryCount int           // the new value
	Delay      time.Duration // Ready, or Copy: due after this time from now
	Output     JSONText      // "" keeps what was recorded, unless the item is Processed
	Analytics  JSONText      // "" keeps what was recorded
	Error      string        // the item's new Error: a snooze or a release repeats that of the last failure
	ErrorKind  ErrorKind
	Attempt    *AttemptNote // nil for a plain success, and for an item that is released before its run began

	// Took is the duration of the run, by the worker's monotonic clock; 0: unknown.
	// The item's StartedAt is set to that long before the end, so that the time an
	// item waited in the worker's memory does not count as run time.
	Took time.Duration

	// Alone makes the item run alone from now on.
	Alone bool

	// Encrypted is set if the item's output must be encrypted.
	Encrypted bool

	// Copy creates a new item, linked by RootID, that tries again. The item itself
	// becomes Cancelled; RetryCount and Delay apply to the copy.
	Copy bool

	// Retain is how long the item is kept; 0 removes it at once, nil keeps it until a
	// clean-up removes it.
	Retain *time.Duration

	// Delete removes the item regardless of Retain, or hides it with Error as the
	// reason; "" keeps it.
	Delete Deletion

	// Step, Progress, Percent and LogTail are the last values of the run; "" and nil
	// keep what was recorded. An item that succeeded keeps only its progress.
	Step, Progress, LogTail string
	Percent                 *int

	// StepTimes are those of the run, as in Item; "" keeps what was recorded.
	StepTimes JSONText

	// PipelineHash is the hash of the text that ran; "" keeps what was recorded.
	PipelineHash string

	// HasSteps is set if the run has recorded or read steps: see StepStore. If the item is
	// Processed or its copy is the next attempt, their records are removed with this end.
	HasSteps bool
}

// Released reports whether the item is released unchanged: its run was interrupted
// from outside, or never began. The item keeps the time since when it waits, so that
// later items do not overtake it.
func (f *Finish) Released() bool {
	return f.State == Ready && f.Delay == 0 && (f.Attempt == nil || f.Attempt.Outcome == "released")
}

// Returned reports whether the item is released before its run began.
func (f *Finish) Returned() bool { return f.State == Ready && f.Attempt == nil }

// ProgressNote is the progress of a run so far; "" keeps what was recorded.
type ProgressNote struct {
	ItemRef
	Step     string
	Progress string
	Percent  *int   // 0 to 100
	LogTail  string // the last log lines, the latest last

	// StepTimes are the times of the steps that the run has left, as in Item.
	StepTimes JSONText

	// PipelineHash is the hash of the text that runs.
	PipelineHash string

	// Output is the output of the run so far, encrypted if Encrypted is set.
	Output    JSONText
	Encrypted bool
}

// AttemptNote is what a Finish adds to BotWorkItemAttempts.
type AttemptNote struct {
	Number  int
	Outcome string
	Step    string // "": the last one recorded

	// Reason is why a run was snoozed or released, "" if no reason was given. Other
	// attempts have failed: their text is the Finish's Error.
	Reason string
}

// Failed reports whether the attempt is a failure, not a snooze or a release.
func (n *AttemptNote) Failed() bool { return n.Outcome != OutcomeSnoozed && n.Outcome != "released" }
