package workqueue

import (
	"errors"
	"fmt"
	"time"
	"unicode/utf16"
)

// CheckoutOnEnqueue requests that the robot that enqueues items also checks them out.
type CheckoutOnEnqueue struct {
	// Lease is as in CheckoutParams.
	Lease time.Duration
}

// RobotEnqueued is the result of RobotEnqueue.
type RobotEnqueued struct {
	Items []Enqueued `json:"items"`

	// Checkout holds the items that were checked out. It does not include items that
	// existed before, nor items that must wait because their queue is paused or has
	// reached its limits.
	Checkout Checkout `json:"checkout"`
}

// CheckRobotEnqueue checks everything that does not depend on the items' queues. It
// returns all faults at once.
func CheckRobotEnqueue(robot string, items []NewItem, take *CheckoutOnEnqueue) error {
	errs := []error{CheckRobot(robot)}
	if take != nil {
		if len(items) > MaxCheckout {
			errs = append(errs, fmt.Errorf("take: got %d items, want at most %d at once", len(items), MaxCheckout))
		}
		if take.Lease != 0 {
			errs = append(errs, CheckCheckoutLease(take.Lease))
		}
		for i, it := range items {
			if !it.At.IsZero() || it.In > 0 {
				errs = append(errs, &BadItemError{Index: i, Of: len(items), Err: errors.New("an item that is checked out at once cannot have a time in the future")})
				break
			}
		}
	}
	return errors.Join(errs...)
}

// RobotChange is a robot's change to a waiting item; nil keeps the current value.
type RobotChange struct {
	Metadata   *map[string]string // replaces all of it
	Tags       *[]string          // replaces all of them
	Priority   *int               // as at enqueue: the queue's offset is added
	NaturalKey *string            // "" removes it
}

// PrepareChange checks a change to an item of the queue by the rules of new items. It
// returns all faults at once.
func (q *Queue) PrepareChange(c RobotChange) (NewItem, error) {
	it := NewItem{IntegrationConfig: "unchanged"}
	if c.Metadata != nil {
		it.Metadata = *c.Metadata
	}
	if c.Tags != nil {
		it.Tags = *c.Tags
	}
	if c.NaturalKey != nil {
		it.NaturalKey = *c.NaturalKey
	}
	errs := it.faults()
	if c == (RobotChange{}) {
		errs = append(errs, errors.New("change: got nothing to change, want metadata, tags, priority or natural key"))
	}
	if c.Priority != nil {
		it.Priority = *c.Priority + q.PriorityOffset
		if !ItemPriorityRange(it.Priority) {
			errs = append(errs, fault("priority", "priority: %d with the queue's offset %d is out of range, want a 32-bit number", *c.Priority, q.PriorityOffset))
		}
	}
	return it, errors.Join(errs...)
}

// CheckNaturalKey checks a key that selects items.
func CheckNaturalKey(key string) error {
	switch n := len(utf16.Encode([]rune(key))); {
	case key == "":
		return errors.New("natural key: got none, want the key of the items")
	case n > MaxNaturalKey:
		return fmt.Errorf("natural key: got %d characters, want at most %d", n, MaxNaturalKey)
	}
	return nil
}
