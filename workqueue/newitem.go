package workqueue

import (
	"errors"
	"fmt"
	"slices"
	"time"
	"unicode/utf16"

	"botwork/workqueue/matching"
)

// UniqueWhileUnfinished is the NewItem.UniqueFor of an item of which there may
// be one at a time that waits or runs.
const UniqueWhileUnfinished time.Duration = -1

// The longest texts that the columns take, in UTF-16 units, as SQL Server
// counts.
const (
	MaxNaturalKey = 400
	MaxLimitKey   = 200
	MaxTag        = 200
)

// NewItem is what an enqueuer says of an item; everything else has a default
// in the database.
type NewItem struct {
	// QueueName "" means DefaultQueue.
	QueueName string

	// State is Pending (made on request) or Ready (made by a schedule).
	State State

	// Priority is taken as it is; 0 is a priority of the low band. The queue's
	// offset is added to it.
	Priority int

	// IntegrationConfig is a pipeline's name, or a whole pipeline; it may be ""
	// in a queue that robots take from.
	IntegrationConfig string

	Payload          JSONText
	Estimate         time.Duration // 0: not known
	ResilienceConfig JSONText

	// At is when the item becomes due; In is the same as a distance from the
	// database's now. Both zero: at once. At wins.
	At time.Time
	In time.Duration

	// Deadline is when the item is given up if it has not started; DeadlineIn is
	// the same as a distance from the database's now. Both zero: never. Deadline
	// wins.
	Deadline   time.Time
	DeadlineIn time.Duration

	CreatedBy string
	TaskName  string // of the scheduled task that it belongs to; "": none

	// NaturalKey is what the item is called where it comes from; the queue says
	// whether another may have the same. "": none.
	NaturalKey string

	// UniqueFor, when it is not 0, makes Enqueue return an item of the same
	// queue, pipeline and payload that is there, instead of making another:
	// UniqueWhileUnfinished while that one waits or runs, a time for so long
	// after that one was made, whatever becomes of it.
	UniqueFor time.Duration

	// Tags and Metadata are for finding items; metadata is replaced as a whole.
	Tags     []string
	Metadata map[string]string

	// LimitKey is what the queue's limits per key count by, such as a customer.
	LimitKey string

	// Labels say what the item is, for scores; they win over its pipeline's of
	// the same key. Selectors say which workers may take it; none leaves that to
	// its pipeline.
	Labels    matching.Labels
	Selectors []matching.Selector

	// Retain is how long the item is kept when it has succeeded: 0 deletes it
	// at once, nil leaves it to the queue.
	Retain *time.Duration
}

// Enqueued is what became of a NewItem.
type Enqueued struct {
	ID int64 `json:"id"`

	// Existing tells that the item was there already: it has the key that the
	// new one would have had, and nothing was made.
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

// ItemFault is one mistake in a NewItem.
type ItemFault struct {
	// Field is where it lies: "pipeline", "payload", "priority", "naturalKey",
	// "limitKey", "tags", "metadata", "labels", "selectors", "deadline",
	// "estimatedDuration", "retain", "queue" or "unique"; "" for other texts.
	Field string
	Err   error
}

func (f *ItemFault) Error() string { return f.Err.Error() }

func (f *ItemFault) Unwrap() error { return f.Err }

// Validate checks what does not depend on the queue. All faults come at once,
// joined, each an *ItemFault.
func (it *NewItem) Validate() error { return errors.Join(it.faults()...) }

// Prepare checks an item that comes into the queue and adds what the queue
// says: its priority's offset. All faults come at once, joined, each an
// *ItemFault.
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
	if own := it.Priority; !ItemPriorityRange(own + q.PriorityOffset) {
		errs = append(errs, fault("priority", "priority: %d with the queue's offset %d is out of range, want a 32-bit number", own, q.PriorityOffset))
	}
	it.Priority += q.PriorityOffset
	return errors.Join(errs...)
}

func fault(field, format string, args ...any) error {
	return &ItemFault{field, fmt.Errorf(format, args...)}
}

// faults checks what does not depend on the queue.
func (it *NewItem) faults() []error {
	errs := it.nulFaults()
	tooLong := func(field, what, text string, most int) {
		if len(text) <= most {
			return // no sign takes fewer bytes than units
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
		errs = append(errs, fault("tags", `tags: got "", want texts that say something`))
	}
	if _, ok := it.Metadata[""]; ok {
		errs = append(errs, fault("metadata", `metadata: got the key "", want keys that say something`))
	}
	if len(it.Labels) > 0 {
		errs = append(errs, matchingFaults("labels", it.Labels.Validate())...)
	}
	if len(it.Selectors) > 0 {
		errs = append(errs, matchingFaults("selectors", matching.ValidateSelectors(it.Selectors))...)
	}
	if wrong := it.deadlineFault(); wrong != "" {
		errs = append(errs, fault("deadline", "deadline: %s", wrong))
	}
	if it.Estimate < 0 {
		errs = append(errs, fault("estimatedDuration", "estimated duration: %v", CheckEstimate(it.Estimate)))
	}
	if it.Retain != nil && *it.Retain < 0 {
		errs = append(errs, fault("retain", "retention: got %v, want 0s (delete at once) or more", Duration(*it.Retain)))
	}
	if it.UniqueFor < 0 && it.UniqueFor != UniqueWhileUnfinished || it.UniqueFor > 0 && it.UniqueFor < time.Millisecond {
		errs = append(errs, fault("unique", "unique for: got %v, want 1ms or more, or while it is not finished", Duration(it.UniqueFor)))
	}
	return errs
}

// CheckEstimate checks how long a run is expected to take, where that is said: an
// estimate of nothing would be no estimate.
func CheckEstimate(d time.Duration) error {
	if d <= 0 {
		return fmt.Errorf("got %v, want more than 0s; leave it out if it is not known", Duration(d))
	}
	return nil
}

// matchingFaults tells each fault of labels or selectors as one of the item.
func matchingFaults(field string, err error) []error {
	var errs []error
	if faults, ok := errors.AsType[matching.Faults](err); ok {
		for _, f := range faults {
			errs = append(errs, &ItemFault{field, errors.New(f.Under(field).String())})
		}
	}
	return errs
}

// deadlineFault refuses an item that could never start. A distance is not
// compared with a time: only the database knows what lies between them.
func (it *NewItem) deadlineFault() string {
	const never = "the item is due %s, and would never start"
	switch {
	case it.DeadlineIn < 0:
		return fmt.Sprintf("got %v from now, want 0s (none) or more", Duration(it.DeadlineIn))
	case !it.Deadline.IsZero() && it.Deadline.Before(it.At):
		return fmt.Sprintf("got %s; "+never, it.Deadline.UTC().Format(time.RFC3339), it.At.UTC().Format(time.RFC3339))
	case it.Deadline.IsZero() && it.DeadlineIn > 0 && it.At.IsZero() && it.DeadlineIn < it.In:
		return fmt.Sprintf("got %v from now; "+never, Duration(it.DeadlineIn), fmt.Sprintf("%v from now", Duration(it.In)))
	}
	return ""
}

// BadItemError says why one of the items that were to be enqueued was refused.
// None of them is in the queue.
type BadItemError struct {
	Index int // among the items that were given, from 0 on
	Of    int
	Err   error
}

func (e *BadItemError) Error() string {
	if e.Of == 1 {
		return "enqueue: " + e.Err.Error()
	}
	return fmt.Sprintf("enqueue: item %d of %d: %v; none of them is in the queue", e.Index+1, e.Of, e.Err)
}

func (e *BadItemError) Unwrap() error { return e.Err }
