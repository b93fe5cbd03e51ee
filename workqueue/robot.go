package workqueue

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf16"
)

// A robot is a name: a program outside of this one that takes items by
// checkout, works on them by itself and says how they ended. Which program may
// call itself so is decided where it is let in, not here.

// MaxRobot is the longest name of a robot, in UTF-16 units.
const MaxRobot = 200

// Right is what a robot needs to do something with a queue.
type Right string

// The rights, as QueueRobot has them.
const (
	RightRead  Right = "read"  // look at items, check them out and say how they ended
	RightWrite Right = "write" // enqueue, change and delete items
)

// RobotMay tells whether the queue lets a robot do what needs the right. The
// error is an *AccessError.
func (q *Queue) RobotMay(robot string, right Right) error {
	if !q.Private {
		return nil
	}
	refused := &AccessError{Robot: robot, Queue: q.Name, Right: right,
		Hint: fmt.Sprintf("the queue is private and does not list the robot; give it %s in the queue's robots.rights", right)}
	for _, r := range q.Robots {
		if r.Robot != robot {
			continue
		}
		if right == RightRead && r.Read || right == RightWrite && r.Write {
			return nil
		}
		refused.Hint = fmt.Sprintf("the queue is private and lists the robot without this right; add %s to it in the queue's robots.rights", right)
	}
	return refused
}

// GivesToRobots tells whether robots take the items of the queue. The error is
// a *ConsumerError.
func (q *Queue) GivesToRobots() error {
	if q.Consumer != ConsumerRobots {
		return &ConsumerError{Queue: q.Name}
	}
	return nil
}

// CheckRobot checks a robot's name.
func CheckRobot(name string) error {
	switch n := len(utf16.Encode([]rune(name))); {
	case strings.TrimSpace(name) == "":
		return errors.New("robot: got no name, want one that says who takes the items")
	case n > MaxRobot:
		return fmt.Errorf("robot: got a name of %d characters, want at most %d", n, MaxRobot)
	}
	return nil
}

// AccessError says that a robot lacks a right.
type AccessError struct {
	Robot string
	Queue string
	Right Right
	Hint  string
}

func (e *AccessError) Error() string {
	return fmt.Sprintf("robot %q may not %s in the queue %q; hint: %s", e.Robot, e.Right, e.Queue, e.Hint)
}

// ConsumerError says that a robot asked for items of a queue that workers take.
type ConsumerError struct{ Queue string }

func (e *ConsumerError) Error() string {
	return fmt.Sprintf("the queue %q gives its items to workers, not to robots; hint: `consumer: robots` in its definition, or another queue", e.Queue)
}

// MayDelete tells whether the queue lets a robot delete an item by its key. The
// error is an *AccessError, or a *TransitionError for an item that is taken.
func (q *Queue) MayDelete(robot string, it *Item) error {
	if err := q.RobotMay(robot, RightWrite); err != nil {
		return err
	}
	if q.RobotDeletesOnlyOwn && (it.CreatedBy == nil || *it.CreatedBy != robot) {
		return &AccessError{Robot: robot, Queue: q.Name, Right: RightWrite,
			Hint: "the queue lets a robot delete only items that it enqueued itself (robots.deletesOnlyOwn), and somebody else made this one"}
	}
	if !slices.Contains(Delete.From(), it.State) {
		return RefuseRobot(string(Delete), it)
	}
	return nil
}

// RefuseRobot is the error for what an item's state forbids a robot.
func RefuseRobot(verb string, it *Item) error {
	hint := ""
	switch {
	case it.CheckedOut():
		hint = "a robot has taken it; only who holds its lock key can do something with it"
	case it.State == Blocked || it.State == Assigned:
		hint = "a worker has taken it"
	case it.State == Processed || it.State == Cancelled:
		hint = "it is over"
	}
	return &TransitionError{ItemID: it.ID, Verb: verb, State: it.State, Hint: hint}
}
