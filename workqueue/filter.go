package workqueue

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// ItemFilter selects items for a list. The zero value of a field means any.
type ItemFilter struct {
	IDs    []int64 // has one of these ids; at most 500
	States []State

	// Lifecycles selects the items in any of these, and Statuses likewise.
	// LifeDeleted or StatusDeleted among them includes deleted items, which are
	// hidden otherwise.
	Lifecycles []Lifecycle
	Statuses   []Status

	QueueName string
	Pipeline  string // equals IntegrationConfig
	Worker    string // name of the worker that holds or ran it
	Band      Band   // the zero Band means every priority

	NaturalKey string
	KeyPart    string // part of the natural key, in any case
	TaskName   string
	TagsAny    []string          // has one of these tags
	TagsAll    []string          // has all of these tags
	Metadata   map[string]string // has all of these pairs; sealed items have none

	// MetadataBegins selects the items that have a value for each of these keys, and whose
	// value begins with the given one; "" means any value.
	MetadataBegins map[string]string

	// Labels selects the items that have all of these labels. The text of a value matches a
	// label that Botwork writes as this text: "true" matches true and the text true, "32" the
	// number 32 and the text 32. HasLabels selects those that have a label of each name, with
	// any value. The labels of an item's pipeline do not count.
	Labels    map[string]string
	HasLabels []string

	// Created and the others select by the item's times. Failed selects the items that ended as
	// Failed or Business error in the range.
	Created, Due, Started, Finished, Failed TimeRange

	// Deadline selects the items that have not started and whose deadlines are in the range.
	Deadline TimeRange

	ErrorKinds []ErrorKind // its last failure has one of these
	ErrorPart  string      // part of the text of its last failure, in any case

	// Payload selects the items whose payloads match. Such a search reads the payloads of all
	// items that the other fields select, the newest first: see [IncompleteError].
	Payload *PayloadFilter

	// BeforeID selects the items with a smaller id. For the next page, set it to the
	// last id of the current one.
	BeforeID int64

	// FromID selects the items with this id or a larger one.
	FromID int64

	// LookAt bounds how many items Items and CountItems look at, so that they are fast in a table of any
	// size; 0 means no bound. They look at what an index selects, and at all items in the states of the filter
	// if an index has no more of these than LookAt, and than 100,000. Otherwise they look at the newest ones
	// below BeforeID, and an [IncompleteError] says where they ended; in another order than that of the newest, a list
	// is one of these. Ids are counted, also those of items that are no more. Other uses of a filter ignore it.
	LookAt int64

	// Sort is the order of Items; the zero value lists the newest (highest id) first. Only
	// that order has further pages. Other uses of a filter ignore it.
	Sort ItemSort

	// Limit bounds the list; 0 means 100.
	Limit int

	// CountAtMost bounds CountItems, which stops at this number; 0 means no bound. Other uses
	// of a filter ignore it.
	CountAtMost int64
}

// Deleted reports whether the filter asks for deleted items as well.
func (f *ItemFilter) Deleted() bool {
	return slices.Contains(f.Lifecycles, LifeDeleted) || slices.Contains(f.Statuses, StatusDeleted)
}

// TimeRange selects the times from Since on and before Until. The zero time is no bound.
type TimeRange struct{ Since, Until time.Time }

// ItemSort is an order of items. Items without the value come last, and items with the same
// value in the order of their ids, the newest first.
type ItemSort struct {
	By         SortKey // "": the id, descending
	Descending bool
}

// NewestFirst reports whether the order is that of the ids, descending.
func (s ItemSort) NewestFirst() bool { return s.By == "" || s.By == SortID && s.Descending }

// SortKey is the value that items are sorted by.
type SortKey string

// The sort keys.
const (
	SortID       SortKey = "id"
	SortPriority SortKey = "priority"
	SortCreated  SortKey = "created"
	SortDue      SortKey = "due"
	SortStarted  SortKey = "started"
	SortFinished SortKey = "finished"
)

// SortKeys lists all sort keys.
func SortKeys() []SortKey {
	return []SortKey{SortID, SortPriority, SortCreated, SortDue, SortStarted, SortFinished}
}

// ParseItemSort reads an order such as "due", or "-due" for the latest first.
func ParseItemSort(text string) (ItemSort, error) {
	name, descending := strings.CutPrefix(text, "-")
	if key := SortKey(strings.ToLower(name)); slices.Contains(SortKeys(), key) {
		return ItemSort{By: key, Descending: descending}, nil
	}
	return ItemSort{}, fmt.Errorf("got %q, want one of %v, with - before it for the largest or latest first", text, SortKeys())
}
