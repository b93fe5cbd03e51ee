package workqueue

import (
	"fmt"
	"strings"
)

// Status is the one word that users see for the state of an item. Like the lifecycle
// it is computed by the database's clock when the item is read, and never stored;
// unlike the lifecycle, it shows how an item failed.
type Status string

// The statuses, in the order of an item's life.
const (
	StatusScheduled     Status = "Scheduled"      // not due yet
	StatusPending       Status = "Pending"        // due, waits for a worker
	StatusAssigned      Status = "Assigned"       // given to a worker, not started
	StatusRunning       Status = "Running"        // claimed by a worker or a robot
	StatusRetry         Status = "Retry"          // failed, waits for its backoff
	StatusSucceeded     Status = "Succeeded"      // succeeded
	StatusFailed        Status = "Failed"         // no attempts left, or none can succeed
	StatusBusinessError Status = "Business error" // the data is wrong; a user must correct it
	StatusExpired       Status = "Expired"        // not started before its deadline or within its queue's time to live, or not finished in time
	StatusCancelled     Status = "Cancelled"      // by a user or a rule
	StatusDeleted       Status = "Deleted"        // hidden, and permanently removed later
	statusUnknown       Status = ""               // a state that a newer program has written
)

// Statuses returns all statuses in the order of an item's life.
func Statuses() []Status {
	return []Status{
		StatusScheduled, StatusPending, StatusAssigned, StatusRunning, StatusRetry, StatusSucceeded,
		StatusFailed, StatusBusinessError, StatusExpired, StatusCancelled, StatusDeleted,
	}
}

// ParseStatus reads a status in any case. Spaces may be hyphens: business-error.
func ParseStatus(text string) (Status, error) {
	for _, s := range Statuses() {
		if strings.EqualFold(strings.ReplaceAll(text, "-", " "), string(s)) {
			return s, nil
		}
	}
	return statusUnknown, fmt.Errorf("status %q: want one of %v", text, Statuses())
}

// StatusOf returns the status of an item with this lifecycle. kind is its ErrorKind, nil
// for none; only archived items have different statuses for different kinds.
func StatusOf(l Lifecycle, kind *ErrorKind) Status {
	switch l {
	case LifeScheduled:
		return StatusScheduled
	case LifePending:
		return StatusPending
	case LifeAssigned:
		return StatusAssigned
	case LifeActive:
		return StatusRunning
	case LifeRetry:
		return StatusRetry
	case LifeCompleted:
		return StatusSucceeded
	case LifeDeleted:
		return StatusDeleted
	case LifeArchived:
		return archivedStatus(kind)
	}
	return statusUnknown
}

// archivedStatus returns the status of an archived item. One without a kind was set to
// Cancelled by hand.
func archivedStatus(kind *ErrorKind) Status {
	if kind == nil {
		return StatusCancelled
	}
	switch *kind {
	case KindBusiness:
		return StatusBusinessError
	case KindExpired:
		return StatusExpired
	case KindCancelled:
		return StatusCancelled
	}
	return StatusFailed
}

// Status returns the item's status when it was read.
func (it *Item) Status() Status { return StatusOf(it.Lifecycle, it.ErrorKind) }
