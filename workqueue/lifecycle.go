package workqueue

import (
	"fmt"
	"strings"
)

// Lifecycle names where an item is in its life. It is computed from the item's state
// and times by the database's clock, and never stored.
type Lifecycle string

// The lifecycles, in the order of an item's life.
const (
	LifeScheduled Lifecycle = "scheduled" // not due yet
	LifePending   Lifecycle = "pending"   // due, waits for a worker
	LifeAssigned  Lifecycle = "assigned"  // assigned to a worker, not started
	LifeActive    Lifecycle = "active"    // running
	LifeRetry     Lifecycle = "retry"     // failed, waits for its backoff
	LifeCompleted Lifecycle = "completed" // succeeded
	LifeArchived  Lifecycle = "archived"  // failed or was cancelled, or set aside
	LifeDeleted   Lifecycle = "deleted"   // hidden, and permanently removed later
	lifeUnknown   Lifecycle = ""          // a state that a newer program has written
)

// Lifecycles lists all lifecycles in the order of an item's life.
func Lifecycles() []Lifecycle {
	return []Lifecycle{LifeScheduled, LifePending, LifeAssigned, LifeActive, LifeRetry, LifeCompleted, LifeArchived, LifeDeleted}
}

// ParseLifecycle reads a lifecycle's name, in any case.
func ParseLifecycle(text string) (Lifecycle, error) {
	for _, l := range Lifecycles() {
		if strings.EqualFold(text, string(l)) {
			return l, nil
		}
	}
	return lifeUnknown, fmt.Errorf("lifecycle %q: want one of %v", text, Lifecycles())
}

// LifecycleOf computes an item's lifecycle. due reports whether its AvailableAt has
// passed by the database's clock, deleted whether it has a DeletedAt.
func LifecycleOf(state State, failures int, due, deleted bool) Lifecycle {
	switch {
	case deleted:
		return LifeDeleted
	case state == Blocked:
		return LifeActive
	case state == Processed:
		return LifeCompleted
	case state == Cancelled:
		return LifeArchived
	case state == Assigned:
		return LifeAssigned
	case state != Ready && state != Pending:
		return lifeUnknown
	case due:
		return LifePending
	case failures > 0:
		return LifeRetry
	default:
		return LifeScheduled
	}
}
