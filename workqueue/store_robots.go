package workqueue

import (
	"context"
	"time"
)

// RobotStore holds the operations of robots. Each call checks the robot's rights in
// the queue's row, in the statement or transaction that does the work, so that a
// revoked right counts at once: *AccessError.
//
// A robot holds the items that it has checked out by a lock key, until its lease
// expires by the database's clock. A call with a [Hold] that is not valid changes
// nothing and returns ErrLeaseLost: the key, the fence or the robot is a different
// one, the lease has expired, or the item was taken back from the robot.
//
// A robot that did not get the answer to an end may repeat the call: FinishCheckout,
// ReleaseCheckout, PostponeCheckout or DeleteCheckout with the same hold, and for
// FinishCheckout with the same kind, changes nothing and returns the first result. The result
// is known for a day; that of a success as long as the item is kept and does not run again.
// Later the error is ErrEndUnknown.
type RobotStore interface {
	// Checkout gives items of a queue to a robot: the first ones that are due, have
	// not passed their deadline and match the filter. They run until the lease
	// expires, with Fence + 1 and without a worker. No item goes to two robots. A
	// queue that is paused, has no such items or has reached its limits gives an
	// empty result and no error. A queue for workers is a *ConsumerError, an unknown
	// one an *UnknownQueueError.
	Checkout(ctx context.Context, p CheckoutParams) (Checkout, error)

	// PeekItems lists the items that Checkout would give if the queue had no limits,
	// and changes nothing.
	PeekItems(ctx context.Context, p CheckoutParams) ([]Item, error)

	// RobotItem returns one item of any state, or ErrNotFound. While a robot has the
	// item checked out, only a valid hold gets its payload, output and metadata;
	// other callers get the item without them. For a request without a lock key, set
	// only Robot and ItemID of the hold.
	RobotItem(ctx context.Context, h Hold) (Item, error)

	// ExtendCheckout sets the lease to expire after the given time from now, and
	// returns when that is; 0 means the queue's lease time.
	ExtendCheckout(ctx context.Context, h Hold, lease time.Duration) (time.Time, error)

	// RobotProgress records the progress of the work on an item.
	RobotProgress(ctx context.Context, h Hold, note RobotNote) error

	// FinishCheckout ends the work on an item by the policy of its queue, like the
	// end of a worker's run. Output and analytics that do not match the queue's
	// schemas are refused: *SchemaError; the robot keeps the item then.
	FinishCheckout(ctx context.Context, h Hold, end RobotEnd) (RobotEnded, error)

	// ReleaseCheckout releases an item. It is due at once, and no failure is counted.
	ReleaseCheckout(ctx context.Context, h Hold, reason string) error

	// PostponeCheckout releases an item until a time. No failure is counted. RetryIn of
	// the result is the wait.
	PostponeCheckout(ctx context.Context, h Hold, p Postponement) (RobotEnded, error)

	// ReleaseFromRobot takes an item away from the robot that holds it, on request of a
	// person: it is due at once, no failure is counted, and the robot's later calls
	// return ErrLeaseLost. An item that no robot holds stays unchanged:
	// *TransitionError, or ErrNotFound.
	ReleaseFromRobot(ctx context.Context, id int64, reason string) error

	// DeleteCheckout deletes an item that the robot holds, by the deletion policy of
	// its queue. The robot needs the right to write.
	DeleteCheckout(ctx context.Context, h Hold, reason string) error

	// RobotEnqueue enqueues items with the robot as their CreatedBy, like Enqueue. If
	// take is not nil, the robot checks them out in the same transaction; then their
	// queues must be for robots, and the robot needs both rights. A repeated call with the
	// same part of a batch enqueues nothing and returns the results of the first, but checks
	// nothing out: the items that the first one checked out come back when their lease ends.
	RobotEnqueue(ctx context.Context, robot string, part BatchPart, items []NewItem, take *CheckoutOnEnqueue) (RobotEnqueued, error)

	// RobotChange changes a waiting item. An item that is checked out or finished
	// stays unchanged: *TransitionError. If another item has the natural key and keys
	// must be unique: *DuplicateError.
	RobotChange(ctx context.Context, robot string, id int64, c RobotChange) error

	// ChangeCheckout is RobotChange for an item that the robot holds. A priority applies to
	// its next attempt. The robot needs the right to write.
	ChangeCheckout(ctx context.Context, h Hold, c RobotChange) error

	// RobotDelete deletes the waiting items of a queue that have this natural key, at
	// most 500 at a time, and returns their number. If it may delete none of them,
	// the error gives the reason: *AccessError for items created by others in a queue
	// that lets robots delete only their own, *TransitionError for an item that is
	// checked out, ErrNotFound if there is none.
	RobotDelete(ctx context.Context, robot, queue, naturalKey, reason string) (int, error)
}
