package assign

import (
	"fmt"
	"time"

	"botwork/internal/spans"
	"botwork/workqueue"
)

// ReasonKind is what keeps an item from running, in one word.
type ReasonKind string

// The kinds of reason, in the order in which Why judges them.
const (
	WhyDeleted    ReasonKind = "deleted"           // it is deleted, whatever its state
	WhyCompleted  ReasonKind = "completed"         // it has run
	WhyCancelled  ReasonKind = "cancelled"         // it has failed finally, or was cancelled
	WhyRunning    ReasonKind = "running"           // it runs
	WhySilent     ReasonKind = "worker-silent"     // it runs on a worker that is probably dead, until its lease expires
	WhyLeaseOver  ReasonKind = "lease-over"        // its worker is gone, and the next pass takes it back
	WhyLocked     ReasonKind = "row-locked"        // a session of the database holds its row in an open transaction
	WhyPaused     ReasonKind = "queue-paused"      // its queue is paused
	WhyRobots     ReasonKind = "queue-for-robots"  // its queue is for robots, not for workers
	WhyRetry      ReasonKind = "retry"             // it has failed and waits for its next attempt
	WhyNotDue     ReasonKind = "not-due"           // its time has not come
	WhyExpired    ReasonKind = "expired"           // it is too late, and the next pass cancels or removes it
	WhyLimit      ReasonKind = "queue-limit"       // a limit of its queue is reached
	WhyNoWorker   ReasonKind = "no-worker"         // no worker is alive
	WhyGated      ReasonKind = "workers-gated"     // the machine of every live worker is short of a resource
	WhyQueue      ReasonKind = "queue-not-served"  // no live worker serves its queue
	WhyChannel    ReasonKind = "channel-not-taken" // none of those has enough slots for its channel
	WhyBroken     ReasonKind = "pipeline-broken"   // the file of its pipeline has errors, here or on all of those
	WhyUnreadable ReasonKind = "selectors-unreadable"
	WhySelectors  ReasonKind = "selectors"     // none of those satisfies its selectors
	WhyStranded   ReasonKind = "worker-gone"   // it is assigned to a worker that is gone
	WhyAssigned   ReasonKind = "assigned"      // it is assigned to a worker that has not started it
	WhyNoPass     ReasonKind = "no-pass"       // no schedule assigns items of its priority
	WhyFull       ReasonKind = "workers-full"  // the workers that may run it have no room
	WhyBehind     ReasonKind = "behind"        // other items use the room that there is
	WhyBatch      ReasonKind = "batch"         // it waits for other items, to run together with them
	WhyBand       ReasonKind = "band"          // the pass that covers its priority is more than a minute away
	WhyNextPass   ReasonKind = "next-pass"     // the next pass assigns it
	WhyUnknown    ReasonKind = "unknown-state" // a newer program or a person has written its state
)

// Reason is why an item is not running. Fields that do not belong to its kind are zero. Times are
// UTC by the database's clock. JSON field names are part of the command line's contract.
type Reason struct {
	ItemID    int64               `json:"item"`
	Status    workqueue.Status    `json:"status"`
	State     string              `json:"state"`
	Lifecycle workqueue.Lifecycle `json:"lifecycle"`
	Kind      ReasonKind          `json:"kind"`

	// Text is the reason as a sentence. Change is what would change it; "" if nothing needs to be
	// done or can be done.
	Text   string `json:"text"`
	Change string `json:"change"`

	// Since is when the reason began, At when it ends by itself, if known.
	Since *time.Time `json:"since"`
	At    *time.Time `json:"at"`

	// ExpectedAt is when the item is expected to start; nil if that cannot be predicted.
	// Expected says it in words: "now", "in about 40s", "at 2026-01-31 18:00:00Z (in 2h), the
	// next run of ExecuteLowPriorityWorkQueue", or "unknown: …" with the reason; "" if the item
	// does not wait.
	ExpectedAt *time.Time `json:"expectedAt"`
	Expected   string     `json:"expected"`

	// FinishBy is when a run of the item is ended; nil if never, or if the item has ended.
	FinishBy *time.Time `json:"finishBy"`

	// Queue, Pipeline and Worker are those that Text mentions. The pipeline is the one whose pass
	// covers the item.
	Queue    string `json:"queue"`
	Pipeline string `json:"pipeline"`
	Worker   string `json:"worker"`

	// Escalations are what rules of escalation do to the item next.
	Escalations []ReasonEscalation `json:"escalations"`

	// Workers are the workers in question, the closest first, at most ten.
	Workers []ReasonWorker `json:"workers"`

	// Limit is the limit that is reached.
	Limit *ReasonLimit `json:"limit"`

	// Ahead counts the items that go first.
	Ahead int `json:"ahead"`

	// Attempt is the number of the next attempt, of at most Attempts.
	Attempt  int `json:"attempt"`
	Attempts int `json:"attempts"`

	// Error is why the item failed, or what cannot be parsed.
	Error string `json:"error"`

	mayRun []int64 // the ids of the workers that may run the item
}

// ReasonWorker is a worker that could run the item except for one thing.
type ReasonWorker struct {
	Name string `json:"name"`

	// Lacks describes which selectors the worker does not match, or of which resource its machine is
	// short; "" if none.
	Lacks string `json:"lacks"`

	// Slots is how many items it runs at a time, Holds how many items of the item's priority or
	// above it has, Running how many items of any priority run.
	Slots   int `json:"slots"`
	Holds   int `json:"holds"`
	Running int `json:"running"`
}

// ReasonLimit is a limit of a queue.
type ReasonLimit struct {
	// Name is the field of the queue: concurrencyLimit, keyConcurrencyLimit, rateLimit or
	// keyRateLimit. Key is set for a limit of one key.
	Name string `json:"name"`
	Key  string `json:"key"`

	// Value is the limit as the queue defines it, Used how much of it is used.
	Value string `json:"value"`
	Used  int    `json:"used"`
}

// MarshalJSON writes null for fields that do not belong to the kind.
func (r Reason) MarshalJSON() ([]byte, error) {
	type plain Reason
	if r.Workers == nil {
		r.Workers = []ReasonWorker{}
	}
	if r.Escalations == nil {
		r.Escalations = []ReasonEscalation{}
	}
	return workqueue.MarshalPlain(struct {
		plain
		Change   *string `json:"change"`
		Queue    *string `json:"queue"`
		Pipeline *string `json:"pipeline"`
		Worker   *string `json:"worker"`
		Expected *string `json:"expected"`
		Attempt  *int    `json:"attempt"`
		Attempts *int    `json:"attempts"`
		Error    *string `json:"error"`
	}{plain(r), workqueue.OrNil(r.Change), workqueue.OrNil(r.Queue), workqueue.OrNil(r.Pipeline), workqueue.OrNil(r.Worker), workqueue.OrNil(r.Expected), workqueue.OrNil(r.Attempt), workqueue.OrNil(r.Attempts), workqueue.OrNil(r.Error)})
}

// mostReasonWorkers bounds the workers that a reason lists.
const mostReasonWorkers = 10

// instantText formats a time as the tables of the command line do.
func instantText(t time.Time) string { return t.UTC().Format("2006-01-02 15:04:05Z") }

// inText formats how far away a time is: "in 12s", "3m ago".
func (w *why) inText(t time.Time) string {
	if d := t.Sub(w.now); d > 0 {
		return "in " + spanText(d)
	}
	return spanText(w.now.Sub(t)) + " ago"
}

// spanText formats a duration to the second; "less than 1s" below that.
func spanText(d time.Duration) string {
	if d < time.Second {
		return "less than 1s"
	}
	return spans.Text(d.Round(time.Second))
}

// counted formats a number of things: "1 item", "2 items".
func counted(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
