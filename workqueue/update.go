package workqueue

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"botwork/workqueue/matching"
)

// ItemUpdate holds new values for an item. What it does not set, the item keeps.
type ItemUpdate struct {
	// Queue moves the item; "" leaves it where it is. Its priority keeps its distance to the
	// offset of the queue, and its payload and keys must fit the new one. An item cannot move
	// between a queue that is encrypted and one that is not.
	Queue string

	// Priority is used like that of a NewItem: the queue's offset is added. A running item
	// keeps its place; the priority applies to its next attempt.
	Priority *int

	// At is when the item becomes due; In is the same as an offset from the database's now.
	// If both are set, At is used.
	At *time.Time
	In *time.Duration

	// Deadline is when the item is cancelled if it has not started; the zero time removes it.
	// DeadlineIn is the same as an offset from the database's now. If both are set, Deadline is
	// used.
	Deadline   *time.Time
	DeadlineIn *time.Duration

	// FinishBy is when the item ends, as that of a NewItem; the zero time removes it. FinishIn is
	// the same as an offset from the database's now. If both are set, FinishBy is used. The
	// deadline of the item follows if it is not earlier.
	FinishBy *time.Time
	FinishIn *time.Duration

	Payload *JSONText // "": none

	// CheckPayload, unless it is nil, returns why an item with this IntegrationConfig must not
	// have the new payload.
	CheckPayload func(integrationConfig string, payload JSONText) error

	Estimate   *time.Duration // 0: unknown
	Resilience *JSONText      // "": the pipeline's
	LimitKey   *string        // "": none

	AddTags, RemoveTags []string
	Metadata            map[string]string // added to the item's, or in place of pairs with the same key
	RemoveMetadata      []string          // keys
	Labels              matching.Labels   // likewise
	RemoveLabels        []string          // keys

	// Selectors replace all of the item's; an empty list removes them.
	Selectors *[]matching.Selector
}

// IsZero reports whether the update sets nothing.
func (u *ItemUpdate) IsZero() bool {
	return u.WhileRunning() && u.Priority == nil && len(u.AddTags)+len(u.RemoveTags)+len(u.Metadata)+len(u.RemoveMetadata) == 0
}

// WhileRunning reports whether a running item accepts the update: it sets only tags, metadata
// and the priority.
func (u *ItemUpdate) WhileRunning() bool {
	return !u.Moves() && u.Payload == nil && u.Resilience == nil
}

// Moves reports whether the update may change which worker can run the item, or when. An
// assigned item then waits for the next assignment.
func (u *ItemUpdate) Moves() bool {
	return u.Queue != "" || u.At != nil || u.In != nil || u.Deadline != nil || u.DeadlineIn != nil || u.SetsFinish() ||
		u.Estimate != nil || u.LimitKey != nil || len(u.Labels)+len(u.RemoveLabels) > 0 || u.Selectors != nil
}

// Validate checks everything that does not depend on an item. It returns all faults at once,
// joined, each an *ItemFault.
func (u *ItemUpdate) Validate() error {
	it := NewItem{Tags: u.AddTags, Metadata: u.Metadata, Labels: u.Labels}
	var errs []error
	if u.IsZero() {
		errs = append(errs, fault("", "got nothing to change"))
	}
	if u.Priority != nil {
		it.Priority = *u.Priority
	}
	if u.Payload != nil {
		it.Payload = *u.Payload
	}
	if u.Resilience != nil {
		it.ResilienceConfig = *u.Resilience
	}
	if u.LimitKey != nil {
		it.LimitKey = *u.LimitKey
	}
	if u.Selectors != nil {
		it.Selectors = *u.Selectors
	}
	if u.Estimate != nil {
		it.Estimate = *u.Estimate
	}
	if u.DeadlineIn != nil {
		it.DeadlineIn = *u.DeadlineIn
	}
	if u.Deadline != nil {
		it.Deadline = *u.Deadline
	}
	if u.FinishIn != nil {
		it.FinishIn = *u.FinishIn
	}
	if u.FinishBy != nil {
		it.FinishBy = *u.FinishBy
	}
	if u.At != nil {
		it.At = *u.At
	}
	if u.In != nil {
		it.In = *u.In
	}
	if it.In < 0 {
		errs = append(errs, fault("in", "in: got %v, want 0s (now) or more", Duration(*u.In)))
	}
	for _, tag := range u.AddTags {
		if slices.Contains(u.RemoveTags, tag) {
			errs = append(errs, fault("tags", "tags: got %q both to add and to remove", tag))
		}
	}
	for _, key := range u.RemoveMetadata {
		if _, both := u.Metadata[key]; both {
			errs = append(errs, fault("metadata", "metadata: got the key %q both to set and to remove", key))
		}
	}
	return errors.Join(append(errs, it.faults()...)...)
}

// UpdatedItem holds the values of an item after an ItemUpdate. Tags, Metadata and Labels are set
// only if the update changes them.
type UpdatedItem struct {
	Queue    string
	Priority int
	Payload  JSONText
	Tags     []string
	Metadata map[string]string
	Labels   matching.Labels
}

// Apply returns the values of an item after the update. from is the item's queue, to the one it
// is in afterwards. It returns all faults at once, joined, each an *ItemFault.
func (u *ItemUpdate) Apply(it *Item, from, to *Queue, schemas *Schemas) (UpdatedItem, error) {
	r := UpdatedItem{Queue: to.Name, Payload: it.Payload}
	errs := u.applyFinding(it, &r)
	if to.Encrypted != it.Encrypted && u.Queue != "" {
		errs = append(errs, fault("queue", "queue: an item cannot move between the queue %q and %q, of which only one is encrypted; enqueue it again there", from.Name, to.Name))
	}
	if u.Queue != "" && it.IntegrationConfig == "" && to.Consumer != ConsumerRobots {
		errs = append(errs, fault("queue", "queue: the item has no pipeline, and items of the queue %q are run by workers and need one", to.Name))
	}
	given := it.Priority - from.PriorityOffset
	if u.Priority != nil {
		given = *u.Priority
	}
	if r.Priority = given + to.PriorityOffset; !ItemPriorityRange(r.Priority) {
		errs = append(errs, fault("priority", "priority: %d with the queue's offset %d is out of range, want a 32-bit number", given, to.PriorityOffset))
	}
	if u.Payload != nil {
		r.Payload = *u.Payload
	}
	if u.Payload != nil || u.Queue != "" {
		if err := to.CheckPayloadSize(r.Payload); err != nil {
			errs = append(errs, &ItemFault{"payload", err})
		} else if err := schemas.CheckPayload(to, r.Payload); err != nil {
			errs = append(errs, &ItemFault{"payload", err})
		} else if u.Payload != nil && u.CheckPayload != nil {
			if err := u.CheckPayload(it.IntegrationConfig, r.Payload); err != nil {
				errs = append(errs, &ItemFault{"payload", err})
			}
		}
	}
	return r, errors.Join(errs...)
}

// applyFinding sets the tags, metadata and labels. Those that were written by hand and cannot be
// read are faults only if they were to be changed.
func (u *ItemUpdate) applyFinding(it *Item, r *UpdatedItem) (errs []error) {
	if len(u.AddTags)+len(u.RemoveTags) > 0 {
		tags, err := decodeText[[]string](it.Tags)
		if err != nil {
			errs = append(errs, fault("tags", "tags: the item's cannot be read: %w", err))
		}
		r.Tags = slices.DeleteFunc(append(tags, u.AddTags...), func(tag string) bool { return slices.Contains(u.RemoveTags, tag) })
	}
	if len(u.Metadata)+len(u.RemoveMetadata) > 0 {
		metadata, err := decodeText[map[string]string](it.Metadata)
		if err != nil {
			errs = append(errs, fault("metadata", "metadata: the item's cannot be read: %w", err))
		}
		r.Metadata = merged(metadata, u.Metadata, u.RemoveMetadata)
	}
	if len(u.Labels)+len(u.RemoveLabels) > 0 {
		labels, err := matching.ParseLabels(string(it.Labels))
		if err != nil {
			errs = append(errs, fault("labels", "labels: the item's cannot be read: %w", err))
		}
		r.Labels = merged(labels, u.Labels, u.RemoveLabels)
	}
	return errs
}

// decodeText reads a column of JSON; the zero value if it is empty.
func decodeText[T any](text JSONText) (v T, err error) {
	if text == "" {
		return v, nil
	}
	return v, json.Unmarshal([]byte(text), &v)
}

// merged returns a map with some pairs replaced and some removed.
func merged[M ~map[string]V, V any](old, set M, remove []string) M {
	result := maps.Clone(old)
	if result == nil {
		result = M{}
	}
	maps.Copy(result, set)
	for _, key := range remove {
		delete(result, key)
	}
	return result
}

// VersionError is returned when an item was to be changed only if it had a version, which it no
// longer has.
type VersionError struct {
	ItemID    int64
	Got, Want int64
}

func (e *VersionError) Error() string {
	return fmt.Sprintf("item %d was changed in the meantime: it has version %d, want %d", e.ItemID, e.Got, e.Want)
}

// ErrInlinePipeline is returned for an item that is not cloned because of Change.RefuseInline.
var ErrInlinePipeline = errors.New("the item has a whole pipeline in place of a name")

// BadUpdateError is returned when an item cannot have the values of an update, or must not be cloned.
type BadUpdateError struct {
	ItemID int64
	Err    error
}

func (e *BadUpdateError) Error() string { return e.Err.Error() }

func (e *BadUpdateError) Unwrap() error { return e.Err }
