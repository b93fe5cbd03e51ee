package workqueue

import (
	"errors"
	"fmt"
	"time"
	"unicode/utf16"
)

// CheckoutOnEnqueue asks that what is enqueued be taken at once by who enqueues it.
type CheckoutOnEnqueue struct {
	// Lease as in CheckoutParams.
	Lease time.Duration
}

// RobotEnqueued is what became of items that a robot enqueued.
type RobotEnqueued struct {
	Items []Enqueued `json:"items"`

	// Checkout holds those that were taken at once. What was there already is
	// not among them, nor what has to wait: in a queue that is paused, or without a place left in
	// its limits.
	Checkout Checkout `json:"checkout"`
}

// CheckRobotEnqueue checks what does not depend on the items' queues. All faults
// come at once.
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
				errs = append(errs, &BadItemError{Index: i, Of: len(items), Err: errors.New("an item that is taken at once cannot wait for its time")})
				break
			}
		}
	}
	return errors.Join(errs...)
}

// RobotChange is what a robot changes of an item that nobody has taken; nil
// keeps what is there.
type RobotChange struct {
	Metadata   *map[string]string // replaces all of it
	Tags       *[]string          // replaces all of them
	Priority   *int               // as at enqueue: the queue's offset is added
	NaturalKey *string            // "" takes it away
}

// Prepare checks a change to an item of the queue by the rules of new items.
// All faults come at once.
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
			errs = append(errs, fault("priority", "priority: %d with the queue's offset %d is no number of 32 bits", *c.Priority, q.PriorityOffset))
		}
	}
	return it, errors.Join(errs...)
}

// CheckNaturalKey checks a key by which an item is to be found.
func CheckNaturalKey(key string) error {
	switch n := len(utf16.Encode([]rune(key))); {
	case key == "":
		return errors.New("natural key: got none, want the key of the items that are meant")
	case n > MaxNaturalKey:
		return fmt.Errorf("natural key: got %d signs, want at most %d", n, MaxNaturalKey)
	}
	return nil
}
