package queue

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"botwork/handlers"
	"botwork/workqueue"
	"botwork/workqueue/matching"
)

// optionParams are the options of the items of Enqueue.
type optionParams struct {
	Deadline   time.Time          `json:"deadline" doc:"the items are cancelled if they have not started by this time, as 2026-01-31T13:45:00Z (RFC 3339)"`
	DeadlineIn handlers.Duration  `json:"deadlineIn" doc:"the same as a duration from now; instead of deadline"`
	FinishBy   time.Time          `json:"finishBy" doc:"the items are ended at this time: they are not started afterwards, a run is ended, and they are not tried again"`
	FinishIn   handlers.Duration  `json:"finishIn" doc:"the same as a duration from now; instead of finishBy"`
	Attempts   *int               `json:"attempts" doc:"attempts of each item in all, 1 or more; default the pipeline's or the queue's"`
	Timeout    *handlers.Duration `json:"timeout" doc:"how long one run of an item may take, more than 0s"`
	Backoff    *handlers.Duration `json:"backoff" doc:"the wait before the second attempt, more than 0s; later waits grow by the policy's factor"`
	Resilience map[string]any     `json:"resilience" doc:"the items' own policy, with the keys of a pipeline's resilience; instead of attempts, timeout and backoff"`
	NaturalKey []string           `json:"naturalKey" doc:"the name of the item in the system that it comes from; with items a list, one for each of them"`
	Unique     uniqueness         `json:"unique" doc:"true: create no item while one of the same queue, pipeline and payload waits or runs (done is the same); a duration: if one was created within that time"`
	Conflict   string             `json:"conflict" enum:"existing,fail" doc:"what to do if an item with a key exists: existing returns its id, fail enqueues nothing and fails"`
	Tags       []string           `json:"tags" doc:"words to find the items by"`
	Metadata   map[string]string  `json:"metadata" doc:"names and words to find the items by"`
	Labels     map[string]any     `json:"labels" doc:"properties of the items, for scores: keys with texts, numbers, true or false; they take precedence over the pipeline's of the same key"`
	Selectors  []any              `json:"selectors" doc:"which workers may take the items: conditions such as ram >= 32, or mappings {key, operator, value, expiresAfter, expedite}; in addition to the pipeline's"`
	LimitKey   []string           `json:"limitKey" doc:"the key for the queue's limits per key, such as a customer: one text for all items, or a list, one for each of them"`
	Retain     *handlers.Duration `json:"retain" doc:"how long the items are kept after they succeeded; 0s deletes them at once; default the queue's"`
}

// set sets the options that are the same for all items.
func (o *optionParams) set(it *workqueue.NewItem) {
	it.Deadline, it.DeadlineIn = o.Deadline, time.Duration(o.DeadlineIn)
	it.FinishBy, it.FinishIn = o.FinishBy, time.Duration(o.FinishIn)
	o.setPolicy(it)
	it.Conflict, _ = workqueue.ParseConflictRule(cmp.Or(o.Conflict, "existing"))
	it.UniqueFor, it.Tags, it.Metadata = time.Duration(o.Unique), o.Tags, o.Metadata
	// check reports errors in these two; wrong values get no further.
	if len(o.Labels) > 0 {
		it.Labels, _ = matching.DecodeLabels(o.Labels)
	}
	if len(o.Selectors) > 0 {
		it.Selectors, _ = matching.DecodeSelectors(o.Selectors)
	}
	if o.Retain != nil {
		it.Retain = new(time.Duration(*o.Retain))
	}
}

// check returns the errors in the options of n items that are due like it.
func (o *optionParams) check(it workqueue.NewItem, n int, wrong func(name, message string)) {
	if !o.Deadline.IsZero() && o.DeadlineIn != 0 {
		wrong("deadlineIn", "want deadline or deadlineIn, not both")
	}
	if !o.FinishBy.IsZero() && o.FinishIn != 0 {
		wrong("finishIn", "want finishBy or finishIn, not both")
	}
	o.checkPolicy(wrong)
	if len(o.NaturalKey) > 0 && len(o.NaturalKey) != n {
		wrong("naturalKey", fmt.Sprintf("got %d for %d items, want one for each", len(o.NaturalKey), n))
	}
	if len(o.LimitKey) > 1 && len(o.LimitKey) != n {
		wrong("limitKey", fmt.Sprintf("got %d for %d items, want one for all or one for each", len(o.LimitKey), n))
	}
	const empty = `got "", want a text; null is none` // a missing name must not create items without distinct keys
	if slices.Contains(o.NaturalKey, "") {
		wrong("naturalKey", empty)
	}
	if slices.Contains(o.LimitKey, "") {
		wrong("limitKey", empty)
	}
	_, err := matching.DecodeLabels(o.Labels)
	reportEach("labels", err, wrong)
	_, err = matching.DecodeSelectors(o.Selectors)
	reportEach("selectors", err, wrong)
	o.set(&it)
	faults := []error{it.Validate()}
	for _, key := range o.NaturalKey {
		faults = append(faults, (&workqueue.NewItem{NaturalKey: key}).Validate())
	}
	for _, key := range o.LimitKey {
		faults = append(faults, (&workqueue.NewItem{LimitKey: key}).Validate())
	}
	for _, err := range faults {
		o.report(err, wrong)
	}
}

// reportEach reports each fault of labels or selectors with its position.
func reportEach(name string, err error, wrong func(name, message string)) {
	faults, _ := errors.AsType[matching.Faults](err)
	for _, f := range faults {
		wrong(strings.Join(f.WithPathPrefix(name).Path, "."), f.Message)
	}
}

// report reports each fault of an item with its parameter.
func (o *optionParams) report(err error, wrong func(name, message string)) {
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		for _, e := range joined.Unwrap() {
			o.report(e, wrong)
		}
		return
	}
	if fault, ok := errors.AsType[*workqueue.ItemFault](err); ok {
		name := fault.Field
		if name == "deadline" && o.DeadlineIn != 0 {
			name = "deadlineIn"
		}
		if name == "finishBy" && o.FinishIn != 0 {
			name = "finishIn"
		}
		wrong(name, fault.Error())
	}
}

// keyOf returns the key of the item with the index i; "" for none.
func keyOf(keys []string, i int) string {
	switch len(keys) {
	case 0:
		return ""
	case 1:
		return keys[0]
	default:
		return keys[i]
	}
}

// uniqueness is a NewItem.UniqueFor: true, false or a duration in a file.
type uniqueness time.Duration

// UnmarshalText implements encoding.TextUnmarshaler.
func (u *uniqueness) UnmarshalText(text []byte) error {
	switch string(text) {
	case "true", "done":
		*u = uniqueness(workqueue.UniqueWhileUnfinished)
		return nil
	case "false":
		*u = 0
		return nil
	}
	d, err := handlers.ParseDuration(string(text))
	if err != nil || d <= 0 {
		return fmt.Errorf("got %q, want true, false, done or a duration above 0s, such as 1h", text)
	}
	*u = uniqueness(d)
	return nil
}

// Pattern implements handlers.Patterned.
func (*uniqueness) Pattern() (pattern, wanted string) {
	return "^(true|false|done|" + handlers.DurationPattern + ")$", "true, false, done or a duration above 0s, such as 1h"
}

// TakesBool implements handlers.BoolTaker.
func (*uniqueness) TakesBool() {}

var (
	_ handlers.BoolTaker = (*uniqueness)(nil)
	_ handlers.Patterned = (*uniqueness)(nil)
)
