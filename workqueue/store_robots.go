package workqueue

import (
	"context"
	"time"
)

// RobotStore is what robots do. Each call looks at the robot's rights in the
// queue's row in the statement or transaction that does it, so that a right
// that was taken away counts at once: *AccessError.
//
// What a robot has taken it holds by a lock key until its lease ends by the
// database's clock. A call with a [Hold] that does not hold, because the key,
// the fence or the robot is another, because the lease is over or because the
// item was taken back, changes nothing and returns ErrLeaseLost.
type RobotStore interface {
	// Checkout gives items of a queue to a robot: the first ones that are due,
	// not past their deadline and match the filter. They run until the lease
	// ends, with Fence + 1 and without a worker. No item goes to two robots. A
	// queue that is paused, has nothing or has reached its limits gives an empty result and no error;
	// one for workers a *ConsumerError, an unknown one *UnknownQueueError.
	Checkout(ctx context.Context, p CheckoutParams) (Checkout, error)

	// PeekItems lists what Checkout would give if the queue had no limits, and
	// changes nothing.
	PeekItems(ctx context.Context, p CheckoutParams) ([]Item, error)

	// RobotItem shows one item of any state to a robot, or returns ErrNotFound.
	// While a robot has the item checked out, payload, output and metadata are
	// shown to a hold that holds alone; anybody else gets the item without them.
	// A hold with no more than robot and item asks without a lock key.
	RobotItem(ctx context.Context, h Hold) (Item, error)

	// ExtendCheckout makes the lease end after the given time from now, and
	// returns when that is; 0 means as long as the queue says.
	ExtendCheckout(ctx context.Context, h Hold, lease time.Duration) (time.Time, error)

	// RobotProgress records how far the work on an item has come.
	RobotProgress(ctx context.Context, h Hold, note RobotNote) error

	// FinishCheckout ends the work on an item by the policy of its queue, as the
	// end of a worker's run does. Output and analytics that do not fit the
	// queue's schemas are refused: *SchemaError; the robot keeps the item then.
	FinishCheckout(ctx context.Context, h Hold, end RobotEnd) (RobotEnded, error)

	// ReleaseCheckout gives an item back. It is due at once, and no failure is
	// counted.
	ReleaseCheckout(ctx context.Context, h Hold, reason string) error

	// DeleteCheckout deletes an item that the robot holds, as its queue deletes.
	// It needs the right to write.
	DeleteCheckout(ctx context.Context, h Hold, reason string) error

	// RobotEnqueue enqueues items in the robot's name (CreatedBy), as Enqueue
	// does. When take is not nil, the robot has them checked out in the same
	// transaction; their queues are for robots then, and the robot has both rights.
	RobotEnqueue(ctx context.Context, robot string, items []NewItem, take *CheckoutOnEnqueue) (RobotEnqueued, error)

	// RobotChange changes an item that waits. One that is taken, or over, stays
	// as it is: *TransitionError. A natural key that another item has, where it
	// must be unique, is a *DuplicateError.
	RobotChange(ctx context.Context, robot string, id int64, c RobotChange) error

	// RobotDelete deletes the items of a queue with this natural key that nobody
	// has taken, at most 500 at a time, and returns how many. When it may delete none of
	// them, the error tells why: *AccessError for items of others in a queue that lets
	// robots delete only their own, *TransitionError for one that is taken,
	// ErrNotFound when there is none.
	RobotDelete(ctx context.Context, robot, queue, naturalKey, reason string) (int, error)
}
