package workqueue

import (
	"fmt"
	"slices"
	"strings"
)

// Action is something that a person does to an item.
type Action string

// The actions.
const (
	// RunNow makes an item that waits for its time due at once, and gives a
	// finished one another run. Its counters stay.
	RunNow Action = "run"

	// Cancel ends an item that waits, is assigned or runs: its run is stopped
	// and it does not come back.
	Cancel Action = "cancel"

	// Archive sets an item aside that waits, is assigned or has succeeded.
	Archive Action = "archive"

	// Repeat makes a finished item, a deleted one too, run again as if it were
	// new, under the same id.
	Repeat Action = "repeat"

	// Clone makes a new item like this one, with counters at zero, made on
	// request and due at once.
	Clone Action = "clone"

	// Delete hides an item or removes it for good, as its queue says.
	Delete Action = "delete"
)

// Actions lists all actions.
func Actions() []Action { return []Action{RunNow, Cancel, Archive, Repeat, Clone, Delete} }

// ParseAction reads an action's name.
func ParseAction(text string) (Action, error) {
	if a := Action(strings.ToLower(text)); slices.Contains(Actions(), a) {
		return a, nil
	}
	return "", fmt.Errorf("action %q: want one of %v", text, Actions())
}

// From lists the states in which an item may be for the action. A deleted item
// may only be repeated and cloned.
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
	default:
		return nil
	}
}

// MakesReady tells whether an item waits and is due when the action is done to it.
func (a Action) MakesReady() bool { return a == RunNow || a == Repeat || a == Clone }

// TakesDeleted tells whether the action may be done to a deleted item.
func (a Action) TakesDeleted() bool { return a == Repeat || a == Clone }

// refusal is what a person is told whose action an item's state forbids.
func (a Action) refusal(state State) string {
	switch a {
	case RunNow:
		if state == Assigned {
			return "a worker has been given it already"
		}
		return "it runs already"
	case Cancel:
		return "it is over already"
	case Archive:
		if state == Cancelled {
			return "it is archived already"
		}
		return "it runs: cancel it instead"
	case Repeat:
		return "only a finished item can be repeated"
	case Delete:
		return "a running item cannot be deleted: cancel it first"
	default:
		return ""
	}
}

// Change is what is to be done to items, and on whose word.
type Change struct {
	Action Action

	// Reason is kept with the item: as its error (Cancel, Archive), or as the
	// reason of its deletion. "" tells that there was none.
	Reason string

	// By is kept as the maker of a clone.
	By string

	// DryRun changes nothing, and tells what would be changed as if it were. It
	// does not look at keys that must be unique.
	DryRun bool

	// Batch names the change of a page, so that it is made once however often it is asked
	// for, and recorded; the zero value names none. The change of one item is the part
	// minus the item's id. The error is an *UnansweredError when the outcome is unknown.
	Batch BatchPart
}

// ChangeResult is what came of a Change of one page of items.
type ChangeResult struct {
	// Changed counts the items that were changed, or cloned.
	Changed int

	// KeysTaken counts the items that were passed over because another item has a
	// key that must be unique: those that would be cloned, or come back with it.
	KeysTaken int

	// Clones are the ids of the new items, in the order of their originals.
	Clones []int64

	// Next is the BeforeID of the next page; 0 when this was the last one.
	Next int64

	// Top is the BeforeID of this page: the page that is asked for again begins there,
	// whatever was made meanwhile. 0: nothing was found.
	Top int64
}

// Allows tells whether the item's state allows the action.
func (c Change) Allows(it *Item) bool {
	return slices.Contains(c.Action.From(), it.State) && (it.DeletedAt == nil || c.Action.TakesDeleted())
}

// Refuse is the error for an action that the item's state forbids.
func (c Change) Refuse(it *Item) error {
	hint := c.Action.refusal(it.State)
	if it.DeletedAt != nil && !c.Action.TakesDeleted() {
		hint = "it has been deleted; repeat brings it back"
	}
	return &TransitionError{ItemID: it.ID, Verb: string(c.Action), State: it.State, Hint: hint}
}
