package queue

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"botwork/handlers"
	"botwork/workqueue"
	"botwork/workqueue/matching"
)

// optionParams are what Enqueue can say of its items beside their work.
type optionParams struct {
	Deadline   time.Time          `json:"deadline" doc:"the items are cancelled if they have not started by this time, as 2026-01-31T13:45:00Z (RFC 3339)"`
	DeadlineIn handlers.Duration  `json:"deadlineIn" doc:"the same as a duration from now; instead of deadline"`
	NaturalKey []string           `json:"naturalKey" doc:"the name of the item in the system that it comes from; with items a list, one for each of them"`
	Unique     uniqueness         `json:"unique" doc:"true: create no item while one of the same queue, pipeline and payload waits or runs; a duration: if one was created within that time"`
	Tags       []string           `json:"tags" doc:"words to find the items by"`
	Metadata   map[string]string  `json:"metadata" doc:"names and words to find the items by"`
	Labels     map[string]any     `json:"labels" doc:"properties of the items, for scores: keys with texts, numbers, true or false; they take precedence over the pipeline's of the same key"`
	Selectors  []any              `json:"selectors" doc:"which workers may take the items: conditions such as ram >= 32, or mappings {key, operator, value, expiresAfter, expedite}; in addition to the pipeline's"`
	LimitKey   []string           `json:"limitKey" doc:"the key for the queue's limits per key, such as a customer: one text for all items, or a list, one for each of them"`
	Retain     *handlers.Duration `json:"retain" doc:"how long the items are kept after they succeeded; 0s deletes them at once; default the queue's"`
}

// set puts what is the same for all items into one.
func (o *optionParams) set(it *workqueue.NewItem) {
	it.Deadline, it.DeadlineIn = o.Deadline, time.Duration(o.DeadlineIn)
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

// check finds what is wrong with the options of n items that are due as it is.
func (o *optionParams) check(it workqueue.NewItem, n int, wrong func(name, message string)) {
	if !o.Deadline.IsZero() && o.DeadlineIn != 0 {
		wrong("deadlineIn", "want deadline or deadlineIn, not both")
	}
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
	tellEach("labels", err, wrong)
	_, err = matching.DecodeSelectors(o.Selectors)
	tellEach("selectors", err, wrong)
	o.set(&it)
	faults := []error{it.Validate()}
	for _, key := range o.NaturalKey {
		faults = append(faults, (&workqueue.NewItem{NaturalKey: key}).Validate())
	}
	for _, key := range o.LimitKey {
		faults = append(faults, (&workqueue.NewItem{LimitKey: key}).Validate())
	}
	for _, err := range faults {
		o.tell(err, wrong)
	}
}

// tellEach names the place of each fault of labels or selectors.
func tellEach(name string, err error, wrong func(name, message string)) {
	faults, _ := errors.AsType[matching.Faults](err)
	for _, f := range faults {
		wrong(strings.Join(f.Under(name).Path, "."), f.Message)
	}
}

// tell reports each fault of an item with its parameter.
func (o *optionParams) tell(err error, wrong func(name, message string)) {
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		for _, e := range joined.Unwrap() {
			o.tell(e, wrong)
		}
		return
	}
	if fault, ok := errors.AsType[*workqueue.ItemFault](err); ok {
		name := fault.Field
		if name == "deadline" && o.DeadlineIn != 0 {
			name = "deadlineIn"
		}
		wrong(name, fault.Error())
	}
}

// keyOf is the key of the item with the index i; "" for none.
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
	case "true":
		*u = uniqueness(workqueue.UniqueWhileUnfinished)
		return nil
	case "false":
		*u = 0
		return nil
	}
	d, err := handlers.ParseDuration(string(text))
	if err != nil || d <= 0 {
		return fmt.Errorf("got %q, want true, false or a duration above 0s, such as 1h", text)
	}
	*u = uniqueness(d)
	return nil
}

// Pattern implements handlers.Patterned.
func (*uniqueness) Pattern() (pattern, wanted string) {
	return "^(true|false|" + handlers.DurationPattern + ")$", "true, false or a duration above 0s, such as 1h"
}

// TakesBool implements handlers.BoolTaker.
func (*uniqueness) TakesBool() {}

var (
	_ handlers.BoolTaker = (*uniqueness)(nil)
	_ handlers.Patterned = (*uniqueness)(nil)
)
