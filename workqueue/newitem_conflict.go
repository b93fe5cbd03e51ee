package workqueue

import (
	"fmt"
	"strings"
)

// ConflictRule is what Enqueue does with an item of which a key is in use.
type ConflictRule string

// The rules.
const (
	// ConflictExisting returns the existing item, and creates none. It is the default.
	ConflictExisting ConflictRule = ""

	// ConflictFail makes the call fail with a [ConflictError] that names the existing
	// item. None of the call's items is enqueued.
	ConflictFail ConflictRule = "fail"
)

// ParseConflictRule reads a rule as users write it: existing or fail.
func ParseConflictRule(text string) (ConflictRule, error) {
	switch text {
	case "existing":
		return ConflictExisting, nil
	case string(ConflictFail):
		return ConflictFail, nil
	}
	return "", fmt.Errorf("got %q, want existing (return the existing item) or fail", text)
}

// ConflictError is returned when keys of items with ConflictFail are in use. It names
// all of these items; nothing was enqueued.
type ConflictError struct {
	Conflicts []Conflict
	Of        int // the number of items in the call
}

// Conflict is an item to be enqueued of which a key is in use.
type Conflict struct {
	Index int // among the given items, from 0 on

	// ItemID is the existing item; 0: an earlier one of the given items has the key.
	// Earlier is its index then.
	ItemID  int64
	Earlier int

	// What names what the two have in common, such as `natural key "4711"`.
	What string
}

func (c Conflict) String() string {
	if c.ItemID == 0 {
		return fmt.Sprintf("item %d of the same call has the same %s", c.Earlier+1, c.What)
	}
	return fmt.Sprintf("item %d has the same %s", c.ItemID, c.What)
}

// conflictsShown limits the conflicts that the text of an error lists.
const conflictsShown = 20

func (e *ConflictError) Error() string {
	if e.Of == 1 {
		return fmt.Sprintf("enqueue: %s; want a key that is not in use (conflict: fail)", e.Conflicts[0])
	}
	var text strings.Builder
	text.WriteString("enqueue: ")
	for i, c := range e.Conflicts {
		if i == conflictsShown {
			fmt.Fprintf(&text, "and %d more; ", len(e.Conflicts)-i)
			break
		}
		fmt.Fprintf(&text, "item %d of %d: %s; ", c.Index+1, e.Of, c)
	}
	text.WriteString("no item was enqueued (conflict: fail)")
	return text.String()
}

// Unwrap returns a [DuplicateError] for each existing item.
func (e *ConflictError) Unwrap() []error {
	var errs []error
	for _, c := range e.Conflicts {
		if c.ItemID != 0 {
			errs = append(errs, &DuplicateError{c.ItemID, c.What})
		}
	}
	return errs
}
