package workqueue

import (
	"errors"
	"fmt"
	"slices"
	"time"
	"unicode/utf16"

	"botwork/workqueue/matching"
)

// UniqueWhileUnfinished is the NewItem.UniqueFor of an item of which only one at a
// time may wait or run.
const UniqueWhileUnfinished time.Duration = -1

// The longest texts that fit the columns, in UTF-16 units, as SQL Server counts.
const (
	MaxNaturalKey = 400
	MaxLimitKey   = 200
	MaxTag        = 200
)

// NewItem is what an enqueuer sets for an item; everything else has a default in the
// database.
type NewItem struct {
	// QueueName "" means DefaultQueue.
	QueueName string

	// State is Pending (created on request) or Ready (created by a schedule).
	State State

	// Priority is used as given; 0 is a priority of the low band. The queue's offset
	// is added to it.
	Priority int

	// IntegrationConfig is a pipeline's name, or a whole pipeline; it may be "" in a
	// queue for robots.
	IntegrationConfig string

	Payload          JSONText
	Estimate         time.Duration // 0: unknown
	ResilienceConfig JSONText      // a Resilience

	// Attempts, Timeout and Backoff set the fields limit, timeout and delay of the item's
	// resilience. Setting one of them and ResilienceConfig is an error. 0: not set.
	Attempts         int
	Timeout, Backoff time.Duration

	// At is when the item becomes due; In is the same as an offset from the
	// database's now. Both zero: at once. If both are set, At is used.
	At time.Time
	In time.Duration

	// Deadline is when the item is cancelled if it has not started; DeadlineIn is the
	// same as an offset from the database's now. Both zero: never. If both are set,
	// Deadline is used.
	Deadline   time.Time
	DeadlineIn time.Duration

	// FinishBy is when the item is cancelled if it has not finished: its run is ended,
	// and it is not tried again. FinishIn is the same as an offset from the database's
	// now. Both zero: never. If both are set, FinishBy is used.
	FinishBy time.Time
	FinishIn time.Duration

	CreatedBy string
	TaskName  string // of the scheduled task that it belongs to; "": none

	// NaturalKey is the item's key in the system that it is from; the queue decides
	// whether another item may have the same key. "": none.
	NaturalKey string

	// UniqueFor, if not 0, makes Enqueue return an existing item of the same queue,
	// pipeline and payload instead of creating another. With UniqueWhileUnfinished it
	// does so while the existing item waits or runs; with a duration, until that time
	// after the existing item was created, even if it has finished.
	UniqueFor time.Duration

	// Conflict is what Enqueue does if a key of the item is in use.
	Conflict ConflictRule

	// Tags and Metadata serve to find items; metadata is replaced as a whole.
	Tags     []string
	Metadata map[string]string

	// LimitKey is the key for the queue's limits per key, such as a customer.
	LimitKey string

	// Labels describe the item, for scores; they override its pipeline's labels of
	// the same key. Selectors decide which workers may run it; without any, its
	// pipeline's apply.
	Labels    matching.Labels
	Selectors []matching.Selector

	// Batch makes the item wait for others of the same key, to run together with them; nil: it
	// runs alone. A store that has the pipelines sets it: see sqlstore.Store.SetBatches.
	Batch *ItemBatch

	// Retain is how long the item is kept after it has succeeded: 0 deletes it at
	// once, nil means the queue's retention.
	Retain *time.Duration
}

// Enqueued is the result for a NewItem.
type Enqueued struct {
	ID int64 `json:"id"`

	// Existing is set if the item existed before: it has the key that the new one
	// would have had, and nothing was created.
	Existing bool `json:"existing"`
}

// IDs lists the ids, in their order.
func IDs(enqueued []Enqueued) []int64 {
	ids := make([]int64, len(enqueued))
	for i, e := range enqueued {
		ids[i] = e.ID
	}
	return ids
}

// ItemFault is one fault in a NewItem.
type ItemFault struct {
	// Field is where it is: "pipeline", "payload", "priority", "naturalKey",
	// "limitKey", "tags", "metadata", "labels", "selectors", "deadline", "finishBy",
	// "attempts", "timeout", "backoff", "resilience", "estimatedDuration", "retain",
	// "queue", "unique", "conflict" or "batch"; "" for other texts.
	Field string
	Err   error
}

func (f *ItemFault) Error() string { return f.Err.Error() }

func (f *ItemFault) Unwrap() error { return f.Err }

// Validate checks everything that does not depend on the queue. It returns all faults
// at once, joined, each an *ItemFault.
func (it *NewItem) Validate() error { return errors.Join(it.faults()...) }

// Prepare checks an item for the queue and adds the queue's priority offset. It
// returns all faults at once, joined, each an *ItemFault.
func (q *Queue) Prepare(it *NewItem, schemas *Schemas) error {
	errs := it.faults()
	if it.IntegrationConfig == "" && q.Consumer != ConsumerRobots {
		errs = append(errs, fault("pipeline", "pipeline: got none; items of the queue %q are run by workers and need one", q.Name))
	}
	if err := q.CheckPayloadSize(it.Payload); err != nil {
		errs = append(errs, &ItemFault{"payload", err})
	} else if err := schemas.CheckPayload(q, it.Payload); err != nil {
		errs = append(errs, &ItemFault{"payload", err})
	}
	if priority := it.Priority; !ItemPriorityRange(priority + q.PriorityOffset) {
		errs = append(errs, fault("priority", "priority: %d with the queue's offset %d is out of range, want a 32-bit number", priority, q.PriorityOffset))
	}
	it.Priority += q.PriorityOffset
	return errors.Join(errs...)
}

func fault(field, format string, args ...any) error {
	return &ItemFault{field, fmt.Errorf(format, args...)}
}

// faults checks everything that does not depend on the queue.
func (it *NewItem) faults() []error {
	errs := it.nulFaults()
	tooLong := func(field, what, text string, most int) {
		if len(text) <= most {
			return // no character has fewer bytes than units
		}
		if n := len(utf16.Encode([]rune(text))); n > most {
			errs = append(errs, fault(field, "%s: got %d characters, want at most %d", what, n, most))
		}
	}
	tooLong("naturalKey", "natural key", it.NaturalKey, MaxNaturalKey)
	tooLong("limitKey", "limit key", it.LimitKey, MaxLimitKey)
	for _, tag := range it.Tags {
		if len(tag) > MaxTag {
			tooLong("tags", fmt.Sprintf("tag %.40q", tag), tag, MaxTag)
		}
	}
	if slices.Contains(it.Tags, "") {
		errs = append(errs, fault("tags", `tags: got "", want texts that are not empty`))
	}
	if _, ok := it.Metadata[""]; ok {
		errs = append(errs, fault("metadata", `metadata: got the key "", want keys that are not empty`))
	}
	if len(it.Labels) > 0 {
		errs = append(errs, matchingFaults("labels", it.Labels.Validate())...)
	}
	if len(it.Selectors) > 0 {
		errs = append(errs, matchingFaults("selectors", matching.ValidateSelectors(it.Selectors))...)
	}
	errs = append(errs, it.timeFaults()...)
	errs = append(errs, it.policyFaults()...)
	errs = append(errs, it.Batch.faults()...)
	if it.Estimate < 0 {
		errs = append(errs, fault("estimatedDuration", "estimated duration: %v", CheckEstimate(it.Estimate)))
	}
	if it.Retain != nil && *it.Retain < 0 {
		errs = append(errs, fault("retain", "retention: got %v, want 0s (delete at once) or more", Duration(*it.Retain)))
	}
	if it.UniqueFor < 0 && it.UniqueFor != UniqueWhileUnfinished || it.UniqueFor > 0 && it.UniqueFor < time.Millisecond {
		errs = append(errs, fault("unique", "unique for: got %v, want 1ms or more, or while it is not finished", Duration(it.UniqueFor)))
	}
	if it.Conflict != ConflictExisting && it.Conflict != ConflictFail {
		errs = append(errs, fault("conflict", "conflict: got %q, want %q or none", it.Conflict, ConflictFail))
	}
	return errs
}

// CheckEstimate checks an estimate that is set: 0 would mean none.
func CheckEstimate(d time.Duration) error {
	if d <= 0 {
		return fmt.Errorf("got %v, want more than 0s; leave it out if it is not known", Duration(d))
	}
	return nil
}

// matchingFaults returns each fault of labels or selectors as one of the item.
func matchingFaults(field string, err error) []error {
	var errs []error
	if faults, ok := errors.AsType[matching.Faults](err); ok {
		for _, f := range faults {
			errs = append(errs, &ItemFault{field, errors.New(f.WithPathPrefix(field).String())})
		}
	}
	return errs
}

// BadItemError is returned when one of the items to be enqueued was rejected. None of
// them is in the queue.
type BadItemError struct {
	Index int // among the given items, from 0 on
	Of    int
	Err   error
}

func (e *BadItemError) Error() string {
	if e.Of == 1 {
		return "enqueue: " + e.Err.Error()
	}
	return fmt.Sprintf("enqueue: item %d of %d: %v; no item was enqueued", e.Index+1, e.Of, e.Err)
}

func (e *BadItemError) Unwrap() error { return e.Err }
