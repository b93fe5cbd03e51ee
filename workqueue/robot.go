package workqueue

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf16"
)

// A robot is the name of an external program that checks items out, works on them
// by itself and finishes them. The API's authentication decides which program may
// use the name, not this package.

// MaxRobot is the longest name of a robot, in UTF-16 units.
const MaxRobot = 200

// Right is the permission that an operation of a robot on a queue needs.
type Right string

// The rights, as in QueueRobot.
const (
	RightRead  Right = "read"  // read items, check them out and finish them
	RightWrite Right = "write" // enqueue, change and delete items
)

// RobotMay returns an *AccessError if the robot does not have the right in the queue.
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

// CheckRobotConsumer returns a *ConsumerError if the items of the queue are not for
// robots.
func (q *Queue) CheckRobotConsumer() error {
	if q.Consumer != ConsumerRobots {
		return &ConsumerError{Queue: q.Name}
	}
	return nil
}

// CheckRobot checks a robot's name.
func CheckRobot(name string) error {
	switch n := len(utf16.Encode([]rune(name))); {
	case strings.TrimSpace(name) == "":
		return errors.New("robot: got no name, want the name of the robot")
	case n > MaxRobot:
		return fmt.Errorf("robot: got a name of %d characters, want at most %d", n, MaxRobot)
	}
	return nil
}

// AccessError is returned when a robot lacks a right.
type AccessError struct {
	Robot string
	Queue string
	Right Right
	Hint  string
}

func (e *AccessError) Error() string {
	return fmt.Sprintf("robot %q may not %s in the queue %q; hint: %s", e.Robot, e.Right, e.Queue, e.Hint)
}

// ConsumerError is returned when a robot requests items of a queue for workers.
type ConsumerError struct{ Queue string }

func (e *ConsumerError) Error() string {
	return fmt.Sprintf("the queue %q gives its items to workers, not to robots; hint: set `consumer: robots` in its definition, or use another queue", e.Queue)
}

// MayDelete returns an error if the queue does not let a robot delete an item by its
// key: an *AccessError, or a *TransitionError for an item that is assigned, checked
// out or finished.
func (q *Queue) MayDelete(robot string, it *Item) error {
	if err := q.RobotMay(robot, RightWrite); err != nil {
		return err
	}
	if q.RobotDeletesOnlyOwn && (it.CreatedBy == nil || *it.CreatedBy != robot) {
		return &AccessError{Robot: robot, Queue: q.Name, Right: RightWrite,
			Hint: "the queue lets a robot delete only items that it enqueued itself (robots.deletesOnlyOwn), and it did not enqueue this one"}
	}
	if !slices.Contains(Delete.From(), it.State) {
		return RefuseRobot(string(Delete), it)
	}
	return nil
}

// RefuseRobot returns the error for an operation of a robot that an item's state
// forbids.
func RefuseRobot(verb string, it *Item) error {
	hint := ""
	switch {
	case it.CheckedOut():
		hint = "a robot has checked it out; changes need its lock key"
	case it.State == Blocked || it.State == Assigned:
		hint = "a worker has it"
	case it.State == Processed || it.State == Cancelled:
		hint = "it has finished"
	}
	return &TransitionError{ItemID: it.ID, Verb: verb, State: it.State, Hint: hint}
}
