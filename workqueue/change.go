package workqueue

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Action is an operation that a user requests for an item.
type Action string

// The actions.
const (
	// RunNow makes a scheduled item due at once, and gives a finished one another
	// run. Its counters keep their values, as do its records of steps: see StepStore.
	RunNow Action = "run"

	// Cancel ends an item that waits, is assigned or runs: its run is stopped
	// and it does not come back.
	Cancel Action = "cancel"

	// Archive sets aside an item that waits, is assigned or has succeeded.
	Archive Action = "archive"

	// Repeat runs a finished item, including a deleted one, again as if it were new,
	// under the same id.
	Repeat Action = "repeat"

	// Clone creates a new item like this one, with counters at zero, created on
	// request and due at once.
	Clone Action = "clone"

	// Delete hides an item or removes it permanently, by the deletion policy of its
	// queue.
	Delete Action = "delete"

	// Update changes values of an item that waits, is assigned or runs, as Change.Update
	// says. A running item accepts only tags, metadata and the priority of its next attempt.
	Update Action = "update"
)

// Actions lists the actions that need no values, so all but Update.
func Actions() []Action { return []Action{RunNow, Cancel, Archive, Repeat, Clone, Delete} }

// ParseAction reads an action's name.
func ParseAction(text string) (Action, error) {
	if a := Action(strings.ToLower(text)); slices.Contains(Actions(), a) {
		return a, nil
	}
	return "", fmt.Errorf("action %q: want one of %v", text, Actions())
}

// From lists the states in which an item must be for the action. A deleted item can
// only be repeated and cloned.
func (a Action) From() []State {
	switch a {
	case RunNow:
		return []State{Ready, Pending, Processed, Cancelled}
	case Cancel:
		return []State{Ready, Pending, Assigned, Blocked}
	case Archive:
		return []State{Ready, Pending, Assigned, Processed}
	case Repeat:
		return []State{Processed, Cancelled}
	case Clone:
		return States()
	case Delete:
		return []State{Ready, Pending, Assigned, Processed, Cancelled}
	case Update:
		return []State{Ready, Pending, Assigned, Blocked}
	default:
		return nil
	}
}

// MakesReady reports whether an item waits and is due after the action.
func (a Action) MakesReady() bool { return a == RunNow || a == Repeat || a == Clone }

// AllowsDeleted reports whether the action is allowed for a deleted item.
func (a Action) AllowsDeleted() bool { return a == Repeat || a == Clone }

// refusal is the message for a user when an item's state forbids the action.
func (a Action) refusal(state State) string {
	switch a {
	case RunNow:
		if state == Assigned {
			return "it is already assigned to a worker"
		}
		return "it is already running"
	case Cancel:
		return "it has already finished"
	case Archive:
		if state == Cancelled {
			return "it is already archived"
		}
		return "it is running: cancel it instead"
	case Repeat:
		return "only a finished item can be repeated"
	case Delete:
		return "a running item cannot be deleted: cancel it first"
	case Clone:
		return "it has moved to another queue in this moment"
	case Update:
		if state == Blocked {
			return "while it runs, only tags, metadata and the priority of its next attempt can be changed"
		}
		return "it has already finished; clone creates a new item like it"
	default:
		return ""
	}
}

// Change is a requested change to items.
type Change struct {
	Action Action

	// Reason is stored with the item: as its error (Cancel, Archive), or as the
	// reason of its deletion; "" means none.
	Reason string

	// Update holds the new values for the action Update.
	Update *ItemUpdate

	// IfVersion, unless it is 0, refuses the change of one item that does not have this
	// version: *VersionError.
	IfVersion int64

	// By is stored as the creator of a clone.
	By string

	// NewKey is the natural key of a clone instead of the original's, so that an item of
	// a queue with unique keys can be cloned; "" keeps the key. It is for one item.
	NewKey string

	// FromStep lets a repeated item begin at this step: what was recorded of the steps before it
	// is kept, see StepStore. "" begins at the first step. An item without such a record is refused
	// with a *BadUpdateError. It is for one item.
	FromStep string

	// RefuseInline refuses to clone an item that has a whole pipeline in place of a name: a
	// *BadUpdateError with ErrInlinePipeline.
	RefuseInline bool

	// DryRun changes nothing and returns what would be changed, and which items would be
	// refused. It does not check keys that must be unique.
	DryRun bool

	// Batch names the change of a page, so that repeated calls change it only once,
	// and records it; the zero value names none. The change of one item is the part
	// minus the item's id. The error is an *UnansweredError when the outcome is
	// unknown.
	Batch BatchPart
}

// ChangeResult is the result of a Change of one page of items.
type ChangeResult struct {
	// Changed counts the items that were changed, or cloned.
	Changed int

	// KeysTaken counts the items that were skipped because another item has a key
	// that must be unique: items that would be cloned, or become active again with
	// it.
	KeysTaken int

	// Refusals are the items that were skipped because they cannot have the new values, with the
	// reasons.
	Refusals []*BadUpdateError `json:"-"`

	// Unreadable counts the items that were not changed because the filter selects by payload
	// and theirs cannot be read; see [IncompleteError].
	Unreadable int

	// Clones are the ids of the new items, in the order of their originals.
	Clones []int64

	// Next is the BeforeID of the next page; 0 when this was the last one. A page of a search
	// by payload may be empty and not the last.
	Next int64

	// Top is the BeforeID of this page: a repeated request for the page begins there,
	// whatever was created meanwhile. 0: nothing was found.
	Top int64
}

// From lists the states in which an item must be for the change.
func (c Change) From() []State {
	if c.Action == Update && (c.Update == nil || !c.Update.WhileRunning()) {
		return []State{Ready, Pending, Assigned}
	}
	return c.Action.From()
}

// Validate checks what does not depend on an item.
func (c Change) Validate() error {
	if c.IfVersion < 0 {
		return fmt.Errorf("%s: got the version %d, want 1 or more", c.Action, c.IfVersion)
	}
	if c.NewKey != "" {
		if c.Action != Clone {
			return fmt.Errorf("%s: got the new natural key %q, which is for clones", c.Action, c.NewKey)
		}
		if err := CheckNaturalKey(c.NewKey); err != nil {
			return fmt.Errorf("clone: %w", err)
		}
	}
	if c.FromStep != "" && c.Action != Repeat {
		return fmt.Errorf("%s: got the step %q, which is for repeats", c.Action, c.FromStep)
	}
	if c.Action != Update {
		_, err := ParseAction(string(c.Action))
		return err
	}
	if c.Update == nil {
		return errors.New("update: got no values")
	}
	if err := c.Update.Validate(); err != nil {
		return fmt.Errorf("update: %w", err)
	}
	return nil
}

// MakesReady reports whether an item may be due after the change that was not before, or for other
// workers.
func (c Change) MakesReady() bool {
	return c.Action.MakesReady() || c.Action == Update && c.Update != nil && c.Update.Moves()
}

// Allows reports whether the item's state allows the change.
func (c Change) Allows(it *Item) bool {
	return slices.Contains(c.From(), it.State) && (it.DeletedAt == nil || c.Action.AllowsDeleted())
}

// Refuse returns the error for an action that the item's state forbids.
func (c Change) Refuse(it *Item) error {
	if c.IfVersion != 0 && c.IfVersion != it.Version && c.Allows(it) {
		return &VersionError{ItemID: it.ID, Got: it.Version, Want: c.IfVersion}
	}
	hint := c.Action.refusal(it.State)
	if it.DeletedAt != nil && !c.Action.AllowsDeleted() {
		hint = "it has been deleted; repeat brings it back"
	}
	return &TransitionError{ItemID: it.ID, Verb: string(c.Action), State: it.State, Hint: hint}
}
